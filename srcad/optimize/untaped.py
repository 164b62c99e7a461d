"""What an array still has in the end is read there, and not saved by the loops that filled it.

    for i in range(n) carrying L:                    for i in range(n) carrying L_2:
        for j in range(i) carrying L_2:      ->          ...
            t = getitem(L_2, (i, k))                 -> L_end
            L_3 = index_update(L_2, (i, j), v)
            collecting t_tape                        for reversed i ...:
    -> L_end                                             for reversed j ...:
    for reversed i ... reading t of t_tape:                  t = getitem(L_end, (i, k))

An entry that was read, or stored, is still there if no store follows to the same place: in a later
turn of one of the loops around both, or by a later statement of the same turn. For each such order
the ranges of the loops, the branch taken and the equality of all positions are inequalities between
whole numbers; the entry lasts if they are impossible together.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from srcad import runtime
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms, as_atom, within
from srcad.ir.inequalities import are_impossible
from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value
from srcad.ir.types import ArrayType, NumberType, SeqType
from srcad.ir.walk import blocks, defined_in, outputs, statements
from srcad.optimize.rewrite import Rewriter
from srcad.optimize.stored_places import (
    Store,
    StoredArray,
    Version,
    positions,
    stored_arrays,
)
from srcad.rules.distinct import is_basic_index
from srcad.rules.infer import infer

_INT = NumberType(int)
Cases = list[list[Affine]]


def untaped(fn: Function) -> Function:
    """The program with tapes read less."""
    nests = [stmt for stmt in fn.body.body if isinstance(stmt, For) and stmt.seqs]
    if not any(not nest.exits and _has_stores(nest) for nest in nests):
        return fn
    finder = _Finder(fn)
    for nest in nests:
        if not nest.exits:
            finder.nest(nest)
    return finder.replaced(fn)


def _has_stores(nest: For) -> bool:
    stores = (runtime.index_update, runtime.index_add)
    return any(isinstance(s, Op) and s.fn in stores for s in statements(nest.body))


@dataclass(frozen=True)
class _Reader:
    """A place in the reverse sweep: the loops of the nest by its own, and what holds there."""

    loops: dict[Value, Value]  # a reversed loop's index: the index of the loop that it reverses
    facts: tuple[Affine, ...] = ()

    def forward(self, form: Affine) -> Affine:
        """A form in terms of the nest's indices."""
        return form.replaced({v: Affine.of(w) for v, w in self.loops.items()})

    def backward(self, form: Affine) -> Affine:
        """A form in terms of the reverse sweep's indices."""
        return form.replaced({w: Affine.of(v) for v, w in self.loops.items()})


class _Finder:
    """`reads`: operations that read what lasts, by what they become; `elements`: for an element of
    a tape the operation that reads the same of the array.
    """

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.forms = Forms(fn.body)
        self.made: dict[Value, Stmt | None] = defined_in(fn.body)
        self.conditions = {
            op.out: op for op in statements(fn.body) if isinstance(op, Op) and op.fn in _ORDERS
        }
        self.reads: dict[Op, tuple[Value, Any]] = {}
        self.elements: dict[Value, tuple[Value, Any, Op]] = {}

    def nest(self, nest: For) -> None:
        """Find what of the nest's tapes need not be read."""
        arrays = stored_arrays(nest)
        if not arrays:
            return
        self.local = _bound_in(nest)
        at = self.fn.body.body.index(nest)
        for stmt in self.fn.body.body[at + 1 :]:
            self.search(stmt, dict(zip(nest.seqs, nest.written, strict=True)), nest, arrays)

    def search(
        self, stmt: Stmt, seqs: dict[Value, Any], nest: For, arrays: list[StoredArray]
    ) -> None:
        """Find the loops that read sequences of the nest."""
        if isinstance(stmt, Closure):
            for inner in stmt.function.body.body:
                self.search(inner, seqs, nest, arrays)
        if isinstance(stmt, For):
            self.reader(stmt, seqs, nest, arrays, _Reader({}))

    def reader(
        self, stmt: For, seqs: dict[Value, Any], nest: For, arrays: list[StoredArray], at: _Reader
    ) -> None:
        """A loop that may read `seqs`, which `nest` wrote: by what it wrote."""
        pairs = [
            (element, seqs[source])
            for source, element in zip(stmt.ins, stmt.elements, strict=True)
            if isinstance(source, Value) and source in seqs
        ]
        if not pairs:
            return
        at = replace(at, loops={**at.loops, stmt.index: nest.index})
        inner: dict[Value, tuple[For, Any]] = {}
        made = defined_in(nest.body)
        for element, written in pairs:
            if not isinstance(written, Value):
                continue
            if isinstance(element.type, SeqType):
                source = made.get(written)
                if isinstance(source, For) and written in source.seqs and not source.exits:
                    k = source.seqs.index(written)
                    inner[element] = source, source.written[k]
                continue
            for array in arrays:
                if written in array.versions:
                    self.uses(stmt.body, element, array, array.versions[written], at)
                else:
                    self.entry(element, written, made, array, at)
        for source in dict.fromkeys(loop for loop, _ in inner.values()):
            theirs = {e: w for e, (loop, w) in inner.items() if loop is source}
            for each in statements(stmt.body):
                if isinstance(each, For):
                    self.reader(each, theirs, source, arrays, at)

    # What is read

    def entry(
        self,
        element: Value,
        written: Value,
        made: dict[Value, Stmt | None],
        array: StoredArray,
        at: _Reader,
    ) -> None:
        """An element that is an entry: one that was read of the array, or stored into it."""
        op = made.get(written)
        if not isinstance(op, Op):
            return
        version, index = None, None
        if op.fn is operator.getitem and op.args[0] in array.versions:
            version, index = array.versions[op.args[0]], op.args[1]
        for store in array.stores:
            # One in a branch may not have been done.
            is_done = store.op.out in made
            is_whole = store.op.fn is runtime.index_update and store.op.args[2] is written
            is_it = is_done and is_whole and _is_entry(written, array.end, store.op.args[1])
            if version is None and is_it:
                version, index = Version(store.loops, store.time), store.op.args[1]
        if version is None or not is_basic_index(index) or set(version.loops) - set(self.loops(at)):
            return
        there = self.translated(index, at)
        facts = within(self.loops(at), self.forms)
        if there is not None and self.lasts(index, version, array, facts):
            self.elements[element] = (array.end, there, op)

    def loops(self, at: _Reader) -> list[For]:
        """The loops of the nest around a place of the reverse sweep."""
        indices = set(at.loops.values())
        return [s for s in statements(self.fn.body) if isinstance(s, For) and s.index in indices]

    def uses(
        self, block: Block, element: Value, array: StoredArray, version: Version, at: _Reader
    ) -> None:
        """The entries read of an element that is a version of the array."""
        for op, cases in self.subscripts(block, element, at, [[]]):
            index = _mapped(op.args[1], lambda form: at.forward(form), self.forms)
            if index is not None and all(
                self.lasts_at(index, version, array, case) for case in cases
            ):
                self.reads[op] = (array.end, op.args[1])

    def subscripts(
        self, block: Block, element: Value, at: _Reader, cases: Cases
    ) -> Iterator[tuple[Op, Cases]]:
        """The subscripts of `element`, each with what holds where it is: one of the cases."""
        for stmt in block.body:
            if isinstance(stmt, Op):
                is_read = stmt.fn is operator.getitem and stmt.args[0] is element
                if is_read and is_basic_index(stmt.args[1]):
                    yield stmt, [[at.forward(f) for f in case] for case in cases]
            elif isinstance(stmt, For):
                range_ = within([stmt], self.forms)
                inside = [[*case, *range_] for case in cases]
                yield from self.subscripts(stmt.body, element, at, inside)
            elif isinstance(stmt, If) and stmt.is_branch:
                for branch, truth in ((stmt.then, True), (stmt.orelse, False)):
                    more = self.known(stmt.cond, truth)
                    inside = [[*case, *facts] for case in cases for facts in more]
                    yield from self.subscripts(branch, element, at, inside)

    def known(self, cond: Any, truth: bool) -> Cases:
        """What a condition says of integers: one of the cases holds."""
        op = self.conditions.get(cond) if isinstance(cond, Value) else None
        if op is None:
            return [[]]
        a, b = (self.forms.of(arg) for arg in op.args)
        if a is None or b is None:
            return [[]]
        return _ORDERS[op.fn if truth else _OPPOSITE[op.fn]](a, b)

    def translated(self, index: Any, at: _Reader) -> Any:
        """An index of the nest in terms of the reverse sweep; None where it cannot be said."""

        def back(form: Affine) -> Affine | None:
            there = at.backward(form)
            return None if any(v in self.local for v, _ in there.terms) else there

        return _mapped(index, back, self.forms)

    # What lasts

    def lasts(self, index: Any, version: Version, array: StoredArray, facts: list[Affine]) -> bool:
        """Whether what the version has at an index stays until the end."""
        there = _mapped(index, lambda form: form, self.forms)
        return there is not None and self.lasts_at(there, version, array, facts)

    def lasts_at(
        self, index: Any, version: Version, array: StoredArray, facts: list[Affine]
    ) -> bool:
        holds = [*facts, *within(version.loops, self.forms)]
        place = [_range(part, holds) for part in positions(index)]
        return not any(
            self.may_meet(place, holds, version, store, order)
            for store in array.stores
            for order in _orders(version, store)
        )

    def may_meet(
        self,
        place: Sequence[tuple[Affine | None, Affine | None] | None],
        holds: list[Affine],
        version: Version,
        store: Store,
        order: int,
    ) -> bool:
        """Whether a store that follows may be to the same place.

        Args:
            order: of the loops around both, how many are in the same turn; the next one, if there
                is one, is in a later turn.
        """
        then = self.later(store, order)
        ranges = [f.replaced(then) for f in within(store.loops, self.forms)]
        system = [*holds, *ranges]
        if order < _shared(version, store):
            loop = store.loops[order]
            ahead = then[loop.index] - Affine.of(loop.index)
            system.append((ahead if (loop.step > 0) is not loop.reverse else -ahead) - 1)
        parts = positions(_mapped(store.op.args[1], lambda f: f.replaced(then), self.forms) or ())
        for mine, part in zip(place, parts, strict=False):
            theirs = _range(part, system)
            if mine is None or theirs is None:
                continue
            # Two ranges meet where neither ends before the other begins.
            for end, begin in ((mine[1], theirs[0]), (theirs[1], mine[0])):
                if end is not None and begin is not None:
                    system.append(end - begin)
        return not are_impossible(system)

    def later(self, store: Store, order: int) -> dict[Value, Affine]:
        """The integers of the nest as they are in the turn of a store that follows: others, but for
        the indices of the turns that are the same.
        """
        same = {loop.index for loop in store.loops[:order]}
        return {v: Affine.of(Value(v.name, _INT)) for v in self.local - same}

    # The program

    def replaced(self, fn: Function) -> Function:
        """The program that reads arrays where it read tapes."""
        if not self.reads and not self.elements:
            return fn
        return _Replacer(self).run(fn)


class _Replacer(Rewriter):
    def __init__(self, found: _Finder) -> None:
        super().__init__()
        self.found = found

    def substituted(self, op: Op) -> Op:
        read = self.found.reads.get(op)
        op = super().substituted(op)
        if read is None:
            return op
        return Op(op.fn, (read[0], self.sub(read[1])), {}, op.outs, op.loc)

    def block(self, block: Block) -> Block:
        elements = [p for p in block.params if p in self.found.elements]
        if not elements:
            return super().block(block)
        made: list[Stmt] = []
        for element in elements:
            end, index, op = self.found.elements[element]
            out = Value(element.name, element.type)
            read = _mapped(index, lambda form: as_atom(form, partial(_op, made)), None)
            made.append(Op(operator.getitem, (end, read), {}, (out,), op.loc))
            self.env[element] = out
        done = super().block(block)
        return Block(done.params, [*made, *done.body], done.results)


def _op(body: list[Stmt], fn: Any, args: tuple[Any, ...]) -> Value:
    out = Value("", _INT)
    body.append(Op(fn, args, {}, (out,)))
    return out


# Indices -----------------------------------------------------------------------------------------


def _mapped(index: Any, change: Any, forms: Forms | None) -> Any:
    """An index with its integers as forms that `change` makes something of; None if it cannot."""
    parts = index if isinstance(index, tuple) else (index,)
    made = [_mapped_part(part, change, forms) for part in parts]
    if any(part is _FAILED for part in made):
        return None
    return tuple(made) if isinstance(index, tuple) else made[0]


_FAILED = object()


def _mapped_part(part: Any, change: Any, forms: Forms | None) -> Any:
    if part is None or part is Ellipsis:
        return part
    if isinstance(part, slice):
        if part.step not in (None, 1):
            return _FAILED
        ends = [
            None if e is None else _mapped_part(e, change, forms) for e in (part.start, part.stop)
        ]
        return _FAILED if any(end is _FAILED for end in ends) else slice(*ends)
    form = part if forms is None or isinstance(part, Affine) else forms.of(part)
    changed = None if form is None else change(form)
    return _FAILED if changed is None else changed


def _range(part: Any, holds: Sequence[Affine]) -> tuple[Affine | None, Affine | None] | None:
    """The first and the last entry that a part names; None where that is not known.

    A position that might be negative counts from the end, and says nothing.
    """
    if isinstance(part, slice):
        start = Affine() if part.start is None else _natural(part.start, holds)
        stop = None if part.stop is None else _natural(part.stop, holds)
        return start, None if stop is None else stop - 1
    at = _natural(part, holds)
    return (at, at) if at is not None else None


def _natural(form: Affine, holds: Sequence[Affine]) -> Affine | None:
    return form if are_impossible([*holds, -form - 1]) else None


def _shared(version: Version, store: Store) -> int:
    """How many loops are around both."""
    n = 0
    for a, b in zip(version.loops, store.loops, strict=False):
        if a is not b:
            break
        n += 1
    return n


def _orders(version: Version, store: Store) -> Iterator[int]:
    """The orders in which the store may follow: in how many loops it is the same turn."""
    n = _shared(version, store)
    yield from range(n)
    if store.time > version.time:
        yield n


def _is_entry(value: Value, array: Value, index: Any) -> bool:
    """Whether `value` is stored at `index` as it is, neither broadcast nor cast."""
    t = array.type
    is_known = isinstance(t, ArrayType) and t.shape is not None
    return is_known and bool(infer(operator.getitem, (array, index), {}) == value.type)


def _bound_in(nest: For) -> set[Value]:
    bound = {*nest.body.params}
    for stmt in statements(nest.body):
        bound.update(outputs(stmt))
        for block in blocks(stmt):
            bound.update(block.params)
    return bound


_ORDERS: Mapping[Any, Callable[[Affine, Affine], Cases]] = {
    operator.lt: lambda a, b: [[b - a - 1]],
    operator.le: lambda a, b: [[b - a]],
    operator.gt: lambda a, b: [[a - b - 1]],
    operator.ge: lambda a, b: [[a - b]],
    operator.eq: lambda a, b: [[a - b, b - a]],
    operator.ne: lambda a, b: [[b - a - 1], [a - b - 1]],
}
_OPPOSITE: Mapping[Any, Any] = {
    operator.lt: operator.ge, operator.le: operator.gt, operator.gt: operator.le,
    operator.ge: operator.lt, operator.eq: operator.ne, operator.ne: operator.eq,
}  # fmt: skip

"""Tape elimination: reads a value from the finished array if no later store can overwrite it.

    for i in range(n) carrying L:                    for i in range(n) carrying L_2:
        for j in range(i) carrying L_2:      ->          ...
            t = getitem(L_2, (i, k))                 -> L_end
            L_3 = index_update(L_2, (i, j), v)
            collecting t_tape                        for reversed i ...:
    -> L_end                                             for reversed j ...:
    for reversed i ... reading t of t_tape:                  t = getitem(L_end, (i, k))

An entry that was read, or stored, is read from what the loops leave if it keeps its value until
then (`srcad.optimize.tape.store_lifetime`): given the ranges of the loops around the place where it
is read, and the branch taken there.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from srcad import runtime
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms, as_atom, within
from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Stmt, Value
from srcad.ir.types import ArrayType, NumberType, SeqType
from srcad.ir.walk import defined_in, statements
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter
from srcad.optimize.tape.array_versions import StoredArray, Version, mapped, stored_arrays
from srcad.optimize.tape.store_lifetime import Lasting
from srcad.rules.arrays.distinct import is_basic_index
from srcad.rules.core.infer import infer

_INT = NumberType(int)
Cases = list[list[Affine]]


def eliminate_tapes(fn: Function) -> Function:
    """The program with tapes read less."""
    nests = [stmt for stmt in fn.body.body if isinstance(stmt, For) and stmt.seqs]
    if not any(not nest.exits and _has_stores(nest) for nest in nests):
        return fn
    finder = _NeedlessReads(fn)
    for nest in nests:
        if not nest.exits:
            finder.nest(nest)
    return finder.replaced(fn)


def _has_stores(nest: For) -> bool:
    return any(isinstance(s, Op) and row_of(s.fn).store for s in statements(nest.body))


@dataclass(frozen=True)
class _Reader:
    """A place in the reverse sweep: the loops of the nest by its own, and what holds there."""

    loops: dict[Value, Value]  # a reversed loop's index: the index of the loop that it reverses

    def forward(self, form: Affine) -> Affine:
        """A form in terms of the nest's indices."""
        return form.replaced({v: Affine.of(w) for v, w in self.loops.items()})

    def backward(self, form: Affine) -> Affine:
        """A form in terms of the reverse sweep's indices."""
        return form.replaced({w: Affine.of(v) for v, w in self.loops.items()})


class _NeedlessReads:
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
        self.lasting = Lasting(nest, self.forms)
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
        is_value = op.fn is operator.getitem and isinstance(op.args[0], Value)
        if is_value and op.args[0] in array.versions:
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
        if there is not None and self.lasting.lasts(index, version, array, facts):
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
            index = mapped(op.args[1], lambda form: at.forward(form), self.forms)
            if index is not None and all(
                self.lasting.lasts_at(index, version, array, case) for case in cases
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
        return _ORDERS[op.fn if truth else row_of(op.fn).negation](a, b)

    def translated(self, index: Any, at: _Reader) -> Any:
        """An index of the nest in terms of the reverse sweep; None where it cannot be said."""

        def back(form: Affine) -> Affine | None:
            there = at.backward(form)
            return None if any(v in self.lasting.local for v, _ in there.terms) else there

        return mapped(index, back, self.forms)

    # The program

    def replaced(self, fn: Function) -> Function:
        """The program that reads arrays where it read tapes."""
        if not self.reads and not self.elements:
            return fn
        return _Replacer(self).run(fn)


class _Replacer(Rewriter):
    def __init__(self, found: _NeedlessReads) -> None:
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
            read = mapped(index, lambda form: as_atom(form, partial(_op, made)), None)
            made.append(Op(operator.getitem, (end, read), {}, (out,), op.loc))
            self.env[element] = out
        done = super().block(block)
        return Block(done.params, [*made, *done.body], done.results)


def _op(body: list[Stmt], fn: Any, args: tuple[Any, ...]) -> Value:
    out = Value("", _INT)
    body.append(Op(fn, args, {}, (out,)))
    return out


def _is_entry(value: Value, array: Value, index: Any) -> bool:
    """Whether `value` is stored at `index` as it is, neither broadcast nor cast."""
    t = array.type
    is_known = isinstance(t, ArrayType) and t.shape is not None
    return is_known and bool(infer(operator.getitem, (array, index), {}) == value.type)


_ORDERS: Mapping[Any, Callable[[Affine, Affine], Cases]] = {
    operator.lt: lambda a, b: [[b - a - 1]],
    operator.le: lambda a, b: [[b - a]],
    operator.gt: lambda a, b: [[a - b - 1]],
    operator.ge: lambda a, b: [[a - b]],
    operator.eq: lambda a, b: [[a - b, b - a]],
    operator.ne: lambda a, b: [[b - a - 1], [a - b - 1]],
}

"""Lists that a loop that is kept only appends to, and what is made of them.

    hs = []                              For(0, n, 1, init=[h], seqs=[hs_1]):
    for t in range(n):                       h = tanh(w @ h + x[t])
        h = np.tanh(w @ h + x[t])     ->     yield h | h
        hs.append(h)                     hs_2 = np.array(hs_1)
    return np.sum(np.stack(hs) ** 2)     sum(hs_2 ** 2)

The list is known as the array of its items (one for each part of an item that is a tuple): then
`hs[i]` is a row of it, and iterating over the list is iterating over its rows.

A list grows so where the loop names it once in each iteration, as `hs.append(...)`, nothing else
holds it, and its items are arrays of one shape or numbers. For anything else, and whatever is done
with the list later that is not done here, the function is lowered again with this loop unrolled
(`NeedStatic`).

A list that grows on some paths of an iteration only is tried last. A flag tells the iterations that
have an item; the others have a filler, which leaves the columns after the loop:

    for v in x:                        For(0, len(x), 1, seqs=[ys_1, flags]):
        if v > 0:                          If(gt(v, 0)): yield log(v), True
            ys.append(np.log(v))    ->     else:         yield 0.0, False
                                       ys_2 = np.array(ys_1)[np.array(flags)]
"""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import FILLER, Abstract, Grown, ListObj, Sometimes
from srcad.frontend.abstract.outcomes import Outcome
from srcad.frontend.abstract.reachable import reachable
from srcad.frontend.abstract.signals import NeedStatic
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Op, Value
from srcad.ir.types import (
    ArrayType,
    Dim,
    Extent,
    NumberType,
    SeqType,
    Type,
    dtype_of,
    rank_of,
    shape_of,
)
from srcad.rules.core.facts import type_of_constant, unknown_extent

FEW = 16  # iterations that are unrolled where their number is known


def appended(node: gast.For | gast.While) -> list[str]:
    """The names that a loop uses once in each iteration, to append to them."""
    found = [
        stmt.value.func.value.id
        for stmt in node.body
        if isinstance(stmt, gast.Expr) and _is_append(stmt.value)
    ]
    inside = [*node.body, *([node.test] if isinstance(node, gast.While) else [node.target])]
    names = (each for part in inside for each in gast.walk(part))
    uses = Counter(each.id for each in names if isinstance(each, gast.Name))
    return [name for name in found if uses[name] == 1]


def appended_on_paths(node: gast.For | gast.While) -> list[str]:
    """The names that the iterations of a loop use only to append to them, on any of their paths."""
    found: list[str] = []
    waiting: list[Any] = [*node.body]
    while waiting:
        each = waiting.pop()
        if isinstance(each, gast.Expr) and _is_append(each.value):
            found.append(each.value.func.value.id)
        if not isinstance(each, _REPEATED):
            waiting.extend(gast.iter_child_nodes(each))
    inside = [*node.body, *([node.test] if isinstance(node, gast.While) else [node.target])]
    names = (each for part in inside for each in gast.walk(part))
    uses = Counter(each.id for each in names if isinstance(each, gast.Name))
    return [name for name, count in Counter(found).items() if uses[name] == count]


# What stands in these may run several times in an iteration, or later.
_REPEATED = (
    gast.For, gast.While, gast.FunctionDef, gast.Lambda, gast.ClassDef,
    gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp,
)  # fmt: skip


def _is_append(node: Any) -> bool:
    return (
        isinstance(node, gast.Call)
        and isinstance(node.func, gast.Attribute)
        and isinstance(node.func.value, gast.Name)
        and node.func.attr == "append"
        and len(node.args) == 1
        and not node.keywords
        and not isinstance(node.args[0], gast.Starred)
    )


class Growing:
    """The lists that one loop appends to; their items in the iteration that is being lowered."""

    def __init__(
        self,
        frame: Frame,
        lists: dict[str, ListObj],
        node: Any = None,
        sometimes: bool = False,
    ) -> None:
        self.frame = frame
        self.key = "" if node is None else _key(frame, node)
        self.is_last_try = node is not None and grows_on_paths(frame, node)
        if lists and not self.is_last_try:
            frame.session.relistable.add(self.key)
        self.lists = lists
        self.sometimes = sometimes  # they may get no item in an iteration
        self.flags: dict[str, Any] = {}
        self.items: dict[str, Abstract] = {}
        self.atoms: dict[str, list[Any]] = {}
        self._clock = 0  # of the memory, before the iteration
        self._before: frozenset[str] = frozenset()

    def decline(self) -> NoReturn:
        """Lower again, with this loop unrolled."""
        if self.is_last_try:
            what = "a list that grows on some paths, by items that make no array,"
            raise error("E119", None, what=what)
        raise NeedStatic(frozenset({self.key}))

    def iteration(self, body: Callable[[], Outcome | None]) -> Outcome | None:
        """Lower an iteration: what it appends goes to lists of its own."""
        if not self.lists:
            return body()
        env, memory = self.frame.env, self.frame.session.memory
        self._before = _symbols(self.frame)
        self._clock, writes = memory.clock, memory.writes
        self.items, self.flags = {}, {}
        for name in self.lists:
            env[name] = ListObj([False, FILLER], cls=Sometimes) if self.sometimes else ListObj([])
        outcome = body()
        for name, original in self.lists.items():
            self._take(name, env[name])
            env[name] = original
        for name, item in self.items.items():
            parts = list(_parts(item, self.decline))
            if name in self.flags:
                parts.append(self.flags[name])
            if memory.writes != writes:
                self._check_written(parts)
            self.atoms[name] = [self._atom(part) for part in parts]
        return outcome

    def _take(self, name: str, grown: Abstract) -> None:
        """Note the item that a list has got in the iteration, and the flag of whether it has."""
        if not isinstance(grown, ListObj):
            self.decline()
        if not self.sometimes:
            if len(grown.items) != 1:
                self.decline()
            self.items[name] = grown.items[0]
            return
        flag, item = grown.items
        if flag is False:
            return
        self.items[name] = item
        if flag is not True:
            self.flags[name] = flag

    def _check_written(self, parts: list[Abstract]) -> None:
        """In a loop that writes into arrays, items are what nothing else holds."""
        memory = self.frame.session.memory
        held = [x for x in reachable(self.frame.env.values()) if is_array(x)]
        for part in filter(is_array, parts):
            is_own = memory.root(part) is part and not memory.is_older(part, self._clock)
            if not is_own or any(memory.overlaps(part, other) for other in held):
                self.decline()

    def _atom(self, part: Abstract) -> Any:
        """A part of an item as it is at the end of the iteration, if arrays can be made of its
        like.
        """
        atom = self.frame.session.atom(part)
        t = atom.type if isinstance(atom, Value) else type_of_constant(atom)
        if not is_stackable(t, self._before):
            self.decline()
        return atom

    def written(self) -> list[Any]:
        """What the loop writes to its sequences in each iteration."""
        return [atom for atoms in self.atoms.values() for atom in atoms]

    def sequences(self) -> tuple[Value, ...]:
        """The sequences."""
        return tuple(
            Value(
                name.partition(".")[0],
                SeqType(atom.type if isinstance(atom, Value) else type_of_constant(atom)),
            )
            for name, atoms in self.atoms.items()
            for atom in atoms
        )

    def bind(self, seqs: tuple[Value, ...], extent: Extent | None, outs: tuple[Value, ...]) -> None:
        """After the loop: the names stand for what the lists hold now."""
        session, waiting = self.frame.session, iter(seqs)
        for name, atoms in self.atoms.items():
            original = self.lists[name]
            columns = [stacked(self.frame, next(waiting), extent) for _ in atoms]
            if name in self.flags:
                *columns, flags = columns
                columns = [session.emit(operator.getitem, (each, flags)) for each in columns]
            rows = [list(_parts(item, self.decline)) for item in original.items]
            if rows:
                columns = self._after_first(rows, columns, name)
            own = map(_type, atoms[: len(columns)])
            kinds = tuple(map(_joint_kind, own, *([_type(x) for x in row] for row in rows)))
            parts = _parts(self.items[name], self.decline)
            for column, part, *first in zip(columns, parts, *rows, strict=True):
                if is_array(part):
                    session.memory.tell(column, [part, *first, *outs])
                    if not self._are_apart(part, first):
                        session.memory.entangled[column] = self.key
            may_lack = name in self.flags and not rows
            item = _numbered(self.items[name])
            self.frame.env[name] = Grown(item, tuple(columns), kinds, may_lack)

    def _are_apart(self, part: Value, first: list[Abstract]) -> bool:
        """Whether all rows of a column are known to be memory of their own."""
        memory = self.frame.session.memory
        pairs = itertools.combinations(first, 2)
        return not memory.roots_before(part, self._clock) and not any(
            memory.overlaps(a, b) for a, b in pairs
        )

    def _after_first(
        self, rows: list[list[Abstract]], columns: list[Value], name: str
    ) -> list[Value]:
        """The columns with the parts of the items that the list had before the loop."""
        atoms = self.atoms[name][: len(columns)]
        if any(len(row) != len(atoms) for row in rows):
            self.decline()
        emit, joined = self.frame.session.emit, []
        for column, atom, *parts in zip(columns, atoms, *rows, strict=True):
            wanted = _type(atom)
            if not all(_may_be_alike(_type(part), wanted) for part in parts):
                self.decline()
            if shape_of(wanted):
                shape = emit(np.shape, (parts[0],))
                inner = (emit(operator.getitem, (shape, k)) for k in range(rank_of(wanted) or 0))
                column = emit(np.reshape, (column, (-1, *inner)))
            joined.append(emit(np.concatenate, ([emit(np.array, (parts,)), column],)))
        return joined


def _may_be_alike(a: Type, b: Type) -> bool:
    """Whether two items may have one shape; that they have is seen when they are joined."""
    if isinstance(a, NumberType) or isinstance(b, NumberType):
        return rank_of(a) == rank_of(b) == 0
    if not isinstance(a, ArrayType) or not isinstance(b, ArrayType) or rank_of(a) != rank_of(b):
        return False
    pairs = zip(a.shape or (), b.shape or (), strict=True)
    same = all(p == q or not (isinstance(p, int) and isinstance(q, int)) for p, q in pairs)
    return same and (a.dtype, a.scalar) == (b.dtype, b.scalar)


def _joint_kind(*types: Type) -> Type | None:
    """The type of what an entry of a column is read as; None where it depends on the item."""
    last, *others = types
    kind = isinstance(last, NumberType), dtype_of(last)
    return last if all((isinstance(t, NumberType), dtype_of(t)) == kind for t in others) else None


def find_growing(frame: Frame, node: gast.For | gast.While) -> Growing | None:
    """The lists that grow in a loop as above, if there are any."""
    if frame in frame.session.shared_frames:
        return None
    if grows_on_paths(frame, node):
        lists = _own_lists(frame, appended_on_paths(node))
        return Growing(frame, lists, node, sometimes=True) if lists else None
    if _own_lists(frame, appended_on_paths(node)):
        frame.session.growing_on_paths.add(_key_on_paths(frame, node))
    if _key(frame, node) in frame.session.inputs.statics:
        return None
    lists = _own_lists(frame, appended(node))
    return Growing(frame, lists, node) if lists else None


def _own_lists(frame: Frame, names: list[str]) -> dict[str, ListObj]:
    """Those of the names that stand for lists that nothing else holds."""
    found = {name: frame.env.get(name) for name in names}
    return {
        name: x
        for name, x in found.items()
        if isinstance(x, ListObj) and _is_plain(x) and _is_held_once(frame, x)
    }


def growing_list(frame: Frame, node: gast.ListComp, name: str, made: ListObj) -> Growing | None:
    """The list of a comprehension, under a `name` in its scope."""
    is_sometimes = bool(node.generators[0].ifs)
    if _key(frame, node) in frame.session.inputs.statics and not (
        is_sometimes and grows_on_paths(frame, node)
    ):
        return None
    return Growing(frame, {name: made}, node, is_sometimes)


def grows_on_paths(frame: Frame, node: Any) -> bool:
    """Whether the lists of a loop or comprehension are known to grow on some paths only."""
    return _key_on_paths(frame, node) in frame.session.inputs.statics


def may_grow_on_paths(frame: Frame, node: Any) -> None:
    """If it is refused what its conditions decide, a comprehension is lowered again as a loop."""
    frame.session.growing_on_paths.add(_key_on_paths(frame, node))


def _is_plain(x: ListObj) -> bool:
    return x.cls is list and x.maxlen is None and not x.path and not x.frozen


def _is_held_once(frame: Frame, x: ListObj) -> bool:
    """Whether one name alone holds a list, and no loop around was there before it."""
    if any(x in loop.older for loop in frame.session.entered):
        return False
    held = 0
    for _, _, content in st.snapshot(frame).locations():
        held += sum(each is x for each in reachable([content]))
    return held == 1


def is_few(start: Any, stop: Any, step: Any) -> bool:
    """Whether a loop makes few iterations, known while compiling."""
    bounds = (start, stop, step)
    return all(type(b) is int for b in bounds) and len(range(*bounds)) <= FEW


# Columns ------------------------------------------------------------------------------------------


def stacked(frame: Frame, seq: Value, extent: Extent | None) -> Value:
    """The array of the elements of a sequence."""
    assert isinstance(seq.type, SeqType)
    elem = seq.type.elem
    inner = shape_of(elem)
    dtype = np.dtype(elem.kind) if isinstance(elem, NumberType) else elem.dtype  # type: ignore[union-attr]
    first = unknown_extent() if extent is None else extent
    out = Value(seq.name, ArrayType(dtype, (first, *(inner or ()))))
    options = {} if dtype == np.float64 else {"dtype": dtype.type}
    session = frame.session
    session.add(Op(np.array, (seq,), options, (out,), session.builder.loc))
    return out


def is_stackable(t: Type, lasting: frozenset[str]) -> bool:
    """Whether values of this type have one shape in all iterations, and an array of them their
    dtype.
    """
    if isinstance(t, NumberType):
        return t.kind in (float, int, bool)
    if not isinstance(t, ArrayType) or t.shape is None:
        return False
    if not t.scalar and not t.shape:
        return False  # rows of the array would be numbers
    return all(isinstance(e, int) or "?" not in e.symbol or e.symbol in lasting for e in t.shape)


def _symbols(frame: Frame) -> frozenset[str]:
    found = reachable(frame.env.values())
    shapes = [shape_of(x.type) or () for x in found if isinstance(x, Value)]
    return frozenset(e.symbol for shape in shapes for e in shape if isinstance(e, Dim))


def _parts(item: Abstract, decline: Callable[[], NoReturn]) -> Iterator[Abstract]:
    """The numbers and arrays of an item, which may be a tuple."""
    if isinstance(item, tuple):
        for each in item:
            yield from _parts(each, decline)
    elif st.is_leaf(item):
        yield item
    else:
        decline()


def _numbered(item: Abstract, count: Any = None) -> Abstract:
    """An item with the number of its column in place of each part."""
    count = iter(range(10_000)) if count is None else count
    if isinstance(item, tuple):
        return tuple(_numbered(each, count) for each in item)
    return next(count)


def _type(x: Any) -> Type:
    return x.type if isinstance(x, Value) else type_of_constant(x)


def _key(frame: Frame, node: Any) -> str:
    return f"unrolled: {frame.file}:{node.lineno}:{node.col_offset}"


def _key_on_paths(frame: Frame, node: Any) -> str:
    return f"on paths: {frame.file}:{node.lineno}:{node.col_offset}"


__all__ = [
    "Growing",
    "find_growing",
    "growing_list",
    "grows_on_paths",
    "is_few",
    "may_grow_on_paths",
]

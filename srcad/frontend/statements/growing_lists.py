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
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import FILLER, Abstract, Grown, ListObj, Sometimes
from srcad.frontend.abstract.outcomes import Outcome
from srcad.frontend.abstract.reachable import reachable
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.statements.appending import appended, appended_on_paths, may_skip
from srcad.frontend.statements.columns import (
    is_stackable,
    joint_kind,
    may_be_alike,
    stacked,
    symbols_of,
)
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import Extent, SeqType, Type, rank_of, shape_of

FEW = 16  # iterations that are unrolled where their number is known


class Growing:
    """The lists that one loop appends to; their items in the iteration that is being lowered."""

    def __init__(
        self,
        frame: Frame,
        lists: dict[str, ListObj | Grown],
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

    @property
    def is_needed(self) -> bool:
        """Whether the loop is not unrolled, however few iterations it has: it adds to an array."""
        return self.sometimes or any(isinstance(x, Grown) for x in self.lists.values())

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
        self._before = symbols_of(self.frame)
        self._clock, writes = memory.clock, memory.writes
        self.items, self.flags, self.atoms = {}, {}, {}
        for name in self.lists:
            env[name] = ListObj([False, FILLER], cls=Sometimes) if self.sometimes else ListObj([])
        outcome = body()
        for name, original in self.lists.items():
            self._take(name, env[name])
            env[name] = original
        self._check_lists()
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

    def _check_lists(self) -> None:
        """Items that are lists are held by nothing else, which could change them later."""
        lists = {id(x) for x in reachable(self.items.values()) if isinstance(x, ListObj)}
        if lists:
            contents = [content for _, _, content in st.snapshot(self.frame).locations()]
            if any(id(x) in lists for x in reachable(contents)):
                self.decline()

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
        t = type_of_leaf(atom)
        if not is_stackable(t, self._before):
            self.decline()
        return atom

    def written(self) -> list[Any]:
        """What the loop writes to its sequences in each iteration."""
        return [atom for atoms in self.atoms.values() for atom in atoms]

    def sequences(self) -> tuple[Value, ...]:
        """The sequences."""
        return tuple(
            Value(name.partition(".")[0], SeqType(type_of_leaf(atom)))
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
            item = _numbered(self.items[name])
            kinds: tuple[Type | None, ...] = tuple(map(type_of_leaf, atoms[: len(columns)]))
            if isinstance(original, Grown):
                made = Grown(item, tuple(columns), kinds, name in self.flags)
                self.frame.env[name] = self._joined(original, made, outs)
                continue
            rows = [list(_parts(item, self.decline)) for item in original.items]
            if rows:
                columns = self._after_first(rows, columns, name)
            kinds = tuple(map(joint_kind, kinds, *([type_of_leaf(x) for x in row] for row in rows)))
            parts = _parts(self.items[name], self.decline)
            for column, part, *first in zip(columns, parts, *rows, strict=True):
                if is_array(part):
                    session.memory.tell(column, [part, *first, *outs])
                    if not self._are_apart(part, first):
                        session.memory.entangled[column] = self.key
            may_lack = name in self.flags and not rows
            self.frame.env[name] = Grown(item, tuple(columns), kinds, may_lack)

    def _joined(self, before: Grown, made: Grown, outs: tuple[Value, ...]) -> Grown:
        """The list of the items that a list had from an earlier loop, and those that it got."""
        if not _is_alike(before.item, made.item) or None in before.kinds:
            self.decline()
        pairs = list(zip(before.kinds, made.kinds, strict=True))
        if not all(may_be_alike(a, b) for a, b in pairs if a is not None and b is not None):
            self.decline()
        emit, memory = self.frame.session.emit, self.frame.session.memory
        couples = list(zip(before.columns, made.columns, strict=True))
        columns = tuple(emit(np.concatenate, (couple,)) for couple in couples)
        name = next(name for name, x in self.lists.items() if x is before)
        for column, couple, part in zip(
            columns, couples, _parts(self.items[name], self.decline), strict=True
        ):
            if is_array(part):
                memory.tell(column, [part, *couple, *outs])
                memory.entangled[column] = self.key
        kinds = tuple(joint_kind(b, a) for a, b in pairs if a is not None and b is not None)
        return Grown(made.item, columns, kinds, before.may_lack and made.may_lack)

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
            wanted = type_of_leaf(atom)
            if not all(may_be_alike(type_of_leaf(part), wanted) for part in parts):
                self.decline()
            if shape_of(wanted):
                shape = emit(np.shape, (parts[0],))
                inner = (emit(operator.getitem, (shape, k)) for k in range(rank_of(wanted) or 0))
                column = emit(np.reshape, (column, (-1, *inner)))
            joined.append(emit(np.concatenate, ([emit(np.array, (parts,)), column],)))
        return joined


def find_growing(frame: Frame, node: gast.For | gast.While) -> Growing | None:
    """The lists that grow in a loop as above, if there are any."""
    if frame in frame.session.shared_frames:
        return None
    if grows_on_paths(frame, node):
        lists = _own_lists(frame, appended_on_paths(node))
        return Growing(frame, lists, node, sometimes=True) if lists else None
    if may_skip(node) and _own_lists(frame, appended_on_paths(node)):
        frame.session.growing_on_paths.add(_key_on_paths(frame, node))
    if _key(frame, node) in frame.session.inputs.statics:
        return None
    lists = _own_lists(frame, appended(node))
    return Growing(frame, lists, node) if lists else None


def _own_lists(frame: Frame, names: list[str]) -> dict[str, ListObj | Grown]:
    """Those of the names that stand for lists that nothing else holds."""
    found = {name: frame.env.get(name) for name in names}
    return {
        name: x
        for name, x in found.items()
        if (isinstance(x, Grown) or (isinstance(x, ListObj) and _is_plain(x)))
        and _is_held_once(frame, x)
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


def _is_held_once(frame: Frame, x: ListObj | Grown) -> bool:
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


def _parts(item: Abstract, decline: Callable[[], NoReturn]) -> Iterator[Abstract]:
    """The numbers and arrays of an item, which may be a tuple or a list."""
    if isinstance(item, tuple) or (isinstance(item, ListObj) and _is_plain(item)):
        for each in item if isinstance(item, tuple) else item.items:
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
    if isinstance(item, ListObj):
        return ListObj([_numbered(each, count) for each in item.items], frozen=True)
    return next(count)


def _is_alike(a: Abstract, b: Abstract) -> bool:
    """Whether two items have their columns in the same places."""
    if isinstance(a, ListObj) and isinstance(b, ListObj):
        a, b = tuple(a.items), tuple(b.items)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_is_alike, a, b))
    return type(a) is type(b) is int and a == b


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

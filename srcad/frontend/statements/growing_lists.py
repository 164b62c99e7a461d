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

A list to which only a loop inside appends gets the array of its items from that loop, a piece in
each iteration; the pieces are joined after the loop:

    for i in range(n):                 For(0, n, 1, seqs=[pieces]):
        for j in range(i):                 For(0, i, 1, seqs=[ds_1]): yield x[i] - x[j]
            ds.append(x[i] - x[j])  ->     yield np.array(ds_1)
                                       ds_2 = joined(np.zeros(0), pieces)
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any, NoReturn

import gast

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import FILLER, Abstract, Grown, ListObj, Piece, Sometimes
from srcad.frontend.abstract.outcomes import Outcome
from srcad.frontend.abstract.reachable import reachable
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.statements.appending import (
    appended,
    appended_inside,
    appended_on_paths,
    may_skip,
)
from srcad.frontend.statements.columns import (
    is_piece,
    is_stackable,
    joined_pieces,
    stacked,
    symbols_of,
    with_first,
)
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import Extent, SeqType, rank_of

FEW = 16  # iterations that are unrolled where their number is known


class Growing:
    """The lists that one loop appends to; their items in the iteration that is being lowered."""

    def __init__(
        self,
        frame: Frame,
        lists: dict[str, ListObj | Grown],
        node: Any = None,
        sometimes: bool = False,
        inside: Collection[str] = (),
    ) -> None:
        self.frame = frame
        self.key = "" if node is None else _key(frame, node)
        self.is_last_try = node is not None and grows_on_paths(frame, node)
        if lists and not self.is_last_try:
            frame.session.relistable.add(self.key)
        self.lists = lists
        self.sometimes = sometimes  # they may get no item in an iteration
        self.inside = frozenset(inside)  # those that loops inside append to
        self.pieces: dict[str, Grown] = {}
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
            env[name] = self._place(name)
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
            self.atoms[name] = [self._atom(part, name in self.inside) for part in parts]
        return outcome

    def _place(self, name: str) -> ListObj:
        """What stands for a list in an iteration."""
        if name in self.inside:
            return ListObj([], cls=Piece)
        return ListObj([False, FILLER], cls=Sometimes) if self.sometimes else ListObj([])

    def _take(self, name: str, grown: Abstract) -> None:
        """Note the item that a list has got in the iteration, and the flag of whether it has; or
        the piece that a loop inside has made.
        """
        if name in self.inside:
            if not isinstance(grown, Grown) or None in grown.kinds:
                self.decline()
            self.pieces[name] = grown
            self.items[name] = grown.columns
            return
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

    def _atom(self, part: Abstract, is_inside: bool) -> Any:
        """A part of an item as it is at the end of the iteration, if arrays can be made of its
        like.
        """
        atom = self.frame.session.atom(part)
        t = type_of_leaf(atom)
        if not (is_piece(t) if is_inside else is_stackable(t, self._before)):
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
        waiting = iter(seqs)
        for name, atoms in self.atoms.items():
            own = [next(waiting) for _ in atoms]
            is_inside = name in self.inside
            made = self._of_pieces(name, own) if is_inside else self._stacked(name, own, extent)
            self.frame.env[name] = self._after(self.lists[name], made, name, outs)

    def _stacked(self, name: str, seqs: list[Value], extent: Extent | None) -> Grown:
        """The list of the items of all iterations that have one."""
        before = self.lists[name]
        is_inner = isinstance(before, ListObj) and before.cls is Piece
        columns = [stacked(self.frame, seq, extent, is_inner) for seq in seqs]
        if name in self.flags:
            *columns, flags = columns
            emit = self.frame.session.emit
            columns = [emit(operator.getitem, (each, flags)) for each in columns]
        kinds = tuple(map(type_of_leaf, self.atoms[name][: len(columns)]))
        return Grown(_numbered(self.items[name]), tuple(columns), kinds, name in self.flags)

    def _of_pieces(self, name: str, seqs: list[Value]) -> Grown:
        """The list of what the loops inside have appended."""
        columns = tuple(joined_pieces(self.frame, seq) for seq in seqs)
        return replace(self.pieces[name], columns=columns, may_lack=True)

    def _after(
        self, before: ListObj | Grown, made: Grown, name: str, outs: tuple[Value, ...]
    ) -> Grown:
        """The list with the items that it had before the loop."""
        first, after = self._rows_before(before, made), made
        if first:
            joined = with_first(self.frame, before, first, made)
            after = joined or self.decline()
        memory = self.frame.session.memory
        parts = self.items[name] if name in self.inside else _parts(self.items[name], self.decline)
        for column, kind, part, *rows in zip(after.columns, made.kinds, parts, *first, strict=True):
            if kind is not None and rank_of(kind):
                memory.tell(column, [part, *rows, *outs])
                if isinstance(before, Grown) or not self._are_apart(part, rows):
                    memory.entangled[column] = self.key
        return after

    def _rows_before(self, before: ListObj | Grown, made: Grown) -> list[list[Abstract]]:
        """The parts of the items that a list had before the loop; or the columns of those."""
        if isinstance(before, Grown):
            if not _is_alike(before.item, made.item):
                self.decline()
            return [list(before.columns)]
        rows = [list(_parts(item, self.decline)) for item in before.items]
        if any(len(row) != len(made.columns) for row in rows):
            self.decline()
        return rows

    def _are_apart(self, part: Value, first: list[Abstract]) -> bool:
        """Whether all rows of a column are known to be memory of their own."""
        memory = self.frame.session.memory
        pairs = itertools.combinations(first, 2)
        return not memory.roots_before(part, self._clock) and not any(
            memory.overlaps(a, b) for a, b in pairs
        )


def find_growing(frame: Frame, node: gast.For | gast.While) -> Growing | None:
    """The lists that grow in a loop as above, if there are any."""
    if frame in frame.session.shared_frames:
        return None
    inside = appended_inside(node)
    if grows_on_paths(frame, node):
        lists = _own_lists(frame, [*appended_on_paths(node), *inside])
        return Growing(frame, lists, node, True, inside) if lists else None
    if may_skip(node) and _own_lists(frame, appended_on_paths(node)):
        frame.session.growing_on_paths.add(_key_on_paths(frame, node))
    if _key(frame, node) in frame.session.inputs.statics:
        return None
    lists = _own_lists(frame, [*appended(node), *inside])
    return Growing(frame, lists, node, inside=inside) if lists else None


def _own_lists(frame: Frame, names: list[str]) -> dict[str, ListObj | Grown]:
    """Those of the names that stand for lists that nothing else holds."""
    found = {name: frame.env.get(name) for name in names}
    return {
        name: x
        for name, x in found.items()
        if (isinstance(x, Grown) or (isinstance(x, ListObj) and _is_plain(x)))
        and _is_held_once(frame, x)
    }


def growing_list(frame: Frame, node: gast.ListComp, k: int, name: str) -> Growing | None:
    """The list of a comprehension in the loop of its clause `k`, under a `name` in its scope."""
    is_tried_last = grows_on_paths(frame, node)
    if _key(frame, node) in frame.session.inputs.statics and not is_tried_last:
        return None
    made = frame.env[name]
    if not isinstance(made, ListObj):
        return None
    is_inside = k + 1 < len(node.generators)
    sometimes = bool(node.generators[k].ifs) and not is_inside
    return Growing(frame, {name: made}, node, sometimes, {name} if is_inside else ())


def grows_on_paths(frame: Frame, node: Any) -> bool:
    """Whether the lists of a loop or comprehension are known to grow on some paths only."""
    return _key_on_paths(frame, node) in frame.session.inputs.statics


def may_grow_on_paths(frame: Frame, node: Any) -> None:
    """If it is refused what its conditions decide, a comprehension is lowered again as a loop."""
    frame.session.growing_on_paths.add(_key_on_paths(frame, node))


def _is_plain(x: ListObj) -> bool:
    return x.cls in (list, Piece) and x.maxlen is None and not x.path and not x.frozen


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

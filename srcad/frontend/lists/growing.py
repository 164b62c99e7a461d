"""The lists that one loop appends to, while it is lowered.

    xs = [x]                               For(0, n, 1, init=[x], seqs=[xs_1]):
    for _ in range(n):               ->        x_2 = x + 0.1 * sin(x)
        xs.append(xs[-1] + 0.1 * sin(xs[-1]))  yield x_2 | x_2
                                           xs_2 = concatenate([array([x]), array(xs_1)])

In an iteration an open list stands for each of them (`srcad.frontend.lists.opened`): what it
appends goes to a sequence of the loop, and the last items that it reads are carried, under a name
of lowering's own, `xs.last`. Where an iteration may append several items, each has a sequence:

    for v in x:                            For(0, len(x), 1, seqs=[ys_1, ys_2]): yield v, -v
        ys.extend([v, -v])           ->    ys = reshape(stack([array(ys_1), array(ys_2)], 1), -1)
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import Abstract, Conflict, Grown, ListObj, Piece
from srcad.frontend.abstract.outcomes import Outcome
from srcad.frontend.abstract.reachable import reachable
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.iterators.counted import length
from srcad.frontend.lists.columns import (
    alternating,
    is_piece,
    is_stackable,
    joined_pieces,
    joint_kind,
    read_as,
    rows_before,
    stacked,
    symbols_of,
    with_first,
)
from srcad.frontend.lists.items import are_alike, frozen, is_there, numbered, parts_of_item
from srcad.frontend.lists.opened import (
    MAX_DEPTH,
    Open,
    Reads,
    last_items,
    no_slots,
)
from srcad.frontend.lists.written_items import Span, are_apart, are_kept
from srcad.ir.affine import Affine
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import Extent, SeqType, Type, rank_of

_EARLIER = Conflict("E119", "a list of which an earlier item is read while it grows")


@dataclass(slots=True)
class Slot:
    """An item that an iteration appends, perhaps: its parts, and what the loop writes of them, the
    flag last where there is one.
    """

    flag: Abstract
    parts: list[Abstract]
    atoms: list[Any] = field(default_factory=list)


class Growing:
    """The lists that one loop appends to; their items in the iteration that is being lowered.

    `sometimes`: they may get no item in an iteration; `inside`: those that loops inside append to.
    `key`: what the function is lowered again with to unroll the loop, unless this is the last try.
    """

    def __init__(
        self,
        frame: Frame,
        lists: dict[str, ListObj | Grown],
        key: str = "",
        sometimes: bool = False,
        inside: Collection[str] = (),
        is_last_try: bool = False,
    ) -> None:
        self.frame = frame
        self.key = key
        self.is_last_try = is_last_try
        if lists and not is_last_try:
            frame.session.relistable.add(key)
        self.lists = lists
        self.sometimes = sometimes
        self.inside = frozenset(inside)
        self.pieces: dict[str, Grown] = {}
        self.items: dict[str, Abstract] = {}  # an item, of which all have the form
        self.slots: dict[str, list[Slot]] = {}
        self.reads = {name: Reads() for name in lists}
        self._known = dict(self.reads)
        self._last: dict[str, ListObj] = {}
        self._position: Affine | None = None
        self._started = self._clock = 0  # of the memory, before the loop and the iteration
        self._before: frozenset[str] = frozenset()

    @property
    def is_needed(self) -> bool:
        """Whether the loop is not unrolled, however few iterations it has: it adds to an array."""
        return self.sometimes or any(isinstance(x, Grown) for x in self.lists.values())

    @property
    def is_settled(self) -> bool:
        """Whether all that the iteration reads was kept up to date in it."""
        return self._known == self.reads

    def decline(self) -> NoReturn:
        """Lower again, with this loop unrolled."""
        if self.is_last_try:
            what = "a list that grows on some paths, by items that make no array,"
            raise error("E119", None, what=what)
        raise NeedStatic(frozenset({self.key}))

    def start(self) -> None:
        """Before the loop: put what it carries of the lists where it finds it."""
        self._started = self.frame.session.memory.clock
        for name, x in self.lists.items():
            if name in self.inside:
                continue
            if isinstance(x, Grown):
                rest = (_EARLIER,) * (MAX_DEPTH - len(x.last))
                last = ListObj([length(self.frame.session, x.columns[0]), *x.last, *rest])
            else:
                last = last_items(tuple(x.items))
            self._last[name] = self.frame.env[f"{name}.last"] = last
            self._freeze(last)

    def iteration(
        self, body: Callable[[], Outcome | None], position: Affine | None = None
    ) -> Outcome | None:
        """Lower an iteration; `position` is the number of those before it, where it is known."""
        if not self.lists:
            return body()
        memory = self.frame.session.memory
        self._before = symbols_of(self.frame)
        self._clock, writes = memory.clock, memory.writes
        self._known = {name: replace(reads) for name, reads in self.reads.items()}
        self._position = position
        self.items, self.slots = {}, {}
        old = {x: memory.held(x) for x in self._last_arrays()}
        contents = dict(memory.contents)
        unmet = self.frame.session.unmet
        outcome = self._with_open_lists(body, unmet)
        for last in self._last.values():
            self._freeze(last)
        self._check_lists()
        parts = [x for slots in self.slots.values() for slot in slots for x in slot.parts]
        span = Span(self._started, self._clock, contents, old)
        if memory.writes != writes and not are_kept(self.frame, span, parts, self._last.values()):
            self.decline()
        for name, slots in self.slots.items():
            for slot in slots:
                slot.atoms = [self._atom(part, name in self.inside) for part in slot.parts]
                if self._is_flagged(name):
                    slot.atoms.append(self.frame.session.atom(slot.flag))
        return outcome

    def test(self, test: Callable[[], Abstract]) -> Abstract:
        """The test of a `while`, which may read the lists."""
        env, originals = self.frame.env, dict(self.lists)
        for name in self._last:
            env[name] = self._opened(name)
        try:
            return test()
        finally:
            env.update({name: originals[name] for name in self._last})

    def _with_open_lists(self, body: Callable[[], Outcome | None], unmet: int) -> Outcome | None:
        """`body()`, in which open lists stand for the lists."""
        env = self.frame.env
        places = {
            name: ListObj([], cls=Piece) if name in self.inside else self._opened(name)
            for name in self.lists
        }
        env.update(places)
        outcome = body()
        for name, original in self.lists.items():
            self._take(name, places[name], env[name], self.frame.session.unmet > unmet)
            env[name] = original
        opened = {id(x) for x in places.values()}
        if any(id(x) in opened for x in self._contents()):
            self.decline()  # something else holds a list now
        return outcome

    def _opened(self, name: str) -> Open:
        x, reads = self.lists[name], self.reads[name]
        first = tuple(x.items) if isinstance(x, ListObj) else ()
        position = self._position if isinstance(x, ListObj) else None
        entered = len(self.frame.session.entered)
        return Open(first, self._last[name], no_slots(), reads, position, entered, self.decline)

    def _take(self, name: str, made: Abstract, now: Abstract, waits: bool) -> None:
        """Note the items that a list has got in the iteration, or the piece that a loop inside has
        made; an iteration that `waits` for what it reads may have left out some.
        """
        if name in self.inside:
            if not isinstance(now, Grown) or None in now.kinds:
                self.decline()
            self.pieces[name] = now
            self.items[name] = now.columns
            self.slots[name] = [Slot(True, [*now.columns])]
            return
        if now is not made:
            self.decline()
        pairs = made.appended
        is_flagged = any(flag is not True for flag, _ in pairs)
        if waits and (is_flagged or not pairs):
            return
        if (is_flagged or not pairs) and not self.sometimes:
            self.decline()
        if self.reads[name].by_position and (is_flagged or len(pairs) != 1):
            self.decline()
        if not pairs:
            return
        forms = [numbered(item) for _, item in pairs]
        if not all(are_alike(forms[0], form) for form in forms):
            self.decline()
        self.items[name] = pairs[0][1]
        self.slots[name] = [
            Slot(flag, [*parts_of_item(item, self.decline)]) for flag, item in pairs
        ]

    def _freeze(self, last: ListObj) -> None:
        """Last items that are lists are read, not changed: the loop has copies of them."""
        last.items[:] = [frozen(item) for item in last.items]

    def _contents(self) -> list[Abstract]:
        """All that names and containers lead to."""
        state = st.snapshot(self.frame)
        return reachable((content for _, _, content in state.locations()), state.envs)

    def _check_lists(self) -> None:
        """Items that are lists are held by nothing else, which could change them later."""
        lists = {id(x) for x in reachable(self.items.values()) if isinstance(x, ListObj)}
        if lists and any(id(x) in lists for x in self._contents()):
            self.decline()

    def _last_arrays(self) -> list[Value]:
        """The arrays among the last items of all lists."""
        return [x for x in reachable(self._last.values()) if is_array(x)]

    def _atom(self, part: Abstract, is_inside: bool) -> Any:
        """A part of an item as it is at the end of the iteration, if arrays can be made of its
        like.
        """
        atom = self.frame.session.atom(part)
        t = type_of_leaf(atom)
        if rank_of(t) and atom in self.frame.session.kinds:
            self.decline()  # of one of several dtypes
        if not (is_piece(t) if is_inside else is_stackable(t, self._before)):
            self.decline()
        return atom

    def _is_flagged(self, name: str) -> bool:
        return any(slot.flag is not True for slot in self.slots[name])

    def _atoms(self) -> list[tuple[str, Any]]:
        """What the loop writes, with the name of the list that gets it."""
        return [(name, x) for name, slots in self.slots.items() for s in slots for x in s.atoms]

    def written(self) -> list[Any]:
        """What the loop writes to its sequences in each iteration."""
        return [atom for _, atom in self._atoms()]

    def sequences(self) -> tuple[Value, ...]:
        """The sequences."""
        return tuple(
            Value(name.partition(".")[0], SeqType(type_of_leaf(atom)))
            for name, atom in self._atoms()
        )

    def bind(self, seqs: tuple[Value, ...], extent: Extent | None, outs: tuple[Value, ...]) -> None:
        """After the loop: the names stand for what the lists hold now."""
        waiting, env = iter(seqs), self.frame.env
        for name, slots in self.slots.items():
            own = [[next(waiting) for _ in slot.atoms] for slot in slots]
            if name in self.inside:
                made = self._of_pieces(name, own[0])
            else:
                made = self._stacked(name, own, extent)
            env[name] = self._after(self.lists[name], made, name, outs)
        for name in self._last:
            last = env.pop(f"{name}.last")
            if isinstance(env[name], Grown):
                known = itertools.takewhile(is_there, last.items[1 : self.reads[name].depth + 1])
                env[name] = replace(env[name], last=tuple(known))

    def _stacked(self, name: str, seqs: list[list[Value]], extent: Extent | None) -> Grown:
        """The list of the items of all iterations that have one."""
        before, slots = self.lists[name], self.slots[name]
        is_inner = isinstance(before, ListObj) and before.cls is Piece
        rows = [*self._first_row(before), *[None] * len(seqs[0])]
        made = [
            [stacked(self.frame, *each, extent, is_inner) for each in zip(own, rows, strict=False)]
            for own in seqs
        ]
        types = [[type_of_leaf(atom) for atom in slot.atoms] for slot in slots]
        columns = made[0] if len(made) == 1 else alternating(self.frame, made, types)
        if columns is None:
            self.decline()
        is_flagged = self._is_flagged(name)
        if is_flagged:
            *columns, flags = columns
            emit = self.frame.session.emit
            columns = [emit(operator.getitem, (each, flags)) for each in columns]
        own_kinds = self.frame.session.kinds
        kinds = tuple(
            joint_kind(*(read_as(own_kinds, slot.atoms[k]) for slot in slots))
            for k in range(len(columns))
        )
        return Grown(numbered(self.items[name]), tuple(columns), kinds, is_flagged)

    def _of_pieces(self, name: str, seqs: list[Value]) -> Grown:
        """The list of what the loops inside have appended."""
        columns = tuple(joined_pieces(self.frame, seq) for seq in seqs)
        return replace(self.pieces[name], columns=columns, may_lack=True)

    def _after(
        self, before: ListObj | Grown, made: Grown, name: str, outs: tuple[Value, ...]
    ) -> Grown:
        """The list with the items that it had before the loop."""
        first, after = rows_before(before, made, self.decline), made
        if first:
            joined = with_first(self.frame, before, first, made)
            after = joined or self.decline()
        memory, slots = self.frame.session.memory, self.slots[name]
        for k, (column, kind) in enumerate(zip(after.columns, made.kinds, strict=True)):
            parts, rows = [slot.parts[k] for slot in slots], [row[k] for row in first]
            if isinstance(kind, Type) and rank_of(kind):
                memory.tell(column, [*parts, *rows, *outs])
                is_one = len(parts) == 1 and not isinstance(before, Grown)
                if not is_one or not are_apart(memory, self._clock, parts[0], rows):
                    memory.entangled[column] = self.key
        return after

    def _first_row(self, before: ListObj | Grown) -> list[Abstract]:
        """The parts of the first item that a list had before the loop; nothing without any."""
        if not isinstance(before, ListObj) or not before.items:
            return []
        return list(parts_of_item(before.items[0], self.decline))


__all__ = ["Growing"]

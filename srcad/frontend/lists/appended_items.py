"""The items that an iteration appends to the lists of its loop, and what the loop writes of them.

ys.append(v); ys.append(-v)         slots of `ys`: v, -v, which the loop writes to a sequence each
if v > 0: ys.append(v)              one slot with a flag, which is written beside it
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NoReturn

from srcad.frontend.abstract.containers.containers import Grown, ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.lists.columns import grown_of, is_piece, is_stackable
from srcad.frontend.lists.entry_kinds import read_as
from srcad.frontend.lists.gathered import Slot
from srcad.frontend.lists.items import atom_of, numbered, parts_of_item
from srcad.frontend.lists.marks import common_form, marked
from srcad.ir.nodes import Value
from srcad.ir.types import rank_of


class Appended:
    """What the iteration that is being lowered has appended, by the labels of the lists.

    `inside`: the lists that loops inside append to; `decline` lowers the loop in another way.
    """

    def __init__(
        self, frame: Frame, inside: Collection[str], decline: Callable[[], NoReturn]
    ) -> None:
        self._frame = frame
        self._inside = inside
        self._decline = decline
        self.pieces: dict[str, Grown] = {}
        self.items: dict[str, Abstract] = {}
        self.forms: dict[str, Abstract] = {}  # of the items, as in `Grown`
        self.slots: dict[str, list[Slot]] = {}

    def clear(self) -> None:
        """Before an iteration."""
        self.items, self.forms, self.slots = {}, {}, {}

    def take_piece(self, name: str, piece: ListObj) -> None:
        """Note what an iteration with loops inside has appended."""
        form = piece.form or grown_of(self._frame, piece.items, self._decline)
        if not isinstance(form, Grown) or None in form.kinds:
            self._decline()
        self.pieces[name] = form
        self.items[name], self.forms[name] = form.columns, form.item
        self.slots[name] = [Slot(True, [*form.columns])]

    def take(self, name: str, pairs: list[tuple[Abstract, Abstract]]) -> None:
        """Note the items of a list, each after its flag."""
        form = common_form([(numbered(item), self._read(item)) for _, item in pairs])
        if form is None:
            self._decline()
        self.items[name], self.forms[name] = pairs[0][1], form
        self.slots[name] = [
            Slot(flag, [*parts_of_item(marked(self._frame, item, form), self._decline)])
            for flag, item in pairs
        ]

    def _read(self, item: Abstract) -> list[Any]:
        """What the parts of an item are read as."""
        return [read_as(self._frame.session, part) for part in parts_of_item(item, self._decline)]

    def parts(self) -> list[Abstract]:
        """The parts of all items."""
        return [x for slots in self.slots.values() for slot in slots for x in slot.parts]

    def finish(self, symbols: frozenset[str], ints: frozenset[Value]) -> None:
        """At the end of the iteration: what the loop writes of each item; `symbols` stand for the
        extents that were known before it, and `ints` count.
        """
        counts = self._frame.session.counts.items()
        symbols |= {extent.symbol for n, extent in counts if type(n) is str or n in ints}
        for name, slots in self.slots.items():
            for slot in slots:
                slot.atoms = [
                    self._atom(part, name in self._inside, symbols) for part in slot.parts
                ]
                if self._is_flagged(name):
                    slot.atoms.append(self._frame.session.atom(slot.flag))

    def _atom(self, part: Abstract, is_inside: bool, symbols: frozenset[str]) -> Any:
        """A part of an item as it is at the end of the iteration, if arrays can be made of its
        like.
        """
        atom = atom_of(self._frame.session, part)
        t = type_of_leaf(atom)
        if rank_of(t) and atom in self._frame.session.kinds:
            self._decline()  # of one of several dtypes
        if not (is_piece(t) if is_inside else is_stackable(t, symbols)):
            self._decline()
        return atom

    def _is_flagged(self, name: str) -> bool:
        return any(slot.flag is not True for slot in self.slots[name])

    def atoms(self) -> list[tuple[str, Any]]:
        """What the loop writes, with the name of the list that gets it."""
        return [(name, x) for name, slots in self.slots.items() for s in slots for x in s.atoms]

"""What a loop has appended to a list, as the array of the items, after those from before it.

seqs = [ys_1]                         made = array(ys_1)
ys was [a]                     ->     ys_2 = concatenate([array([a]), made])
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from srcad import runtime
from srcad.frontend.abstract.containers.containers import Grown, ListObj, Piece
from srcad.frontend.abstract.containers.laid import RowLeaf
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.lists.columns import (
    alternating,
    are_several,
    are_told,
    joined_pieces,
    rows_of,
    stacked,
    with_first,
)
from srcad.frontend.lists.entry_kinds import joint_kind, read_as
from srcad.frontend.lists.items import atom_of, parts_of_item
from srcad.frontend.lists.marks import leaves, marked_kinds, number_of, spread
from srcad.frontend.lists.written_items import are_apart
from srcad.ir.nodes import Value
from srcad.ir.types import Extent, Type, rank_of


@dataclass(slots=True)
class Slot:
    """An item that an iteration appends, perhaps: its parts, and what the loop writes of them, the
    flag last where there is one.
    """

    flag: Abstract
    parts: list[Abstract]
    atoms: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The items of one list.

    `before`: the list, or what a loop had made of it before this one. `form`: that of the items,
    as in `Grown`. `slots`: what an iteration appends. `clock`: the memory's, before an iteration.
    """

    frame: Frame
    before: ListObj | Grown
    form: Abstract
    slots: list[Slot]
    clock: int
    decline: Callable[[], NoReturn]

    def of_items(
        self, seqs: list[list[Value]], extent: Extent | None,
        bounds: tuple[Abstract, Abstract] | None, cls: type,
    ) -> Grown:  # fmt: skip
        """The list of the items of all iterations that have one."""
        session = self.frame.session
        emit = session.emit
        rows = [*self._first_row(), *[None] * len(seqs[0])]
        made = [
            [
                stacked(self.frame, *each, extent, cls is Piece)
                for each in zip(own, rows, strict=False)
            ]
            for own in seqs
        ]
        types = [[type_of_leaf(atom) for atom in slot.atoms] for slot in self.slots]
        columns = made[0] if len(made) == 1 else alternating(self.frame, made, types)
        if columns is None:
            self.decline()
        is_flagged = any(slot.flag is not True for slot in self.slots)
        if is_flagged:
            *columns, flags = columns
            columns = [emit(operator.getitem, (each, flags)) for each in columns]
        kinds = [
            joint_kind(*(read_as(session, slot.parts[k]) for slot in self.slots))
            for k in range(len(columns))
        ]
        own = tuple(seqs[0]) if len(seqs) == 1 and not is_flagged else ()
        if not are_told(self.frame, [atom for slot in self.slots for atom in slot.atoms]):
            own = ()
        elif len(seqs) == 1 and is_flagged and are_several(kinds):
            own = tuple(emit(runtime.marked, (seq, flags)) for seq in seqs[0][:-1])
        known = None if is_flagged else bounds
        read = marked_kinds(self.form, kinds)
        return Grown(self.form, tuple(columns), read, seqs=own, bounds=known)

    def of_pieces(self, piece: Grown, seqs: list[Value]) -> Grown:
        """The list of what the loops inside have appended."""
        columns = tuple(joined_pieces(self.frame, seq) for seq in seqs)
        return piece.of_columns(columns)

    def joined(self, made: Grown, outs: tuple[Value, ...], key: str) -> Grown:
        """The list with the items that it had before the loop; `outs` are what the loop gives."""
        after, before = made, self.before
        if isinstance(before, Grown) or before.items:
            after = with_first(self.frame, before, made, self.decline)
            self._tell(made, ListObj([]), outs, key)
        self._tell(after, before, outs, key)
        return after

    def _tell(
        self, after: Grown, before: ListObj | Grown, outs: tuple[Value, ...], key: str
    ) -> None:
        """Note of which arrays the rows of the columns are."""
        memory = self.frame.session.memory
        first = rows_of(before, self.decline)
        for i, pair in enumerate(zip(leaves(self.form), leaves(after.item), strict=True)):
            own, to = map(number_of, pair)
            column, kind = after.columns[to], after.kinds[to]
            parts, rows = [slot.parts[own] for slot in self.slots], [row[i] for row in first]
            if isinstance(kind, Type) and rank_of(kind):
                memory.tell(column, [*parts, *rows, *outs])
                is_one = len(parts) == 1 and not isinstance(before, Grown)
                if not is_one or not are_apart(memory, self.clock, parts[0], rows):
                    memory.entangled[column] = key

    def _first_row(self) -> list[Abstract]:
        """The parts of the first item that a list had before the loop; nothing without any."""
        if not isinstance(self.before, ListObj) or not self.before.items:
            return []
        parts = list(parts_of_item(self.before.items[0], self.decline))
        if isinstance(self.form, RowLeaf):
            parts = parts[:1]
        if len(parts) != len(list(leaves(self.form))):
            self.decline()
        atoms = [atom_of(self.frame.session, part) for part in parts]
        return spread(self.form, atoms)


__all__ = ["Gathered", "Slot"]

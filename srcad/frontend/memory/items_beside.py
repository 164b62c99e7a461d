"""Items that leave beside their list are read from the list that leaves: in Python they are one.

    t = getitem(rows, k)                y = listed((rows,), ...)
    y = listed((rows,), ...)    ->      t = getitem(y, k)
    return y, t                         return y, t

Inside of a program a list of arrays is one array, and an item a row of it.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import Grown
from srcad.frontend.abstract.session import Session
from srcad.frontend.memory.views import derived
from srcad.ir.interface import Slot
from srcad.ir.kinds import is_int_scalar
from srcad.ir.nodes import Op, Value
from srcad.ir.types import rank_of


class ItemsBeside:
    """The lists of arrays and the arrays that leave a function, with the numbers of the results."""

    def __init__(self, session: Session, results: list[Any]) -> None:
        self.session, self.memory, self.results = session, session.memory, results
        self.lists: dict[Value, Any] = {}
        self.arrays: list[tuple[Value, Slot]] = []

    def note(self, form: Grown, tree: Any) -> None:
        """A list that leaves as `tree`.

        Raises:
            SrcadError: another list that leaves has some of its items.
        """
        columns = [x for x in form.columns if (rank_of(x.type) or 0) > 1]
        if any(self.memory.overlaps(x, other) for x in columns for other in self.lists):
            raise _beside("a list of arrays, of which another list has some,")
        self.lists.update(dict.fromkeys(columns, tree if form.item == 0 else None))

    def read(self) -> set[int]:
        """Put the items of the lists in the place of the rows among the results; gives the numbers
        of these.

        Raises:
            SrcadError: data pick one of several arrays, which are items of a list or not.
        """
        found: set[int] = set()
        for array, slot in self.arrays:
            for column in self.lists:
                if self.memory.overlaps(array, column):
                    self.results[slot.index] = self._item(array, column)
                    found.add(slot.index)
            if slot.index not in found and self._is_one_of_several(array):
                self.results[slot.index] = self._item(array, self.memory.root(array))
        return found

    def _is_one_of_several(self, array: Value) -> bool:
        """Whether it is a row of arrays that were stacked, and one of these may be a result."""
        others = (other for other, _ in self.arrays if other is not array)
        return self.memory.is_row(array) and any(self.memory.overlaps(array, x) for x in others)

    def _item(self, array: Value, column: Value) -> Value:
        view, items = self.memory.views.get(array), self._items(column)
        if view is None or items is None or self.memory.held(column) is not column:
            raise _beside(f"`{array.name or 'an array'}`, which a list has that leaves beside it,")
        if view.base is not column:
            return derived(self.session.emit, view, self._item(view.base, column))
        if view.fn is not operator.getitem or not is_int_scalar(view.rest[0]):
            raise _beside("some items of a list that leaves beside them")
        item = Value(array.name, array.type)
        args = (items, self.session.atom(view.rest[0]))
        self.session.add(Op(operator.getitem, args, {}, (item,), self.session.builder.loc))
        return item

    def _items(self, column: Value) -> Any:
        """The list that is stacked in a column: one that leaves, or arrays one by one."""
        if column in self.lists:
            leaf = self.lists[column]
            return self.results[leaf.index] if isinstance(leaf, Slot) else None
        op = self.memory.producers.get(column)
        given = op.args[0] if op is not None and op.fn is np.array and len(op.args) == 1 else None
        if not isinstance(given, list) or not all(isinstance(x, Value) for x in given):
            return None
        return list(map(self.memory.read, given)) if len({x.type for x in given}) == 1 else None


def _beside(what: str) -> Exception:
    return error("E139", None, what=what, fix="return a copy of it: `np.copy(...)`")


__all__ = ["ItemsBeside"]

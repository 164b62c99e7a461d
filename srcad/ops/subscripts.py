"""What one subscript tells of another: whether a position lies beyond the end of its axis.

    t = getitem(x, i)                  index_iadd raises what getitem and add would raise:
    u = add(t, v)                      so t and u, which are not read, may go
    y = index_iadd(x, i, v)

Subscripts tell of each other that have the same index into arrays of one shape, and run wherever
the other one runs. Of constant positions the larger tells of the smaller.
"""

from __future__ import annotations

import operator
from typing import Any

from srcad import runtime
from srcad.ir.effects import destroys
from srcad.ir.keys import freeze
from srcad.ir.nodes import Op, Value
from srcad.ir.types import shape_of
from srcad.ops.fitting import may_misfit
from srcad.ops.narrow_integers import may_overflow
from srcad.ops.table import row_of
from srcad.rules.core.staged import type_of

Key = tuple[Any, Any]


def writes_entries(op: Op) -> bool:
    """Whether an operation writes `values` at an `index`, in place or into a copy."""
    return row_of(op.fn).store or (destroys(op) and len(op.args) == 3)


class Told:
    """The subscripts that are known to run in a block, with those of the blocks around it."""

    def __init__(self, outer: Told | None = None) -> None:
        self.outer = outer
        self.keys: set[Key] = set()
        self.farthest: dict[Any, int] = {}  # of an array's shape: the largest constant position
        self.stored: set[tuple[Key, Any]] = set()  # what is written there
        self.read: dict[Value, Key] = {}  # the subscripts that values are

    def see(self, op: Op) -> None:
        """Look at an operation that may run or not."""
        if op.fn is operator.getitem and (found := _subscript(op)) is not None:
            self.read[op.out] = found[0], freeze(found[1])

    def note(self, op: Op) -> None:
        """Note an operation that runs."""
        found = _subscript(op)
        if found is None:
            return
        shape, index = found
        self.keys.add((shape, freeze(index)))
        if writes_entries(op):
            self.stored.add(((shape, freeze(index)), freeze(op.args[2])))
        if type(index) is int and index >= 0:
            self.farthest[shape] = max(index, self.farthest.get(shape, 0))

    def tells(self, op: Op) -> bool:
        """Whether an operation that was noted raises where this one does."""
        if may_overflow(op):  # by what is stored, not by the place
            return False
        found = _subscript(op)
        if found is None:
            return self._meets_stored(op)
        if writes_entries(op) and may_misfit(op):
            shape, index = found
            return self._writes((shape, freeze(index)), freeze(op.args[2]))
        return self._knows(*found)

    def _meets_stored(self, op: Op) -> bool:
        """Whether an operator is given entries, and what is written over them."""
        if not row_of(op.fn).is_operator or len(op.args) != 2:
            return False
        return any(
            isinstance(entry, Value) and self._is_stored(entry, freeze(other))
            for entry, other in (op.args, op.args[::-1])
        )

    def _is_stored(self, entry: Value, values: Any) -> bool:
        key = self._key(entry)
        return key is not None and self._writes(key, values)

    def _key(self, entry: Value) -> Key | None:
        found = self.read.get(entry)
        return self.outer._key(entry) if found is None and self.outer is not None else found

    def _writes(self, key: Key, values: Any) -> bool:
        if (key, values) in self.stored:
            return True
        return self.outer is not None and self.outer._writes(key, values)

    def _knows(self, shape: Any, index: Any) -> bool:
        if (shape, freeze(index)) in self.keys:
            return True
        if type(index) is int and 0 <= index <= self.farthest.get(shape, -1):
            return True
        return self.outer is not None and self.outer._knows(shape, index)


def _subscript(op: Op) -> tuple[Any, Any] | None:
    """The shape of the array that is read or written, or the array, and the index."""
    if op.fn is runtime.scatter:
        array, index = op.out, op.args[2]
    elif op.fn is operator.getitem or writes_entries(op):
        array, index = op.args[0], op.args[1]
    else:
        return None
    shape = shape_of(type_of(array))
    if shape is not None:
        return shape, index
    return (array, index) if isinstance(array, Value) else None


__all__ = ["Told", "writes_entries"]

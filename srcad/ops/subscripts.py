"""What one subscript tells of another: whether a position lies beyond the end of its axis.

    t = getitem(x, i)                  index_iadd raises what getitem would raise:
    y = index_iadd(x, i, v)            so t, which is not read, may go

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

    def note(self, op: Op) -> None:
        """Note an operation that runs."""
        found = _subscript(op)
        if found is None:
            return
        shape, index = found
        self.keys.add((shape, freeze(index)))
        if type(index) is int and index >= 0:
            self.farthest[shape] = max(index, self.farthest.get(shape, 0))

    def tells(self, op: Op) -> bool:
        """Whether an operation that was noted raises where this one does."""
        found = _subscript(op)
        return found is not None and self._knows(*found)

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

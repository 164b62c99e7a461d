"""Lists that loops fill, as the arrays that are made of them, and arrays read as lists.

    for i in range(n): ... collecting ys           ys = np.empty(n)
    y = np.array(ys)                       ->      for i in range(n): ys[i] = ...
                                                   y is ys

A list without entries makes an array of one axis, whatever its entries would have been: that is
left to NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from srcad.ir import Op, Value
from srcad.ir.affine import Affine
from srcad.ir.types import dtype_of
from srcad.native import precision
from srcad.native.arrays import Array, Axis, Entries, Index, View, remapped
from srcad.native.code import Code, Unsuited
from srcad.native.helpers import check_turns
from srcad.native.tapes import Tape, row

if TYPE_CHECKING:
    from srcad.native.scalarise import Scalariser


@dataclass(frozen=True)
class Rows:
    """An array as the list of its rows."""

    array: View

    def element(self, s: Scalariser, at: Affine) -> Any:
        """The row, or the number, at a place."""
        array = self.array
        s.code.check(at, array.extents[0])
        if array.rank == 1:
            return array.entry(s.code, (at,))
        return remapped(array, array.extents[1:], lambda index: (at, *index))


def as_list(s: Scalariser, op: Op) -> Any:
    """`list(x)`."""
    (x,) = op.args
    if not isinstance(s.rep(x), Array):
        raise Unsuited("a list of something else than rows")
    return Rows(s.owned(x))


def as_array(s: Scalariser, op: Op) -> Any:
    """`np.array(x)` of a list that a loop has filled, of numbers, of an array."""
    if set(op.kwargs) - {"dtype"} or len(op.args) != 1:
        raise Unsuited("options of an array")
    (x,) = op.args
    dtype = np.dtype(dtype_of(op.out.type))
    if isinstance(x, list | tuple):
        return _of_items(s, x, dtype)
    rep = s.rep(x)
    if isinstance(rep, Tape):
        return _of_tape(s, x, rep, dtype)
    if isinstance(rep, Array) and rep.rank:
        return _cast(rep, dtype)
    raise Unsuited("an array of something else")


def _cast(array: Array, dtype: np.dtype) -> Array:
    def entry(code: Code, index: Index) -> Any:
        return precision.cast(code, array.entry(code, index), dtype)

    return Entries(dtype, array.extents, entry)


def _of_tape(s: Scalariser, x: Value, tape: Tape, dtype: np.dtype) -> Array:
    plan = tape.plan
    if plan.memory is None or plan.length is None or tape.prefix or len(plan.all_loops) != 1:
        raise Unsuited("an array of a list of lists")
    index = plan.all_loops[0].index
    if any(n.coefficient(index) for n in plan.extents):
        raise Unsuited("rows of several lengths")
    if plan.extents or dtype != np.float64:
        s.code.effect(check_turns, s.code.whole(plan.length))
    view = row(plan.memory, (), (plan.length, *plan.extents))
    if plan.memory.dtype == dtype and not s.uses[x]:
        return view
    return _cast(view, dtype)


def _of_items(s: Scalariser, items: Any, dtype: np.dtype) -> Array:
    if not items or any(isinstance(item, list | tuple) for item in items):
        raise Unsuited("an array of lists")
    arrays = [s.array(item) for item in items]
    made = s.room_for(dtype, (Affine(len(items)), *arrays[0].extents))
    for k, array in enumerate(arrays):
        if array.rank != made.rank - 1:
            raise Unsuited("rows of several lengths")
        s.code.equal_all(array.extents, made.extents[1:])
        s.fill(row(made.memory, (Affine(k),), made.extents[1:]), _cast(array, dtype))
    return made


def concatenated(s: Scalariser, op: Op) -> Any:
    """`np.concatenate(arrays, axis)`: one after the other in memory of the result's own."""
    axis = op.kwargs.get("axis", op.args[1] if len(op.args) > 1 else 0)
    items = op.args[0]
    if (
        set(op.kwargs) - {"axis"}
        or not isinstance(axis, int)
        or not isinstance(items, list | tuple)
    ):
        raise Unsuited("options of a concatenation")
    arrays = [s.array(item) for item in items]
    rank = arrays[0].rank
    if not rank:
        raise Unsuited("a concatenation of numbers")
    at = axis % rank
    total = sum((array.extents[at] for array in arrays), start=Affine())
    first = arrays[0].extents
    dtype = np.dtype(dtype_of(op.out.type))
    made = s.room_for(dtype, (*first[:at], total, *first[at + 1 :]))
    start = Affine()
    for array in arrays:
        own = array.extents
        s.code.equal_all((*first[:at], *first[at + 1 :]), (*own[:at], *own[at + 1 :]))
        axes = (Axis(start if k == at else Affine(), k) for k in range(rank))
        s.fill(View(dtype, own, made.memory, tuple(axes)), _cast(array, dtype))
        start = start + own[at]
    return made


SEQUENCES: dict[Any, Any] = {list: as_list, np.array: as_array, np.concatenate: concatenated}

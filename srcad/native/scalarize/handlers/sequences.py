"""Lists that loops fill, as the arrays that are made of them, and arrays read as lists.

    for i in range(n): ... collecting ys           ys = np.empty(n)
    y = np.array(ys)                       ->      for i in range(n): ys[i] = ...
                                                   y is ys

A list without entries makes an array of one axis, whatever its entries would have been: that is
left to NumPy, except in `stacked`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op
from srcad.ir.affine import Affine
from srcad.ir.types import dtype_of
from srcad.native.helpers import check_iterations, count_rolled
from srcad.native.scalarize.arrays import (
    Array,
    Axis,
    Entries,
    Index,
    Memory,
    View,
    cast_entries,
    permuted,
    remapped,
    shifted,
)
from srcad.native.scalarize.flat_memory import row
from srcad.native.scalarize.handlers.indexing import is_int
from srcad.native.scalarize.loop_builder import Code, Unsuited
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.options import only, option
from srcad.native.scalarize.tapes_read import Tape


@dataclass(frozen=True)
class Rows:
    """An array as the list of its rows."""

    array: View

    @property
    def memory(self) -> Memory:
        """What the rows lie in."""
        return self.array.memory

    def element(self, s: Lowering, at: Affine) -> Any:
        """The row, or the number, at a place."""
        array = self.array
        s.code.check(at, array.extents[0])
        if array.rank == 1:
            return array.entry(s.code, (at,))
        return remapped(array, array.extents[1:], lambda index: (at, *index))


def as_list(s: Lowering, op: Op) -> Any:
    """`list(x)`."""
    (x,) = op.args
    if not isinstance(s.rep(x), Array):
        raise Unsuited("a list of something else than rows")
    return Rows(s.owned(x))


def as_array(s: Lowering, op: Op) -> Any:
    """`np.array(x)` of a list that a loop has filled, of numbers, of an array."""
    if set(op.kwargs) - {"dtype"} or len(op.args) != 1:
        raise Unsuited("options of an array")
    (x,) = op.args
    dtype = np.dtype(dtype_of(op.out.type))
    if isinstance(x, list | tuple):
        return _of_items(s, x, dtype)
    rep = s.rep(x)
    if isinstance(rep, Tape):
        return _of_tape(s, op, rep, dtype)
    if isinstance(rep, Array) and rep.rank:
        return cast_entries(rep, dtype)
    raise Unsuited("an array of something else")


def stacked(s: Lowering, op: Op) -> Any:
    """`stacked(rows, shape)` of a list that a loop has filled."""
    tape = s.rep(op.args[0])
    if not isinstance(tape, Tape):
        raise Unsuited("rows of something else than a list")
    return _of_tape(s, op, tape, np.dtype(dtype_of(op.out.type)))


def _of_tape(s: Lowering, op: Op, tape: Tape, dtype: np.dtype) -> Array:
    plan = tape.plan
    length = tape.length if tape.prefix else plan.length
    if plan.rows is not None:
        raise Unsuited("rows of several lengths")
    is_flat = len(plan.all_loops) == len(tape.prefix) + 1
    if length is not None and is_flat and isinstance(plan.known, Affine):
        return _of_told(s, op, tape, length, dtype)
    if plan.memory is None or length is None or not is_flat:
        raise Unsuited("an array of a list of lists")
    index = plan.all_loops[-1].index
    if any(n.coefficient(index) for n in plan.extents):
        raise Unsuited("rows of several lengths")
    has_axes = op.fn is runtime.stacked
    if (plan.extents and not has_axes) or (dtype != np.float64 and "dtype" not in op.kwargs):
        s.code.effect(check_iterations, s.code.whole(length))
    view = tape.items(length)
    if plan.memory.dtype == dtype and not tape.prefix and not s.uses[op.args[0]]:
        return view
    return cast_entries(view, dtype)


def _of_told(s: Lowering, op: Op, tape: Tape, length: Affine, dtype: np.dtype) -> Array:
    """The array of integers that others tell: those of the iterations, or what these have saved."""
    if dtype != np.float64 and "dtype" not in op.kwargs:
        s.code.effect(check_iterations, s.code.whole(length))

    def entry(code: Code, index: Index) -> Any:
        return code.whole(tape.element(s, index[0]))

    return s.materialised(cast_entries(Entries(np.dtype(np.int64), (length,), entry), dtype))


def _of_items(s: Lowering, items: Any, dtype: np.dtype) -> Array:
    """One after the other, in memory of the array's own; lists of lists, too."""
    leaves = dict(_leaves(items))
    depths = {len(place) for place in leaves}
    lengths = [1 + max(place[k] for place in leaves) for k in range(min(depths))]
    if len(depths) > 1 or len(leaves) != np.prod(lengths):
        raise Unsuited("lists of several lengths")
    arrays = {place: s.array(item) for place, item in leaves.items()}
    first = next(iter(arrays.values()))
    made = s.room_for(dtype, (*map(Affine, lengths), *first.extents))
    for place, array in arrays.items():
        if array.rank != first.rank:
            raise Unsuited("rows of several lengths")
        s.code.equal_all(array.extents, first.extents)
        s.fill(
            row(made.memory, tuple(map(Affine, place)), first.extents), cast_entries(array, dtype)
        )
    return made


def _leaves(items: Any, place: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Any]]:
    """What lists of lists hold, by where it is."""
    if not isinstance(items, list | tuple):
        yield place, items
        return
    depths = {isinstance(item, list | tuple) for item in items}
    if len(depths) != 1:
        raise Unsuited("rows beside numbers, or no rows")
    for k, item in enumerate(items):
        yield from _leaves(item, (*place, k))


def concatenated(s: Lowering, op: Op) -> Any:
    """`np.concatenate(arrays, axis)`: one after the other in memory of the result's own."""
    axis = op.kwargs.get("axis", op.args[1] if len(op.args) > 1 else 0)
    items = op.args[0]
    if (
        set(op.kwargs) - {"axis"}
        or not isinstance(axis, int)
        or not isinstance(items, list | tuple)
    ):
        raise Unsuited("options of a concatenation")
    return _one_behind_other(s, op, [s.array(item) for item in items], axis)


def _one_behind_other(s: Lowering, op: Op, arrays: list[Array], axis: int) -> Array:
    rank = arrays[0].rank
    if not rank:
        raise Unsuited("a concatenation of numbers")
    if any(array.rank != rank for array in arrays):
        raise Unsuited("arrays of several ranks joined")
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
        s.fill(View(dtype, own, made.memory, tuple(axes)), cast_entries(array, dtype))
        start = start + own[at]
    return made


def _appended(s: Lowering, op: Op) -> Any:
    """`np.append(x, v)` of vectors and numbers."""
    only(op)
    items = [s.array(item) for item in op.args]
    if len(items) != 2 or any(item.rank > 1 for item in items):
        raise Unsuited("arrays of several axes appended")
    vectors = [x if x.rank else remapped(x, (Affine(1),), lambda index: ()) for x in items]
    return _one_behind_other(s, op, vectors, 0)


def _joined(s: Lowering, op: Op) -> Any:
    """`np.hstack(arrays)`, `np.vstack`, `np.column_stack`, `np.stack`, of vectors or more."""
    items = op.args[0]
    only(op, *(("axis",) if op.fn is np.stack else ()))
    axis = option(op, "axis", 1, 0)
    if not isinstance(items, list | tuple) or type(axis) is not int:
        raise Unsuited("arrays joined along other axes")
    ranks = {s.array(item).rank for item in items}
    if 0 in ranks:
        raise Unsuited("numbers joined")
    if op.fn is np.stack or (ranks == {1} and op.fn is not np.hstack):
        made = _of_items(s, items, np.dtype(dtype_of(op.out.type)))
        at = 1 if op.fn is np.column_stack else axis % made.rank
        return permuted(made, [*range(1, at + 1), 0, *range(at + 1, made.rank)])
    axis = 0 if op.fn is np.vstack or ranks == {1} else 1
    if ranks == {1, 2} and op.fn in (np.vstack, np.column_stack):
        return _one_behind_other(s, op, [_as_matrix(s.array(x), axis) for x in items], axis)
    return concatenated(s, replace(op, fn=np.concatenate, args=op.args[:1], kwargs={"axis": axis}))


def _as_matrix(x: Array, axis: int) -> Array:
    """A vector as a row, to be joined along axis 0, or as a column."""
    if x.rank != 1:
        return x
    extents = (Affine(1), *x.extents) if axis == 0 else (*x.extents, Affine(1))
    return remapped(x, extents, lambda index: (index[1 - axis],))


def _rolled(s: Lowering, op: Op) -> Any:
    """`np.roll(x, 2)`: the last two entries come first; or as many as the program computes."""
    axis = option(op, "axis", 2, None)
    x, shift = s.array(op.args[0]), op.args[1]
    if not is_int(shift) or not x.rank or (type(axis) is not int and x.rank > 1):
        raise Unsuited("entries rolled by more than one number")
    at = (axis or 0) % x.rank
    n = x.extents[at]
    if type(shift) is int:
        s.code.check_natural(n - abs(shift))
        first = Affine(shift) if shift >= 0 else n + shift
    else:
        first = s.code.derived(count_rolled, (s.whole(shift), n), n)
    made = s.room_for(x.dtype, x.extents)
    for start, come_from, length in ((Affine(), n - first, first), (first, Affine(), n - first)):
        own = (*x.extents[:at], length, *x.extents[at + 1 :])
        axes = (Axis(start if k == at else Affine(), k) for k in range(x.rank))
        part = shifted(x, own, at, come_from)
        s.fill(View(x.dtype, own, made.memory, tuple(axes)), part)
    return made


SEQUENCES: Final[dict[Any, Handler]] = {
    list: as_list, np.array: as_array, np.concatenate: concatenated,
    np.stack: _joined, np.hstack: _joined, np.vstack: _joined, np.column_stack: _joined,
    np.roll: _rolled, np.append: _appended, runtime.stacked: stacked,
}  # fmt: skip

"""Sums, products and extremes of entries, what is made of them, and running ones.

np.sum(x, axis=1)          (i)     ->  x[i, 0] + x[i, 1] + ...
np.var(x)                  (x[0] - mean) ** 2 / n + ...
np.any(x > 1)              x[0] > 1 or x[1] > 1 or ...
np.cumsum(x)               (i)     ->  x[0] + ... + x[i]
np.argmax(x)               the first place of the largest entry
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_iadd, index_set
from srcad.ir.types import dtype_of
from srcad.native.helpers import largest_at, smallest_at
from srcad.native.scalarize.arrays import Array, Entries, Index, View, remapped, shifted
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited, scalar
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.options import axes_of, only, option
from srcad.native.scalarize.scalars import precision
from srcad.native.vectorised import ADD, LARGER, MULTIPLY, SMALLER, Twin

_BOOL = NumberType(bool)


def _reduction(fn: Any, start: Any) -> Handler:
    def handler(s: Lowering, op: Op) -> Any:
        only(op, "axis", "keepdims", "dtype")
        x = s.array(op.args[0])
        axis = option(op, "axis", 1, None)
        dtype = np.dtype(dtype_of(op.out.type))
        if dtype.kind == "c" and start is None:
            raise Unsuited("an extreme of complex numbers")
        return reduced(s, dtype, x, axis, bool(op.kwargs.get("keepdims", False)), fn, start)

    return handler


def reduced(
    s: Lowering, dtype: np.dtype, x: Array, axis: Any, keepdims: bool, fn: Any, start: Any
) -> Any:
    """`x` folded along axes by `fn`, from `start` or, if it is None, from the first entry."""
    if not x.rank:
        return x.entry(s.code, ())
    gone = axes_of(x, axis)
    kept = [k for k in range(x.rank) if k not in gone]
    by = fn.of if isinstance(fn, Twin) and dtype.kind != "f" else fn

    def fold(code: Code, index: Index) -> Any:
        def at(inner: Index) -> Index:
            own = dict(zip(kept, index, strict=True)) | dict(zip(gone, inner, strict=True))
            return tuple(own[k] for k in range(x.rank))

        def step(total: Any, inner: Index) -> Any:
            entry = precision.cast(code, x.entry(code, at(inner)), dtype)
            return code.op(by, (total, entry), scalar(dtype))

        extents = [x.extents[k] for k in gone]
        if start is not None:
            return code.fold(extents, dtype.type(start).item(), step, scalar(dtype))
        for n in extents:
            code.check(Affine(), n)
        first = precision.cast(code, x.entry(code, at((Affine(),) * len(gone))), dtype)
        return code.fold(extents, first, step, scalar(dtype))

    if not kept and not keepdims:
        return fold(s.code, ())
    extents = tuple(x.extents[k] for k in kept)
    if kept and kept[-1] == x.rank - 1 and start is not None and fn is ADD:
        made: Array = _accumulated(s, x, kept, extents, dtype)
    elif kept:
        made = s.materialised(Entries(dtype, extents, fold))
    else:
        number = fold(s.code, ())
        made = Entries(dtype, (), lambda code, _: number, is_trivial=True)
    if not keepdims:
        return made
    full = tuple(Affine(1) if k in gone else x.extents[k] for k in range(x.rank))
    return remapped(made, full, lambda index: tuple(index[k] for k in kept))


def _accumulated(s: Lowering, x: Array, kept: list[int], extents: Any, dtype: np.dtype) -> View:
    """Sums along leading axes, in the order of the memory."""
    made = s.zeros(dtype, extents)
    with s.code.loops(x.extents) as index:
        entry = precision.cast(s.code, x.entry(s.code, index), dtype)
        place = made.place(tuple(index[k] for k in kept))
        s.code.store(index_iadd, made.memory.value, place, entry)
    return made


def mapped(s: Lowering, x: Any, fn: Any, *others: Any) -> Any:
    """`fn` of a number, or of each entry of an array, and of other numbers."""
    if not isinstance(x, Array):
        return s.code.op(fn, (x, *others), scalar(np.float64))

    def entry(code: Code, index: Index) -> Any:
        return code.op(fn, (x.entry(code, index), *others), scalar(x.dtype))

    return Entries(x.dtype, x.extents, entry)


# Of absolute values, squares, truths -------------------------------------------------------------


def _truth(fn: Any, start: bool) -> Handler:
    def handler(s: Lowering, op: Op) -> Any:
        only(op, "axis", "keepdims")
        x = _truths(s.array(op.args[0]))
        axis, keepdims = option(op, "axis", 1, None), op.kwargs.get("keepdims", False)
        return reduced(s, x.dtype, x, axis, bool(keepdims), fn, start)

    return handler


def _truths(x: Array) -> Array:
    """Whether each entry is not zero."""
    if x.dtype == np.bool_:
        return x

    def entry(code: Code, index: Index) -> Any:
        return code.op(operator.ne, (x.entry(code, index), 0), _BOOL)

    return Entries(np.dtype(bool), x.extents, entry)


def _count_nonzero(s: Lowering, op: Op) -> Any:
    only(op)
    x = _truths(s.array(op.args[0]))
    if len(op.args) > 1 or not x.rank:
        raise Unsuited("what is not zero along axes")
    return reduced(s, np.dtype(np.int64), x, None, False, operator.add, 0)


def _norm(s: Lowering, op: Op) -> Any:
    """Of vectors, of matrices along two axes, and of all entries of an array: the root of the sum
    of the squares; or of vectors the sum, the largest or the smallest of absolute values.
    """
    only(op, "ord", "axis", "keepdims")
    x = s.array(op.args[0])
    order, axis = option(op, "ord", 1, None), option(op, "axis", 2, None)
    is_vector = type(axis) is int or (x.rank == 1 and axis is None)
    is_whole = axis is None or (isinstance(axis, tuple | list) and len(axis) == 2)
    if order == "fro" and is_whole and (axis is not None or x.rank == 2):
        order = None
    if x.dtype != np.float64 or not x.rank or not (is_vector or (order is None and is_whole)):
        raise Unsuited("norms of matrices of other orders, or of other numbers")
    folds = {None: (ADD, 0), 2: (ADD, 0), 1: (ADD, 0), np.inf: (LARGER, None),
             -np.inf: (SMALLER, None)}  # fmt: skip
    if isinstance(order, str) or order not in folds:
        raise Unsuited("norms of other orders")
    is_root = order in (None, 2)

    def entry(code: Code, index: Index) -> Any:
        own = x.entry(code, index)
        size = (own, own) if is_root else (own,)
        return code.op(operator.mul if is_root else abs, size, scalar(x.dtype))

    sizes = Entries(x.dtype, x.extents, entry)
    keepdims = bool(op.kwargs.get("keepdims", False))
    found = reduced(s, x.dtype, sizes, axis, keepdims, *folds[order])
    return mapped(s, found, np.sqrt) if is_root else found


def _count(s: Lowering, x: Array, gone: list[int], fewer: int = 0) -> Any:
    """How many entries there are along some axes, as a float."""
    code = s.code
    count: Any = 1
    for k in gone:
        code.check_natural(x.extents[k] - 1 - fewer)  # of less NumPy warns
        n = code.whole(x.extents[k])
        count = n if count == 1 else code.op(operator.mul, (count, n), INT)
    return precision.cast(code, count, x.dtype)


def _mean(s: Lowering, op: Op) -> Any:
    only(op, "axis", "keepdims")
    x = s.array(op.args[0])
    if x.dtype != np.float64 or not x.rank:
        raise Unsuited("a mean of other numbers")
    gone = axes_of(x, option(op, "axis", 1, None))
    total = reduced(s, x.dtype, x, gone, bool(op.kwargs.get("keepdims", False)), ADD, 0)
    return mapped(s, total, operator.truediv, _count(s, x, gone))


def _variance(s: Lowering, op: Op) -> Any:
    only(op, "axis", "ddof", "keepdims")
    code, x = s.code, s.array(op.args[0])
    fewer = op.kwargs.get("ddof", 0)
    if x.dtype != np.float64 or not x.rank or type(fewer) is not int:
        raise Unsuited("a variance of other numbers")
    x = s.computed(x)
    gone = axes_of(x, option(op, "axis", 1, None))
    kept = [k for k in range(x.rank) if k not in gone]
    if fewer and len(gone) > 1:
        raise Unsuited("a variance along several axes, of a sample")
    count = _count(s, x, gone, fewer)
    mean = mapped(s, reduced(s, x.dtype, x, gone, False, ADD, 0), operator.truediv, count)
    mean = s.materialised(mean) if isinstance(mean, Array) else mean
    number = scalar(x.dtype)

    def square(code: Code, index: Index) -> Any:
        own = tuple(index[k] for k in kept)
        centre = mean.entry(code, own) if isinstance(mean, Array) else mean
        centred = code.op(operator.sub, (x.entry(code, index), centre), number)
        return code.op(operator.mul, (centred, centred), number)

    squares = Entries(x.dtype, x.extents, square)
    if fewer:
        count = code.op(operator.sub, (count, float(fewer)), number)
    keepdims = bool(op.kwargs.get("keepdims", False))
    return mapped(s, reduced(s, x.dtype, squares, gone, keepdims, ADD, 0), operator.truediv, count)


def _deviation(s: Lowering, op: Op) -> Any:
    return mapped(s, _variance(s, op), np.sqrt)


# Places, and running sums ------------------------------------------------------------------------


def _as_integers(truths: Array) -> Array:
    def entry(code: Code, index: Index) -> Any:
        return code.op(int, (truths.entry(code, index),), INT)

    return Entries(np.dtype(np.int64), truths.extents, entry)


def _place(helper: Any) -> Handler:
    def handler(s: Lowering, op: Op) -> Any:
        only(op, "axis")
        x = s.array(op.args[0])
        if x.rank != 1 or option(op, "axis", 1, None) not in (None, 0, -1):
            raise Unsuited("places of extremes along axes")
        if x.dtype.kind == "c":
            raise Unsuited("places of complex numbers")
        if x.dtype.kind == "b":
            x = _as_integers(x)
        s.code.check_natural(x.extents[0] - 1)  # of none NumPy raises
        found = x if isinstance(x, View) and x.is_all else s.materialised(x)
        # The memory may be longer: it is as long as the array can become in all iterations of
        # loops.
        args = found.memory.value, s.code.whole(x.extents[0])
        return Affine.of(s.code.op(helper, args, INT))

    return handler


def _running(fn: Any, start: float) -> Handler:
    def handler(s: Lowering, op: Op) -> Any:
        only(op, "axis")
        code, x, dtype = s.code, s.array(op.args[0]), np.dtype(dtype_of(op.out.type))
        axis = option(op, "axis", 1, None)
        is_fit = dtype == x.dtype or (dtype == np.int64 and x.dtype.kind in "ib")
        if not is_fit or dtype.kind not in "fci" or not x.rank or (axis is None and x.rank > 1):
            raise Unsuited("running sums of other numbers, or through all axes")
        (along,) = axes_of(x, axis)
        n, number = x.extents[along], scalar(dtype)
        made = s.room_for(dtype, x.extents, op.out.name)
        with code.loops((*x.extents[:along], *x.extents[along + 1 :])) as others:
            with code.iterations(Affine(), n, 1) as frame:
                assert frame.index is not None
                index = (*others[:along], Affine.of(frame.index), *others[along:])
                total = code.value("", number)
                term = precision.cast(code, x.entry(code, index), dtype)
                now = code.op(fn, (total, term), number)
                code.store(index_set, made.memory.value, made.place(index), now)
            parts = {"init": [dtype.type(start).item()], "params": [total], "results": [now]}
            code.close(frame, Affine(), n, 1, **parts, outs=[code.value("", number)])
        return made

    return handler


def _diff(s: Lowering, op: Op) -> Any:
    """Each entry but the first less the one before."""
    only(op, "n", "axis")
    x = s.array(op.args[0])
    if x.dtype.kind != "f" or option(op, "n", 1, 1) != 1 or not x.rank:
        raise Unsuited("differences of other numbers")
    (along,) = axes_of(x, option(op, "axis", 2, -1))
    s.code.check_natural(x.extents[along] - 1)
    extents = tuple(n - (k == along) for k, n in enumerate(x.extents))
    ahead, own = (shifted(x, extents, along, by) for by in (Affine(1), Affine()))

    def entry(code: Code, index: Index) -> Any:
        both = ahead.entry(code, index), own.entry(code, index)
        return code.op(operator.sub, both, scalar(x.dtype))

    return Entries(x.dtype, extents, entry)


REDUCTIONS: Final[dict[Any, Handler]] = {
    np.sum: _reduction(ADD, 0), np.prod: _reduction(MULTIPLY, 1),
    np.max: _reduction(LARGER, None), np.min: _reduction(SMALLER, None),
    np.amax: _reduction(LARGER, None), np.amin: _reduction(SMALLER, None),
    np.any: _truth(operator.or_, False), np.all: _truth(operator.and_, True),
    np.count_nonzero: _count_nonzero, np.linalg.norm: _norm,
    np.mean: _mean, np.var: _variance, np.std: _deviation,
    np.argmax: _place(largest_at), np.argmin: _place(smallest_at),
    np.cumsum: _running(operator.add, 0), np.cumprod: _running(operator.mul, 1),
    np.diff: _diff,
}  # fmt: skip

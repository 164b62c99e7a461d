"""Operations that are no loops over equal places: shapes, constants, views, sums, products.

np.zeros_like(x)           0.0 for each entry
np.transpose(x)            (i, j)  ->  x[j, i]
np.sum(x, axis=1)          (i)     ->  x[i, 0] + x[i, 1] + ...
a @ x                      (i)     ->  a[i, 0] * x[0] + ...
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import ArrayType, NumberType, Op, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_iadd, index_set
from srcad.ir.kinds import index_parts
from srcad.ir.types import dtype_of, rank_of, shape_of
from srcad.native.scalarize.arrays import (
    Array,
    Entries,
    Index,
    Unwritten,
    View,
    cast_entries,
    permuted,
    remapped,
    without_axes,
)
from srcad.native.scalarize.handlers.gathers import gathered, is_gather
from srcad.native.scalarize.handlers.indexing import subscript
from srcad.native.scalarize.handlers.reductions import reduced
from srcad.native.scalarize.handlers.vector_products import product
from srcad.native.scalarize.handlers.writes import write_at
from srcad.native.scalarize.loop_builder import Code, Unsuited
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.options import axes_of, only, option
from srcad.native.scalarize.scalars import precision, scalar_ops
from srcad.native.scalarize.tapes_read import Tape
from srcad.native.vectorised import ADD
from srcad.optimize.shadow_values import BOOL
from srcad.runtime.saved import pack as as_tuple

# Shapes ------------------------------------------------------------------------------------------


def _shape(s: Lowering, op: Op) -> Any:
    rep = s.rep(op.args[0])
    return rep.extents if isinstance(rep, Array) else ()


def _as_tuple(s: Lowering, op: Op) -> Any:
    return tuple(s.whole(arg) for arg in op.args)


def _len(s: Lowering, op: Op) -> Any:
    rep = s.rep(op.args[0])
    if isinstance(rep, tuple):
        return Affine(len(rep))
    if isinstance(rep, Tape):
        length = rep.length if rep.prefix else rep.plan.length
        if length is not None:
            return length
    return s.array(op.args[0]).extents[0]


def _size(s: Lowering, op: Op) -> Any:
    total: Any = Affine(1)
    for n in s.array(op.args[0]).extents:
        if total.number is not None or n.number is not None:
            total = n * total.number if total.number is not None else total * n.number
        else:
            total = s.code.multiplied(total, n)
    return total


def _same(s: Lowering, op: Op) -> Any:
    """`x.shape == (n, m)`, or `!=`: tuples of integers; anything else is compared by entries."""
    sides = [s.rep(arg) if isinstance(arg, Value) else arg for arg in op.args]
    if not all(isinstance(side, tuple) for side in sides):
        if not scalar_ops.is_elementwise(op):
            raise Unsuited("a comparison of objects")
        return s.elementwise(op)
    a, b = ([s.whole_of(n) for n in side] for side in sides)
    wanted = op.fn is operator.eq
    if len(a) != len(b):
        return not wanted
    pairs = [(s.code.settled(n), s.code.settled(m)) for n, m in zip(a, b, strict=True)]
    gaps = [n - m for n, m in pairs]
    if any(gap.number not in (None, 0) for gap in gaps):
        return not wanted
    join = operator.and_ if wanted else operator.or_
    found: Any = wanted
    for (n, m), gap in zip(pairs, gaps, strict=True):
        if gap.number is None:
            flag = s.code.op(op.fn, (s.code.whole(n), s.code.whole(m)), BOOL)
            found = flag if found is wanted else s.code.op(join, (found, flag), BOOL)
    return found


def _getitem(s: Lowering, op: Op) -> Any:
    base, index = op.args
    rep = s.rep(base)
    if isinstance(rep, tuple):
        return rep[index]
    if not isinstance(rep, Array):
        if type(index) is tuple and not index:  # `x[()]` of an array without axes
            return rep
        if type(index) is not tuple or any(k is not None and k is not Ellipsis for k in index):
            raise Unsuited("a subscript of no array")
        rep = s.array(base)  # `x[..., None]` of a number
    if is_gather(index):
        return gathered(s, rep, index)
    if rank_of(op.out.type) and any(map(_is_zero_dim, index_parts(index))):
        raise Unsuited("a copy of what an array of one integer leads to")
    return subscript(s.code, rep, index, s.whole)


def _is_zero_dim(part: Any) -> bool:
    """Whether an index is an array without axes: NumPy gives a copy, which may be written."""
    t = part.type if isinstance(part, Value) else None
    if isinstance(t, ArrayType):
        return t.shape == () and not t.scalar
    return isinstance(part, np.ndarray) and part.ndim == 0


# Constants ---------------------------------------------------------------------------------------


def constant(s: Lowering, op: Op, extents: Sequence[Affine], value: Any) -> Array:
    """The same number at each place."""
    dtype = np.dtype(dtype_of(op.out.type))
    atom = dtype.type(value).item() if not isinstance(value, Value) else value

    def entry(code: Code, _: Index) -> Any:
        return atom

    return Entries(dtype, tuple(extents), entry, is_trivial=True)


def _filled(number: Any) -> Handler:
    def handler(s: Lowering, op: Op) -> Any:
        only(op, "dtype")
        shape = op.args[0]
        parts = s.rep(shape) if isinstance(shape, Value) else shape
        if isinstance(parts, Affine) or not isinstance(parts, tuple):
            parts = (parts,)
        extents = [n if isinstance(n, Affine) else s.whole(n) for n in parts]
        for n in extents:
            s.code.check_natural(n)
        return constant(s, op, extents, number)

    return handler


def _full(s: Lowering, op: Op) -> Any:
    only(op, "dtype")
    shape, value = op.args
    if not op.kwargs and not _is_of_certain_kind(s, value):
        raise Unsuited("an array of the type of a number of Python's")  # perhaps of integers
    number = precision.cast(s.code, s.number(value), np.dtype(dtype_of(op.out.type)))
    return _filled(number)(s, replace(op, args=(shape,)))


def _is_of_certain_kind(s: Lowering, x: Any) -> bool:
    """Whether a number is no Python number, or the int or float that its type says."""
    if not isinstance(x, Value) or not isinstance(x.type, NumberType):
        return True
    return x.type.kind in (int, float) and not s.kinds.is_loose(x)


def _empty(s: Lowering, op: Op) -> Array:
    """Memory that is not written yet; an entry that is asked for by itself is 0."""
    made = (_filled(0) if op.fn is np.empty else _filled_like(0))(s, op)
    return Unwritten(made.dtype, made.extents, made.compute, made.is_trivial)


def _filled_like(number: float) -> Handler:
    def handler(s: Lowering, op: Op) -> Any:
        only(op, "dtype")
        return constant(s, op, s.array(op.args[0]).extents, number)

    return handler


def _copy(s: Lowering, op: Op) -> Any:
    only(op, "dtype", "copy")
    array = s.array(op.args[0])
    dtype = np.dtype(dtype_of(op.out.type))
    if not array.rank:
        return precision.cast(s.code, s.number(op.args[0]), dtype)
    if dtype == array.dtype and s.may_take(op.args[0]):
        return array
    return cast_entries(array, dtype)


# Views -------------------------------------------------------------------------------------------


def _transpose(s: Lowering, op: Op) -> Any:
    only(op, "axes")
    x = s.array(op.args[0])
    axes = option(op, "axes", 1, None)
    if axes is None:
        axes = range(x.rank)[::-1]
    return permuted(x, (axes,) if isinstance(axes, int) else axes)


def _flip(s: Lowering, op: Op) -> Any:
    only(op, "axis")
    x = s.array(op.args[0])
    flipped = axes_of(x, option(op, "axis", 1, None))

    def back(index: Index) -> Index:
        return tuple(x.extents[k] - 1 - at if k in flipped else at for k, at in enumerate(index))

    return remapped(x, x.extents, back)


def _swapaxes(s: Lowering, op: Op) -> Any:
    x, a, b = s.array(op.args[0]), *op.args[1:]
    order = list(range(x.rank))
    order[a], order[b] = order[b], order[a]
    return permuted(x, order)


def _moveaxis(s: Lowering, op: Op) -> Any:
    x = s.array(op.args[0])
    ends = [option(op, name, k, None) for k, name in ((1, "source"), (2, "destination"))]
    lists = [[end] if type(end) is int else end for end in ends]
    if not all(isinstance(each, list | tuple) for each in lists):
        raise Unsuited("axes moved that are not known")
    sources, targets = ([k % x.rank for k in each] for each in lists)
    order = [k for k in range(x.rank) if k not in sources]
    for target, source in sorted(zip(targets, sources, strict=True)):
        order.insert(target, source)
    return permuted(x, order)


def _broadcast_to(s: Lowering, op: Op) -> Any:
    x = s.array(op.args[0])
    shape = op.args[1]
    parts = s.rep(shape) if isinstance(shape, Value) else shape
    parts = index_parts(parts)
    extents = tuple(map(s.whole_of, parts))
    return s.spread(x, extents)


def _expand_dims(s: Lowering, op: Op) -> Any:
    x = s.array(op.args[0])
    axis = op.kwargs.get("axis", op.args[1] if len(op.args) > 1 else None)
    if not isinstance(axis, int):
        raise Unsuited("several new axes")
    at = axis % (x.rank + 1)
    extents = (*x.extents[:at], Affine(1), *x.extents[at:])
    return remapped(x, extents, lambda i: (*i[:at], *i[at + 1 :]))


def _squeeze(s: Lowering, op: Op) -> Any:
    x = s.array(op.args[0])
    axis = op.kwargs.get("axis", op.args[1] if len(op.args) > 1 else None)
    gone = [axis] if isinstance(axis, int) else axis
    if gone is None:
        gone = [k for k, n in enumerate(x.extents) if n.number == 1]
        if len(gone) != x.rank - len(shape_of(op.out.type) or ()):
            raise Unsuited("extents that may be 1")
    return without_axes(x, [k % x.rank for k in gone])


def _unbroadcast(s: Lowering, op: Op) -> Any:
    """Sums along axes that are known to be 1; other extents must be as they were."""
    g = s.array(op.args[0])
    shape = op.args[1]
    parts = s.rep(shape) if isinstance(shape, Value) else shape
    extents = tuple(map(s.whole_of, parts))
    lead = g.rank - len(extents)
    gone = [k for k in range(g.rank) if k < lead or extents[k - lead].number == 1]
    gone = [k for k in gone if g.extents[k].number != 1 or k < lead]
    for k in range(lead, g.rank):
        if k not in gone:
            s.code.equal(g.extents[k], extents[k - lead])
    if not gone:
        return g if g.rank else s.number(op.args[0])
    made = reduced(s, np.dtype(dtype_of(op.out.type)), g, gone, False, ADD, 0)
    kept = [k for k in range(g.rank) if k not in gone]
    if not isinstance(made, Array):
        number = made
        made = Entries(np.dtype(dtype_of(op.out.type)), (), lambda code, _: number, is_trivial=True)
    if not extents:
        return made

    def back(index: Index) -> Index:
        return tuple(index[k - lead] for k in kept)

    return remapped(made, extents, back)


def _inner(s: Lowering, op: Op) -> Any:
    """Of two vectors what `np.dot` makes of them."""
    x, y = map(s.array, op.args)
    is_conjugated = op.fn is np.vdot and x.dtype.kind == "c"  # the first is conjugated
    if x.rank != 1 or y.rank != 1 or op.kwargs or is_conjugated:
        raise Unsuited("inner products of matrices, or of a conjugate")
    return product(s, replace(op, fn=np.dot))


def _rounded(s: Lowering, op: Op) -> Any:
    """`np.round(x, decimals=2)`, entry by entry."""
    only(op, "decimals")
    decimals = option(op, "decimals", 1, 0)
    return s.elementwise(replace(op, args=(op.args[0], decimals), kwargs={}))


# Copies with changes -----------------------------------------------------------------------------


def _scatter(s: Lowering, op: Op) -> Any:
    values, shape, index = op.args
    parts = s.rep(shape) if isinstance(shape, Value) else shape
    extents = tuple(map(s.whole_of, parts))
    dtype = np.dtype(dtype_of(op.out.type))
    made = s.zeros(dtype, extents)
    if is_gather(index):
        write_at(s, made, index, values, index_iadd)
        return made
    target = subscript(s.code, made, index, s.whole)
    assert isinstance(target, View)
    s.fill(target, s.spread(s.array(values), target.extents), index_set)
    return made


OPERATIONS: Final[dict[Any, Handler]] = {
    np.shape: _shape, len: _len, np.size: _size, operator.getitem: _getitem,
    np.zeros: _filled(0), np.ones: _filled(1), np.empty: _empty,
    np.zeros_like: _filled_like(0), np.ones_like: _filled_like(1), np.empty_like: _empty,
    np.full: _full, np.flip: _flip, np.copy: _copy, np.astype: _copy,
    np.transpose: _transpose, np.swapaxes: _swapaxes, np.moveaxis: _moveaxis,
    np.broadcast_to: _broadcast_to,
    np.expand_dims: _expand_dims, np.squeeze: _squeeze, np.inner: _inner, np.vdot: _inner,
    np.round: _rounded, np.around: _rounded, runtime.scatter: _scatter,
    runtime.unbroadcast: _unbroadcast, as_tuple: _as_tuple,
    operator.eq: _same, operator.ne: _same,
}  # fmt: skip

"""Entries chosen and put in order: take, take_along_axis, compress, extract, sort, searches.

`np.sort` moves entries to where `np.argsort` says; among equal entries the derivative is that of
the order which `np.argsort` gives.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.ir.types import ArrayType, NumberType, Type, shape_of
from srcad.rules.arrays.arranging import array_like, at_axis
from srcad.rules.arrays.index_facts import getitem_type
from srcad.rules.arrays.shaping import extents, like, rank_of
from srcad.rules.core.facts import (
    UncoveredError,
    as_type,
    broadcast_shapes,
    normalize_axes,
    shape_from,
    size_of_shape,
    unknown_extent,
)
from srcad.rules.core.registry import linear, nondiff, rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case

_repeated = np.array([0, 2, 0, 1])


def _flat(t: Type) -> ArrayType:
    shape = shape_of(t)
    return like(t, (unknown_extent() if shape is None else size_of_shape(shape),))


def _put_back(g: Any, a: Any, indices: Any, axis: Any) -> Any:
    """Zeros shaped as `a` with `g` added at `indices` of an axis, or of the entries in a row."""
    if axis is None:
        if rank_of(a) == 1:
            return call(runtime.scatter, g, extents(a), indices)
        flat = call(runtime.scatter, g, (call(np.size, a),), indices)
        return np.reshape(flat, extents(a))
    return call(runtime.scatter, g, extents(a), at_axis(axis % rank_of(a), indices))


# ---- take, compress, extract


def _take_type(a: object, indices: object, axis: Any = None) -> Type:
    t = as_type(a)
    index = np.asarray(indices) if isinstance(indices, list | tuple) else indices
    if axis is None:
        return getitem_type(_flat(t), index)
    shape = shape_of(t)
    if shape is None:
        return like(t, None)
    (at,) = normalize_axes(axis, len(shape))
    return getitem_type(like(t, shape), at_axis(at, index))


linear(
    np.take,
    a=lambda g, y, a, indices, axis=None: _put_back(g, a, indices, axis),
    type_of=_take_type,
    cases=[
        Case((3,), _repeated),
        Case((3,), 1),
        Case((2, 3), _repeated),
        Case((3, 4), _repeated, axis=0),
        Case((2, 3, 4), np.array([[0, 3], [1, 0]]), axis=-1),
        Case((3, 4), 1, axis=1),
    ],
)


def _compress_type(condition: object, a: object, axis: Any = None) -> Type:
    chosen = ArrayType(np.dtype(np.intp), (unknown_extent(),))
    return _take_type(a, chosen, axis)


linear(
    np.compress,
    a=lambda g, y, condition, a, axis=None: _put_back(g, a, call(np.flatnonzero, condition), axis),
    type_of=_compress_type,
    cases=[
        Case(np.array([True, False, True]), (4,)),
        Case(np.array([True, False, True]), (3, 4), axis=0),
        Case(np.array([False, True]), (3, 4), axis=-1),
    ],
)
linear(
    np.extract,
    arr=lambda g, y, condition, arr: _put_back(g, arr, call(np.flatnonzero, condition), None),
    type_of=_compress_type,
    cases=[Case(np.array([[True, False, True]]), (1, 3)), Case(np.array([False, True]), (2,))],
)


# ---- take_along_axis and its transpose


def _along_type(arr: object, indices: object, axis: Any = -1) -> Type:
    t, i = as_type(arr), as_type(indices)
    if axis is None:
        return like(t, shape_of(i))
    shape, chosen = shape_of(t), shape_of(i)
    if shape is None or chosen is None:
        return like(t, None)
    if len(chosen) != len(shape):
        raise error(
            "E400", None, what=f"indices of {len(chosen)} axes for an array of {len(shape)}"
        )
    if not shape:
        return like(t, ())  # NumPy refuses it
    at = operator.index(axis) % len(shape)
    others = broadcast_shapes((*shape[:at], 1, *shape[at + 1 :]), chosen)
    return like(t, others)


def _along_vjp(g: Any, y: Any, arr: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        return _put_back(g, arr, indices, None)
    return call(runtime.scatter_along_axis, g, extents(arr), indices, axis)


linear(
    np.take_along_axis,
    arr=_along_vjp,
    type_of=_along_type,
    cases=[
        Case((3, 4), np.array([[0], [2], [0]]), axis=1),
        Case((3, 4), np.array([[0, 0, 1, 3], [1, 1, 1, 1]]) % 3, axis=0),
        Case((3, 4), np.array([[0, 0, 3]]), axis=-1),
        Case((2, 2), np.array([0, 3, 3]), axis=None),
    ],
)
linear(
    runtime.scatter_along_axis,
    values=lambda g, y, values, shape, indices, axis: call(
        np.take_along_axis, g, indices, axis=axis
    ),
    type_of=lambda values, shape, indices, axis: like(as_type(values), shape_from(shape)),
    cases=[Case((3, 1), (3, 4), np.array([[0], [2], [0]]), 1)],
)


# ---- sort


def _sort_type(a: object, axis: Any = -1, kind: object = None) -> Type:
    t = as_type(a)
    if axis is None:
        return _flat(t)
    shape = shape_of(t)
    if shape is not None:
        normalize_axes(axis, len(shape))  # which asks for it to be known
    return array_like(t)


def _order(a: Any, axis: Any) -> Any:
    return np.argsort(a) if axis == -1 else np.argsort(a, axis=axis)


def _sort_jvp(ts: Any, y: Any, a: Any, axis: Any = -1, kind: Any = None) -> Any:
    if axis is None:
        return np.reshape(ts[0], -1)[_order(a, None)]
    if rank_of(a) == 1:
        return ts[0][_order(a, -1)]
    return call(np.take_along_axis, ts[0], _order(a, axis), axis=axis)


def _sort_vjp(g: Any, y: Any, a: Any, axis: Any = -1, kind: Any = None) -> Any:
    order = _order(a, axis)
    if axis is None or rank_of(a) == 1:
        return _put_back(g, a, order, None)
    return call(runtime.scatter_along_axis, g, extents(a), order, axis)


rule(
    np.sort,
    jvp=_sort_jvp,
    a=_sort_vjp,
    type_of=_sort_type,
    cases=[Case((5,)), Case((3, 4)), Case((3, 4), axis=0), Case((2, 3), axis=None)],
)


# ---- positions and comparisons: never varied


def _positions_type(a: object, axis: Any = -1, **_: object) -> Type:
    found = _sort_type(a, axis)
    return ArrayType(np.dtype(np.intp), shape_of(found))


def _argpartition_type(a: object, kth: object, axis: Any = -1, **_: object) -> Type:
    return _positions_type(a, axis)


def _nonzero_type(a: object) -> tuple[Type, ...]:
    shape = shape_of(as_type(a))
    if not shape:
        raise UncoveredError("an array without axes, or of which their number is not known")
    extent = unknown_extent()
    return tuple(ArrayType(np.dtype(np.intp), (extent,)) for _ in shape)


def positions_type(a: object) -> Type:
    """The type of a vector of indices, of which the number is not known."""
    return ArrayType(np.dtype(np.intp), (unknown_extent(),))


def _argwhere_type(a: object) -> Type:
    shape = shape_of(as_type(a))
    rank = unknown_extent() if shape is None else len(shape)
    return ArrayType(np.dtype(np.intp), (unknown_extent(), rank))


def _searched_type(v: object) -> Type:
    t = as_type(v)
    shape = shape_of(t)
    return ArrayType(np.dtype(np.intp), shape, scalar=shape == ())


def _truth_type(a: object, b: object, **_: object) -> Type:
    return NumberType(bool)


def _close_type(a: object, b: object, **_: object) -> Type:
    shape = broadcast_shapes(shape_of(as_type(a)), shape_of(as_type(b)))
    return ArrayType(np.dtype(bool), shape, scalar=shape == ())


nondiff(np.array_equal, np.allclose, type_of=_truth_type, cases=[Case((3,), (3,))])
nondiff(np.isclose, type_of=_close_type, cases=[Case((3, 4), (4,)), Case((), float)])
nondiff(np.argsort, type_of=_positions_type, cases=[Case((5,)), Case((3, 4), axis=0)])
nondiff(np.argpartition, type_of=_argpartition_type, cases=[Case((5,), 2)])
nondiff(np.nonzero, type_of=_nonzero_type, cases=[Case((3,)), Case((3, 4))])
nondiff(np.flatnonzero, type_of=positions_type, cases=[Case((3, 4))])
nondiff(np.argwhere, type_of=_argwhere_type, cases=[Case((3, 4))])
nondiff(
    np.searchsorted,
    type_of=lambda a, v, side="left": _searched_type(v),
    cases=[Case(np.arange(4.0), (3,)), Case(np.arange(4.0), float)],
)
nondiff(
    runtime.search_rows,
    type_of=lambda a, v, side="left": _searched_type(v),
    cases=[Case(np.arange(8.0).reshape(2, 4), (2, 3)), Case(np.arange(8.0).reshape(2, 4), (2,))],
)
nondiff(
    np.digitize,
    type_of=lambda x, bins, right=False: _searched_type(x),
    cases=[Case((3,), np.arange(4.0))],
)

"""Diagonals: trace, diagonal, diag, diagflat.

y = np.trace(a)        a_bar = np.eye(a.shape[0]) * y_bar
y = np.diag(a)         a_bar = np.diag(y_bar)             a square
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.ir.types import ArrayType, Dim, Extent, Shape, Type, dtype_of, shape_of
from srcad.rules.arrays.shaping import call_beside, dims, extents, like, rank_of
from srcad.rules.core.call_facts import SQUARE
from srcad.rules.core.facts import array_or_scalar, as_type, size_of_shape, unknown_extent
from srcad.rules.core.registry import linear
from srcad.rules.core.staged import call, type_of
from srcad.rules.core.table import Case

SQUARE.add(np.trace)


def _axes(rank: int, axis1: int, axis2: int) -> tuple[int, int]:
    if rank < 2:
        raise error("E403", None, what=f"{axis2} is out of range for an array with {rank} axes")
    return axis1 % rank, axis2 % rank


def _without(shape: Shape, gone: tuple[int, int]) -> Shape:
    return tuple(e for i, e in enumerate(shape) if i not in gone)


def is_square(a: Any, axis1: int = -2, axis2: int = -1) -> bool:
    """Whether the two extents are known to be the same number."""
    shape = shape_of(type_of(a))
    return shape is not None and shape[axis1] == shape[axis2]


def identity_for(n: Any, m: Any, offset: Any, g: Any) -> Any:
    """The identity matrix in the dtype of `g`."""
    is_main = isinstance(offset, int) and offset == 0  # not where it is known at run time only
    options: dict[str, Any] = {} if is_main else {"k": offset}
    dtype = dtype_of(type_of(g))
    if dtype != np.float64:
        options["dtype"] = dtype
    return call_beside(g, np.eye, *((n,) if m is None else (n, m)), **options)


# ---- trace


def _trace_type(a: object, offset: object = 0, axis1: int = 0, axis2: int = 1) -> Type:
    t = as_type(a)
    shape = shape_of(t)
    dtype = like(t, None).dtype
    if dtype.kind in "biu":
        dtype = np.sum(np.zeros(1, dtype)).dtype
    if shape is None:
        return array_or_scalar(dtype, None)
    return array_or_scalar(dtype, _without(shape, _axes(len(shape), axis1, axis2)))


def _trace_vjp(g: Any, y: Any, a: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1) -> Any:
    first, second = _axes(rank_of(a), axis1, axis2)
    shape = dims(a)
    m = None if is_square(a, first, second) else shape[second]
    eye = identity_for(shape[first], m, offset, g)
    if rank_of(a) == 2:
        return eye * g if first < second else np.transpose(eye * g)
    return np.moveaxis(g[..., None, None] * eye, (-2, -1), (first, second))


linear(
    np.trace,
    a=_trace_vjp,
    type_of=_trace_type,
    cases=[
        Case((3, 3)),
        Case((2, 3), offset=1),
        Case((3, 3), offset=0, dtype=None),
        Case((3, 2), offset=-1, axis1=1, axis2=0),
        Case((2, 3, 4)),
        Case((2, 3, 4), axis1=-1, axis2=1),
    ],
)


# ---- diagonal


def _diagonal_extent(n: Extent, m: Extent, offset: Any) -> Extent:
    if not isinstance(offset, int):
        return unknown_extent()
    if isinstance(n, int) and isinstance(m, int):
        return max(0, min(n + min(offset, 0), m - max(offset, 0)))
    if n == m and isinstance(n, Dim):
        return n.shortened(abs(offset))
    return Dim(f"diagonal({n},{m},{offset})")


def _diagonal_type(a: object, offset: Any = 0, axis1: int = 0, axis2: int = 1) -> Type:
    t = as_type(a)
    shape = shape_of(t)
    if shape is None:
        return like(t, None)
    axes = _axes(len(shape), axis1, axis2)
    extent = _diagonal_extent(shape[axes[0]], shape[axes[1]], offset)
    return like(t, (*_without(shape, axes), extent))


def _diagonal_vjp(g: Any, y: Any, a: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1) -> Any:
    first, second = _axes(rank_of(a), axis1, axis2)
    if rank_of(a) == 2 and isinstance(offset, int) and offset == 0 and is_square(a):
        return np.diag(g)
    steps = call_beside(g, np.arange, dims(g)[-1])
    rows, columns = steps + np.maximum(-offset, 0), steps + np.maximum(offset, 0)
    if rank_of(a) == 2:
        index = (rows, columns) if first < second else (columns, rows)
        return call(runtime.scatter, g, extents(a), index)
    shape = dims(a)
    moved = (*_without(shape, (first, second)), shape[first], shape[second])
    placed = call(runtime.scatter, g, moved, (Ellipsis, rows, columns))
    return np.moveaxis(placed, (-2, -1), (first, second))


linear(
    np.diagonal,
    a=_diagonal_vjp,
    type_of=_diagonal_type,
    cases=[
        Case((3, 3)),
        Case((3, 4), offset=1),
        Case((3, 3), offset=-1),
        Case((3, 2), axis1=1, axis2=0),
        Case((2, 3, 4)),
        Case((2, 3, 4), offset=1, axis1=-2, axis2=-1),
    ],
)


# ---- diag, diagflat


def _made_shape(extent: Extent, k: Any) -> Shape:
    if not isinstance(k, int):
        return unknown_extent(), unknown_extent()
    side = extent + abs(k) if isinstance(extent, int) else extent.lengthened(abs(k))
    return side, side


def _diag_type(v: object, k: Any = 0) -> Type:
    t = as_type(v)
    shape = shape_of(t)
    if shape is None:
        return like(t, None)
    return like(t, _made_shape(shape[0], k)) if len(shape) == 1 else _diagonal_type(t, k)


def _diag_vjp(g: Any, y: Any, v: Any, k: Any = 0) -> Any:
    if rank_of(v) == 2:
        return _diagonal_vjp(g, y, v, k)
    return call(np.diagonal, g) if _is_main(k) else call(np.diagonal, g, offset=k)


def _is_main(k: Any) -> bool:
    return isinstance(k, int) and k == 0


linear(
    np.diag,
    v=_diag_vjp,
    type_of=_diag_type,
    cases=[Case((3,)), Case((3,), k=-2), Case((3, 3)), Case((3, 4), k=1), Case((4, 3))],
)


def _diagflat_type(v: object, k: Any = 0) -> ArrayType:
    t = as_type(v)
    shape = shape_of(t)
    return like(t, _made_shape(unknown_extent() if shape is None else size_of_shape(shape), k))


linear(
    np.diagflat,
    v=lambda g, y, v, k=0: np.reshape(_diag_vjp(g, y, np.reshape(v, -1), k), extents(v)),
    type_of=_diagflat_type,
    cases=[Case((3,)), Case((2, 2)), Case((2,), k=1), Case(())],
)

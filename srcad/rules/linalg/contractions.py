"""Further products: vdot, vecdot, kron, cross."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import Extent, Shape, Type, have_same_shape, shape_of
from srcad.rules.arrays.shaping import dims, dtype_of_arrays, extents, rank_of
from srcad.rules.core.broadcast import cast_like, unbroadcast
from srcad.rules.core.call_facts import SPECIAL_EXTENTS
from srcad.rules.core.facts import array_or_scalar, as_type, broadcast_shapes, size_of_shape
from srcad.rules.core.product import without_missing
from srcad.rules.core.registry import linear
from srcad.rules.core.staged import call, type_of
from srcad.rules.core.table import Case
from srcad.rules.linalg.matrices import conj

# ---- vdot: over all entries, the first operand conjugated


def _shaped_as(product: Any, x: Any) -> Any:
    same = have_same_shape(type_of(product), type_of(x))
    return cast_like(product if same else np.reshape(product, extents(x)), x)


linear(
    np.vdot,
    a=without_missing(lambda g, y, a, b: _shaped_as(conj(g * b), a)),
    b=without_missing(lambda g, y, a, b: _shaped_as(g * conj(a), b)),
    type_of=lambda a, b: array_or_scalar(dtype_of_arrays(as_type(a), as_type(b)), ()),
    cases=[
        Case((3,), (3,)),
        Case((2, 3), (2, 3)),
        Case((2, 3), (3, 2)),
        Case((6,), (2, 3)),
        Case((), ()),
    ],
)


# ---- vecdot: over one axis, the first operand conjugated


def _last(x: Any, axis: int) -> Any:
    """`x` with this axis as the last."""
    return x if axis in (-1, rank_of(x) - 1) else np.moveaxis(x, axis, -1)


def _back(x: Any, axis: int) -> Any:
    return x if axis in (-1, rank_of(x) - 1) else np.moveaxis(x, -1, axis)


def _vecdot_type(x1: object, x2: object, axis: int = -1) -> Type:
    ta, tb = as_type(x1), as_type(x2)
    shape = broadcast_shapes(_shape_with_last(ta, axis), _shape_with_last(tb, axis))
    return array_or_scalar(dtype_of_arrays(ta, tb), None if shape is None else shape[:-1])


def _shape_with_last(t: Type, axis: int) -> Shape | None:
    shape = shape_of(t)
    if shape == ():
        raise error("E402", None, what="() in `vecdot`")
    if shape is None:
        return None
    axis %= len(shape)
    return (*shape[:axis], *shape[axis + 1 :], shape[axis])


@without_missing
def _vecdot_a(g: Any, y: Any, x1: Any, x2: Any, axis: int = -1) -> Any:
    moved = unbroadcast(conj(g[..., None] * _last(x2, axis)), _last(x1, axis))
    return _back(moved, axis)


@without_missing
def _vecdot_b(g: Any, y: Any, x1: Any, x2: Any, axis: int = -1) -> Any:
    return _back(unbroadcast(g[..., None] * conj(_last(x1, axis)), _last(x2, axis)), axis)


_VECDOTS = [
    Case((3,), (3,)),
    Case((2, 3), (3,)),
    Case((2, 1, 3), (4, 3)),
    Case((3, 2), (3, 2), axis=0),
    Case((2, 3, 4), (2, 3, 4), axis=-2),
]

for _fn in (np.vecdot, np.linalg.vecdot):
    linear(_fn, x1=_vecdot_a, x2=_vecdot_b, type_of=_vecdot_type, cases=_VECDOTS)


# ---- kron: every product of two entries


def _kron_parts(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Pairs of extents, axis by axis from the last, 1 where an operand has none."""
    rank = max(len(a), len(b))
    return list(zip((*(1,) * (rank - len(a)), *a), (*(1,) * (rank - len(b)), *b), strict=True))


def _kron_type(a: object, b: object) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of(ta), shape_of(tb)
    dtype = dtype_of_arrays(ta, tb)
    if sa is None or sb is None:
        return array_or_scalar(dtype, None)
    return array_or_scalar(dtype, tuple(size_of_shape(pair) for pair in _kron_parts(sa, sb)))


def _kron_blocks(g: Any, a: Any, b: Any) -> Any:
    """`g` with each axis in two: that of `a`, then that of `b`."""
    return np.reshape(g, tuple(e for pair in _kron_parts(dims(a), dims(b)) for e in pair))


def _padded(x: Any, rank: int) -> Any:
    return x if rank_of(x) == rank else np.reshape(x, (*(1,) * (rank - rank_of(x)), *dims(x)))


@without_missing
def _kron_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    rank = max(rank_of(a), rank_of(b))
    if min(rank_of(a), rank_of(b)) == 0:
        return unbroadcast(g * b, a)
    odd, every = tuple(range(1, 2 * rank, 2)), tuple(range(rank))
    a_bar = np.tensordot(_kron_blocks(g, a, b), _padded(b, rank), axes=(odd, every))
    return cast_like(a_bar if rank_of(a) == rank else np.reshape(a_bar, extents(a)), a)


@without_missing
def _kron_b(g: Any, y: Any, a: Any, b: Any) -> Any:
    rank = max(rank_of(a), rank_of(b))
    if min(rank_of(a), rank_of(b)) == 0:
        return unbroadcast(g * a, b)
    even, every = tuple(range(0, 2 * rank, 2)), tuple(range(rank))
    b_bar = np.tensordot(_padded(a, rank), _kron_blocks(g, a, b), axes=(every, even))
    return cast_like(b_bar if rank_of(b) == rank else np.reshape(b_bar, extents(b)), b)


linear(
    np.kron,
    a=_kron_a,
    b=_kron_b,
    type_of=_kron_type,
    cases=[
        Case((2, 3), (4, 5)),
        Case((3,), (2,)),
        Case((2, 3), (4,)),
        Case((3,), (2, 2)),
        Case((), (2, 2)),
    ],
)


# ---- cross: of vectors with three entries, or two


def cross_axes(
    axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> tuple[int, int, int]:
    """The axis of the vectors in both operands and in the result."""
    return (axisa, axisb, axisc) if axis is None else (axis, axis, axis)


def _vector_extents(a: Any, b: Any, **axes: Any) -> list[Extent]:
    """The numbers of entries of the vectors, which decide what `np.cross` does."""
    of_a, of_b, _ = cross_axes(**axes)
    shapes = shape_of(as_type(type_of(a))), shape_of(as_type(type_of(b)))
    return [s[k] for s, k in zip(shapes, (of_a, of_b), strict=True) if s]


SPECIAL_EXTENTS[np.cross] = _vector_extents


def _cross_type(a: object, b: object, **axes: Any) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of(ta), shape_of(tb)
    dtype = dtype_of_arrays(ta, tb)
    if sa is None or sb is None:
        return array_or_scalar(dtype, None)
    of_a, of_b, of_y = cross_axes(**axes)
    counts = [e for e in (sa[of_a], sb[of_b]) if isinstance(e, int)]
    if any(n not in (2, 3) for n in counts):
        raise error("E402", None, what=f"vectors of {counts[0]} entries in `np.cross`")
    shape = broadcast_shapes(_without(sa, of_a), _without(sb, of_b)) or ()
    if counts == [2, 2]:
        return array_or_scalar(dtype, shape)
    rank = len(shape) + 1
    return array_or_scalar(dtype, (*shape[: of_y % rank], 3, *shape[of_y % rank :]))


# NumPy 2.5 hands the axis on to `np.cross`, for which none is the last one.
_NO_AXIS_IS_LAST = np.lib.NumpyVersion(np.__version__) >= "2.5.0"


def _cross_of_three(x1: object, x2: object, axis: int | None = -1) -> Type:
    if axis is None and not _NO_AXIS_IS_LAST:
        raise error("E402", None, what="`axis=None` in `np.linalg.cross`")
    for x in (x1, x2):
        n = (shape_of(as_type(x)) or (3,))[-1 if axis is None else axis]
        if isinstance(n, int) and n != 3:
            raise error("E402", None, what=f"vectors of {n} entries in `np.linalg.cross`")
    return _cross_type(x1, x2, axis=axis)


def _without(shape: Shape, axis: int) -> Shape:
    axis %= len(shape)
    return (*shape[:axis], *shape[axis + 1 :])


def _is_plane(x: Any, axis: int) -> bool:
    return bool(dims(x)[axis] == 2) if isinstance(dims(x)[axis], int) else False


def _crossed(g: Any, x: Any, other: Any, axes: tuple[int, int, int], sign: int) -> Any:
    """`sign * cross(other, g)` in the shape of `x`; `axes` are those of `x`, `other` and `g`."""
    of_x, of_other, of_y = axes
    if _is_plane(x, of_x) and _is_plane(other, of_other):
        moved, g = _last(other, of_other), g * sign
        turned = np.stack((g * moved[..., 1], -g * moved[..., 0]), axis=-1)
        return _back(unbroadcast(turned, _last(x, of_x)), of_x)
    alike = of_x == of_other == of_y and (of_x == -1 or rank_of(x) == rank_of(other) == rank_of(g))
    if alike:
        options = {} if of_x == -1 else {"axis": of_x}
        pair = (other, g) if sign > 0 else (g, other)
        turned = call(np.cross, *pair, **options)
        if not _is_plane(x, of_x):
            return unbroadcast(turned, x)
        turned = _last(turned, of_x)
    else:
        pair = (_last(other, of_other), _last(g, of_y))
        turned = call(np.cross, *(pair if sign > 0 else pair[::-1]))
    if _is_plane(x, of_x):
        turned = turned[..., :2]
    return _back(unbroadcast(turned, _last(x, of_x)), of_x)


@without_missing
def _cross_a(
    g: Any, y: Any, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1,
    axis: int | None = None,
) -> Any:  # fmt: skip
    return _crossed(g, a, b, cross_axes(axisa, axisb, axisc, axis), 1)


@without_missing
def _cross_b(
    g: Any, y: Any, a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1,
    axis: int | None = None,
) -> Any:  # fmt: skip
    of_a, of_b, of_y = cross_axes(axisa, axisb, axisc, axis)
    return _crossed(g, b, a, (of_b, of_a, of_y), -1)


_CROSSES = [
    Case((3,), (3,)),
    Case((4, 3), (3,)),
    Case((3,), (4, 3)),
    Case((3, 4), (3, 4), axis=0),
    Case((2, 1, 3), (4, 3)),
]

linear(
    np.cross,
    a=_cross_a,
    b=_cross_b,
    type_of=_cross_type,
    cases=[
        *_CROSSES,
        Case((3, 4), (4, 3), axisa=0),
        Case((4, 3), (3, 4), axisb=0, axisc=0),
        Case((3, 4), (3,), axisa=0, axisc=0),
    ],
    note="of vectors with two or three entries",
)

linear(
    np.linalg.cross,
    a=lambda g, y, a, b, axis=-1: _cross_a(g, y, a, b, axis=axis),
    b=lambda g, y, a, b, axis=-1: _cross_b(g, y, a, b, axis=axis),
    type_of=_cross_of_three,
    cases=_CROSSES,
)

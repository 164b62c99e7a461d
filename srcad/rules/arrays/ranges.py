"""Arrays of regular numbers: arange, linspace, eye, identity, tri, meshgrid, and index arrays.

`np.arange(start, stop, step)` is start + step * k; how many entries it has is not varied.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import (
    ArrayType,
    Extent,
    NumberType,
    Type,
    dtype_of,
    have_same_shape,
    is_inexact,
    shape_of,
)
from srcad.rules.arrays.creation import static_dtype
from srcad.rules.arrays.shaping import call_beside, dtype_of_arrays, like, rank_of
from srcad.rules.core.broadcast import cast_like, unbroadcast
from srcad.rules.core.facts import (
    as_type,
    broadcast_shapes,
    extent_of,
    promote,
    size_of_shape,
    unknown_extent,
)
from srcad.rules.core.registry import nondiff, rule, zero
from srcad.rules.core.staged import call, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO

# ---- eye, identity, tri


def _eye_type(N: object, M: object = None, k: object = 0, dtype: object = float) -> Type:  # noqa: N803 -- NumPy's name
    return ArrayType(static_dtype(dtype), (extent_of(N), extent_of(N if M is None else M)))


zero(np.eye, type_of=_eye_type, cases=[Case(3), Case(2, 4, k=1), Case(3, dtype=np.float32)])
zero(np.tri, type_of=_eye_type, cases=[Case(3), Case(2, 4, k=-1)])
zero(
    np.identity,
    type_of=lambda n, dtype=float: _eye_type(n, dtype=dtype),
    cases=[Case(3), Case(2, dtype=np.float32)],
)


# ---- arange


def _arange_type(*bounds: object, dtype: object = None) -> Type:
    types = [as_type(b) for b in bounds]
    found = dtype_of_arrays(*types) if dtype is None else static_dtype(dtype)
    return ArrayType(found, (_arange_extent(bounds),))


def _arange_extent(bounds: tuple[Any, ...]) -> Extent:
    if not any(isinstance(b, ArrayType | NumberType) for b in bounds):
        return len(np.arange(*bounds))
    stop = bounds[0] if len(bounds) == 1 else bounds[1] if bounds[0] == 0 else None
    if isinstance(stop, NumberType) and len(bounds) <= 2:
        return extent_of(stop)
    return unknown_extent()


def _steps(y: Any) -> Any:
    """0, 1, 2, ... in the dtype of `y`."""
    return call_beside(y, np.arange, call(np.size, y), dtype=dtype_of(type_of(y)))


def _arange_jvp(ts: Any, y: Any, *bounds: Any, dtype: Any = None) -> Any:
    if not is_inexact(type_of(y)):
        return ZERO
    start_dot = ts[0] if len(bounds) > 1 else ZERO
    step_dot = ts[2] if len(bounds) == 3 else ZERO
    moved = ZERO if step_dot is ZERO else cast_like(step_dot * _steps(y), y)
    if start_dot is ZERO:
        return moved
    if moved is ZERO:
        return cast_like(call(np.broadcast_to, start_dot, call(np.shape, y)), y)
    return cast_like(start_dot + moved, y)


def _arange_vjp(g: Any, y: Any, *bounds: Any, at: int, dtype: Any = None) -> Any:
    if not is_inexact(type_of(y)):
        return ZERO
    if at == 0 and len(bounds) > 1:
        return unbroadcast(g, bounds[0])
    if at == 2:
        return cast_like(g @ _steps(y), bounds[2])
    return ZERO


rule(
    np.arange,
    jvp=_arange_jvp,
    bounds=_arange_vjp,
    type_of=_arange_type,
    cases=[
        Case(Case.made(lambda rng: 3)),
        Case(Case.made(lambda rng: 1), Case.made(lambda rng: 7), Case.made(lambda rng: 2)),
        Case(lambda rng: np.float64(0.3), Case.made(lambda rng: 5)),
        Case(lambda rng: 0.3, Case.made(lambda rng: 5), lambda rng: np.float64(1.1)),
        Case(Case.made(lambda rng: 3), dtype=float),
    ],
)


# ---- linspace


def _linspace_type(
    start: object, stop: object, num: Any = 50, endpoint: object = True, dtype: Any = None
) -> Type:
    ta, tb = as_type(start), as_type(stop)
    shape = broadcast_shapes(shape_of(ta), shape_of(tb))
    found = static_dtype(dtype) if dtype is not None else _linspace_dtype(ta, tb)
    return ArrayType(found, None if shape is None else (extent_of(num), *shape))


def _linspace_dtype(*types: Type) -> np.dtype:
    found = promote(*types)
    return found if found.kind in "fc" else np.dtype(float)


def _options(num: Any, endpoint: Any) -> dict[str, Any]:
    options = {} if isinstance(num, int) and num == 50 else {"num": num}
    return options if endpoint is True else {**options, "endpoint": endpoint}


def _linspace_jvp(
    ts: Any, y: Any, start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None
) -> Any:
    ends = [0.0 if t is ZERO else t for t in ts[:2]]
    y_dot = cast_like(call(np.linspace, *ends, **_options(num, endpoint)), y)
    same = have_same_shape(type_of(y_dot), type_of(y)) and rank_of(y) == 1
    if same or rank_of(y) == rank_of(y_dot) == 1:
        return y_dot
    lead = rank_of(y) - rank_of(y_dot)
    if lead:  # the axis of the steps comes first: missing axes come after it
        y_dot = y_dot[(slice(None), *[None] * lead)]
    return np.broadcast_to(y_dot, call(np.shape, y))


def _weighted(g: Any, first: float, last: float, num: Any, endpoint: Any, end: Any) -> Any:
    """The sum over the steps of `g`, with weights from `first` to `last`."""
    weights = call_beside(g, np.linspace, first, last, **_options(num, endpoint))
    weights = cast_like(weights, g)
    if rank_of(g) == 1:
        return unbroadcast(weights @ g, end)
    return unbroadcast(np.tensordot(weights, g, axes=1), end)


rule(
    np.linspace,
    jvp=_linspace_jvp,
    start=lambda g, y, start, stop, num=50, endpoint=True, dtype=None: _weighted(
        g, 1.0, 0.0, num, endpoint, start
    ),
    stop=lambda g, y, start, stop, num=50, endpoint=True, dtype=None: _weighted(
        g, 0.0, 1.0, num, endpoint, stop
    ),
    type_of=_linspace_type,
    cases=[
        Case(float, float),
        Case((), (), num=5),
        Case(float, (3,), num=4, endpoint=False),
        Case((2, 1), (3,), num=4),
        Case(float, float, num=1),
    ],
)


# ---- meshgrid


def _places(count: int, indexing: str) -> list[int]:
    """The axis along which each grid varies."""
    order = list(range(count))
    return [1, 0, *order[2:]] if indexing == "xy" and count > 1 else order


def _meshgrid_type(*xi: object, indexing: str = "xy", sparse: bool = False) -> tuple[Type, ...]:
    types = [as_type(x) for x in xi]
    sizes: list[Extent] = []
    for t in types:
        shape = shape_of(t)
        if shape is None:
            raise error("E123", None, what="the number of axes")
        sizes.append(size_of_shape(shape))
    places = _places(len(xi), indexing)
    shape = tuple(sizes[places.index(axis)] for axis in range(len(xi)))
    if sparse:
        axes = range(len(xi))
        return tuple(
            like(t, tuple(shape[axis] if axis == place else 1 for axis in axes))
            for t, place in zip(types, places, strict=True)
        )
    return tuple(like(t, shape) for t in types)


def _meshgrid_jvp(ts: Any, y: Any, *xi: Any, indexing: str = "xy", sparse: bool = False) -> Any:
    places = _places(len(xi), indexing)
    if sparse:
        pairs = zip(ts, places, strict=True)
        return tuple(t if t is ZERO else _along(t, place, len(xi)) for t, place in pairs)
    return tuple(
        t if t is ZERO else np.broadcast_to(_along(t, place, len(xi)), call(np.shape, grid))
        for t, place, grid in zip(ts, places, y, strict=True)
    )


def _along(t: Any, place: int, rank: int) -> Any:
    return np.reshape(t, tuple(-1 if axis == place else 1 for axis in range(rank)))


def _meshgrid_vjp(
    g: Any, y: Any, *xi: Any, at: int, indexing: str = "xy", sparse: bool = False
) -> Any:
    place = _places(len(xi), indexing)[at]
    others = tuple(axis for axis in range(len(xi)) if axis != place)
    if g[at] is ZERO:
        return ZERO
    if sparse:
        return np.reshape(g[at], call(np.shape, xi[at]))
    axis = others[0] if len(others) == 1 else others
    summed = np.sum(g[at], axis=axis) if others else g[at]
    return summed if rank_of(xi[at]) == 1 else np.reshape(summed, call(np.shape, xi[at]))


rule(
    np.meshgrid,
    jvp=_meshgrid_jvp,
    xi=_meshgrid_vjp,
    type_of=_meshgrid_type,
    cases=[
        Case((3,), (4,)),
        Case((3,), (4,), indexing="ij"),
        Case((2,), (3,), (4,)),
        Case((3,)),
        Case((3,), (4,), sparse=True),
        Case((2,), (3,), (4,), sparse=True, indexing="ij"),
    ],
)


# ---- index arrays


def _triangle_type(n: object, k: object = 0, m: object = None) -> Any:
    together = ArrayType(np.dtype(np.intp), (unknown_extent(),))
    return together, together


def _diagonal_type(n: object, ndim: int = 2) -> Any:
    return tuple(ArrayType(np.dtype(np.intp), (extent_of(n),)) for _ in range(ndim))


nondiff(np.tril_indices, np.triu_indices, type_of=_triangle_type, cases=[Case(3), Case(3, k=1)])
nondiff(np.diag_indices, type_of=_diagonal_type, cases=[Case(3), Case(3, ndim=3)])

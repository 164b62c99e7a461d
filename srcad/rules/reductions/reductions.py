"""Reductions: sums, means, extrema, counts.

The cotangent of a reduced axis is broadcast back over it: that of `np.sum` is `np.broadcast_to(g,
x.shape)`. Ties in `max` and `min` share evenly.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, NumberType, Type, dtype_of, shape_of
from srcad.rules.core.axes import count, divisor, may_be_empty, of_some, restore
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import (
    TypeFunction,
    UncoveredError,
    array_or_scalar,
    as_type,
    reduced_shape,
    shape_from,
)
from srcad.rules.core.kinks import nonzero
from srcad.rules.core.masks import missing
from srcad.rules.core.product import shared, spread
from srcad.rules.core.registry import linear, nondiff, rule, same
from srcad.rules.core.staged import type_of
from srcad.rules.core.table import Case

AXES = (
    Case((3, 4)),
    Case((3, 4), axis=0),
    Case((3, 4), axis=1),
    Case((3, 4), axis=-1, keepdims=True),
    Case((2, 3, 4), axis=(0, 2)),
    Case((2, 3, 4), axis=(-1, 1), keepdims=True),
    Case((3, 4), keepdims=True),
    Case((3, 1), axis=1),
    Case((1, 3), axis=0),
    Case((5,), axis=0),
    Case(()),
)
_ONE_AXIS = tuple(case for case in AXES if not isinstance(case.kwargs.get("axis"), tuple))
EMPTY = (Case((0, 3)), Case((0, 3), axis=0), Case((0, 3), axis=1))


def reduces(fn: Callable[..., Any]) -> TypeFunction:
    """The type function of a reduction: its dtype is asked of `fn` itself."""

    @functools.cache
    def dtype_for(dtype: np.dtype) -> np.dtype:
        return np.asarray(fn(np.ones(1, dtype))).dtype

    def type_of(
        a: object, axis: object = None, dtype: Any = None, keepdims: object = False, ddof: Any = 0
    ) -> Type:
        t = as_type(a)
        own = dtype_of(t)
        if own is None or own.kind not in "biufcmM":  # dates are data
            raise UncoveredError("what is no array of numbers")
        found = dtype_for(own) if dtype is None else np.dtype(dtype)
        return array_or_scalar(found, reduced_shape(shape_of(t), axis, keepdims))

    return type_of


# Sums and means


def _sum_vjp(
    g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False
) -> Any:
    return spread(restore(g, axis, keepdims, a), a)


def _mean_vjp(
    g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False
) -> Any:
    n = count(a, axis)
    return spread(restore(shared(g, n, y), axis, keepdims, a), a)


def mean_of_tangents(
    ts: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False
) -> Any:
    """The mean of the tangents of entries; 0 of none, as their cotangents are."""
    is_half = dtype_of(type_of(ts[0])) == np.float16  # which NumPy adds in single precision
    if is_half or not may_be_empty(a, axis):
        return cast_like(np.mean(ts[0], axis=axis, dtype=dtype, keepdims=keepdims), y)
    moved = np.sum(ts[0], axis=axis, dtype=dtype, keepdims=keepdims)
    return cast_like(moved / divisor(a, axis), y)


linear(np.sum, a=_sum_vjp, type_of=reduces(np.sum), cases=(*AXES, *EMPTY))
linear(
    runtime.unbroadcast,
    g=lambda h, y, g, shape: spread(h, g),
    type_of=lambda g, shape: ArrayType(dtype_of(as_type(g)) or np.dtype(float), shape_from(shape)),
    cases=(Case((3, 4), (4,)), Case((2, 3, 4), (3, 1))),
)
rule(np.mean, jvp=mean_of_tangents, a=_mean_vjp, type_of=reduces(np.mean), cases=AXES)


def _present(a: Any) -> Any:
    return np.logical_not(np.isnan(a))


def _nansum_vjp(
    g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False
) -> Any:
    return cast_like(np.where(np.isnan(a), 0, restore(g, axis, keepdims, a)), a)


def _nansum_jvp(
    ts: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False
) -> Any:
    t = np.where(np.isnan(a), 0, ts[0])
    return cast_like(np.sum(t, axis=axis, keepdims=keepdims), y)


def total(mask: Any, axis: Any, keepdims: Any, like: Any) -> Any:
    """The number of true entries, in a dtype that does not widen `like`."""
    dtype = dtype_of(type_of(like))
    options: dict[str, Any] = {} if dtype in (None, np.float64) else {"dtype": dtype.type}
    return np.sum(mask, axis=axis, keepdims=keepdims, **options)


def _nanmean_vjp(
    g: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False
) -> Any:
    share = g / total(_present(a), axis, keepdims, y)
    return cast_like(np.where(np.isnan(a), 0, restore(share, axis, keepdims, a)), a)


def _nanmean_jvp(
    ts: Any, y: Any, a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False
) -> Any:
    n = of_some(total(_present(a), axis, keepdims, y))
    return cast_like(_nansum_jvp(ts, y, a, axis, keepdims=keepdims) / n, y)


def with_nan(rng: Any) -> Any:
    """An array with a NaN in it, for cases."""
    x = rng.uniform(-2, 2, (3, 4))
    x[1, 2] = np.nan
    return x


NAN_AXES = (*AXES, Case(with_nan), Case(with_nan, axis=0), Case(with_nan, axis=1, keepdims=True))
rule(np.nansum, jvp=_nansum_jvp, a=_nansum_vjp, type_of=reduces(np.nansum), cases=NAN_AXES)
rule(np.nanmean, jvp=_nanmean_jvp, a=_nanmean_vjp, type_of=reduces(np.nanmean), cases=NAN_AXES)


# Extrema


def _winners(a: Any, y: Any, axis: Any, keepdims: Any) -> tuple[Any, Any]:
    """Which entries are the extremum, and how many are."""
    mask = a == restore(y, axis, keepdims, a)
    return mask, total(mask, axis, keepdims, y)


def _extremum_vjp(g: Any, y: Any, a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    mask, n = _winners(a, y, axis, keepdims)
    return cast_like(np.where(mask, restore(g / n, axis, keepdims, a), 0), a)


def _extremum_jvp(ts: Any, y: Any, a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    mask, n = _winners(a, y, axis, keepdims)
    moved = np.sum(np.where(mask, ts[0], 0), axis=axis, keepdims=keepdims)
    return moved / nonzero(n)  # NaN is no entry


def _nanextremum_vjp(g: Any, y: Any, a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return missing(_extremum_vjp(g, y, a, axis, keepdims=keepdims))


for _fns, _vjp, _cases in (
    ((np.max, np.min), _extremum_vjp, AXES),
    ((np.nanmax, np.nanmin), _nanextremum_vjp, NAN_AXES),
):
    for _fn in _fns:
        rule(
            _fn,
            jvp=_extremum_jvp,
            a=_vjp,
            type_of=reduces(_fn),
            cases=_cases,
            note="ties share evenly",
        )
for _alias, _fn in ((np.amax, np.max), (np.amin, np.min)):
    if _alias is not _fn:
        same(_alias, _fn)


def _ptp_ends(a: Any, axis: Any, keepdims: Any) -> tuple[Any, Any]:
    options = {"axis": axis, "keepdims": keepdims}
    return np.max(a, **options), np.min(a, **options)


def _ptp_vjp(g: Any, y: Any, a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    top, bottom = (
        _extremum_vjp(g, end, a, axis, keepdims=keepdims) for end in _ptp_ends(a, axis, keepdims)
    )
    return top - bottom


def _ptp_jvp(ts: Any, y: Any, a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    top, bottom = (
        _extremum_jvp(ts, end, a, axis, keepdims=keepdims) for end in _ptp_ends(a, axis, keepdims)
    )
    return top - bottom


rule(
    np.ptp, jvp=_ptp_jvp, a=_ptp_vjp, type_of=reduces(np.ptp), cases=AXES, note="ties share evenly"
)


# Indices, counts and tests


def _index_type(a: object, axis: object = None, *_: object, keepdims: object = False) -> Type:
    t = as_type(a)
    return array_or_scalar(np.dtype(np.intp), reduced_shape(shape_of(t), axis, keepdims))


def _truth_type(a: object, axis: object = None, *, keepdims: object = False) -> Type:
    t = as_type(a)
    return array_or_scalar(np.dtype(bool), reduced_shape(shape_of(t), axis, keepdims))


def _count_type(a: object, axis: object = None, *, keepdims: object = False) -> Type:
    if axis is None and not keepdims:
        return NumberType(int) if _COUNTS_ARE_INTS else array_or_scalar(np.dtype(np.intp), ())
    return _index_type(a, axis, keepdims=keepdims)


_COUNTS_ARE_INTS = isinstance(np.count_nonzero(np.ones(1)), int)

nondiff(np.argmax, np.argmin, np.nanargmax, np.nanargmin, type_of=_index_type, cases=_ONE_AXIS)
nondiff(np.all, np.any, type_of=_truth_type, cases=AXES)
nondiff(np.count_nonzero, type_of=_count_type, cases=AXES[:-1])

"""Statistics: variance, standard deviation, weighted mean.

The derivative of `std` is 0 where all entries are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import NumberType, Type, dtype_of, shape_of
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.array_arguments import constant_array
from srcad.rules.core.axes import count, divisor, may_be_empty, of_some, restore
from srcad.rules.core.broadcast import cast_like, divisible, unbroadcast
from srcad.rules.core.facts import UncoveredError, array_or_scalar, as_type, reduced_shape
from srcad.rules.core.kinks import or_infinity
from srcad.rules.core.product import over, shared, spread, times
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import is_complex
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.pointwise.complex_numbers import conj
from srcad.rules.reductions.reductions import AXES, mean_of_tangents, reduces, total, with_nan


def _centered(a: Any, axis: Any) -> Any:
    """The distances from the mean, conjugated: the variance is the mean of their squared sizes."""
    return conj(a - np.mean(a, axis=axis, keepdims=True))


def _real_sum(x: Any, axis: Any, keepdims: Any) -> Any:
    total = np.sum(x, axis=axis, keepdims=keepdims)
    return np.real(total) if is_complex(x) else total


def _var_vjp(
    g: Any, y: Any, a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False
) -> Any:
    n = count(a, axis) - ddof
    scale = shared(g, n / 2, y)
    return cast_like(times(restore(scale, axis, keepdims, a), _centered(a, axis)), a)


def _var_jvp(
    ts: Any, y: Any, a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False
) -> Any:
    moved = _real_sum(_centered(a, axis) * ts[0], axis, keepdims)
    return 2 * moved / divisor(a, axis, ddof)


def _std_vjp(
    g: Any, y: Any, a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False
) -> Any:
    scale = times(g, over(or_infinity(y) * (count(a, axis) - ddof)))
    return cast_like(times(restore(scale, axis, keepdims, a), _centered(a, axis)), a)


def _std_jvp(
    ts: Any, y: Any, a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False
) -> Any:
    moved = _real_sum(_centered(a, axis) * ts[0], axis, keepdims)
    scale = or_infinity(y) * (count(a, axis) - ddof)
    if may_be_empty(a, axis):
        scale = np.where(count(a, axis) == 0, 1, scale)
    return moved / scale


_DDOF = (
    *(
        case
        for case in AXES
        if case.args != ((),) and case.args != ((3, 1),) and case.args != ((1, 3),)
    ),
    Case((3, 4), ddof=1),
    Case((3, 4), axis=1, ddof=1),
    Case((3, 4), axis=0, ddof=0.5, keepdims=True),
)
rule(np.var, jvp=_var_jvp, a=_var_vjp, type_of=reduces(np.var), cases=_DDOF)
rule(
    np.std,
    jvp=_std_jvp,
    a=_std_vjp,
    type_of=reduces(np.std),
    cases=_DDOF,
    note="0 where all entries are equal",
)


def _nan_centered(a: Any, axis: Any) -> Any:
    return np.where(np.isnan(a), 0, conj(a - np.nanmean(a, axis=axis, keepdims=True)))


def _freedom(a: Any, axis: Any, ddof: Any, keepdims: Any, y: Any) -> Any:
    """The number of entries that are no NaN, less `ddof`; 1 of none, whose part is 0."""
    return of_some(total(np.logical_not(np.isnan(a)), axis, keepdims, y), ddof)


def _nanvar_vjp(
    g: Any, y: Any, a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False
) -> Any:
    scale = 2 * g / _freedom(a, axis, ddof, keepdims, y)
    return cast_like(restore(scale, axis, keepdims, a) * _nan_centered(a, axis), a)


def _nan_moved(t: Any, a: Any, axis: Any, keepdims: Any) -> Any:
    t = np.where(np.isnan(a), 0, t)  # that of a missing entry may be NaN
    return _real_sum(_nan_centered(a, axis) * t, axis, keepdims)


def _nanvar_jvp(
    ts: Any, y: Any, a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False
) -> Any:
    moved = _nan_moved(ts[0], a, axis, keepdims)
    return 2 * moved / _freedom(a, axis, ddof, keepdims, y)


def _nanstd_vjp(
    g: Any, y: Any, a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False
) -> Any:
    scale = g / (or_infinity(y) * _freedom(a, axis, ddof, keepdims, y))
    return cast_like(restore(scale, axis, keepdims, a) * _nan_centered(a, axis), a)


def _nanstd_jvp(
    ts: Any, y: Any, a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False
) -> Any:
    moved = _nan_moved(ts[0], a, axis, keepdims)
    n = total(np.logical_not(np.isnan(a)), axis, keepdims, y)
    return moved / np.where(n == 0, 1, or_infinity(y) * (n - ddof))


_NAN_DDOF = (
    *_DDOF,
    Case(with_nan),
    Case(with_nan, axis=0),
    Case(with_nan, axis=1, ddof=1, keepdims=True),
)
rule(
    np.nanvar,
    jvp=_nanvar_jvp,
    a=_nanvar_vjp,
    type_of=reduces(np.nanvar),
    cases=_NAN_DDOF,
)
rule(
    np.nanstd,
    jvp=_nanstd_jvp,
    a=_nanstd_vjp,
    type_of=reduces(np.nanstd),
    cases=_NAN_DDOF,
    note="0 where all entries are equal",
)

# Weighted mean. Its inputs are (a, axis, weights): the weights may be varied, too.


def _normalize_average(
    a: Any, axis: Any = None, weights: Any = None, *, keepdims: Any = False
) -> Arguments:
    return (a, axis, constant_array(weights)), ({"keepdims": True} if keepdims else {})


def _average_type(a: object, axis: object, weights: object, keepdims: object = False) -> Type:
    t = as_type(a)
    if weights is not None:
        w = as_type(weights)
        if NumberType in (type(t), type(w)):
            raise UncoveredError("weights of a number")
        if len(shape_of(w) or ()) != len(shape_of(t) or ()) and not (
            isinstance(axis, int) and len(shape_of(w) or ()) == 1
        ):
            raise UncoveredError("weights of this shape")
        dtype = np.result_type(dtype_of(t) or float, dtype_of(w) or float)
    else:
        dtype = dtype_of(t) or np.dtype(float)
    found = dtype if dtype.kind in "fc" else np.result_type(dtype, np.float64)
    return array_or_scalar(found, reduced_shape(shape_of(t), axis, keepdims))


def _along(weights: Any, axis: Any, a: Any) -> Any:
    """Weights with axes that broadcast against `a`: a vector of them runs along `axis`."""
    after = a.ndim - 1 - axis % a.ndim if weights.ndim < a.ndim else 0
    return weights[(slice(None), *[None] * after)] if after else weights


def _shares(weights: Any, axis: Any, a: Any) -> tuple[Any, Any]:
    """The weights along `a`, and their sum with axes that broadcast against `a`."""
    along = _along(weights, axis, a)
    if weights.ndim < a.ndim:
        return along, np.sum(weights)
    return along, np.sum(weights, axis=axis, keepdims=True)


def _average_a(g: Any, y: Any, a: Any, axis: Any, weights: Any, *, keepdims: Any = False) -> Any:
    if weights is None:
        n = count(a, axis)
        return spread(restore(divisible(g, n, y) / n, axis, keepdims, a), a)
    g = restore(g, axis, keepdims, a)
    along, whole = _shares(weights, axis, a)
    return spread(times(times(g, over(whole)), along), a)


def _average_weights(
    g: Any, y: Any, a: Any, axis: Any, weights: Any, *, keepdims: Any = False
) -> Any:
    g, y = (restore(v, axis, keepdims, a) for v in (g, y))
    along, whole = _shares(weights, axis, a)
    along_bar = unbroadcast(times(times(g, over(whole)), a - y), along)
    return along_bar if along is weights else np.reshape(along_bar, np.shape(weights))


def _average_jvp(ts: Any, y: Any, a: Any, axis: Any, weights: Any, *, keepdims: Any = False) -> Any:
    if weights is None:
        return mean_of_tangents(ts, y, a, axis, keepdims=keepdims)
    along, whole = _shares(weights, axis, a)
    moved = ts[0] * along
    if ts[2] is not ZERO:
        moved = moved + (a - restore(y, axis, keepdims, a)) * _along(ts[2], axis, a)
    return cast_like(np.sum(moved / whole, axis=axis, keepdims=keepdims), y)


rule(
    np.average,
    jvp=_average_jvp,
    a=_average_a,
    weights=_average_weights,
    type_of=_average_type,
    normalize=_normalize_average,
    domain=(0.5, 2.0),
    cases=(
        *(case for case in AXES if case.args != ((),)),
        Case((3, 4), None, (3, 4)),
        Case((3, 4), 1, (4,)),
        Case((3, 4), 0, (3,)),
        Case((2, 3, 4), -2, (3,), keepdims=True),
        Case((3, 4), 0, (3, 4)),
        Case((3, 4), (0, 1), (3, 4)),
        Case((5,), 0, (5,)),
    ),
)

"""Means of samples in `scipy.stats`: geometric, harmonic, of powers, and of what is not cut off."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import stats

from srcad.rules.core.compose import known, raise_unless
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import as_array
from srcad.rules.core.table import Case
from srcad.rules.scipy.stats.samples import sample, summary
from srcad.silence import unwarned


def _mean(x: Any, axis: Any, weights: Any, keepdims: Any = False) -> Any:
    if weights is None:
        return np.mean(x, axis=axis, keepdims=keepdims)
    w = as_array(weights)
    total = np.sum(w * x, axis=axis, keepdims=keepdims)
    return total / np.sum(w * np.ones_like(x), axis=axis, keepdims=keepdims)


def _gmean(a: Any, axis: Any = 0, *, weights: Any = None, keepdims: Any = False) -> Any:
    a = as_array(a)
    found = np.exp(_mean(np.log(a), axis, weights, keepdims))  # float16, of uint8
    if a.dtype.kind != "f":
        return found
    zero, share, has_zeros = _zeros(a, axis, weights, keepdims)
    others = np.exp(_mean(np.log(np.where(a == 0, a.dtype.type(1), a)), axis, weights, keepdims))
    return np.where(has_zeros, zero**share * others, found)[()]


def _zeros(a: Any, axis: Any, weights: Any, keepdims: Any) -> tuple[Any, Any, Any]:
    """The mean of the entries that are 0, what share of the sample they are (else 1), and where
    there are any: there a mean by logarithms or reciprocals is a power or a multiple of theirs.
    """
    number, options = a.dtype.type, {"axis": axis, "keepdims": keepdims}
    is_zero = a == 0
    has_zeros = np.any(is_zero, **options)
    marks = np.where(is_zero, number(1), number(0))
    count, share = (
        np.where(has_zeros, x, number(1))[()]
        for x in (np.sum(marks, **options), _mean(marks, axis, weights, keepdims))
    )
    return np.sum(np.where(is_zero, a, number(0)), **options) / count, share, has_zeros


@functools.cache
def _has_means_below_zero() -> bool:
    """Whether means of what is below zero are NaN, as since SciPy 1.16; before they raise."""
    try:
        with unwarned():
            stats.hmean([-1.0, 1.0])
    except ValueError:
        return False
    return True


def _positive(a: Any) -> Any:
    """A sample in which nothing is below zero."""
    is_negative = a < 0
    if _has_means_below_zero():
        return np.where(is_negative, a.dtype.type(np.nan), a)
    message = "the mean is only defined if all elements are greater than or equal to zero"
    raise_unless(np.logical_not(np.any(is_negative)), ValueError, message, beside=a)
    return a


def _hmean(a: Any, axis: Any = 0, *, weights: Any = None, keepdims: Any = False) -> Any:
    a = _positive(sample(a))
    found = 1.0 / _mean(1.0 / a, axis, weights, keepdims)
    if a.dtype.kind != "f":
        return found
    zero, share, has_zeros = _zeros(a, axis, weights, keepdims)
    return np.where(has_zeros, zero / share, found)[()]


def _pmean(a: Any, p: Any, *, axis: Any = 0, weights: Any = None, keepdims: Any = False) -> Any:
    p = known(p, "the exponent of a power mean")
    if p == 0:
        return _gmean(a, axis, weights=weights, keepdims=keepdims)
    a = _positive(sample(a))
    found = _mean(a ** float(p), axis, weights, keepdims) ** (1 / p)
    if p > 0 or a.dtype.kind != "f":
        return found
    zero, share, has_zeros = _zeros(a, axis, weights, keepdims)
    return np.where(has_zeros, zero * share ** (1 / p), found)[()]


def _trim_mean(a: Any, proportiontocut: Any, axis: Any = 0) -> Any:
    a = sample(a)
    if isinstance(axis, tuple):
        raise UncoveredError("several axes")
    if axis is None:
        a, axis = np.ravel(a), 0
    n = known(a.shape[axis], "the size of a sample")
    cut = int(known(proportiontocut, "the part of a sample that is cut") * n)
    kept = [slice(None)] * a.ndim
    kept[axis] = slice(cut, n - cut)
    found = np.mean(np.sort(a, axis=axis)[tuple(kept)], axis=axis)
    if cut == 0 or not _keeps_missing():
        return found
    number = a.dtype.type
    missing = np.where(np.isnan(a), number(np.nan), number(0))
    return found + np.sum(missing, axis=axis)


@functools.cache
def _keeps_missing() -> bool:
    """Whether a trimmed mean of a sample with NaN is NaN: in early versions of SciPy NaN is
    cut off."""
    return bool(np.isnan(stats.trim_mean([1.0, np.nan, 2.0], 0.34)))


_MEANS = (
    Case((4,)),
    Case((3, 4), axis=1),
    Case((3, 4), axis=None),
    Case((4,), weights=[0.2, 0.5, 0.1, 0.4]),
)
summary(stats.gmean, _gmean, domain=(0.3, 2.0), cases=_MEANS)
summary(stats.hmean, _hmean, domain=(0.3, 2.0), cases=_MEANS)
summary(
    stats.pmean,
    _pmean,
    domain=(0.3, 2.0),
    cases=(Case((3, 4), p=2, axis=1), Case((4,), p=0)),
)
composed(stats.trim_mean, _trim_mean, cases=(Case((5,), proportiontocut=0),))

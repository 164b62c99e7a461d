"""Summaries of samples in `scipy.stats`: means, moments, scores, spreads, entropy."""

from __future__ import annotations

import functools
import math
import warnings
from typing import Any

import numpy as np
from scipy import special, stats

from srcad import runtime
from srcad.rules.core.axes import count
from srcad.rules.core.compose import known, raise_unless
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import as_array, call
from srcad.rules.core.table import Case


def _sample(x: Any, nan_policy: Any = "propagate") -> Any:
    """The sample as an array of floats or complex numbers."""
    if nan_policy != "propagate":
        raise UncoveredError(f"`nan_policy={nan_policy!r}`")
    x = as_array(x)
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def _real_sample(x: Any, nan_policy: Any = "propagate") -> Any:
    x = _sample(x, nan_policy)
    if x.dtype.kind == "c":
        raise UncoveredError("complex samples")
    return x


def _summary(fn: Any, body: Any, **declared: Any) -> None:
    """Declare a summary along axes. Of none SciPy makes something else than NumPy."""

    @functools.wraps(body)
    def along(*args: Any, **options: Any) -> Any:
        if any(type(x) is tuple and not x for x in (*args, *options.values())):
            raise UncoveredError("`axis=()`")
        return body(*args, **options)

    composed(fn, along, **declared)


# ---- means

_WEIGHTS = Case.made(lambda rng: rng.uniform(0.3, 2.0, 4))


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
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a number that is not the program's
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
    a = _positive(_sample(a))
    found = 1.0 / _mean(1.0 / a, axis, weights, keepdims)
    if a.dtype.kind != "f":
        return found
    zero, share, has_zeros = _zeros(a, axis, weights, keepdims)
    return np.where(has_zeros, zero / share, found)[()]


def _pmean(a: Any, p: Any, *, axis: Any = 0, weights: Any = None, keepdims: Any = False) -> Any:
    p = known(p, "the exponent of a power mean")
    if p == 0:
        return _gmean(a, axis, weights=weights, keepdims=keepdims)
    a = _positive(_sample(a))
    found = _mean(a ** float(p), axis, weights, keepdims) ** (1 / p)
    if p > 0 or a.dtype.kind != "f":
        return found
    zero, share, has_zeros = _zeros(a, axis, weights, keepdims)
    return np.where(has_zeros, zero * share ** (1 / p), found)[()]


def _trim_mean(a: Any, proportiontocut: Any, axis: Any = 0) -> Any:
    a = _sample(a)
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
_summary(stats.gmean, _gmean, domain=(0.3, 2.0), cases=_MEANS)
_summary(stats.hmean, _hmean, domain=(0.3, 2.0), cases=_MEANS)
_summary(
    stats.pmean,
    _pmean,
    domain=(0.3, 2.0),
    cases=(Case((3, 4), p=2, axis=1), Case((4,), p=0)),
)
composed(stats.trim_mean, _trim_mean, cases=(Case((5,), proportiontocut=0),))


# ---- moments


def _moment_of(x: Any, order: Any, axis: Any, keepdims: Any = False) -> Any:
    centered = x - np.mean(x, axis=axis, keepdims=True)
    return np.mean(centered**order, axis=axis, keepdims=keepdims)


def _moment(
    a: Any, order: Any = 1, axis: Any = 0, nan_policy: Any = "propagate", *, center: Any = None,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    a, order = _sample(a, nan_policy), known(order, "the order of a moment")
    if not isinstance(order, list | tuple) and order < 0:
        raise UncoveredError("a negative order")
    if isinstance(order, list | tuple):
        raise UncoveredError("several orders")
    if center is not None:
        return np.mean((a - center) ** order, axis=axis, keepdims=keepdims)
    if order == 1:
        return np.sum(np.zeros_like(a), axis=axis, keepdims=keepdims)
    return _moment_of(a, order, axis, keepdims)


def _skew(
    a: Any, axis: Any = 0, bias: Any = True, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    a = _real_sample(a, nan_policy)
    m2, m3 = (_moment_of(a, order, axis, keepdims) for order in (2, 3))
    if bias:
        return m3 / m2**1.5
    n = known(count(a, axis), "the size of a sample")
    return ((n - 1.0) * n) ** 0.5 / (n - 2.0) * m3 / m2**1.5 if n > 2 else m3 / m2**1.5


def _kurtosis(
    a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    a = _real_sample(a, nan_policy)
    m2, m4 = (_moment_of(a, order, axis, keepdims) for order in (2, 4))
    found = m4 / m2**2.0
    n = None if bias else known(count(a, axis), "the size of a sample")
    if n is not None and n > 3:
        corrected = (n**2 - 1.0) * m4 / m2**2.0 - 3 * (n - 1) ** 2.0
        found = 1.0 / (n - 2) / (n - 3) * corrected + 3.0
    return found - 3 if fisher else found


def _variation(
    a: Any, axis: Any = 0, nan_policy: Any = "propagate", ddof: Any = 0, *, keepdims: Any = False
) -> Any:
    if as_array(a).dtype.kind == "b" and ddof != 0:
        raise UncoveredError("a sample of truth values with `ddof=`")
    a = _real_sample(a, nan_policy)
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.mean(
        a, axis=axis, keepdims=keepdims
    )


def _sem(
    a: Any, axis: Any = 0, ddof: Any = 1, nan_policy: Any = "propagate", *, keepdims: Any = False
) -> Any:
    a, n = _sample(a, nan_policy), count(a, axis)
    if ddof != 1 and known(n, "the size of a sample") == 1:
        ddof = 1  # of one number SciPy's is NaN
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / n**0.5


_SAMPLES = (Case((5,)), Case((3, 5), axis=1), Case((3, 4), axis=None))
_BIASED = (*_SAMPLES, Case((5,), bias=False), Case((5, 2), keepdims=True))
_summary(stats.skew, _skew, cases=_BIASED)
_summary(stats.kurtosis, _kurtosis, cases=(*_BIASED, Case((5,), fisher=False)))
_summary(
    stats.moment,
    _moment,
    cases=(Case((5,), 3), Case((3, 5), 2, axis=1), Case((5,), 2, center=0.3), Case((5,), 1)),
)
_summary(stats.variation, _variation, domain=(0.5, 2.0), cases=(*_SAMPLES, Case((5,), ddof=1)))
_summary(stats.sem, _sem, cases=(*_SAMPLES, Case((5,), ddof=0)))


# ---- scores


def _zmap(
    scores: Any, compare: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate"
) -> Any:
    scores, compare = _sample(scores, nan_policy), _sample(compare)
    centered = scores - np.mean(compare, axis=axis, keepdims=True)
    return centered / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


def _zscore(a: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    return _zmap(a, a, axis, ddof, nan_policy)


def _gzscore(a: Any, *, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    return _zscore(np.log(_sample(a)), axis, ddof, nan_policy)


composed(stats.zmap, _zmap, cases=(Case((4,), (5,)), Case((3, 4), (3, 4), axis=1, ddof=1)))
composed(stats.zscore, _zscore, cases=_SAMPLES)
composed(stats.gzscore, _gzscore, domain=(0.3, 2.0), cases=_SAMPLES)


# ---- spreads


def _iqr(
    x: Any, axis: Any = None, rng: Any = (25, 75), scale: Any = 1.0, nan_policy: Any = "propagate",
    interpolation: Any = "linear", keepdims: Any = False,
) -> Any:  # fmt: skip
    if isinstance(scale, str) or interpolation != "linear":
        raise UncoveredError("these options")
    low, high = sorted(known(rng, "the range of `iqr`"))
    if as_array(x).dtype.kind == "b":
        raise UncoveredError("a sample of truth values")
    x = _real_sample(x, nan_policy)
    if _interpolates_infinity():
        message = "quantiles between infinite numbers are not those of NumPy"
        raise_unless(np.logical_not(np.any(np.isinf(x))), NotImplementedError, message, beside=x)
    ends = np.percentile(x, np.array([low, high], x.dtype), axis=axis, keepdims=keepdims)
    return (ends[1] - ends[0]) / scale


@functools.cache
def _interpolates_infinity() -> bool:
    """Whether SciPy has quantiles of its own, and not those of NumPy."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return not np.isnan(stats.iqr([1.0, 2.0, np.inf], rng=(10, 90)))


def _median_abs_deviation(
    x: Any, axis: Any = 0, *, scale: Any = 1.0, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise UncoveredError(f"`scale={scale!r}`")
        scale = 0.6744897501960817
    x = _sample(x, nan_policy)
    middle = np.median(x, axis=axis, keepdims=True)
    return np.median(np.abs(x - middle), axis=axis, keepdims=keepdims) / scale


_summary(stats.iqr, _iqr, cases=(Case((6,)), Case((5, 3), axis=0), Case((6,), rng=(10, 60))))
_summary(
    stats.median_abs_deviation,
    _median_abs_deviation,
    cases=(Case((6,)), Case((5, 3)), Case((5,), scale="normal")),
)


# ---- entropy


def _shares(p: Any, axis: Any) -> Any:
    """What part of their sum the entries are: none of it, whatever it is, where they are 0."""
    whole = np.sum(p, axis=axis, keepdims=True)
    return p / np.where(p == 0, call(runtime.stop_gradient, whole), whole)


def _entropy(
    pk: Any, qk: Any = None, base: Any = None, axis: Any = 0, *, keepdims: Any = False
) -> Any:
    p = _shares(_real_sample(pk), axis)
    if qk is None:
        parts = call(special.entr, p)
    else:
        q = _shares(_real_sample(qk), axis)
        parts = call(special.rel_entr, p, q)
    found = np.sum(parts, axis=axis, keepdims=keepdims)
    return found if base is None else found / math.log(known(base, "the base of a logarithm"))


_summary(
    stats.entropy,
    _entropy,
    domain=(0.3, 1.0),
    cases=(Case((4,)), Case((4,), (4,)), Case((3, 4), axis=1, base=2)),
)

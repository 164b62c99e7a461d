"""Summaries of samples in `scipy.stats`: moments, scores, spreads, entropy."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from scipy import stats

from srcad import runtime
from srcad.rules.core.axes import count
from srcad.rules.core.compose import known, raise_unless
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import as_array, call
from srcad.rules.core.table import Case
from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.stats.samples import real_sample, sample, summary
from srcad.silence import unwarned

# ---- moments


def _moment_of(x: Any, order: Any, axis: Any, keepdims: Any = False) -> Any:
    centered = x - np.mean(x, axis=axis, keepdims=True)
    return np.mean(centered**order, axis=axis, keepdims=keepdims)


def _moment(
    a: Any, order: Any = 1, axis: Any = 0, nan_policy: Any = "propagate", *, center: Any = None,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    a, order = sample(a, nan_policy), known(order, "the order of a moment")
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
    a = real_sample(a, nan_policy)
    m2, m3 = (_moment_of(a, order, axis, keepdims) for order in (2, 3))
    if bias:
        return m3 / m2**1.5
    n = known(count(a, axis), "the size of a sample")
    return ((n - 1.0) * n) ** 0.5 / (n - 2.0) * m3 / m2**1.5 if n > 2 else m3 / m2**1.5


def _kurtosis(
    a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True, nan_policy: Any = "propagate", *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    a = real_sample(a, nan_policy)
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
    a = real_sample(a, nan_policy)
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.mean(
        a, axis=axis, keepdims=keepdims
    )


def _sem(
    a: Any, axis: Any = 0, ddof: Any = 1, nan_policy: Any = "propagate", *, keepdims: Any = False
) -> Any:
    a, n = sample(a, nan_policy), count(a, axis)
    if ddof != 1 and known(n, "the size of a sample") == 1:
        ddof = 1  # of one number SciPy's is NaN
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / n**0.5


_SAMPLES = (Case((5,)), Case((3, 5), axis=1), Case((3, 4), axis=None))
_BIASED = (*_SAMPLES, Case((5,), bias=False), Case((5, 2), keepdims=True))
summary(stats.skew, _skew, cases=_BIASED)
summary(stats.kurtosis, _kurtosis, cases=(*_BIASED, Case((5,), fisher=False)))
summary(
    stats.moment,
    _moment,
    cases=(Case((5,), 3), Case((3, 5), 2, axis=1), Case((5,), 2, center=0.3), Case((5,), 1)),
)
summary(stats.variation, _variation, domain=(0.5, 2.0), cases=(*_SAMPLES, Case((5,), ddof=1)))
summary(stats.sem, _sem, cases=(*_SAMPLES, Case((5,), ddof=0)))


# ---- scores


def _zmap(
    scores: Any, compare: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate"
) -> Any:
    scores, compare = sample(scores, nan_policy), sample(compare)
    centered = scores - np.mean(compare, axis=axis, keepdims=True)
    return centered / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


def _zscore(a: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    return _zmap(a, a, axis, ddof, nan_policy)


def _gzscore(a: Any, *, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    return _zscore(np.log(sample(a)), axis, ddof, nan_policy)


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
    x = real_sample(x, nan_policy)
    if _interpolates_infinity():
        message = "quantiles between infinite numbers are not those of NumPy"
        raise_unless(np.logical_not(np.any(np.isinf(x))), NotImplementedError, message, beside=x)
    ends = np.percentile(x, np.array([low, high], x.dtype), axis=axis, keepdims=keepdims)
    return (ends[1] - ends[0]) / scale


@functools.cache
def _interpolates_infinity() -> bool:
    """Whether SciPy has quantiles of its own, and not those of NumPy."""
    with unwarned():
        return not np.isnan(stats.iqr([1.0, 2.0, np.inf], rng=(10, 90)))


def _median_abs_deviation(
    x: Any, axis: Any = 0, *, scale: Any = 1.0, nan_policy: Any = "propagate",
    keepdims: Any = False,
) -> Any:  # fmt: skip
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise UncoveredError(f"`scale={scale!r}`")
        scale = 0.6744897501960817
    x = sample(x, nan_policy)
    middle = np.median(x, axis=axis, keepdims=True)
    return np.median(np.abs(x - middle), axis=axis, keepdims=keepdims) / scale


summary(stats.iqr, _iqr, cases=(Case((6,)), Case((5, 3), axis=0), Case((6,), rng=(10, 60))))
summary(
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
    p = _shares(real_sample(pk), axis)
    if qk is None:
        parts = call(special.entr, p)
    else:
        q = _shares(real_sample(qk), axis)
        parts = call(special.rel_entr, p, q)
    found = np.sum(parts, axis=axis, keepdims=keepdims)
    return found if base is None else found / math.log(known(base, "the base of a logarithm"))


summary(
    stats.entropy,
    _entropy,
    domain=(0.3, 1.0),
    cases=(Case((4,)), Case((4,), (4,)), Case((3, 4), axis=1, base=2)),
)

"""`scipy.stats`: distributions on the whole line, and on an interval of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.stats.distribution import distribution

_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)
_ROOT_2PI = math.sqrt(2 * math.pi)


def _bell(z: Any) -> Any:
    return np.exp(-0.5 * z * z) / _ROOT_2PI


distribution(
    stats.norm,
    log=lambda z: -0.5 * z * z - _LOG_ROOT_2PI,
    density=_bell,
    cdf=special.ndtr,
    sf=lambda z: special.ndtr(-z),
    logcdf=special.log_ndtr,
    logsf=lambda z: special.log_ndtr(-z),
    ppf=special.ndtri,
)


def _t_log(z: Any, df: Any) -> Any:
    if type(df) in (int, float) and df < np.inf:
        return _log_of_finite(z, df)
    normal = np.isinf(df)
    found = _log_of_finite(z, np.where(normal, 1.0, df))
    return np.where(normal, -0.5 * z * z - _LOG_ROOT_2PI, found)


def _log_of_finite(z: Any, df: Any) -> Any:
    scale = special.betaln(0.5 * df, 0.5) + 0.5 * np.log(df)
    return -0.5 * (df + 1) * np.log1p(z * z / df) - scale


distribution(
    stats.t,
    log=_t_log,
    cdf=lambda z, df: special.stdtr(df, z),
    sf=lambda z, df: special.stdtr(df, -z),
    ppf=lambda q, df: np.where(q == 0, -np.inf, special.stdtrit(df, q)),
    held=(2.5,),
)
distribution(
    stats.laplace,
    log=lambda z: -np.abs(z) - math.log(2),
    density=lambda z: 0.5 * np.exp(-np.abs(z)),
    # Smooth at 0, where `np.abs` is not: of the side that is not taken nothing overflows.
    cdf=lambda z: np.where(
        z > 0, 1 - 0.5 * np.exp(-np.maximum(z, -1.0)), 0.5 * np.exp(np.minimum(z, 1.0))
    ),
    sf=lambda z: np.where(
        z > 0, 0.5 * np.exp(-np.maximum(z, -1.0)), 1 - 0.5 * np.exp(np.minimum(z, 1.0))
    ),
    ppf=lambda q: np.where(q > 0.5, -np.log(2 * (1 - q)), np.log(2 * q)),
)
distribution(
    stats.logistic,
    log=lambda z: special.log_expit(z) + special.log_expit(-z),
    cdf=special.expit,
    sf=lambda z: special.expit(-z),
    logcdf=special.log_expit,
    logsf=lambda z: special.log_expit(-z),
    ppf=special.logit,
)


def _cauchy_quantile(q: Any) -> Any:
    is_end, is_middle = (q == 0) | (q == 1), np.abs(q - 0.5) < 0.25
    tail = np.where(q > 0.5, q - 1, q)  # exactly what is left
    far = -1 / np.tan(math.pi * np.where(is_end | is_middle, 0.25, tail))
    near = np.tan(math.pi * (np.where(is_middle, q, 0.5) - 0.5))
    x = np.where(is_middle, near, far)
    return np.where(is_end, np.copysign(np.inf, q - 0.5), x)


distribution(
    stats.cauchy,
    log=lambda z: -math.log(math.pi) - 2 * np.log(np.hypot(z, 1)),
    density=lambda z: 1 / math.pi / (1 + z * z),
    cdf=lambda z: np.arctan2(1, -z) / math.pi,
    sf=lambda z: np.arctan2(1, z) / math.pi,
    ppf=_cauchy_quantile,
)
# What is beyond 10 is 0 or 1, of which nothing overflows then.
distribution(
    stats.gumbel_r,
    log=lambda z: -z - np.exp(-z),
    cdf=lambda z: np.exp(-np.exp(-np.maximum(z, -10.0))),
    sf=lambda z: -np.expm1(-np.exp(-np.maximum(z, -10.0))),
    logcdf=lambda z: -np.exp(-z),
    ppf=lambda q: -np.log(-np.log(q)),
)
distribution(
    stats.gumbel_l,
    log=lambda z: z - np.exp(z),
    cdf=lambda z: -np.expm1(-np.exp(np.minimum(z, 10.0))),
    sf=lambda z: np.exp(-np.exp(np.minimum(z, 10.0))),
    logsf=lambda z: -np.exp(z),
    ppf=lambda q: np.log(-np.log1p(-q)),
)
distribution(
    stats.skewnorm,
    log=lambda z, a: special.log_ndtr(a * z) - 0.5 * z * z - _LOG_ROOT_2PI + math.log(2),
    density=lambda z, a: 2 * _bell(z) * special.ndtr(a * z),
    cdf=lambda z, a: np.clip(special.ndtr(z) - 2 * special.owens_t(z, a), 0.0, 1.0),
    sf=lambda z, a: np.clip(special.ndtr(-z) + 2 * special.owens_t(z, a), 0.0, 1.0),
    has_logs=False,
    positive=False,
)


# On an interval
distribution(
    stats.uniform,
    log=lambda z: 0 * z,
    cdf=lambda z: z,
    sf=lambda z: 1 - z,
    ppf=lambda q: q,
    lower=0,
    upper=1,
    domain=(0.3, 0.8),
)
distribution(
    stats.beta,
    log=lambda z, a, b: special.xlog1py(b - 1, -z) + special.xlogy(a - 1, z) - special.betaln(a, b),
    cdf=lambda z, a, b: special.betainc(a, b, z),
    sf=lambda z, a, b: special.betaincc(a, b, z),
    ppf=lambda q, a, b: special.betaincinv(a, b, q),
    lower=0,
    upper=1,
    held=(1.5, 2.5),
    domain=(0.3, 0.8),
)


def _log_mass(a: Any, b: Any) -> Any:
    """log of the normal probability between a and b, from the tail that they are in."""
    start, end = np.where(a > 0, -b, a), np.where(a > 0, -a, b)
    log_end = special.log_ndtr(end)
    return log_end + np.log1p(-np.exp(special.log_ndtr(start) - log_end))


distribution(
    stats.truncnorm,
    log=lambda z, a, b: -0.5 * z * z - _LOG_ROOT_2PI - _log_mass(a, b),
    lower=lambda a, b: a,
    upper=lambda a, b: b,
    inside=lambda a, b: np.minimum(np.maximum(a, 0.0), b),
    positive=False,
    drawn=(lambda rng: rng.uniform(-1, 0), lambda rng: rng.uniform(2.5, 3)),
)

"""`scipy.stats`: distributions on the positive numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import stats

from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.stats.distribution import distribution

_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)

distribution(
    stats.expon,
    log=lambda z: -z,
    cdf=lambda z: -np.expm1(-z),
    sf=lambda z: np.exp(-z),
    logsf=lambda z: -z,
    ppf=lambda q: -np.log1p(-q),
    lower=0,
)
distribution(
    stats.gamma,
    log=lambda z, a: special.xlogy(a - 1, z) - z - special.gammaln(a),
    cdf=lambda z, a: special.gammainc(a, z),
    sf=lambda z, a: special.gammaincc(a, z),
    ppf=lambda q, a: special.gammaincinv(a, q),
    lower=0,
    held=(1.5,),
)
distribution(
    stats.chi2,
    log=lambda z, df: (
        special.xlogy(0.5 * df - 1, z)
        - 0.5 * z
        - special.gammaln(0.5 * df)
        - (0.5 * math.log(2)) * df
    ),
    cdf=lambda z, df: special.chdtr(df, z),
    sf=lambda z, df: special.chdtrc(df, z),
    ppf=lambda q, df: 2 * special.gammaincinv(0.5 * df, q),
    lower=0,
    held=(3.5,),
)
distribution(
    stats.invgamma,
    log=lambda z, a: -(a + 1) * np.log(z) - special.gammaln(a) - 1 / z,
    cdf=lambda z, a: special.gammaincc(a, 1 / z),
    sf=lambda z, a: special.gammainc(a, 1 / z),
    ppf=lambda q, a: 1 / special.gammainccinv(a, q),
    lower=0,
    is_open=True,
    held=(1.5,),
)


def _f_log(z: Any, dfn: Any, dfd: Any) -> Any:
    m, n = 0.5 * dfn, 0.5 * dfd
    return (
        m * np.log(dfn)
        + n * np.log(dfd)
        + special.xlogy(m - 1, z)
        - (m + n) * np.log(dfd + dfn * z)
        - special.betaln(m, n)
    )


distribution(
    stats.f,
    log=_f_log,
    cdf=lambda z, dfn, dfd: special.fdtr(dfn, dfd, z),
    sf=lambda z, dfn, dfd: special.fdtrc(dfn, dfd, z),
    ppf=lambda q, dfn, dfd: special.fdtri(dfn, dfd, q),
    lower=0,
    held=(2.5, 3.5),
)
distribution(
    stats.weibull_min,
    log=lambda z, c: np.log(c) + special.xlogy(c - 1, z) - z**c,
    cdf=lambda z, c: -np.expm1(-(z**c)),
    sf=lambda z, c: np.exp(-(z**c)),
    logsf=lambda z, c: -(z**c),
    ppf=lambda q, c: (-np.log1p(-q)) ** (1 / c),
    lower=0,
)
distribution(
    stats.pareto,
    log=lambda z, b: np.log(b) - (b + 1) * np.log(z),
    density=lambda z, b: b * z ** (-b - 1),
    cdf=lambda z, b: 1 - z ** (-b),
    sf=lambda z, b: z ** (-b),
    logsf=lambda z, b: -b * np.log(z),
    ppf=lambda q, b: (1 - q) ** (-1 / b),
    lower=1,
    inside=2.0,
    domain=(2.5, 3.0),
)
distribution(
    stats.halfnorm,
    log=lambda z: 0.5 * math.log(2 / math.pi) - 0.5 * z * z,
    density=lambda z: math.sqrt(2 / math.pi) * np.exp(-0.5 * z * z),
    cdf=lambda z: special.erf(z * math.sqrt(0.5)),
    sf=lambda z: special.erfc(z * math.sqrt(0.5)),
    ppf=lambda q: special.ndtri(0.5 * (1 + q)),
    lower=0,
)
distribution(
    stats.rayleigh,
    log=lambda z: np.log(np.minimum(z, 1e200)) - 0.5 * z * z,  # of infinity, no inf - inf
    cdf=lambda z: -np.expm1(-0.5 * z * z),
    sf=lambda z: np.exp(-0.5 * z * z),
    logsf=lambda z: -0.5 * z * z,
    ppf=lambda q: np.sqrt(-2 * np.log1p(-q)),
    lower=0,
)
distribution(
    stats.lognorm,
    log=lambda z, s: -0.5 * (np.log(z) / s) ** 2 - np.log(s * z) - _LOG_ROOT_2PI,
    cdf=lambda z, s: special.ndtr(np.log(z) / s),
    sf=lambda z, s: special.ndtr(-np.log(z) / s),
    logcdf=lambda z, s: special.log_ndtr(np.log(z) / s),
    logsf=lambda z, s: special.log_ndtr(-np.log(z) / s),
    ppf=lambda q, s: np.exp(s * special.ndtri(q)),
    lower=0,
    is_open=True,
)

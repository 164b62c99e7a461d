"""`scipy.special`: distribution functions by their argument, through the densities.

SciPy's names: `chdtr` cumulative, `chdtrc` its complement, `chdtri` the inverse of the complement.
Parameters are varied where a formula is known (`gdtr` by its rate).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.rules.core.product import over
from srcad.rules.core.registry import elementwise
from srcad.rules.core.table import Case
from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.special.gammas import log_beta_density
from srcad.rules.scipy.special.orders import at, at_each, signed_exp

_UNIT = (0.25, 0.75)
_POSITIVE = (0.7, 3.0)
_NOTE = "not with respect to the parameters"


def _by_last(fn: Any, sign: int, log: Callable[..., Any], domain: Any, *parameters: Any) -> None:
    """A function of parameters and an argument, with partial `sign * exp(log)` by the argument."""
    held = [None] * (fn.nin - 1)
    cases = (*at_each(*parameters), *at(*parameters))
    elementwise(fn, *held, signed_exp(sign, log), domain=domain, cases=cases, note=_NOTE)


# Chi-square with v degrees of freedom
def _log_chi2(v: Any, x: Any) -> Any:
    half = 0.5 * v
    return special.xlogy(half - 1, x) - 0.5 * x - math.log(2) * half - special.gammaln(half)


_by_last(special.chdtr, 1, lambda y, v, x: _log_chi2(v, x), _POSITIVE, 1.5)
_by_last(special.chdtrc, -1, lambda y, v, x: _log_chi2(v, x), _POSITIVE, 1.5)
_by_last(special.chdtri, -1, lambda x, v, p: -_log_chi2(v, x), _UNIT, 1.5)


# F with m and n degrees of freedom: beta-distributed as u = m x / (n + m x)
def _log_f(m: Any, n: Any, x: Any) -> Any:
    q = m / n
    return (
        special.xlogy(0.5 * m - 1, q * x)
        - 0.5 * (m + n) * np.log1p(q * x)
        + np.log(q)
        - special.betaln(0.5 * m, 0.5 * n)
    )


_by_last(special.fdtr, 1, lambda y, dfn, dfd, x: _log_f(dfn, dfd, x), _POSITIVE, 1.5, 3.5)
_by_last(special.fdtrc, -1, lambda y, dfn, dfd, x: _log_f(dfn, dfd, x), _POSITIVE, 1.5, 3.5)
_by_last(special.fdtri, 1, lambda x, dfn, dfd, p: -_log_f(dfn, dfd, x), _UNIT, 1.5, 3.5)


# Student's t
def _log_t(df: Any, t: Any) -> Any:
    scale = special.betaln(0.5 * df, 0.5) + 0.5 * np.log(df)
    return -0.5 * (df + 1) * np.log1p(t * t / df) - scale


_by_last(special.stdtr, 1, lambda y, df, t: _log_t(df, t), (-2.0, 2.0), 1.5)
_by_last(special.stdtrit, 1, lambda t, df, p: -_log_t(df, t), _UNIT, 1.5)


# Gamma with rate a and shape b: a function of a x
def _gamma_slope(a: Any, b: Any, x: Any) -> Any:
    """By x; times x / a by the rate."""
    return np.exp(special.xlogy(b - 1, a * x) - a * x - special.gammaln(b)) * a


_rate_cases = (Case((3, 4), 1.5, (4,)), Case((), 2, ()))
elementwise(
    special.gdtr,
    lambda y, a, b, x: x / a * _gamma_slope(a, b, x),
    None,
    lambda y, a, b, x: _gamma_slope(a, b, x),
    domain=_POSITIVE,
    cases=_rate_cases,
    note="not with respect to `b`",
)
elementwise(
    special.gdtrc,
    lambda y, a, b, x: -x / a * _gamma_slope(a, b, x),
    None,
    lambda y, a, b, x: -_gamma_slope(a, b, x),
    domain=_POSITIVE,
    cases=_rate_cases,
    note="not with respect to `b`",
)
elementwise(
    special.gdtrix,
    lambda x, a, b, p: -x / a,
    None,
    lambda x, a, b, p: over(_gamma_slope(a, b, x)),
    domain=_UNIT,
    cases=_rate_cases,
    note="not with respect to `b`",
)
elementwise(
    special.gdtria,
    lambda a, p, b, x: over(x * _gamma_slope(a, b, x), a),
    None,
    lambda a, p, b, x: -a / x,
    domain=_UNIT,
    cases=_rate_cases,
    note="not with respect to `b`",
)


# Binomial, negative binomial, Poisson: counts are held, probabilities and means varied
def _log_binomial(k: Any, n: Any, p: Any) -> Any:
    return log_beta_density(np.floor(k) + 1, n - np.floor(k), p)


_by_last(special.bdtr, -1, lambda y, k, n, p: _log_binomial(k, n, p), _UNIT, 2.0, 6)
_by_last(special.bdtrc, 1, lambda y, k, n, p: _log_binomial(k, n, p), _UNIT, 2.0, 6)
_by_last(special.bdtri, -1, lambda p, k, n, y: -_log_binomial(k, n, p), _UNIT, 2.0, 6)
_by_last(special.nbdtr, 1, lambda y, k, n, p: log_beta_density(n, k + 1, p), _UNIT, 2, 6)
_by_last(special.nbdtrc, -1, lambda y, k, n, p: log_beta_density(n, k + 1, p), _UNIT, 2, 6)
_by_last(special.nbdtri, 1, lambda p, k, n, y: -log_beta_density(n, k + 1, p), _UNIT, 2, 6)


def _log_poisson(k: Any, m: Any) -> Any:
    whole = np.floor(k)
    return special.xlogy(whole, m) - m - special.gammaln(whole + 1)


_by_last(special.pdtr, -1, lambda y, k, m: _log_poisson(k, m), _POSITIVE, 2.0)
_by_last(special.pdtrc, 1, lambda y, k, m: _log_poisson(k, m), _POSITIVE, 2.0)
_by_last(special.pdtri, -1, lambda m, k, y: -_log_poisson(k, m), _UNIT, 2)

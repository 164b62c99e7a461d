"""`scipy.special`: gamma, beta, polygamma and zeta functions, binomials; real arguments.

DLMF 5.2 (psi), 5.12 (beta), 8.2 (incomplete gamma), 8.17 (incomplete beta), 25.11.17 (zeta). The
incomplete functions are differentiated by `x`, not by their parameters, for which there is no
formula in known functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import NumberType, Type, shape_of
from srcad.rules.core.broadcast import promoted, unbroadcast
from srcad.rules.core.declaration.probing import elementwise_type
from srcad.rules.core.facts import (
    array_or_scalar,
    as_type,
    broadcast_shapes,
    promote,
    real_only,
)
from srcad.rules.core.product import spread, times
from srcad.rules.core.registry import elementwise, rule
from srcad.rules.core.staged import call, is_complex
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.special.orders import at, at_each, signed_exp
from srcad.rules.scipy.special.real import elementwise_of_real

_POSITIVE = (0.7, 4.0)
_UNIT = (0.25, 0.75)


elementwise_of_real(special.gamma, lambda y, x: y * special.psi(x), domain=_POSITIVE)
elementwise_of_real(special.gammaln, lambda y, x: special.psi(x), domain=_POSITIVE)
elementwise(special.loggamma, lambda y, x: special.psi(x), domain=_POSITIVE)


def _rgamma_slope(y: Any, x: Any) -> Any:
    """-psi(x) / Gamma(x); (-1)^n n! at the poles of both, x = -n."""
    at_pole = (y == 0) & (x <= 0)
    return np.where(
        at_pole,
        np.cos(np.pi * x) * special.gamma(np.where(at_pole, 1 - x, 1)),
        -y * special.psi(np.where(at_pole, 1, x)),
    )


elementwise_of_real(
    special.rgamma,
    _rgamma_slope,
    domain=_POSITIVE,
    cases=(Case(lambda rng: rng.uniform(-2.8, -2.2, (3, 4))),),
)


def _trigamma(y: Any, x: Any) -> Any:
    if is_complex(x):
        note = "the derivative at complex numbers is not known to srcad"
        raise error("E203", None, what="`scipy.special.psi`", notes=(note,))
    return call(special.zeta, 2, x)


elementwise(special.psi, _trigamma, domain=_POSITIVE)


elementwise(
    special.polygamma,
    None,
    lambda y, n, x: call(special.polygamma, n + 1, x),
    type_of=real_only(elementwise_type(special.polygamma)),
    domain=_POSITIVE,
    cases=(*at_each(0), *at(2)),
    note="integer orders; not with respect to `n`",
)


# Hurwitz' zeta function; Riemann's where `q` is left out.
def _zeta_type(*args: object) -> Type:
    types = [as_type(a) for a in args]
    dtype = np.result_type(promote(*types), np.float32)
    if all(isinstance(t, NumberType) for t in types):
        dtype = np.dtype(float)
    return array_or_scalar(dtype, broadcast_shapes(*map(shape_of, types)))


def _zeta_jvp(ts: Any, y: Any, x: Any, *q: Any) -> Any:
    if ts[0] is not ZERO:
        raise error(
            "E202", None, what="`scipy.special.zeta`", notes=("it is differentiable in `q` only",)
        )
    return spread(_zeta_product(ts[1], promoted(x, y), *q), y)


def _zeta_product(t: Any, x: Any, *q: Any) -> Any:
    """-s zeta(s + 1, q) by q; DLMF 25.11.17."""
    return times(t, -x * call(special.zeta, x + 1, *q))


rule(
    special.zeta,
    jvp=_zeta_jvp,
    q=lambda g, y, x, *q, at: unbroadcast(_zeta_product(g, promoted(x, y), *q), q[0]),
    type_of=real_only(_zeta_type),
    domain=_POSITIVE,
    cases=(*at_each(2.0), *at(3)),
    note="with respect to `q` only",
)
elementwise(special.zetac, None, cases=(Case(2.5),), note="its derivative has no closed form")

# Beta functions and binomial coefficients
elementwise(
    special.beta,
    lambda y, a, b: y * (special.psi(a) - special.psi(a + b)),
    lambda y, a, b: y * (special.psi(b) - special.psi(a + b)),
    domain=_POSITIVE,
)
elementwise(
    special.betaln,
    lambda y, a, b: special.psi(a) - special.psi(a + b),
    lambda y, a, b: special.psi(b) - special.psi(a + b),
    domain=_POSITIVE,
)
elementwise(
    special.binom,
    lambda y, n, k: y * (special.psi(n + 1) - special.psi(n - k + 1)),
    lambda y, n, k: y * (special.psi(n - k + 1) - special.psi(k + 1)),
    cases=(Case(lambda rng: rng.uniform(4, 5, (3, 4)), (4,)),),
    domain=(0.6, 0.9),
    note="none where n + 1 or n - k + 1 is a pole of gamma",
)


def _poch_slope(y: Any, a: Any, m: Any) -> Any:
    """y (psi(a + m) - psi(a)); at the poles of psi the derivative of
    Gamma(a + m) Gamma(1 - a) sin(pi a) / pi, which is y by Euler's reflection formula.

    Where a + m is a pole too, the difference is that of the reflected arguments.
    """
    is_pole = (a <= 0) & (a == np.floor(a))
    reflected, end = np.where(is_pole, 1 - a, a), np.where(is_pole, 1 - a - m, a + m)
    change = special.psi(a + m) - special.psi(reflected)
    around = np.cos(np.pi * a) + np.sin(np.pi * a) / np.pi * change
    return np.where(
        is_pole & (y == 0),
        around * special.gamma(reflected) * special.gamma(a + m),
        y * (special.psi(end) - special.psi(reflected)),
    )


elementwise(
    special.poch,
    _poch_slope,
    lambda y, a, m: y * special.psi(a + m),
    domain=_POSITIVE,
    cases=(Case(lambda rng: np.array([0.0, -2.0, -3.0]), 1.5), Case((3, 4), (4,))),
)


def _sum_of_digammas(a: Any, d: Any) -> Any:
    if isinstance(d, int):
        return sum((special.psi(a - 0.5 * j) for j in range(d)), start=ZERO)
    steps = 0.5 * call(np.arange, d)
    return np.sum(special.psi(np.expand_dims(a, -1) - steps), axis=-1)


def _multigammaln_type(a: object, d: object) -> Type:
    return array_or_scalar(np.dtype(float), shape_of(as_type(a)))


elementwise(
    special.multigammaln,
    lambda y, a, d=None: _sum_of_digammas(a, d),
    type_of=real_only(_multigammaln_type),
    domain=(2.5, 5.0),
    cases=(Case((3, 4), 2), Case((), 3), Case((4,), 1)),
)


# Incomplete gamma functions: the density by x, its reciprocal for the inverse
def _log_gamma_density(a: Any, x: Any) -> Any:
    return special.xlogy(a - 1, x) - x - special.gammaln(a)


_NOT_BY_A = "its derivative with respect to `a` has no closed form"
for _fn, _sign, _density in (
    (special.gammainc, 1, lambda y, a, x: _log_gamma_density(a, x)),
    (special.gammaincc, -1, lambda y, a, x: _log_gamma_density(a, x)),
    (special.gammaincinv, 1, lambda x, a, y: -_log_gamma_density(a, x)),
    (special.gammainccinv, -1, lambda x, a, y: -_log_gamma_density(a, x)),
):
    elementwise(
        _fn,
        None,
        signed_exp(_sign, _density),
        domain=_UNIT if _fn in (special.gammaincinv, special.gammainccinv) else _POSITIVE,
        cases=(*at_each(0.8), *at(3)),
        note=_NOT_BY_A,
    )


# Incomplete beta functions
def log_beta_density(a: Any, b: Any, x: Any) -> Any:
    """log of x^(a-1) (1-x)^(b-1) / B(a, b)."""
    return special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b)


_NOT_BY_AB = "its derivatives with respect to `a` and `b` have no closed form"
for _fn, _sign, _log in (
    (special.betainc, 1, lambda y, a, b, x: log_beta_density(a, b, x)),
    (special.betaincc, -1, lambda y, a, b, x: log_beta_density(a, b, x)),
    (special.betaincinv, 1, lambda x, a, b, y: -log_beta_density(a, b, x)),
    (special.betainccinv, -1, lambda x, a, b, y: -log_beta_density(a, b, x)),
):
    elementwise(
        _fn,
        None,
        None,
        signed_exp(_sign, _log),
        domain=_UNIT,
        cases=(*at_each(0.8, 1.5), *at(2, 3)),
        note=_NOT_BY_AB,
    )

"""`scipy.special`: the error functions, the normal distribution, Faddeeva's and Voigt's functions.

DLMF 7.2 and 7.10.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcad.rules.core.facts import real_only, ufunc_type
from srcad.rules.core.product import over
from srcad.rules.core.registry import elementwise
from srcad.rules.core.table import Case
from srcad.rules.scipy.special.functions import special

_ROOT_PI = math.sqrt(math.pi)
_ROOT_2PI = math.sqrt(2 * math.pi)
_ROOT_HALF = math.sqrt(0.5)
_OPEN = (0.25, 0.75)

elementwise(special.erf, lambda y, x: 2 / _ROOT_PI * np.exp(-x * x))
elementwise(special.erfc, lambda y, x: -2 / _ROOT_PI * np.exp(-x * x))
elementwise(special.erfi, lambda y, x: 2 / _ROOT_PI * np.exp(x * x), domain=(-1.5, 1.5))
elementwise(special.erfcx, lambda y, x: 2 * x * y - 2 / _ROOT_PI, domain=(-1.0, 2.0))
elementwise(special.dawsn, lambda y, x: 1 - 2 * x * y)
elementwise(special.erfinv, lambda y, x: _ROOT_PI / 2 * np.exp(y * y), domain=(-0.7, 0.7))
elementwise(special.erfcinv, lambda y, x: -_ROOT_PI / 2 * np.exp(y * y), domain=(0.4, 1.6))


def wofz_slope(w: Any, z: Any) -> Any:
    """w'(z) = -2 z w(z) + 2i / sqrt(pi); DLMF 7.10.2."""
    return 2j / _ROOT_PI - 2 * z * w


elementwise(special.wofz, lambda w, z: wofz_slope(w, z), domain=(-1.5, 1.5))

# The normal distribution; far in the tail its hazard comes from erfcx, where densities underflow.
elementwise(special.ndtr, lambda y, x: np.exp(-0.5 * x * x) / _ROOT_2PI)
elementwise(
    special.log_ndtr,
    lambda y, x: over(special.erfcx(-_ROOT_HALF * x), math.sqrt(2 / math.pi)),
)
elementwise(special.ndtri, lambda x, y: _ROOT_2PI * np.exp(0.5 * x * x), domain=_OPEN)
elementwise(
    special.ndtri_exp,
    lambda x, y: math.sqrt(math.pi / 2) * special.erfcx(-_ROOT_HALF * x),
    domain=(-3.0, -0.7),
)
elementwise(
    special.nrdtrimn,
    lambda y, p, std, x: -_ROOT_2PI * std * np.exp(0.5 * special.ndtri(p) ** 2),
    lambda y, p, std, x: -special.ndtri(p),
    lambda y, p, std, x: 1,
    domain=_OPEN,
    cases=(Case((3, 4), (4,), (3, 1)), Case((), (), ())),
)
elementwise(
    special.nrdtrisd,
    lambda y, mn, p, x: over(special.ndtri(p), -1),
    lambda y, mn, p, x: -y * _ROOT_2PI * np.exp(0.5 * special.ndtri(p) ** 2) / special.ndtri(p),
    lambda y, mn, p, x: over(special.ndtri(p)),
    domain=(0.65, 0.75),
    cases=(Case((3, 4), (4,), (3, 1)), Case((), (), ())),
)

# T(h, a) of Owen (1956): its derivatives are elementary.
elementwise(
    special.owens_t,
    lambda y, h, a: (-0.5 / _ROOT_2PI) * np.exp(-0.5 * h * h) * special.erf(_ROOT_HALF * a * h),
    lambda y, h, a: np.exp(-0.5 * h * h * (1 + a * a)) / (2 * math.pi * (1 + a * a)),
)

# Voigt's profile is Re w(z) / (sigma sqrt(2 pi)) with z = (x + i gamma) / (sigma sqrt 2).


def _voigt(x: Any, sigma: Any, gamma: Any) -> tuple[Any, Any]:
    """z, and the derivative of w / (2 sigma^2 sqrt(pi))."""
    z = (x + 1j * gamma) / (sigma * math.sqrt(2))
    return z, wofz_slope(special.wofz(z), z) / (2 * _ROOT_PI * sigma * sigma)


def _voigt_by_sigma(y: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    z, slope = _voigt(x, sigma, gamma)
    return -y / sigma - math.sqrt(2) * np.real(slope * z)


elementwise(
    special.voigt_profile,
    lambda y, x, sigma, gamma: np.real(_voigt(x, sigma, gamma)[1]),
    _voigt_by_sigma,
    lambda y, x, sigma, gamma: -np.imag(_voigt(x, sigma, gamma)[1]),
    type_of=real_only(ufunc_type(special.voigt_profile)),
    domain=(0.6, 1.5),
    cases=(Case((3, 4), (4,), (3, 1)), Case((), (), ())),
)

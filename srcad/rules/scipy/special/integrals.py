"""`scipy.special`: exponential, sine, cosine and Fresnel integrals, dilogarithm, and the like.

DLMF 6.2 (E1, Ei, Si, Ci), 6.2.15-16 (Shi, Chi), 8.19 (E_n), 7.2 (Fresnel), 25.12 (dilogarithm).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcad.rules.core.facts import real_only, ufunc_type
from srcad.rules.core.kinks import nonzero
from srcad.rules.core.product import over
from srcad.rules.core.registry import elementwise
from srcad.rules.core.table import Case
from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.special.orders import at_each
from srcad.rules.scipy.special.systems import system

_POSITIVE = (0.7, 3.0)

elementwise(special.expi, lambda y, x: over(x, np.exp(x)), domain=_POSITIVE)
elementwise(special.exp1, lambda y, x: over(x, -np.exp(-x)), domain=_POSITIVE)


def _expn_slope(y: Any, n: Any, x: Any) -> Any:
    """-E_{n-1}(x), with E_{-1} by the recurrence 8.19.12."""
    if isinstance(n, int) and n > 0:
        return -special.expn(n - 1, x)
    of_zero = -(np.exp(-x) + y) / x
    if isinstance(n, int):
        return of_zero
    return np.where(n == 0, of_zero, -special.expn(np.maximum(n - 1, 0), x))


elementwise(
    special.expn,
    None,
    _expn_slope,
    domain=_POSITIVE,
    cases=(*at_each(0), Case(0, (3, 4)), Case(3, (3, 4))),
    note="integer orders; not with respect to `n`",
)

# sin(x) / x and cos(x) / x, and the hyperbolic ones
system(
    special.sici,
    lambda y, x: (np.sinc(x / math.pi), np.cos(x) / x),
    domain=_POSITIVE,
)
system(
    special.shichi,
    lambda y, x: (0.5 * (special.exprel(x) + special.exprel(-x)), np.cosh(x) / x),
    type_of=real_only(ufunc_type(special.shichi)),
    domain=_POSITIVE,
)
system(
    special.fresnel,
    lambda y, x: (np.sin(0.5 * math.pi * x * x), np.cos(0.5 * math.pi * x * x)),
    domain=(-1.2, 1.2),
)

# Li2(1 - z), whose derivative log(z) / (1 - z) is smooth at 1: F(1, 1; 2; 1 - z) by DLMF 15.4.1
elementwise(special.spence, lambda y, z: -special.hyp2f1(1, 1, 2, 1 - z), domain=_POSITIVE)

# Integrals of Bessel's and Struve's functions
system(special.itj0y0, lambda y, x: (special.j0(x), special.y0(x)), domain=_POSITIVE)
system(special.iti0k0, lambda y, x: (special.i0(x), special.k0(x)), domain=_POSITIVE)
system(
    special.it2j0y0,
    lambda y, x: ((1 - special.j0(x)) / nonzero(x), -special.y0(x) / x),
    domain=_POSITIVE,
)
system(
    special.it2i0k0,
    lambda y, x: ((special.i0(x) - 1) / nonzero(x), -special.k0(x) / x),
    domain=_POSITIVE,
)
elementwise(special.itstruve0, lambda y, x: special.struve(0, x), domain=_POSITIVE)
elementwise(
    special.it2struve0,
    lambda y, x: np.where(x == 0, -2 / math.pi, -special.struve(0, x) / nonzero(x)),
    domain=_POSITIVE,
)
elementwise(special.itmodstruve0, lambda y, x: special.modstruve(0, x), domain=_POSITIVE)

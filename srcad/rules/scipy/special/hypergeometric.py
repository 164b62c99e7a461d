"""`scipy.special`: hypergeometric, elliptic and Wright functions, in the argument.

DLMF 13.3.15 (M), 13.3.22 (U), 15.5.1 (F), 16.3.1, 19.4 (elliptic integrals), 22.13 (Jacobi).
The complete elliptic integrals are F's (19.5.1-2), which keeps their derivatives exact at m = 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcad.rules.core.product import over
from srcad.rules.core.registry import elementwise
from srcad.rules.core.table import Case
from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.special.orders import at, at_each

_UNIT = (0.25, 0.75)
_POSITIVE = (0.7, 2.0)
_NOTE = "its derivatives with respect to the parameters have no closed form"
_BY_M = "not with respect to `m`"

elementwise(
    special.hyp0f1,
    None,
    lambda y, v, z: special.hyp0f1(v + 1, z) / v,
    cases=(*at_each(1.5), *at(2)),
    note=_NOTE,
)
elementwise(
    special.hyp1f1,
    None,
    None,
    lambda y, a, b, z: a * special.hyp1f1(a + 1, b + 1, z) / b,
    cases=(*at_each(0.5, 1.5), *at(2, 3)),
    note=_NOTE,
)
elementwise(
    special.hyp2f1,
    None,
    None,
    None,
    lambda y, a, b, c, z: a * b * special.hyp2f1(a + 1, b + 1, c + 1, z) / c,
    domain=(-0.7, 0.7),
    cases=(*at_each(0.5, 1.5, 2.5), *at(1, 1, 2)),
    note=_NOTE,
)
elementwise(
    special.hyperu,
    None,
    None,
    lambda y, a, b, x: -a * special.hyperu(a + 1, b + 1, x),
    domain=_POSITIVE,
    cases=(*at_each(0.5, 1.5), *at(2, 3)),
    note=_NOTE,
)
elementwise(
    special.wright_bessel,
    None,
    None,
    lambda y, a, b, x: special.wright_bessel(a, a + b, x),
    domain=_POSITIVE,
    cases=at(0.5, 1.5),
    note=_NOTE,
)
if hasattr(special, "log_wright_bessel"):  # SciPy 1.14 and newer
    elementwise(
        special.log_wright_bessel,
        None,
        None,
        lambda y, a, b, x: np.exp(special.log_wright_bessel(a, a + b, x) - y),
        domain=_POSITIVE,
        cases=at(0.5, 1.5),
        note=_NOTE,
    )


# Elliptic integrals
def _k_slope(m: Any) -> Any:
    """(1 - m) dK/dm."""
    return math.pi / 8 * special.hyp2f1(0.5, 0.5, 2, m)


elementwise(special.ellipk, lambda y, m: over(1 - m, _k_slope(m)), domain=_UNIT)
elementwise(special.ellipkm1, lambda y, p: over(p, -_k_slope(1 - p)), domain=_UNIT)
elementwise(
    special.ellipe, lambda y, m: -math.pi / 8 * special.hyp2f1(0.5, 1.5, 2, m), domain=_UNIT
)


def _root(phi: Any, m: Any) -> Any:
    return np.sqrt(1 - m * np.sin(phi) ** 2)


elementwise(
    special.ellipkinc,
    lambda y, phi, m: over(_root(phi, m)),
    None,
    domain=_UNIT,
    cases=(Case((3, 4), 0.5), Case((), 0.3), Case((3, 4), 0)),
    note=_BY_M,
)
elementwise(
    special.ellipeinc,
    lambda y, phi, m: _root(phi, m),
    None,
    domain=_UNIT,
    cases=(Case((3, 4), 0.5), Case((), 0.3), Case((3, 4), 0)),
    note=_BY_M,
)

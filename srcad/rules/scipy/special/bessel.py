"""`scipy.special`: the functions of Bessel, Hankel, Airy, Struve and Kelvin, in the argument.

DLMF 10.6.1 (J, Y, H), 10.29.1 (I, K), 10.51 (spherical), 9.2 (Airy), 11.4 (Struve), 10.61 (Kelvin).
Orders are constants: derivatives with respect to the order have no closed form.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcad.rules.core.declaration.probing import elementwise_type
from srcad.rules.core.facts import real_only, ufunc_type
from srcad.rules.core.registry import elementwise
from srcad.rules.core.staged import call
from srcad.rules.core.table import Body, Case
from srcad.rules.scipy.special.functions import special
from srcad.rules.scipy.special.orders import at, at_each
from srcad.rules.scipy.special.real import elementwise_of_real
from srcad.rules.scipy.special.systems import system

_POSITIVE = (0.7, 3.0)
_NOTE = "its derivative with respect to the order has no closed form"


# Of fixed order; written with order 2 they hold at 0 too.
elementwise(special.j0, lambda y, x: -special.j1(x))
elementwise(special.j1, lambda y, x: 0.5 * (special.j0(x) - special.jv(2, x)))
elementwise(special.y0, lambda y, x: -special.y1(x), domain=_POSITIVE)
elementwise(special.y1, lambda y, x: special.y0(x) - y / x, domain=_POSITIVE)
elementwise(special.i0, lambda y, x: special.i1(x))
elementwise(special.i1, lambda y, x: 0.5 * (special.i0(x) + special.iv(2, x)))
elementwise(special.k0, lambda y, x: -special.k1(x), domain=_POSITIVE)
elementwise(special.k1, lambda y, x: -special.k0(x) - y / x, domain=_POSITIVE)
elementwise(
    special.i0e, lambda y, x: special.i1e(x) - np.sign(x) * y, note="0 at 0", domain=_POSITIVE
)
elementwise(
    special.i1e,
    lambda y, x: 0.5 * (special.i0e(x) + special.ive(2, x)) - np.sign(x) * y,
    domain=_POSITIVE,
)
elementwise(special.k0e, lambda y, x: y - special.k1e(x), domain=_POSITIVE)
elementwise(special.k1e, lambda y, x: y - special.k0e(x) - y / x, domain=_POSITIVE)


# Of any order: half the sum or difference of the neighbours
def _neighbours(fn: Any, sign: int) -> Body:
    """f_v' = (f_{v-1} + sign f_{v+1}) / 2."""

    def partial(y: Any, v: Any, z: Any) -> Any:
        below, above = fn(v - 1, z), fn(v + 1, z)
        return 0.5 * (below + above if sign == 1 else below - above)

    return partial


def _minus_neighbours(fn: Any) -> Body:
    def partial(y: Any, v: Any, z: Any) -> Any:
        return -0.5 * (fn(v - 1, z) + fn(v + 1, z))

    return partial


_orders: dict[str, Any] = {"domain": _POSITIVE, "cases": (*at_each(0), *at(1.5)), "note": _NOTE}
for _fn in (special.jv, special.yv, special.hankel1, special.hankel2):
    elementwise(_fn, None, _neighbours(_fn, -1), **_orders)
for _fn in (special.jve, special.yve):  # scaled by the imaginary part
    elementwise_of_real(_fn, None, _neighbours(_fn, -1), **_orders)
elementwise(special.iv, None, _neighbours(special.iv, 1), **_orders)
elementwise(special.kv, None, _minus_neighbours(special.kv), **_orders)
_whole: dict[str, Any] = {"domain": _POSITIVE, "cases": (*at_each(0), *at(2)), "note": _NOTE}
elementwise(special.kn, None, _minus_neighbours(special.kn), **_whole)
elementwise(special.yn, None, _neighbours(special.yn, -1), **_whole)

_scaled = _neighbours(special.ive, 1)
elementwise_of_real(special.ive, None, lambda y, v, z: _scaled(y, v, z) - np.sign(z) * y, **_orders)
elementwise(
    special.kve,
    None,
    lambda y, v, z: y - 0.5 * (special.kve(v - 1, z) + special.kve(v + 1, z)),
    **_orders,
)
elementwise(
    special.hankel1e,
    None,
    lambda y, v, z: 0.5 * (special.hankel1e(v - 1, z) - special.hankel1e(v + 1, z)) - 1j * y,
    **_orders,
)
elementwise(
    special.hankel2e,
    None,
    lambda y, v, z: 0.5 * (special.hankel2e(v - 1, z) - special.hankel2e(v + 1, z)) + 1j * y,
    **_orders,
)


# Derivatives of order n
def _nth(fn: Any) -> Body:
    def partial(y: Any, v: Any, z: Any, n: Any = 1) -> Any:
        return call(fn, v, z, n=n + 1)

    return partial


for _fn in (
    special.jvp,
    special.yvp,
    special.ivp,
    special.kvp,
    special.h1vp,
    special.h2vp,
):
    elementwise(
        _fn,
        None,
        _nth(_fn),
        type_of=real_only(elementwise_type(_fn)),
        domain=_POSITIVE,
        cases=(*at(1), Case(0.5, (3, 4), n=2), Case(1, (3, 4), n=0)),
        note=_NOTE,
    )


# Spherical functions: (n f_{n-1} ± (n+1) f_{n+1}) / (2n+1), which holds for their derivatives too
def _spherical(fn: Any, sign: int, scale: int = 1) -> Body:
    def partial(y: Any, n: Any, z: Any, derivative: Any = False) -> Any:
        below = max(n - 1, 0) if isinstance(n, int) else np.maximum(n - 1, 0)
        options = {"derivative": True} if derivative else {}
        f, h = call(fn, below, z, **options), call(fn, n + 1, z, **options)
        total = n * f + (n + 1) * h if sign == 1 else n * f - (n + 1) * h
        return scale * total / (2 * n + 1)

    return partial


for _fn, _sign, _scale in (
    (special.spherical_jn, -1, 1),
    (special.spherical_yn, -1, 1),
    (special.spherical_in, 1, 1),
    (special.spherical_kn, 1, -1),
):
    elementwise(
        _fn,
        None,
        _spherical(_fn, _sign, _scale),
        type_of=real_only(elementwise_type(_fn)),
        domain=_POSITIVE,
        cases=(*at_each(0), *at(2), Case(1, (3, 4), derivative=True)),
        note="integer orders; not with respect to `n`",
    )

# Airy's functions: (Ai, Ai', Bi, Bi'), and w'' = z w
system(special.airy, lambda y, z: (y[1], z * y[0], y[3], z * y[2]))


def _airye_slopes(y: Any, z: Any) -> Any:
    """Ai and Ai' grow by exp(2/3 z^1.5), Bi and Bi' shrink by it where z > 0."""
    root = np.sqrt(np.maximum(z, 0))
    return (
        y[1] + root * y[0],
        z * y[0] + root * y[1],
        y[3] - root * y[2],
        z * y[2] - root * y[3],
    )


system(special.airye, _airye_slopes, domain=_POSITIVE, type_of=real_only(ufunc_type(special.airye)))


# Struve's functions; DLMF 11.4.24 and 11.4.26
def _struve_term(v: Any, x: Any) -> Any:
    return (0.5 * x) ** v * special.rgamma(v + 1.5) / math.sqrt(math.pi)


elementwise(
    special.struve,
    None,
    lambda y, v, x: (
        0.5 * (special.struve(v - 1, x) - special.struve(v + 1, x) + _struve_term(v, x))
    ),
    **_orders,
)
elementwise(
    special.modstruve,
    None,
    lambda y, v, x: (
        0.5 * (special.modstruve(v - 1, x) + special.modstruve(v + 1, x) + _struve_term(v, x))
    ),
    **_orders,
)


# Kelvin's functions: w = ber + i bei and ker + i kei solve w'' = i w - w' / x. The first is J_0 of
# x exp(3 pi i / 4), of which the second derivative (J_2 - J_0) / 2 holds at 0 too.
def _second_order(x: Any) -> Any:
    return special.jv(2, x * ((-1 + 1j) * math.sqrt(0.5)))


elementwise(special.ber, lambda y, x: special.berp(x))
elementwise(special.bei, lambda y, x: special.beip(x))
elementwise(special.ker, lambda y, x: special.kerp(x), domain=_POSITIVE)
elementwise(special.kei, lambda y, x: special.keip(x), domain=_POSITIVE)
elementwise(special.berp, lambda y, x: 0.5 * (np.imag(_second_order(x)) - special.bei(x)))
elementwise(special.beip, lambda y, x: 0.5 * (special.ber(x) - np.real(_second_order(x))))
elementwise(special.kerp, lambda y, x: -special.kei(x) - y / x, domain=_POSITIVE)
elementwise(special.keip, lambda y, x: special.ker(x) - y / x, domain=_POSITIVE)
system(
    special.kelvin,
    lambda y, x: (y[2], y[3], 0.5j * (y[0] - _second_order(x)), 1j * y[1] - y[3] / x),
    domain=_POSITIVE,
)

# Parabolic cylinder functions with their derivatives; DLMF 12.2.2 and 12.2.3
for _fn in (special.pbdv, special.pbvv):
    system(
        _fn,
        lambda y, v, x: (y[1], (0.25 * x * x - v - 0.5) * y[0]),
        cases=at(1.5),
        domain=_POSITIVE,
    )
system(
    special.pbwa,
    lambda y, a, x: (y[1], (a - 0.25 * x * x) * y[0]),
    cases=at(1.5),
    domain=_POSITIVE,
)

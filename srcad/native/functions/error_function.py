"""erf and erfc without a call or a branch.

erf(x) = x + x p(x^2) below 1, beyond it 1 - e^(-x^2) p((x-2)/(x+2)); erfc is 1 - erf below 1/2,
beyond it e^(-x^2) p((x-4)/(x+4)) / (1+2x), with what rounding takes from x^2 (Shepherd and
Laframboise 1981: p is near 1 everywhere).
"""

from __future__ import annotations

from srcad.native.functions.coefficients import ERF, ERFC, ERFC_WIDE
from srcad.native.functions.exponential import UNDERFLOW, clamp, scaled_exp
from srcad.native.functions.lanes import Lane, elementary, select

__all__ = ["erf", "erfc"]

END = 6.0  # beyond it erf(x) rounds to 1
ERFC_ZERO = 28.0  # beyond it erfc(x) rounds to 0


@elementary
def erf(x: Lane) -> Lane:
    """The error function; at most 1 unit in the last place (2 in float32)."""
    square = x * x
    inner = x.fma(square.polynomial(ERF[x.width]), x)
    size = abs(x)
    size = select(size > END, END, size)
    u = (size - 2.0) / (size + 2.0)
    tail = scaled_exp(-(size * size)) * u.polynomial(ERFC[x.width])
    return select(abs(x) < 1.0, inner, (1.0 - tail).copysign(x))


@elementary
def erfc(x: Lane) -> Lane:
    """1 - erf(x), which keeps its digits for large x; at most 6 units in the last place."""
    square = x * x
    near = 1.0 - x.fma(square.polynomial(ERF[x.width]), x)
    size = abs(x)
    size = select(size > ERFC_ZERO, ERFC_ZERO, size)
    square, error = size.product(size)
    u = (size - 4.0) / (size + 4.0)
    power = scaled_exp(clamp(-square, UNDERFLOW[x.width], 0.0), -error)
    tail = power * (u.polynomial(ERFC_WIDE[x.width]) / (1.0 + 2.0 * size))
    far = select(x > 0.0, tail, 2.0 - tail)
    return select(abs(x) < 0.5, near, far)

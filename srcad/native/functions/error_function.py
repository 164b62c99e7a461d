"""erf without a call or a branch: x + x p(x^2) below 1, beyond it 1 - e^(-x^2) p((x-2)/(x+2))."""

from __future__ import annotations

from srcad.native.functions.coefficients import ERF, ERFC
from srcad.native.functions.exponential import scaled_exp
from srcad.native.functions.lanes import Lane, elementary, select

__all__ = ["erf"]

END = 6.0  # beyond it erf(x) rounds to 1


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

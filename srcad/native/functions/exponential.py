"""exp, exp2, expm1, tanh, sigmoid, sinh, cosh without a call or a branch.

    x = n log(2) + r,  |r| <= log(2)/2,      e^x = 2^n e^r,      e^r = 1 + r + r^2 p(r)

Reduction after Cody and Waite (Software Manual for the Elementary Functions, 1980): log(2) in two
parts, the first with so few bits that n times it is exact. The scaling by 2^n is done in two
factors, so that results below the normal range are rounded once and infinity comes by itself.
Polynomials: `coefficients`. Errors, which the tests hold: at most 1 unit in the last place for
exp, 1.2 for exp2, 1.8 for expm1, 2 for sigmoid, sinh and cosh, 2.3 for tanh.
"""

from __future__ import annotations

import math

from srcad.native.functions.coefficients import EXP, LN2, SINH
from srcad.native.functions.lanes import Lane, elementary, select

__all__ = ["cosh", "exp", "exp2", "expm1", "sigmoid", "sinh", "tanh"]

# Where e^x has surely become infinite, or zero.
OVERFLOW, UNDERFLOW = {32: 90.0, 64: 711.0}, {32: -105.0, 64: -747.0}
# Beyond these, e^x - 1 rounds to -1 and tanh(x) to 1.
MINUS_ONE, TANH_ONE = {32: -19.0, 64: -40.0}, {32: 10.0, 64: 20.0}
# Above, e^x - 1 is infinite; its halves are not, so 2^(n-1) must be a number.
EXPM1_INFINITE = {32: 88.8, 64: 709.9}
# Below, x^2 does not reach the last place of x.
TINY = {32: 2.0**-13, 64: 2.0**-28}


def clamp(x: Lane, low: float, high: float) -> Lane:
    """The nearest value in the interval; NaN stays."""
    return select(x > high, high, select(x < low, low, x))


def exp_polynomial(r: Lane) -> Lane:
    """p in e^r = 1 + r + r^2 p(r)."""
    return r.polynomial(EXP[r.width])


def reduce_exp(x: Lane) -> tuple[Lane, Lane, Lane]:
    """n as bits, r and its rounding error in x = n log(2) + r + error."""
    high, low = LN2[x.width]
    count, n = (x * (1.0 / math.log(2.0))).nearest()
    first = count.fma(-high, x)
    r = count.fma(-low, first)
    return n, r, count.fma(-low, first - r)


def scale(y: Lane, n: Lane) -> Lane:
    """y 2^n for |n| < 2048 (256): two factors, each a normal number."""
    offset = 4096  # the half of an integer below zero, by a shift that knows no sign
    half = (n.plus(offset) >> 1).minus(offset // 2)
    return y * half.power_of_two() * n.minus(half).power_of_two()


def scaled_exp(x: Lane, error: Lane | None = None, doublings: int = 0) -> Lane:
    """e^(x + error) 2^doublings for x in [UNDERFLOW, OVERFLOW] or NaN, |error| tiny."""
    n, r, lost = reduce_exp(x)
    if isinstance(error, Lane):
        total = r + error
        r, lost = total, lost + (error - (total - r))
    tail = (r * r).fma(exp_polynomial(r), lost)
    return scale(1.0 + (r + tail), n.plus(doublings) if doublings else n)


@elementary
def exp(x: Lane) -> Lane:
    """e^x."""
    return scaled_exp(clamp(x, UNDERFLOW[x.width], OVERFLOW[x.width]))


@elementary
def exp2(x: Lane) -> Lane:
    """2^x; exact where x is an integer."""
    small, large = {32: (-160.0, 130.0), 64: (-1100.0, 1030.0)}[x.width]
    bounded = clamp(x, small, large)
    count, n = bounded.nearest()
    high, low = LN2[x.width]
    fraction = bounded - count
    r = fraction * math.log(2.0)
    # r is rounded: what it lacks, to first order
    lost = fraction.fma(low, fraction.fma(high, -r))
    tail = (r * r).fma(exp_polynomial(r), lost)
    return scale(1.0 + (r + tail), n)


def expm1_of(x: Lane) -> Lane:
    """e^x - 1 for x in [MINUS_ONE, EXPM1_INFINITE] or NaN; zero for the smallest x."""
    n, r, lost = reduce_exp(x)
    q = r + (r * r).fma(exp_polynomial(r), lost.fma(1.0 + r, 0.0))
    half_power = n.minus(1).power_of_two()
    return 2.0 * q.fma(half_power, half_power - 0.5)


@elementary
def expm1(x: Lane) -> Lane:
    """e^x - 1, exact to the last places for small x."""
    y = expm1_of(clamp(x, MINUS_ONE[x.width], EXPM1_INFINITE[x.width]))
    return select(abs(x) < TINY[x.width] ** 2, x, y)


@elementary
def tanh(x: Lane) -> Lane:
    """Hyperbolic tangent: e / (e + 2) for e = e^(2|x|) - 1, odd."""
    size = abs(x)
    e = expm1_of(2.0 * select(size > TANH_ONE[x.width], TANH_ONE[x.width], size))
    y = (e / (e + 2.0)).copysign(x)
    return select(size < TINY[x.width], x, y)


@elementary
def sigmoid(x: Lane) -> Lane:
    """1 / (1 + e^-x); the exponential never overflows, the small results keep their digits."""
    size = abs(x)
    z = scaled_exp(-select(size > -UNDERFLOW[x.width], -UNDERFLOW[x.width], size))
    total = 1.0 + z
    y = select(x < 0.0, z, 1.0) / total
    return y - y * (z - (total - 1.0))  # what rounding took from the sum matters where it is near 1


@elementary
def cosh(x: Lane) -> Lane:
    """Hyperbolic cosine: e^|x|/2 + e^-|x|/2."""
    size = abs(x)
    half = scaled_exp(select(size > OVERFLOW[x.width], OVERFLOW[x.width], size), doublings=-1)
    return half + 0.25 / half


@elementary
def sinh(x: Lane) -> Lane:
    """Hyperbolic sine: e^|x|/2 - e^-|x|/2, and a polynomial below 1."""
    size = abs(x)
    half = scaled_exp(select(size > OVERFLOW[x.width], OVERFLOW[x.width], size), doublings=-1)
    square = x * x
    small = (x * square).fma(square.polynomial(SINH[x.width]), x)
    return select(size < 1.0, small, (half - 0.25 / half).copysign(x))

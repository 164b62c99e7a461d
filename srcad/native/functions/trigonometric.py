"""sin, cos, tan, arcsin, arccos, arctan, arctan2 without a branch but for huge arguments.

    x = n pi/2 + r,  |r| <= pi/4,      sin(r) = r + r z p(z),  cos(r) = 1 - z/2 + z^2 q(z),  z = r^2

pi/2 stands in four parts of 33 (12) bits (Cody and Waite 1980), so that n times a part is exact for
n < 2^20 (2^12 in float32); r keeps its own rounding error. Arguments beyond that go to the C
library one by one, beside the vector code: see `variants`.
arctan reduces to |t| <= sqrt(2) - 1 by arctan(x) = pi/4 + arctan((x-1)/(x+1)) and
pi/2 - arctan(1/x), with one division. Errors, which the tests hold: at most 1 unit in the last
place for sin and cos, 2.3 for tan, 1.5 for arcsin and arccos, 2 for arctan and arctan2.
"""

from __future__ import annotations

import math

from srcad.native.functions.coefficients import ARCSIN, ARCTAN, COS, HALF_PI, QUARTER_TURN, SIN
from srcad.native.functions.lanes import Lane, elementary, select

__all__ = ["arccos", "arcsin", "arctan", "arctan2", "cos", "sin", "tan"]

# Beyond 2^20 (2^12) quarter turns, products with the parts of pi/2 are no longer exact.
HUGE = {32: 2.0**12 * 1.5, 64: 2.0**20 * 1.5}
NEARLY_ZERO = {32: 2.0**-12, 64: 2.0**-27}
VERY_LARGE = {32: 2.0**126, 64: 2.0**1022}
EIGHTH = math.sqrt(2) - 1  # the tangent of an eighth of pi


def reduce_turns(x: Lane) -> tuple[Lane, Lane, Lane]:
    """The quarter turns as bits, the rest r, and its rounding error."""
    count, n = (x * (2.0 / math.pi)).nearest()
    p1, p2, p3, p4 = QUARTER_TURN[x.width]
    first = count.fma(-p1, x)
    second = count.fma(-p2, first)
    lost = count.fma(-p2, first - second)
    third = count.fma(-p3, lost)
    r = second + third
    return n, r, count.fma(-p4, third - (r - second))


def sin_cos(r: Lane, low: Lane) -> tuple[Lane, Lane]:
    """sin and cos of r + low for |r| <= pi/4."""
    z = r * r
    sine = r + (r * z).fma(z.polynomial(SIN[r.width]), low)
    half = 0.5 * z
    top = 1.0 - half
    tail = (z * z).fma(z.polynomial(COS[r.width]), -(r * low))
    return sine, top + (((1.0 - top) - half) + tail)


def signed(y: Lane, turns: Lane) -> Lane:
    """y, with the other sign where bit 1 of the quarter turns is set."""
    return (y.bits() ^ ((turns & 2) << (y.width - 2))).real()


@elementary
def sin(x: Lane) -> Lane:
    """Sine."""
    n, r, low = reduce_turns(x)
    sine, cosine = sin_cos(r, low)
    y = signed(select((n & 1).is_zero(), sine, cosine), n)
    y = select(abs(x) < NEARLY_ZERO[x.width], x, y)
    return x.unless(abs(x) > HUGE[x.width], y, "sin")


@elementary
def cos(x: Lane) -> Lane:
    """Cosine."""
    n, r, low = reduce_turns(x)
    sine, cosine = sin_cos(r, low)
    y = signed(select((n & 1).is_zero(), cosine, sine), n.plus(n & 1))
    return x.unless(abs(x) > HUGE[x.width], y, "cos")


@elementary
def tan(x: Lane) -> Lane:
    """Tangent: sin/cos, or -cos/sin after an odd number of quarter turns."""
    n, r, low = reduce_turns(x)
    sine, cosine = sin_cos(r, low)
    even = (n & 1).is_zero()
    y = select(even, sine, -cosine) / select(even, cosine, sine)
    y = select(abs(x) < NEARLY_ZERO[x.width], x, y)
    return x.unless(abs(x) > HUGE[x.width], y, "tan")


def arctan_of(top: Lane, bottom: Lane, high: Lane, low: Lane) -> Lane:
    """arctan(top / bottom) + high + low, for a quotient within sqrt(2) - 1."""
    t = top / bottom
    z = t * t
    tail = (t * z).fma(z.polynomial(ARCTAN[t.width]), low)
    return high + (t + tail)


@elementary
def arctan(x: Lane) -> Lane:
    """Arc tangent."""
    size = abs(x)
    high, low = HALF_PI[x.width]
    middle, large = size > EIGHTH, size > 1.0 / EIGHTH
    top = select(large, x.constant(-1.0), select(middle, size - 1.0, size))
    bottom = select(large, size, select(middle, size + 1.0, 1.0))
    base = select(large, x.constant(high), select(middle, x.constant(high / 2), 0.0))
    rest = select(large, x.constant(low), select(middle, x.constant(low / 2), 0.0))
    return arctan_of(top, bottom, base, rest).copysign(x)


@elementary
def arctan2(y: Lane, x: Lane) -> Lane:
    """The angle of the point (x, y), in (-pi, pi]; signed zeros and infinities as in C."""
    a, b = abs(y), abs(x)
    steep = a > b
    small, large = select(steep, b, a), select(steep, a, b)
    # finite and far from overflow: infinities become 1, beside which finite numbers are 0
    factor = select(large > VERY_LARGE[x.width], x.constant(0.5), 1.0)
    endless = large.equals(math.inf)
    small = select(endless, select(small.equals(math.inf), x.constant(1.0), 0.0), small * factor)
    large = select(endless | large.equals(0.0), 1.0, large * factor)
    middle = small > EIGHTH * large
    top = select(middle, small - large, small)
    bottom = select(middle, small + large, large)
    high, low = HALF_PI[x.width]
    base = select(middle, x.constant(high / 2), 0.0)
    rest = select(middle, x.constant(low / 2), 0.0)
    angle = arctan_of(top, bottom, base, rest)
    angle = select(steep, high - (angle - low), angle)
    left = x.constant(1.0).copysign(x) < 0.0
    angle = select(left, 2 * high - (angle - 2 * low), angle)
    return select(x.differs(x) | y.differs(y), math.nan, angle.copysign(y))


def arcsin_parts(size: Lane) -> tuple[Lane, Lane, Lane]:
    """Whether |x| > 1/2, and s, t with arcsin(|x|) = s + t, or pi/2 - 2 (s + t)."""
    beyond = size > 0.5
    half = 0.5 * (1.0 - size)
    z = select(beyond, half, size * size)
    s = select(beyond, half.call("sqrt"), size)
    return beyond, s, (s * z) * z.polynomial(ARCSIN[size.width])


@elementary
def arcsin(x: Lane) -> Lane:
    """Arc sine; NaN outside [-1, 1]."""
    high, low = HALF_PI[x.width]
    beyond, s, t = arcsin_parts(abs(x))
    right = high - 2.0 * s
    lost = (high - right) - 2.0 * s
    return select(beyond, right + (lost + low - 2.0 * t), s + t).copysign(x)


@elementary
def arccos(x: Lane) -> Lane:
    """Arc cosine; NaN outside [-1, 1]."""
    high, low = HALF_PI[x.width]
    beyond, s, t = arcsin_parts(abs(x))
    twice = 2.0 * (s + t)
    outer = select(x < 0.0, 2 * high - (twice - 2 * low), twice)
    s, t = s.copysign(x), t.copysign(x)
    return select(beyond, outer, high - (s - (low - t)))

"""cbrt and hypot without a call or a branch (`np.sqrt` is an instruction already).

cbrt:  x = 8^q m,  1/2 <= m < 4:  a polynomial's guess, then twice Halley's step, of order three,
       t <- t - t (t^3 - m) / (2 t^3 + m)
hypot: sqrt(x^2 + y^2) of numbers scaled by a power of two, so that no square leaves the range.

At most 1 unit in the last place, which the tests hold.
"""

from __future__ import annotations

import math

from srcad.native.functions.coefficients import CBRT
from srcad.native.functions.lanes import Lane, elementary, select
from srcad.native.functions.logarithm import split_any

__all__ = ["cbrt", "hypot"]

# Numbers above the first are divided by the second, those below its inverse multiplied.
SQUARE_LARGE = {32: (2.0**60, 2.0**-80), 64: (2.0**500, 2.0**-600)}


def halley(t: Lane, m: Lane) -> Lane:
    """A guess of the cube root of m with three times as many digits."""
    square, low = t.product(t)
    cube = square * t
    over = square.fma(t, -m) + low * t  # t^3 - m: what rounding took from t^2 matters here
    return t - t * over / (cube + cube + m)


@elementary
def cbrt(x: Lane) -> Lane:
    """Cube root, odd."""
    size = abs(x)
    k, m = split_any(size)  # sqrt(1/2) <= m <= sqrt(2)
    q, whole = (k * (1.0 / 3.0)).nearest()
    left = k - 3.0 * q  # -1, 0, 1
    m = m * select(left.equals(0.0), x.constant(1.0), select(left < 0.0, x.constant(0.5), 2.0))
    t = m.polynomial(CBRT[x.width])
    t = halley(t, m) if x.width == 32 else halley(halley(t, m), m)
    y = t * whole.power_of_two()
    odd_ones = size.equals(0.0) | size.equals(math.inf) | x.differs(x)
    return select(odd_ones, x, y.copysign(x))


@elementary
def hypot(x: Lane, y: Lane) -> Lane:
    """sqrt(x^2 + y^2); infinite where one of them is, even beside NaN."""
    a, b = abs(x), abs(y)
    limit, down = SQUARE_LARGE[x.width]
    greatest = select(a > b, a, b)
    large, small = greatest > limit, greatest < 1.0 / limit
    factor = select(large, x.constant(down), select(small, x.constant(1.0 / down), 1.0))
    back = select(large, x.constant(1.0 / down), select(small, x.constant(down), 1.0))
    a, b = a * factor, b * factor
    square, low = a.product(a)
    other, rest = b.product(b)
    total = square + other
    # the greater square first, so that what the sum loses is exact
    swapped = square > other
    first, second = select(swapped, square, other), select(swapped, other, square)
    root = total.call("sqrt")
    lost = (second - (total - first)) + (low + rest)
    rooted, below = root.product(root)
    root = root + select(total > 0.0, ((total - rooted) - below + lost) / (root + root), 0.0)
    endless = abs(x).equals(math.inf) | abs(y).equals(math.inf)
    return select(endless, math.inf, root * back)

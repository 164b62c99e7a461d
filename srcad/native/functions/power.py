"""Powers with real exponents: x^y = e^(y log x), with a logarithm of about 68 bits.

An error of e in y log(x) is a relative error of e in the result, and y log(x) may be 709: so the
logarithm is computed as the sum of two floats (compensated products and sums, Dekker 1971; Ogita,
Rump and Oishi 2005), with two terms of its series exact: 2 s + s z (2/3 + z p(z)). In float32 the
whole is done in float64, where none of this is needed.
"""

from __future__ import annotations

import math

from srcad.native.functions.coefficients import EXP_SHORT, LN2, LOG_SHORT, LOG_TAIL, TWO_THIRDS
from srcad.native.functions.exponential import OVERFLOW, UNDERFLOW, clamp, scaled_exp
from srcad.native.functions.lanes import Lane, elementary, select
from srcad.native.functions.logarithm import split_any

__all__ = ["power"]


def larger_sum(a: Lane | float, b: Lane) -> tuple[Lane, Lane]:
    """a + b for |a| >= |b| as the rounded sum and what rounding took from it."""
    total = a + b
    return total, b - (total - a)


def precise_log(x: Lane) -> tuple[Lane, Lane]:
    """log(x) for positive x as the sum of two floats."""
    k, m = split_any(x)
    f = m - 1.0
    below, below_low = larger_sum(2.0, f)
    inverse = 1.0 / below
    s = f * inverse
    product, error = s.product(below)
    s_low = (((f - product) - error) - s * below_low) * inverse
    z, z_low = s.product(s)
    z_low = (s + s).fma(s_low, z_low)
    factor, factor_low = larger_sum(TWO_THIRDS[64][0], z * z.polynomial(LOG_TAIL[64]))
    factor_low = factor_low + TWO_THIRDS[64][1]
    w, w_low = z.product(factor)
    w_low = w_low + z.fma(factor_low, z_low * factor)
    g, g_low = larger_sum(2.0, w)
    high, low = s.product(g)
    low = low + s.fma(g_low + w_low, s_low * g)
    total, rest = larger_sum(k * LN2[64][0], high)
    return larger_sum(total, rest + k.fma(LN2[64][1], low))


def short_power(x: Lane, y: Lane) -> Lane:
    """x^y for positive finite x and finite y, as precisely as float32 asks for."""
    k, m = split_any(x)
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    log = k.fma(math.log(2.0), s * z.fma(z.polynomial(LOG_SHORT[64]), 2.0))
    exponent = clamp(y * log, -110.0, 90.0)
    count, n = (exponent * (1.0 / math.log(2.0))).nearest()
    r = count.fma(-math.log(2.0), exponent)
    return (r * r).fma(r.polynomial(EXP_SHORT[64]), 1.0 + r) * n.power_of_two()


def positive_power(x: Lane, y: Lane) -> Lane:
    """x^y for positive finite x and finite y."""
    if x.width == 32:
        return short_power(x.to(64), y.to(64)).to(32)
    high, low = precise_log(x)
    product, error = y.product(high)
    error = select(abs(product) < OVERFLOW[64], y.fma(low, error), 0.0)
    return scaled_exp(clamp(product, UNDERFLOW[64], OVERFLOW[64]), error)


@elementary
def power(x: Lane, y: Lane) -> Lane:
    """x^y; the special cases are C's and NumPy's: x^0 = 1^y = 1, (-2)^3 = -8, (-2)^0.5 = NaN."""
    size = abs(x)
    result = positive_power(size, y)
    at_the_end = size.equals(0.0) | size.equals(math.inf) | abs(y).equals(math.inf)
    grows = ~((size > 1.0) ^ (y > 0.0))
    limit = select(size.equals(1.0), x.constant(1.0), select(grows, x.constant(math.inf), 0.0))
    result = select(at_the_end, limit, result)
    whole = y.call("rint").equals(y)
    odd = whole & (y * 0.5).call("rint").differs(y * 0.5)
    negative = x.constant(1.0).copysign(x) < 0.0
    result = select(negative & odd, -result, result)
    result = select((x < 0.0) & (size < math.inf) & ~whole, math.nan, result)
    result = select(x.differs(x) | y.differs(y), math.nan, result)
    return select(y.equals(0.0) | x.equals(1.0), 1.0, result)

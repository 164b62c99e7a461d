"""log, log1p, log2, log10, softplus, logaddexp, arcsinh, arccosh, arctanh without call or branch.

    x = 2^k m,  sqrt(1/2) < m <= sqrt(2),     f = m - 1,  s = f / (2 + f)
    log(m) = log((1+s)/(1-s)) = 2 s + s z p(z),  z = s^2

written as f - (f^2/2 - s (f^2/2 + z p(z))), whose first term carries no error and the second
little: the scheme of FreeBSD's msun (Ng and others, 1993), with coefficients of our own. Errors,
which the tests hold: at most 1 unit in the last place for log, log2, log10, 1.5 for log1p, 2 for
softplus and arcsinh, 2.5 for arccosh (near 1), 3 for arctanh.
"""

from __future__ import annotations

import math

from srcad.native.functions.coefficients import LN2, LOG, LOG2_E, LOG10_2, LOG10_E
from srcad.native.functions.exponential import UNDERFLOW, scaled_exp
from srcad.native.functions.lanes import MANTISSA, Lane, elementary, select

__all__ = [
    "arccosh", "arcsinh", "arctanh", "log", "log1p", "log2", "log10", "logaddexp", "softplus",
]  # fmt: skip

SMALLEST_NORMAL = {32: 2.0**-126, 64: 2.0**-1022}
# The bit pattern of sqrt(1/2): patterns above it belong to the next power of two.
ROOT_HALF = {32: 0x3F3504F3, 64: 0x3FE6A09E667F3BCC}
# Makes each exponent positive, so that a shift need not know signs.
OFFSET = {32: 128, 64: 1024}
LARGE = 2.0**60  # 1 + x is x
# Beyond it, 1 + x^2 is x^2.
ROOT_LARGE = {32: 2.0**13, 64: 2.0**28}


def split_power(x: Lane) -> tuple[Lane, Lane]:
    """k as bits and m in x = 2^k m, for a normal positive x."""
    shift, offset = MANTISSA[x.width], OFFSET[x.width]
    above = x.bits().minus(ROOT_HALF[x.width] - (offset << shift))
    k = (above >> shift).minus(offset)
    return k, x.bits().minus(k << shift).real()


def split_any(x: Lane) -> tuple[Lane, Lane]:
    """k as a float and m in x = 2^k m, for a positive x, subnormal ones too."""
    digits = MANTISSA[x.width] + 1
    small = x < SMALLEST_NORMAL[x.width]
    k, m = split_power(select(small, x * 2.0**digits, x))
    return k.plus(select(small, k.constant(-digits), 0)).as_real(), m


def log_parts(f: Lane) -> tuple[Lane, Lane]:
    """f^2/2 and the tail t in log(1 + f) = f - (f^2/2 - t)."""
    s = f / (f + 2.0)
    z = s * s
    half = f * f * 0.5
    p = z.polynomial(LOG[f.width])
    return half, s * z.fma(p, half)


def log_of(k: Lane, f: Lane) -> Lane:
    """log(2^k (1 + f))."""
    high, low = LN2[f.width]
    half, tail = log_parts(f)
    return k.fma(high, f - (half - k.fma(low, tail)))


def at_the_ends(x: Lane, y: Lane) -> Lane:
    """y, but a logarithm's values for x = 0, x < 0, infinity and NaN."""
    y = select(x < math.inf, y, x)
    return select(x <= 0.0, select(x < 0.0, x.constant(math.nan), -math.inf), y)


@elementary
def log(x: Lane) -> Lane:
    """Natural logarithm."""
    k, m = split_any(x)
    return at_the_ends(x, log_of(k, m - 1.0))


def log_in_base(x: Lane, scale: tuple[float, ...], step: tuple[float, ...]) -> Lane:
    """k step + log(m) scale; the logarithm of m and the constants have two parts each."""
    k, m = split_any(x)
    f = m - 1.0
    half, tail = log_parts(f)
    high = f - half
    low = ((f - high) - half) + tail
    product, error = high.product(x.constant(scale[0]))
    error = low.fma(scale[0], high.fma(scale[1], error))
    whole = k * step[0]
    y = whole + product
    return at_the_ends(x, y + (((whole - y) + product) + k.fma(step[1], error)))


@elementary
def log2(x: Lane) -> Lane:
    """Logarithm in base 2; exact for powers of 2."""
    return log_in_base(x, LOG2_E[x.width], (1.0, 0.0))


@elementary
def log10(x: Lane) -> Lane:
    """Logarithm in base 10."""
    return log_in_base(x, LOG10_E[x.width], LOG10_2[x.width])


def log1p_of(x: Lane) -> Lane:
    """log(1 + x) for x > -1; 1 + x is rounded, what it lacks is added to f."""
    total = 1.0 + x
    lost = x - (total - 1.0)
    k, m = split_power(total)
    lost = lost * k.constant(0).minus(k).power_of_two()
    return log_of(k.as_real(), (m - 1.0) + select(x > LARGE, 0.0, lost))


@elementary
def log1p(x: Lane) -> Lane:
    """log(1 + x), exact to the last places for small x."""
    y = select(abs(x) < 2.0 ** -(MANTISSA[x.width] + 2), x, log1p_of(x))
    y = select(x < math.inf, y, x)
    return select(x <= -1.0, select(x < -1.0, x.constant(math.nan), -math.inf), y)


@elementary
def softplus(x: Lane) -> Lane:
    """log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)."""
    size = abs(x)
    z = scaled_exp(-select(size > -UNDERFLOW[x.width], -UNDERFLOW[x.width], size))
    return select(x > 0.0, x, 0.0) + log1p_of(z)


@elementary
def logaddexp(x: Lane, y: Lane) -> Lane:
    """log(e^x + e^y) = max(x, y) + log(1 + e^-|x - y|)."""
    apart = select(x.equals(y), 0.0, abs(x - y))  # equal infinities lie 0 apart
    z = scaled_exp(-select(apart > -UNDERFLOW[x.width], -UNDERFLOW[x.width], apart))
    return select(x > y, x, y) + log1p_of(z)


@elementary
def arcsinh(x: Lane) -> Lane:
    """log(x + sqrt(x^2 + 1)), odd; log(2 x) for large x."""
    size = abs(x)
    large = size > ROOT_LARGE[x.width]
    square = size * size
    inner = size + square / (1.0 + (square + 1.0).call("sqrt"))
    y = log1p_of(select(large, size - 1.0, inner)) + select(large, x.constant(math.log(2.0)), 0.0)
    return select(size < math.inf, y, size).copysign(x)


@elementary
def arccosh(x: Lane) -> Lane:
    """log(x + sqrt(x^2 - 1)) for x >= 1; log(2 x) for large x."""
    large = x > ROOT_LARGE[x.width]
    t = x - 1.0
    inner = t + (t * (t + 2.0)).call("sqrt")
    y = log1p_of(select(large, t, inner)) + select(large, x.constant(math.log(2.0)), 0.0)
    return select(x < 1.0, math.nan, select(x < math.inf, y, x))


@elementary
def arctanh(x: Lane) -> Lane:
    """log((1+x)/(1-x)) / 2, odd; infinite at 1, NaN beyond."""
    size = abs(x)
    y = 0.5 * log1p_of(2.0 * size / (1.0 - size))
    y = select(size.equals(1.0), math.inf, select(size > 1.0, math.nan, y))
    return y.copysign(x)

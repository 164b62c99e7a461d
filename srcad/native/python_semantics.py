"""What Python's own numbers do where C's are silent: `math` and the operators, with their errors.

    math.sqrt(-1.0)      ValueError            (compiled: NaN)
    math.exp(1e9)        OverflowError         (infinity)
    7 // 0, 7.0 % 0.0    ZeroDivisionError     (0, NaN)
    -7 // 2, -7 % 3      -4, 2                 (C rounds towards zero)

Plain functions, in the part of Python that Numba compiles: run as they stand they are `math`'s own,
compiled they raise what it raises. `COMPILED_AS` names the twin of each function of Python's.

Two things have no twin because their type depends on values. `int ** int` is a float for negative
exponents, `float ** float` is complex for negative bases: those raise. Integers have 64 bits: a
power or a conversion that does not fit raises OverflowError, where Python goes on.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

__all__ = ["COMPILED_AS"]

DOMAIN, RANGE = "math domain error", "math range error"
GREATEST = 2**63 - 1
TOO_LARGE = 2.0**63


def floor_divide(a: Any, b: Any) -> Any:
    """`a // b` of two integers or two floats."""
    if b == 0:
        raise ZeroDivisionError("division by zero")
    result = a // b
    if b == -1 and a < -1 and result <= 0:  # the least integer has no opposite of 64 bits
        raise OverflowError("a quotient does not fit 64 bits")
    return result


def modulo(a: Any, b: Any) -> Any:
    """`a % b`: has the sign of b."""
    if b == 0:
        raise ZeroDivisionError("modulo by zero")
    return a % b


def int_power(a: int, n: int) -> int:
    """`a ** n` for n >= 0, where the result has 64 bits."""
    if n < 0:
        raise ValueError("a negative power of an integer is not an integer")
    result, size = 1, abs(a)
    if size <= 1:  # any exponent will do
        return a if n % 2 or (n and a == 0) else (1 if n == 0 or a else 0)
    for _ in range(n):
        if abs(result) > GREATEST // size:
            raise OverflowError("an integer power does not fit 64 bits")
        result *= a
    return result


def float_power(x: float, y: float) -> float:
    """`x ** y` of two floats where it is real."""
    if x == 0.0 and -math.inf < y < 0.0:
        raise ZeroDivisionError("zero to a negative power")
    if math.isfinite(x) and x < 0.0 and math.isfinite(y) and math.floor(y) != y:
        raise ValueError("a negative number to a fractional power is complex")
    result = math.pow(x, y)
    if math.isinf(result) and math.isfinite(x) and math.isfinite(y):
        raise OverflowError("numerical result out of range")
    return result


def power(x: float, y: float) -> float:
    """`math.pow`."""
    if math.isfinite(x) and math.isfinite(y):
        if (x == 0.0 and y < 0.0) or (x < 0.0 and math.floor(y) != y):
            raise ValueError(DOMAIN)
        result = math.pow(x, y)
        if math.isinf(result):
            raise OverflowError(RANGE)
        return result
    return math.pow(x, y)


def sqrt(x: float) -> float:
    """`math.sqrt`."""
    if x < 0.0:
        raise ValueError(DOMAIN)
    return math.sqrt(x)


def log(x: float) -> float:
    """`math.log` of one argument."""
    if x <= 0.0:
        raise ValueError(DOMAIN)
    return math.log(x)


def log2(x: float) -> float:
    """`math.log2`."""
    if x <= 0.0:
        raise ValueError(DOMAIN)
    return math.log2(x)


def log10(x: float) -> float:
    """`math.log10`."""
    if x <= 0.0:
        raise ValueError(DOMAIN)
    return math.log10(x)


def log1p(x: float) -> float:
    """`math.log1p`."""
    if x <= -1.0:
        raise ValueError(DOMAIN)
    return math.log1p(x)


def exp(x: float) -> float:
    """`math.exp`."""
    if 709.782712893384 < x < math.inf:
        raise OverflowError(RANGE)
    return math.exp(x)


def expm1(x: float) -> float:
    """`math.expm1`."""
    if 709.782712893384 < x < math.inf:
        raise OverflowError(RANGE)
    return math.expm1(x)


def sinh(x: float) -> float:
    """`math.sinh`."""
    if 710.4758600739439 < abs(x) < math.inf:
        raise OverflowError(RANGE)
    return math.sinh(x)


def cosh(x: float) -> float:
    """`math.cosh`."""
    if 710.4758600739439 < abs(x) < math.inf:
        raise OverflowError(RANGE)
    return math.cosh(x)


def sin(x: float) -> float:
    """`math.sin`."""
    if math.isinf(x):
        raise ValueError(DOMAIN)
    return math.sin(x)


def cos(x: float) -> float:
    """`math.cos`."""
    if math.isinf(x):
        raise ValueError(DOMAIN)
    return math.cos(x)


def tan(x: float) -> float:
    """`math.tan`."""
    if math.isinf(x):
        raise ValueError(DOMAIN)
    return math.tan(x)


def asin(x: float) -> float:
    """`math.asin`."""
    if abs(x) > 1.0:
        raise ValueError(DOMAIN)
    return math.asin(x)


def acos(x: float) -> float:
    """`math.acos`."""
    if abs(x) > 1.0:
        raise ValueError(DOMAIN)
    return math.acos(x)


def acosh(x: float) -> float:
    """`math.acosh`."""
    if x < 1.0:
        raise ValueError(DOMAIN)
    return math.acosh(x)


def atanh(x: float) -> float:
    """`math.atanh`."""
    if abs(x) >= 1.0:
        raise ValueError(DOMAIN)
    return math.atanh(x)


def fmod(x: float, y: float) -> float:
    """`math.fmod`: has the sign of x."""
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if math.isinf(x) or y == 0.0:
        raise ValueError(DOMAIN)
    return math.copysign(abs(x) % abs(y), x)


def gamma(x: float) -> float:
    """`math.gamma`."""
    if x == -math.inf or (x <= 0.0 and math.floor(x) == x):
        raise ValueError(DOMAIN)
    result = math.gamma(x)
    if math.isinf(result) and math.isfinite(x):
        raise OverflowError(RANGE)
    return result


def lgamma(x: float) -> float:
    """`math.lgamma`."""
    if -math.inf < x <= 0.0 and math.floor(x) == x:
        raise ValueError(DOMAIN)
    result = math.lgamma(x)
    if math.isinf(result) and math.isfinite(x):
        raise OverflowError(RANGE)
    return result


def check_integral(x: float) -> None:
    """Refuse what is no integer of 64 bits once it is rounded."""
    if math.isnan(x):
        raise ValueError("cannot convert float NaN to integer")
    if not -TOO_LARGE <= x < TOO_LARGE:
        raise OverflowError("a float does not fit an integer of 64 bits")


def floor(x: float) -> int:
    """`math.floor`."""
    check_integral(x)
    return math.floor(x)


def ceil(x: float) -> int:
    """`math.ceil`."""
    check_integral(x)
    return math.ceil(x)


def trunc(x: float) -> int:
    """`math.trunc` and `int` of a float: towards zero."""
    check_integral(x)
    return math.trunc(x)


COMPILED_AS: dict[Callable[..., Any], Callable[..., Any]] = {
    operator.floordiv: floor_divide,
    operator.mod: modulo,
    math.pow: power,
    math.sqrt: sqrt,
    math.log: log,
    math.log2: log2,
    math.log10: log10,
    math.log1p: log1p,
    math.exp: exp,
    math.expm1: expm1,
    math.sinh: sinh,
    math.cosh: cosh,
    math.sin: sin,
    math.cos: cos,
    math.tan: tan,
    math.asin: asin,
    math.acos: acos,
    math.acosh: acosh,
    math.atanh: atanh,
    math.fmod: fmod,
    math.gamma: gamma,
    math.lgamma: lgamma,
    math.floor: floor,
    math.ceil: ceil,
    math.trunc: trunc,
}

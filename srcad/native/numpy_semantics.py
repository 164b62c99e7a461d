"""What NumPy's numbers do where C and Python's numbers do another thing.

    np.int64(7) // 0, np.int64(7) % 0          0, 0                (Python raises)
    np.int64(-7) // 2, np.int64(-7) % 3        -4, 2               (C rounds towards zero)
    -0.5 % 3.0, 1.0 // 0.0                     2.5, inf

Plain functions, in the part of Python that Numba compiles; none of them raises.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["int_quotient", "int_remainder", "quotient", "remainder"]


def int_quotient(a: int, b: int) -> int:
    """`a // b` of two integers: 0 where `b` is."""
    if b == 0:
        return 0
    return -a if b == -1 else a // b  # the least integer is its own opposite


def int_remainder(a: int, b: int) -> int:
    """`a % b` of two integers: has the sign of `b`, is 0 where `b` is."""
    return 0 if b == 0 or b == -1 else a % b


def remainder(a: Any, b: Any) -> Any:
    """`a % b` of two floats: has the sign of `b`."""
    if b == 0.0 or math.isinf(a) or math.isnan(a) or math.isnan(b):
        return np.nan
    rest = np.fmod(a, b)
    if rest == 0.0:
        return math.copysign(rest, b)
    return rest + b if (b < 0.0) != (rest < 0.0) else rest


def quotient(a: Any, b: Any) -> Any:
    """`a // b` of two floats."""
    if b == 0.0:
        return math.copysign(math.inf, a) * math.copysign(1.0, b) if abs(a) > 0.0 else math.nan
    if math.isinf(a) or math.isnan(a) or math.isnan(b):
        return math.nan
    rest = np.fmod(a, b)
    ratio = (a - rest) / b
    if rest != 0.0 and (b < 0.0) != (rest < 0.0):
        ratio -= 1.0
    if ratio == 0.0:
        return math.copysign(0.0, a) * math.copysign(1.0, b)
    whole = np.floor(ratio)
    return whole + 1.0 if ratio - whole > 0.5 else whole

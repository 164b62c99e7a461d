"""What rules use at kinks and singular points: for arrays and Python numbers, keeping the dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import NumberType, dtype_of
from srcad.rules.core.staged import Staged, call, is_number, is_scalar, type_of


def nonzero(x: Any) -> Any:
    """`x` with 1 in place of 0: a divisor whose numerator is 0 there."""
    return x + (x == 0) if is_number(x) else np.where(x == 0, 1, x)


def or_infinity(x: Any) -> Any:
    """`x` with infinity in place of 0: a divisor by which a quotient and its derivatives are 0."""
    # A number cannot choose between values; this one is infinite enough.
    return x + 1e308 * (x == 0) if is_number(x) else np.where(x == 0, np.inf, x)


def or_zero(n: Any) -> Any:
    """`n`, and 0 where it is negative; a number that widens no dtype where `n` is one."""
    t = type_of(n)
    if not isinstance(t, NumberType):
        return np.maximum(n, 0)
    return call(t.kind, np.maximum(n, 0)) if isinstance(n, Staged) else max(n, 0)


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    return (x > 0) - (x < 0) if is_number(x) else np.sign(x)


def half_at_tie(tie: Any, wins: Any, like: Any) -> Any:
    """½ where `tie`, else `wins`: the share of an argument in a maximum or minimum.

    Args:
        wins: whether it alone is the extreme, so False at a tie; or 1.
    """
    if is_scalar(tie):
        return wins - 0.5 * tie if type(wins) is int else wins + 0.5 * tie
    dtype = dtype_of(type_of(like))
    # Among Booleans a Python ½ would be float64.
    half = 0.5 if dtype in (None, np.float64) else dtype.type(0.5)
    return np.where(tie, half, wins)

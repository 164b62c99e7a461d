"""What pandas makes of many values: it leaves out those that are missing.

mean([1.0, NaN, 3.0])     4.0 / 2
"""

from __future__ import annotations

from typing import Any

import numpy as np


def may_miss(values: Any) -> bool:
    """Whether values may be missing: numbers that may be NaN."""
    return values.dtype.kind in "fc"


def missing(values: Any) -> Any:
    """Which values are missing."""
    return np.isnan(values) if may_miss(values) else np.zeros(values.shape, bool)


def filled(values: Any, instead: Any) -> Any:
    """Values with another in the place of those that are missing."""
    return np.where(np.isnan(values), instead, values) if may_miss(values) else values


def converted(values: Any, dtype: Any) -> Any:
    """Values in another dtype; what is missing is no int."""
    if may_miss(values) and np.dtype(dtype).kind in "iu" and not np.all(np.isfinite(values)):
        from pandas.errors import IntCastingNaNError

        raise IntCastingNaNError("Cannot convert non-finite values (NA or inf) to integer")
    return values.astype(dtype)


def count(values: Any, axis: Any = None) -> Any:
    """How many values there are, as a number of their dtype."""
    if not may_miss(values):
        return np.float64(values.size if axis is None else values.shape[axis])
    return np.sum(~np.isnan(values), axis=axis).astype(values.dtype)


def total(values: Any, axis: Any = None) -> Any:
    """Their sum."""
    return np.sum(filled(values, 0.0), axis=axis)


def product(values: Any, axis: Any = None) -> Any:
    """Their product."""
    return np.prod(filled(values, 1.0), axis=axis)


def mean(values: Any, axis: Any = None) -> Any:
    """Their mean; of none, NaN without a warning."""
    with np.errstate(all="ignore"):
        return total(values, axis) / count(values, axis)


def variance(values: Any, ddof: int, axis: Any = None) -> Any:
    """Their variance; NaN of no more than `ddof`."""
    values = values if may_miss(values) else values.astype(float)
    n = count(values, axis)
    with np.errstate(all="ignore"):
        centre = total(values, axis) / n
        apart = ((centre if axis is None else np.expand_dims(centre, axis)) - values) ** 2
        summed = np.sum(np.where(np.isnan(values), 0.0, apart), axis=axis)
        return np.where(n > ddof, summed / (n - ddof), np.nan)[()]


def extreme(fn: Any, values: Any, instead: Any, axis: Any = None) -> Any:
    """The largest or smallest of them."""
    if not may_miss(values):
        return fn(values, axis=axis)
    found = fn(filled(values, instead), axis=axis, initial=instead)
    return np.where(count(values, axis) > 0, found, np.nan)[()]

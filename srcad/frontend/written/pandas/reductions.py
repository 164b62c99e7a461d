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
    is_numerical(dtype)
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
    return np.sum(filled(_doubled(values), 0.0), axis=axis)


def product(values: Any, axis: Any = None) -> Any:
    """Their product."""
    return np.prod(filled(values, 1.0), axis=axis)


def mean(values: Any, axis: Any = None) -> Any:
    """Their mean; of none, NaN without a warning."""
    if _is_narrow(values) and is_nothing(values):
        return _of_nothing(values, axis)
    with np.errstate(all="ignore"):
        return total(values, axis) / count(_doubled(values), axis)


def variance(values: Any, ddof: int, axis: Any = None) -> Any:
    """Their variance; NaN of no more than `ddof`."""
    if _is_narrow(values) and is_nothing(values):
        return _of_nothing(values, axis)
    values = values if may_miss(values) else values.astype(float)
    n = count(values, axis)
    with np.errstate(all="ignore"):
        centre = np.sum(filled(values, 0.0), axis=axis) / n
        apart = ((centre if axis is None else np.expand_dims(centre, axis)) - values) ** 2
        summed = np.sum(np.where(np.isnan(values), 0.0, apart), axis=axis)
        return np.where(n > ddof, summed / (n - ddof), np.nan)[()]


def deviation(values: Any, ddof: int, axis: Any = None) -> Any:
    """Their standard deviation."""
    if _is_narrow(values) and is_nothing(values):
        return _of_nothing(values, axis)
    return np.sqrt(variance(values, ddof, axis))


def median(values: Any) -> Any:
    """Their median."""
    if _is_narrow(values) and is_nothing(values):
        return _of_nothing(values, None)
    return np.nanmedian(values)


def extreme(fn: Any, values: Any, instead: Any, axis: Any = None) -> Any:
    """The largest or smallest of them."""
    if values.dtype != np.float64 and is_nothing(values):
        return _of_nothing(values, axis)
    if not may_miss(values):
        return fn(values, axis=axis)
    found = fn(filled(values, instead), axis=axis, initial=instead)
    return np.where(count(values, axis) > 0, found, np.nan)[()]


def _doubled(values: Any) -> Any:
    """Values in the dtype in which pandas adds them up: halves as doubles."""
    return values.astype(float) if values.dtype == np.float16 else values


def _is_narrow(values: Any) -> Any:
    """Whether numbers are floats of less than 64 bits, of which NaN has 64 where there are none."""
    return values.dtype.kind == "f" and values.dtype.itemsize < 8


def _of_nothing(values: Any, axis: Any) -> Any:
    """What pandas makes of no rows."""
    return np.nan if axis is None else np.full(len(values), np.nan)


# Answered while compiling ------------------------------------------------------------------------


def is_nothing(values: Any) -> Any:
    """Whether there are no rows, of which the mean, the largest and so on are floats of 64 bits;
    refused where data decides and there are none.
    """


def is_numerical(dtype: Any) -> None:
    """A dtype is one of numbers: of others, pandas has its own."""

"""A Series of pandas, read in place of it.

s * w        Series(s.values * w, s.index)
s + t        the same with `t.values`, where both have the same labels; else refused
s.mean()     of the entries that are not NaN
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written.labelled import (
    Held,
    Rows,
    Rowwise,
    Table,
    aligned,
    asked,
    beside,
    changes_outside,
    chooses_rows,
    holds,
    is_label,
    names_row,
)  # fmt: skip
from srcad.frontend.written.opaque import Opaque
from srcad.frontend.written.operators import InPlace
from srcad.frontend.written.pandas.entries import (
    as_entries,
    as_entry,
    is_bound,
    is_ufunc,
    keeps_dtype,
)
from srcad.frontend.written.pandas.reductions import (
    converted,
    deviation,
    extreme,
    filled,
    may_miss,
    mean,
    median,
    missing,
    product,
    total,
    variance,
)  # fmt: skip
from srcad.frontend.written.pandas.rows_of_series import Places, Positions
from srcad.frontend.written.pandas.windows import HeldRolling, Rolling


class Series(InPlace, Rowwise):
    """Values of one axis, and their labels."""

    ndim = 1

    def __init__(self, values: Any, index: Any) -> None:
        self._held = values
        self._rows = index

    def _read(self) -> Any:
        return self._held

    @property
    def index(self) -> Any:
        return self._rows.as_index()

    def _beside(self, other: Any) -> Any:
        if isinstance(other, Opaque | Table):
            return NotImplemented
        if isinstance(other, Series):
            aligned(self._rows, other._rows)
            return other._values
        return beside(self._values, other)

    def _numbers(self, other: Any) -> Any:
        """Numbers that stand beside the values: of others pandas makes objects."""
        found = self._beside(other)
        holds(found, "fiu")
        return found

    def _with(self, values: Any) -> Any:
        return Series(values, self._rows)

    def _changed(self, fn: Any, other: Any) -> Any:
        self._held = self._binary(fn, other)._values
        return self

    def _only(self, chosen: Any) -> Any:
        """The rows that an index of NumPy's chooses."""
        return Series(self._values[chosen], Rows(self._rows, chosen))

    def __getattr__(self, name: str) -> Any:
        names_row(self._rows, name)
        return self.loc[name]

    @property
    def empty(self) -> Any:
        return self._values.size == 0

    @property
    def T(self) -> Any:
        return self

    @property
    def iloc(self) -> Any:
        return Positions(self)

    @property
    def iat(self) -> Any:
        return Positions(self)

    @property
    def loc(self) -> Any:
        return Places(self)

    @property
    def at(self) -> Any:
        return Places(self)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            chooses_rows(self._rows, key)
            return self._only(key)
        return self.loc[key]

    def __iter__(self) -> Any:
        for entry in self._values:
            yield entry.item()

    def __contains__(self, label: Any) -> Any:
        return is_label(self._rows, label)

    def items(self) -> Any:
        for place, label in enumerate(self.index):
            yield label, self._values[place].item()

    def apply(self, func: Any) -> Any:
        if is_ufunc(func):
            with np.errstate(all="ignore"):
                found = func(self)
            keeps_dtype(self._values, found._values, "`apply`")
            return found
        return self._mapped(func)

    def map(self, func: Any) -> Any:
        return self._mapped(func)

    def _mapped(self, func: Any) -> Any:
        found = as_entries([as_entry(func(entry)) for entry in self])
        keeps_dtype(self._values, found, "`apply`")
        return self._with(found)

    def tolist(self) -> Any:
        return self._values.tolist()

    def to_list(self) -> Any:
        return self._values.tolist()

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        return func(self, *args, **kwargs)

    def copy(self, deep: bool = True) -> Any:
        return Series(self._values.copy(), self._rows)

    def astype(self, dtype: Any) -> Any:
        return self._with(converted(self._values, dtype))

    # By entries

    def abs(self) -> Any:
        return self._with(np.abs(self._values))

    def clip(self, lower: Any = None, upper: Any = None) -> Any:
        holds(self._values, "fiu")
        bounds = [None if bound is None else self._numbers(bound) for bound in (lower, upper)]
        for bound in bounds:
            if bound is not None:
                is_bound(self._values, bound)
        return self._with(np.clip(self._values, *bounds))

    def isna(self) -> Any:
        return self._with(missing(self._values))

    def isnull(self) -> Any:
        return self.isna()

    def notna(self) -> Any:
        return self._with(~missing(self._values))

    def notnull(self) -> Any:
        return self.notna()

    def fillna(self, value: Any) -> Any:
        if not may_miss(self._values):
            return self._with(self._values.copy())
        return self._with(np.where(missing(self._values), self._numbers(value), self._values))

    def where(self, cond: Any, other: Any = np.nan) -> Any:
        holds(self._values, "f")
        return self._with(np.where(self._beside(cond), self._values, self._numbers(other)))

    def mask(self, cond: Any, other: Any = np.nan) -> Any:
        holds(self._values, "f")
        return self._with(np.where(self._beside(cond), self._numbers(other), self._values))

    def between(self, left: Any, right: Any) -> Any:
        return (self >= left) & (self <= right)

    def dropna(self) -> Any:
        return self._only(~missing(self._values))

    def add(self, other: Any) -> Any:
        return self + other

    def sub(self, other: Any) -> Any:
        return self - other

    def mul(self, other: Any) -> Any:
        return self * other

    def div(self, other: Any) -> Any:
        return self / other

    def pow(self, other: Any) -> Any:
        return self**other

    # Along the rows

    def cumsum(self) -> Any:
        return self._accumulated(np.add, 0.0)

    def cumprod(self) -> Any:
        return self._accumulated(np.multiply, 1.0)

    def cummax(self) -> Any:
        return self._accumulated(np.maximum, -np.inf)

    def cummin(self) -> Any:
        return self._accumulated(np.minimum, np.inf)

    def _accumulated(self, fn: Any, instead: Any) -> Any:
        found = fn.accumulate(filled(self._values, instead))
        if not may_miss(self._values):
            return self._with(found)
        return self._with(np.where(missing(self._values), np.nan, found))

    def shift(self, periods: int = 1) -> Any:
        holds(self._values, "fiu")
        return self._with(_shifted(self._values, periods))

    def diff(self, periods: int = 1) -> Any:
        holds(self._values, "f" if self._values.dtype.itemsize < 8 else "fi")
        return self._with(self._values - _shifted(self._values, periods))

    def rolling(self, window: int) -> Any:
        return Rolling(self, window)

    # Over all

    def count(self) -> Any:
        return np.sum(~missing(self._values))

    def sum(self) -> Any:
        return total(self._values)

    def prod(self) -> Any:
        return product(self._values)

    def mean(self) -> Any:
        return mean(self._values)

    def var(self, ddof: int = 1) -> Any:
        return variance(self._values, ddof)

    def std(self, ddof: int = 1) -> Any:
        return deviation(self._values, ddof)

    def max(self) -> Any:
        return extreme(np.max, self._values, -np.inf)

    def min(self) -> Any:
        return extreme(np.min, self._values, np.inf)

    def median(self) -> Any:
        return median(self._values)

    def any(self) -> Any:
        return np.any(filled(self._values, 0.0))

    def all(self) -> Any:
        return np.all(filled(self._values, 1.0))

    def _both(self, other: Any) -> Any:
        """The values of two Series in the rows where neither is missing."""
        second = self._beside(other)
        known = ~(missing(self._values) | missing(second))
        return self._values[known], second[known]

    def cov(self, other: Any, ddof: int = 1) -> Any:
        first, second = self._both(other)
        return np.cov(first, second, ddof=ddof)[0, 1]

    def corr(self, other: Any) -> Any:
        first, second = self._both(other)
        return np.corrcoef(first, second)[0, 1]

    def dot(self, other: Any) -> Any:
        return self @ other

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Opaque | Table):
            return NotImplemented
        if isinstance(other, Series):
            aligned(self._rows, other._rows)
            return self._values @ other._values
        return self._values @ np.asarray(other)

    def __rmatmul__(self, other: Any) -> Any:
        return np.asarray(other) @ self._values


class HeldSeries(Series, Held):
    """A Series that the program is given."""

    def __getattr__(self, name: str) -> Any:
        return self.loc[name] if is_label(self._rows, name) else asked(self._outside, name)

    def _changed(self, fn: Any, other: Any) -> Any:
        changes_outside(self._outside)

    def rolling(self, window: Any, **options: Any) -> Any:
        if options:
            return asked(self._outside, "rolling")(window, **options)
        return HeldRolling(self, window)

    def map(self, func: Any) -> Any:
        return self._mapped(func) if callable(func) else asked(self._outside, "map")(func)


def _shifted(values: Any, periods: int) -> Any:
    count = min(abs(periods), len(values))
    blank = np.full(count, np.nan, values.dtype if may_miss(values) else float)
    if periods >= 0:
        return np.concatenate((blank, values[: len(values) - count]))
    return np.concatenate((values[count:], blank))

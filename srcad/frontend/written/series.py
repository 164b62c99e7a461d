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
    Opaque,
    Rows,
    Rowwise,
    Table,
    aligned,
    asked,
    beside,
    chooses_rows,
    counts_rows,
    holds,
    is_label,
    names_row,
    place_of_label,
)  # fmt: skip


class Series(Rowwise):
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

    def _with(self, values: Any) -> Any:
        return Series(values, self._rows)

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
        return self._with(np.asarray([func(entry) for entry in self]))

    def map(self, func: Any) -> Any:
        return self.apply(func)

    def tolist(self) -> Any:
        return self._values.tolist()

    def to_list(self) -> Any:
        return self._values.tolist()

    def copy(self, deep: bool = True) -> Any:
        return Series(self._values.copy(), self._rows)

    def astype(self, dtype: Any) -> Any:
        return self._with(self._values.astype(dtype))

    # By entries

    def abs(self) -> Any:
        return self._with(np.abs(self._values))

    def clip(self, lower: Any = None, upper: Any = None) -> Any:
        holds(self._values, "fiu")
        return self._with(np.clip(self._values, self._beside(lower), self._beside(upper)))

    def isna(self) -> Any:
        return self._with(_missing(self._values))

    def isnull(self) -> Any:
        return self.isna()

    def notna(self) -> Any:
        return self._with(~_missing(self._values))

    def notnull(self) -> Any:
        return self.notna()

    def fillna(self, value: Any) -> Any:
        if not _may_miss(self._values):
            return self._with(self._values.copy())
        return self._with(np.where(_missing(self._values), self._beside(value), self._values))

    def where(self, cond: Any, other: Any = np.nan) -> Any:
        holds(self._values, "f")
        return self._with(np.where(self._beside(cond), self._values, self._beside(other)))

    def mask(self, cond: Any, other: Any = np.nan) -> Any:
        holds(self._values, "f")
        return self._with(np.where(self._beside(cond), self._beside(other), self._values))

    def between(self, left: Any, right: Any) -> Any:
        return (self >= left) & (self <= right)

    def dropna(self) -> Any:
        return self._only(~_missing(self._values))

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
        values = self._values
        if not _may_miss(values):
            return self._with(np.cumsum(values))
        missing = _missing(values)
        return self._with(np.where(missing, np.nan, np.cumsum(np.where(missing, 0.0, values))))

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
        return np.sum(~_missing(self._values))

    def sum(self) -> Any:
        return np.sum(_filled(self._values, 0.0))

    def prod(self) -> Any:
        return np.prod(_filled(self._values, 1.0))

    def mean(self) -> Any:
        with np.errstate(all="ignore"):
            return self.sum() / _count(self._values)

    def var(self, ddof: int = 1) -> Any:
        values = self._values if _may_miss(self._values) else self._values.astype(float)
        count = _count(values)
        with np.errstate(all="ignore"):
            apart = (np.sum(_filled(values, 0.0)) / count - values) ** 2
            total = np.sum(np.where(_missing(values), 0.0, apart) if _may_miss(values) else apart)
            return np.where(count > ddof, total / (count - ddof), np.nan)[()]

    def std(self, ddof: int = 1) -> Any:
        return np.sqrt(self.var(ddof))

    def max(self) -> Any:
        return _extreme(np.max, self._values, -np.inf)

    def min(self) -> Any:
        return _extreme(np.min, self._values, np.inf)

    def median(self) -> Any:
        return np.nanmedian(self._values)

    def any(self) -> Any:
        return np.any(_filled(self._values, 0.0))

    def all(self) -> Any:
        return np.all(_filled(self._values, 1.0))

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

    def map(self, func: Any) -> Any:
        return self.apply(func) if callable(func) else asked(self._outside, "map")(func)


class Positions:
    """`s.iloc`."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __getitem__(self, key: Any) -> Any:
        owner = self._owner
        if isinstance(key, Series):
            key = key._values
        if isinstance(key, list):
            key = np.asarray(key)
        if isinstance(key, slice) or np.ndim(key) == 1:
            return owner._only(key)
        return owner._values[key]


class Places:
    """`s.loc`."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __getitem__(self, key: Any) -> Any:
        owner = self._owner
        if isinstance(key, Series):
            chooses_rows(owner._rows, key._values)
            return owner._only(owner._beside(key))
        if isinstance(key, list):
            return owner._only(np.asarray([_position(owner, label) for label in key]))
        if np.ndim(key) == 1:
            chooses_rows(owner._rows, key)
            return owner._only(owner._beside(key))
        return owner._values[_position(owner, key)]


def _position(owner: Any, label: Any) -> Any:
    if not counts_rows(owner._rows, label):
        return place_of_label(owner._rows, label)
    if label < 0 or label >= len(owner):
        raise KeyError(label)
    return label


class Rolling:
    """`s.rolling(window)`: windows that end at each row; NaN where one is not full."""

    def __init__(self, owner: Any, window: int) -> None:
        self._owner = owner
        self._window = window

    def _of_windows(self, fn: Any, **options: Any) -> Any:
        values = self._owner._values.astype(float)
        values = np.where(np.isinf(values), np.nan, values)
        n = self._window
        if n > len(values):
            return self._owner._with(np.full(len(values), np.nan))
        places = np.arange(len(values) - n + 1)[:, None] + np.arange(n)
        found = fn(values[places], axis=1, **options)
        return self._owner._with(np.concatenate((np.full(n - 1, np.nan), found)))

    def mean(self) -> Any:
        return self._of_windows(np.mean)

    def sum(self) -> Any:
        return self._of_windows(np.sum)

    def std(self, ddof: int = 1) -> Any:
        return self._of_windows(np.std, ddof=ddof)

    def var(self, ddof: int = 1) -> Any:
        return self._of_windows(np.var, ddof=ddof)

    def max(self) -> Any:
        return self._of_windows(np.max)

    def min(self) -> Any:
        return self._of_windows(np.min)


def _may_miss(values: Any) -> bool:
    """Whether values may be missing: numbers that may be NaN."""
    return values.dtype.kind in "fc"


def _missing(values: Any) -> Any:
    return np.isnan(values) if _may_miss(values) else np.zeros(values.shape, bool)


def _filled(values: Any, instead: Any) -> Any:
    return np.where(np.isnan(values), instead, values) if _may_miss(values) else values


def _count(values: Any) -> Any:
    """How many values there are, as a number of their dtype."""
    if not _may_miss(values):
        return np.float64(len(values))
    return np.sum(~np.isnan(values)).astype(values.dtype)


def _extreme(fn: Any, values: Any, instead: Any) -> Any:
    if not _may_miss(values):
        return fn(values)
    found = fn(_filled(values, instead), initial=instead)
    return np.where(_count(values) > 0, found, np.nan)[()]


def _shifted(values: Any, periods: int) -> Any:
    count = min(abs(periods), len(values))
    blank = np.full(count, np.nan, values.dtype if _may_miss(values) else float)
    if periods >= 0:
        return np.concatenate((blank, values[: len(values) - count]))
    return np.concatenate((values[count:], blank))

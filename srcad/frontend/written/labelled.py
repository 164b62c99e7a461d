"""Values with labels, read in place of those of other packages: what they have in common.

index * 0.1             Index(index.values * 0.1)

What a function is given (`Held`) reads what it needs: its values by `_read`, and what is not
written here by asking pandas, outside of the program.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.operators import Arithmetic


class Labelled:
    """What has labels, or is asked of what has: `__array_ufunc__` leaves operators to it."""

    __array_ufunc__ = None
    package = "pandas"

    def __bool__(self) -> Any:
        is_ambiguous(type(self).__name__)


class Table(Labelled):
    """What has columns (`srcad.frontend.written.pandas.frames`)."""


class Held(Labelled):
    """What the program is given, or what its package makes of that: `_outside` is the object."""

    _outside: Any

    def __getattr__(self, name: str) -> Any:
        return asked(self._outside, name)


# Operators ---------------------------------------------------------------------------------------


class Entries(Arithmetic, Labelled):
    """What has operators by entries: `_with` makes one with other values."""

    def _beside(self, other: Any) -> Any:
        """The values that stand beside those of this one; NotImplemented where `other` decides."""
        raise NotImplementedError

    def _with(self, values: Any) -> Any:
        raise NotImplementedError

    def _binary(self, fn: Any, other: Any) -> Any:
        beside = self._beside(_repeated(self._values, fn, other))
        return beside if beside is NotImplemented else self._applied(fn, self._values, beside)

    def _reflected(self, fn: Any, other: Any) -> Any:
        beside = self._beside(_repeated(self._values, fn, other))
        return beside if beside is NotImplemented else self._applied(fn, beside, self._values)

    def _entrywise(self, fn: Any, args: Any) -> Any:
        others = [x if x is self else _repeated(self._values, fn, x) for x in args]
        values = [x._values if x is self else self._beside(x) for x in others]
        # What pandas leaves to its operators.
        if fn is np.true_divide:
            return self._applied(operator.truediv, *values)
        if fn is np.floor_divide:
            return self._applied(operator.floordiv, *values)
        if fn is np.remainder:
            return self._applied(operator.mod, *values)
        if fn is np.power:
            return self._applied(operator.pow, *values)
        return self._with(fn(*values))

    def _applied(self, fn: Any, a: Any, b: Any) -> Any:
        if fn in (operator.and_, operator.or_, operator.xor):
            holds(a, "b")
            holds(b, "b")
        if fn in (operator.truediv, operator.floordiv, operator.mod, operator.pow):
            are_no_truths(a, b)
        if fn in (operator.floordiv, operator.mod):
            divides_floats(a, b)
        elif fn is not operator.truediv:
            return self._with(fn(a, b))
        with np.errstate(all="ignore"):  # by zero as by all else: pandas does not warn
            return self._with(fn(a, b))

    @property
    def _values(self) -> Any:
        return self._read()

    def _read(self) -> Any:
        raise NotImplementedError

    def __neg__(self) -> Any:
        return self._with(-self._values)

    def __pos__(self) -> Any:
        return self._with(+self._values)

    def __invert__(self) -> Any:
        return self._with(~self._values)

    def __abs__(self) -> Any:
        return self._with(np.abs(self._values))

    def __len__(self) -> Any:
        return len(self._values)

    def __array__(self) -> Any:
        return self.values

    @property
    def values(self) -> Any:
        return np.broadcast_to(self._values, self._values.shape)  # which refuses to be written

    @property
    def dtype(self) -> Any:
        return self._values.dtype

    @property
    def size(self) -> Any:
        return self._values.size

    @property
    def shape(self) -> Any:
        return self._values.shape

    def to_numpy(self, dtype: Any = None, copy: bool = False) -> Any:
        found = self.values if dtype is None else np.asarray(self.values, dtype)
        return found.copy() if copy else found


def _repeated(own: Any, fn: Any, other: Any) -> Any:
    """What stands beside `own`: arithmetic repeats one number in a list, comparisons do not."""
    if fn in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        return other
    if fn in (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal):
        return other
    is_plain = isinstance(other, list | tuple | np.ndarray)
    if not is_plain or np.ndim(other) != 1 or len(other) != 1:
        return other
    return np.broadcast_to(np.asarray(other), (len(own),))


def beside(own: Any, other: Any) -> Any:
    """What stands beside the values `own` of one axis: a number, an array or a list as long."""
    found = other._values if isinstance(other, Entries) else other
    if isinstance(found, list):
        found = np.asarray(found)
    if np.ndim(found) == 0:  # a scalar of NumPy's is like a number of Python's
        is_scalar = isinstance(found, np.ndarray | np.integer | np.floating)
        return found.item() if is_scalar else found
    if np.ndim(found) != 1 or len(found) != len(own):
        raise ValueError("operands could not be broadcast together")
    return found


class Rowwise(Entries):
    """Entries of which each has a label of its own."""

    _rows: Any


class Index(Entries):
    """Labels that are numbers."""

    ndim = 1

    def __init__(self, values: Any, is_range: Any = False) -> None:
        self._held = values
        self._is_range = is_range  # whether it is a RangeIndex; None where data decides

    def _read(self) -> Any:
        return self._held

    def _beside(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Rowwise) else beside(self._values, other)

    def _with(self, values: Any) -> Any:
        return values if values.dtype == bool else Index(values, self._is_range and None)

    def __iter__(self) -> Any:
        for entry in self._values:
            yield entry.item()

    def __getitem__(self, key: Any) -> Any:
        found = self._values[key]
        if np.ndim(found):
            is_range = self._is_range if isinstance(key, slice) else self._is_range and None
            return Index(found, is_range)
        if self._is_range is None:
            beyond("a label of an Index that is computed, an int of Python's or of NumPy's,")
        return found.item() if self._is_range else found


class HeldIndex(Index, Held):
    """Labels of what the program is given."""


class Whole:
    """The labels of what the program is given, at `_outside`; `as_index` reads them."""

    as_index: Any


class Rows:
    """The labels of rows that were chosen among those of `_base`."""

    def __init__(self, base: Any, chosen: Any) -> None:
        self._base = base
        self._chosen = chosen

    def as_index(self) -> Any:
        return self._base.as_index()[self._chosen]


def is_ambiguous(name: str) -> None:
    """What pandas raises for the truth of data."""
    ways = "Use a.empty, a.item(), a.any() or a.all()."
    raise ValueError(f"The truth value of a {name} is ambiguous. {ways}")


class Names:
    """Labels that are known while compiling: the columns of a table."""

    def __init__(self, names: Any) -> None:
        self._names = names

    def as_index(self) -> Any:
        return self

    def __iter__(self) -> Any:
        return iter(self._names)

    def __len__(self) -> Any:
        return len(self._names)

    def __contains__(self, name: Any) -> Any:
        return name in self._names

    def __getitem__(self, key: Any) -> Any:
        return Names(self._names[key]) if isinstance(key, slice) else self._names[key]

    def __bool__(self) -> Any:
        is_ambiguous("Index")

    def __eq__(self, other: Any) -> Any:
        others = (other,) * len(self._names) if isinstance(other, str) else tuple(other)
        if len(others) != len(self._names):
            raise ValueError("Lengths must match to compare", (len(self),), (len(others),))
        return np.array([mine == its for mine, its in zip(self._names, others, strict=True)])

    def __ne__(self, other: object) -> Any:
        return ~(self == other)

    def tolist(self) -> Any:
        return list(self._names)

    def to_list(self) -> Any:
        return list(self._names)


def entrywise(fn: Any, first: Any, *args: Any) -> Any:
    """A ufunc of what has labels, `first` the first of its arguments that has."""
    return first._entrywise(fn, args)


# Answered while compiling ------------------------------------------------------------------------


def asked(outside: Any, name: str) -> Any:
    """What pandas gives for an attribute of an object outside."""


def aligned(a: Any, b: Any) -> None:
    """Two labels are the same; otherwise pandas or xarray brings values together by them."""


def place_of_label(rows: Any, label: Any) -> Any:
    """At which position a label stands."""


def counts_rows(rows: Any, label: Any) -> Any:
    """Whether a label by data is the number of a row."""


def is_label(rows: Any, label: Any) -> Any:
    """Whether a label is among these, which is known while compiling."""


def changes_outside(outside: Any) -> None:
    """An object of the caller's would be changed."""


def names_row(rows: Any, name: str) -> None:
    """An attribute of a Series that is computed is the label of a row."""


def is_all(key: Any) -> Any:
    """Whether a key is `:`."""


def is_mask(key: Any) -> None:
    """A key chooses rows by truth values, and no slice by labels."""


def chooses_rows(rows: Any, key: Any) -> None:
    """A key is a mask, or a slice of positions."""


def holds(values: Any, kinds: str, size: int = 1) -> None:
    """Values are of these kinds of dtypes, of so many bytes at least: of others, pandas gives
    another dtype than NumPy, or objects.
    """


def are_no_truths(a: Any, b: Any) -> None:
    """One of two operands holds numbers: for truth values alone pandas has an answer of its own."""


def divides_floats(a: Any, b: Any) -> None:
    """A division with a whole quotient is one of floats, for which NumPy and pandas agree."""

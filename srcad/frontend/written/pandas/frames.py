"""Tables of pandas: a DataFrame by its columns, read in place of it.

df["x"]               a Series: of the values that the column holds
df[["x", "z"]].values     np.stack((x, z), axis=1)
df * w                a table of the product of each column
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.frontend.written.labelled import (
    Entries,
    Names,
    Rows,
    Table,
    aligned,
    chooses_rows,
    holds,
)  # fmt: skip
from srcad.frontend.written.opaque import Opaque
from srcad.frontend.written.operators import Arithmetic, InPlace
from srcad.frontend.written.pandas.entries import as_entries, beside_table, has_rows, is_entry
from srcad.frontend.written.pandas.reduced_frames import Reduced, axis_number
from srcad.frontend.written.pandas.rows_of_frames import (
    MixedRow,
    Places,
    Row,
    are_numbers,
    label_of,
    of_one_kind,
)
from srcad.frontend.written.pandas.series import Series


class DataFrame(InPlace, Arithmetic, Reduced):
    """Columns by their names, and the labels of their rows.

    What is not among `_columns` is a column of `_base`, of which `_chosen` are the rows.
    """

    ndim = 2

    def __init__(self, base: Any, names: Any, rows: Any, chosen: Any, columns: Any) -> None:
        self._base = base
        self._own_names = names
        self._rows = rows
        self._chosen = chosen
        self._columns = columns

    def _names(self) -> Any:
        return self._own_names

    def _series(self, name: Any) -> Any:
        """A column, which is a Series where it holds numbers."""
        if name in self._columns:
            return Series(self._columns[name], self._rows)
        if self._base is None or name not in self._own_names:
            raise KeyError(name)
        found = self._base._series(name)
        if self._chosen is None:
            return found
        return Series(found._values[self._chosen], self._rows)

    def _as_now(self) -> Any:
        """This table, of which no columns are set any more."""
        columns = dict(self._columns)
        return DataFrame(self._base, self._own_names, self._rows, self._chosen, columns)

    def _column(self, name: Any) -> Any:
        return self._series(name)._values

    def _each(self, fn: Any) -> Any:
        """A table of what `fn` makes of each column."""
        return _table({name: fn(self[name])._values for name in self._names()}, self._rows)

    @property
    def columns(self) -> Any:
        return Names(self._names())

    @property
    def index(self) -> Any:
        return self._rows.as_index()

    @property
    def shape(self) -> Any:
        return (len(self), len(self._names()))

    @property
    def size(self) -> Any:
        return len(self) * len(self._names())

    @property
    def empty(self) -> Any:
        return self.size == 0

    @property
    def values(self) -> Any:
        columns = [self._column(name) for name in self._names()]
        of_one_kind(columns)
        found = np.stack(columns, axis=1)
        return np.broadcast_to(found, found.shape)

    def to_numpy(self, dtype: Any = None, copy: bool = False) -> Any:
        found = self.values if dtype is None else self.values.astype(dtype)
        return found.copy() if copy else found

    def __array__(self) -> Any:
        return self.values

    @property
    def iloc(self) -> Any:
        return Places(self, False)

    @property
    def loc(self) -> Any:
        return Places(self, True)

    def __len__(self) -> Any:
        return len(self._column(self._names()[0]))

    def __iter__(self) -> Any:
        yield from self._names()

    def __contains__(self, name: Any) -> Any:
        return name in self._names()

    def items(self) -> Any:
        for name in self._names():
            yield name, self[name]

    def keys(self) -> Any:
        return self.columns

    def itertuples(self, index: bool = True, name: str = "Pandas") -> Any:
        for place in range(len(self)):
            yield Row(self, place, index)

    def iterrows(self) -> Any:
        names = self._names()
        if not are_numbers([self._series(name) for name in names]):
            for place in range(len(self)):
                yield label_of(self._rows, place), MixedRow(self, place, False)
            return
        of_one_kind([self._column(name) for name in names])
        for place in range(len(self)):
            values = np.stack([self._column(name)[place] for name in names])
            yield label_of(self._rows, place), Series(values, Names(names))

    def __getattr__(self, name: str) -> Any:
        is_column(self._own_names, name)
        return self[name]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Series):
            aligned(self._rows, key._rows)
            key = key._values
        if isinstance(key, list | Names):
            return DataFrame(self._as_now(), tuple(key), self._rows, None, {})
        if isinstance(key, slice) or np.ndim(key) == 1:
            chooses_rows(self._rows, key)
            return self._only(key)
        return self._series(key)

    def _only(self, chosen: Any) -> Any:
        """The rows that an index of NumPy's chooses."""
        return DataFrame(self._as_now(), self._names(), Rows(self._rows, chosen), chosen, {})

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        return func(self, *args, **kwargs)

    def copy(self, deep: bool = True) -> Any:
        return DataFrame(self._as_now(), self._names(), self._rows, None, {})

    def __setitem__(self, name: Any, value: Any) -> None:
        self._columns[name] = self._as_column(value)
        if name not in self._own_names:
            self._own_names = (*self._own_names, name)

    def assign(self, **values: Any) -> Any:
        made = self.copy()
        for name, value in values.items():
            made[name] = value(made) if callable(value) else value
        return made

    def _as_column(self, value: Any) -> Any:
        if isinstance(value, Series):
            aligned(self._rows, value._rows)
            return value._values
        found = value._values if isinstance(value, Entries) else np.asarray(value)
        if np.ndim(found) == 1 and len(found) != len(self):
            raise ValueError("Length of values does not match length of index")
        return np.broadcast_to(found, (len(self),)).copy()

    def drop(self, columns: Any) -> Any:
        left_out = columns if isinstance(columns, list) else [columns]
        for name in left_out:
            self._series(name)
        names = tuple([name for name in self._names() if name not in left_out])
        return DataFrame(self._as_now(), names, self._rows, None, {})

    # By columns

    def apply(self, func: Any, axis: Any = 0) -> Any:
        has_rows(self.__len__(), "`apply`")
        names = Names(self._names())
        if axis_number(axis) == 1:
            return _of_rows([_made(func(Series(row, names)), names) for row in self.values], self)
        found = [func(self[name]) for name in self._names()]
        if not isinstance(found[0], Series):
            return Series(as_entries([_made(x, names) for x in found]), names)
        for column in found:
            aligned(found[0]._rows, column._rows)
        columns = zip(self._names(), found, strict=True)
        return _table({name: column._values for name, column in columns}, found[0]._rows)

    def abs(self) -> Any:
        return self._each(lambda column: column.abs())

    def fillna(self, value: Any) -> Any:
        return self._each(lambda column: column.fillna(value))

    def diff(self, periods: int = 1) -> Any:
        return self._each(lambda column: column.diff(periods))

    def shift(self, periods: int = 1) -> Any:
        return self._each(lambda column: column.shift(periods))

    # Operators

    def _binary(self, fn: Any, other: Any) -> Any:
        if isinstance(other, Opaque):
            return NotImplemented
        names = self._names()
        if isinstance(other, DataFrame):
            names_columns(names, other._names())
            aligned(self._rows, other._rows)
            found = {name: fn(self[name], other[name])._values for name in names}
        elif isinstance(other, Series):
            names_columns(names, other._rows)
            # As arrays, of which the dtypes decide, not as numbers.
            rows = [np.broadcast_to(each, (len(self),)) for each in other._values]
            found = {name: fn(self[name], rows[k])._values for k, name in enumerate(names)}
        elif np.ndim(other) == 0:
            found = {name: fn(self[name], other)._values for name in names}
        else:
            beside = beside_table(self.shape, np.asarray(other))
            found = {name: fn(self[name], beside[:, k])._values for k, name in enumerate(names)}
        return _table(found, self._rows)

    def _entrywise(self, fn: Any, args: Any) -> Any:
        if len(args) == 1:
            return self._each(fn)
        first, second = args
        for name in self._names():
            holds(self._column(name), "fi", 8)
        if first is self:
            return self._binary(fn, second)
        return self._reflected(fn, first)

    def _reflected(self, fn: Any, other: Any) -> Any:
        return self._binary(lambda a, b: fn(b, a), other)

    def _changed(self, fn: Any, other: Any) -> Any:
        made = self._binary(fn, other)
        self._base, self._chosen = None, None
        self._own_names, self._columns = made._own_names, made._columns
        return self

    def _flexible(self, fn: Any, other: Any, axis: Any) -> Any:
        if axis_number(axis) == 1:
            return self._binary(fn, other)
        return self._each(lambda column: fn(column, other))

    def add(self, other: Any, axis: Any = 1) -> Any:
        return self._flexible(operator.add, other, axis)

    def sub(self, other: Any, axis: Any = 1) -> Any:
        return self._flexible(operator.sub, other, axis)

    def mul(self, other: Any, axis: Any = 1) -> Any:
        return self._flexible(operator.mul, other, axis)

    def div(self, other: Any, axis: Any = 1) -> Any:
        return self._flexible(operator.truediv, other, axis)

    def __neg__(self) -> Any:
        return self._each(lambda column: -column)

    def dot(self, other: Any) -> Any:
        return self @ other

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Table | Opaque):
            return NotImplemented
        if isinstance(other, Series):
            names_columns(self._names(), other._rows)
            return Series(self.values @ other._values, self._rows)
        found = self.values @ np.asarray(other)
        is_series(found)
        return Series(found, self._rows)


def _table(columns: Any, rows: Any) -> Any:
    return DataFrame(None, tuple(columns), rows, None, columns)


def _made(found: Any, names: Any) -> Any:
    """What a function makes of a row: a number, or the values of a Series with its labels."""
    if isinstance(found, Series):
        aligned(names, found._rows)
        return found._values
    is_entry(found)
    return found


def _of_rows(found: Any, owner: Any) -> Any:
    """The Series, or the table, of what a function makes of each row."""
    values = as_entries(found)
    if np.ndim(values) == 1:
        return Series(values, owner._rows)
    return _table({name: values[:, k] for k, name in enumerate(owner._names())}, owner._rows)


# Answered while compiling ------------------------------------------------------------------------


def is_column(table: Any, name: str) -> Any:
    """Whether an attribute of a table is a column."""


def names_columns(names: Any, others: Any) -> None:
    """Labels are the names of the columns, in this order."""


def is_series(values: Any) -> None:
    """A product is a Series: of a matrix it is a table of which no name is known."""

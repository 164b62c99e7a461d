"""Reductions of a table of pandas: over its rows, over its columns, or over all.

df.mean()             a Series by the names of the columns
df.mean(axis=1)       a Series by the labels of the rows
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written.labelled import Names, Table
from srcad.frontend.written.pandas.reductions import (
    deviation,
    extreme,
    mean,
    product,
    total,
    variance,
)
from srcad.frontend.written.pandas.rows_of_frames import of_one_kind
from srcad.frontend.written.pandas.series import Series


def axis_number(axis: Any) -> int:
    """The number of an axis of a table, which may be its name."""
    numbers = {0: 0, "index": 0, "rows": 0, 1: 1, "columns": 1}
    if axis not in numbers:
        raise ValueError(f"No axis named {axis} for object type DataFrame")
    return numbers[axis]


class Reduced(Table):
    """What has columns of numbers, of which reductions are made."""

    _rows: Any

    def _names(self) -> Any:
        raise NotImplementedError

    def _column(self, name: Any) -> Any:
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Any:
        raise NotImplementedError

    @property
    def values(self) -> Any:
        raise NotImplementedError

    def _over(self, fn: Any) -> Any:
        """A Series of the number that `fn` makes of each column."""
        names = self._names()
        return Series(np.stack([fn(self[name]) for name in names]), Names(names))

    def _along(self, axis: Any, fn: Any) -> Any:
        """A Series by columns, or by rows, of what `fn` makes of the values of each; or the number
        of all.
        """
        if axis is None:
            return fn(self.values, None)
        if axis_number(axis) == 0:
            return self._over(lambda column: fn(column._values, None))
        return Series(fn(self.values, 1), self._rows)

    def sum(self, axis: Any = 0) -> Any:
        return self._along(axis, total)

    def prod(self, axis: Any = 0) -> Any:
        return self._along(axis, product)

    def mean(self, axis: Any = 0) -> Any:
        return self._along(axis, mean)

    def var(self, axis: Any = 0, ddof: int = 1) -> Any:
        return self._along(axis, lambda values, over: variance(values, ddof, over))

    def std(self, axis: Any = 0, ddof: int = 1) -> Any:
        return self._along(axis, lambda values, over: deviation(values, ddof, over))

    def min(self, axis: Any = 0) -> Any:
        return self._extreme(axis, np.min, np.inf)

    def max(self, axis: Any = 0) -> Any:
        return self._extreme(axis, np.max, -np.inf)

    def _extreme(self, axis: Any, fn: Any, beyond: float) -> Any:
        of_one_kind([self._column(name) for name in self._names()])
        return self._along(axis, lambda values, over: extreme(fn, values, beyond, over))

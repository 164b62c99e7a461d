"""Tables of pandas that the program is given: each column is read where it is asked for.

df["x"]               a Series of the column that the table outside holds, an input
df["y"] = 1.0         refused: the table is the caller's
"""

from __future__ import annotations

from typing import Any

from srcad.frontend.written.labelled import Held, asked, changes_outside
from srcad.frontend.written.pandas.frames import DataFrame, is_column


class HeldFrame(DataFrame, Held):
    """A table that the program is given: a column is read where it is asked for."""

    def _names(self) -> Any:
        return columns_outside(self._outside)

    def _as_now(self) -> Any:
        return self

    def _series(self, name: Any) -> Any:
        return column_outside(self._outside, name, self._rows)

    def __len__(self) -> Any:
        return rows_outside(self._outside)

    def __setitem__(self, name: Any, value: Any) -> None:
        changes_outside(self._outside)

    def _changed(self, fn: Any, other: Any) -> Any:
        changes_outside(self._outside)

    def __getattr__(self, name: str) -> Any:
        return self[name] if is_column(self._outside, name) else asked(self._outside, name)


# Answered while compiling ------------------------------------------------------------------------


def columns_outside(outside: Any) -> Any:
    """The names of the columns of a table outside."""


def column_outside(outside: Any, name: Any, rows: Any) -> Any:
    """A column of a table outside."""


def rows_outside(outside: Any) -> Any:
    """How many rows a table outside has."""

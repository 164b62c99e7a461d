"""Rows of a table of pandas: chosen by position or label, or gone through.

df.loc[df["x"] > 0, "y"]           the values of a column where a mask says
for row in df.itertuples():        row.x is df["x"].values[k].item()
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.labelled import (
    Names,
    counts_rows,
    is_all,
    is_ambiguous,
    is_mask,
    place_of_label,
)
from srcad.frontend.written.pandas.series import Series


class Places:
    """`df.iloc`, or `df.loc`, which takes labels."""

    def __init__(self, owner: Any, by_label: bool) -> None:
        self._owner = owner
        self._by_label = by_label

    def __getitem__(self, key: Any) -> Any:
        owner = self._owner
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        if self._by_label:
            chosen = owner if is_all(columns) else owner[columns]
        else:
            names = owner._names()
            columns = names[columns] if isinstance(columns, int | slice) else columns
            chosen = owner[list(columns) if isinstance(columns, tuple) else columns]
        if is_all(rows):
            return chosen
        if isinstance(chosen, Series):
            return chosen.loc[rows] if self._by_label else chosen.iloc[rows]
        if isinstance(rows, Series | slice) or np.ndim(rows) == 1:
            if self._by_label:
                is_mask(rows)
                return chosen[rows]
            return chosen._only(np.asarray(rows) if isinstance(rows, list) else rows)
        place = place_of_label(owner._rows, rows) if self._by_label else rows
        of_one_kind([chosen._column(name) for name in chosen._names()])
        values = np.stack([chosen._column(name)[place] for name in chosen._names()])
        return Series(values, Names(chosen._names()))


class Label:
    """The label of a row, which is not known: it must not be read."""

    def __eq__(self, other: object) -> Any:
        is_not_known(self)

    def __ne__(self, other: object) -> Any:
        is_not_known(self)

    def __hash__(self) -> Any:
        is_not_known(self)

    def __str__(self) -> Any:
        is_not_known(self)

    def __repr__(self) -> Any:
        is_not_known(self)

    def __format__(self, spec: str) -> Any:
        is_not_known(self)

    def __bool__(self) -> Any:
        is_not_known(self)


def label_of(rows: Any, place: Any) -> Any:
    """The label of a row, where that is its number."""
    return place if counts_rows(rows, place) else Label()


class Row:
    """A row that `itertuples` gives: its numbers are Python's."""

    def __init__(self, owner: Any, place: Any, has_label: bool) -> None:
        self._owner = owner
        self._place = place
        self._has_label = has_label

    @property
    def Index(self) -> Any:
        return label_of(self._owner._rows, self._place)

    def __getattr__(self, name: str) -> Any:
        return self._owner._column(name)[self._place].item()

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._owner._column(key)[self._place].item()
        return tuple(self)[key]

    def __iter__(self) -> Any:
        if self._has_label:
            yield self.Index
        for name in self._owner._names():
            yield self._owner._column(name)[self._place].item()

    def __eq__(self, other: object) -> Any:
        return tuple(self) == (tuple(other) if isinstance(other, Row) else other)

    def __ne__(self, other: object) -> Any:
        return not self == other


class MixedRow(Row):
    """A row of a table that holds more than numbers: a Series of objects."""

    def __bool__(self) -> Any:
        is_ambiguous("Series")

    def __eq__(self, other: object) -> Any:
        beyond("a comparison of a row with columns of several kinds")

    def __ne__(self, other: object) -> Any:
        beyond("a comparison of a row with columns of several kinds")


# Answered while compiling ------------------------------------------------------------------------


def of_one_kind(columns: Any) -> None:
    """Columns are of dtypes that have a common one, which is NumPy's as well."""


def is_not_known(label: Any) -> None:
    """A label is read."""


def are_numbers(columns: Any) -> Any:
    """Whether all columns are of numbers, which is known while compiling."""

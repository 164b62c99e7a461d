"""Entries that a function makes, one by one: what `apply` and `map` bring together.

s.apply(f)           the array of f(s[0]), f(s[1]), ..., which are numbers
"""

from __future__ import annotations

from typing import Any

import numpy as np


def as_entries(found: Any) -> Any:
    """The array of numbers, or of rows of numbers, in the dtype that pandas finds for them."""
    are_of_one_kind(found)
    return np.asarray(found)


def as_entry(found: Any) -> Any:
    """What a function gives, a number."""
    is_entry(found)
    return found


def beside_table(shape: Any, other: Any) -> Any:
    """An array that stands beside the entries of a table: a row as long, or a table."""
    if other.ndim == 1 and other.shape[0] != shape[1]:
        raise ValueError("Unable to coerce to Series")
    if other.ndim == 2 and other.shape[0] != shape[0] and other.shape[1] != shape[1]:
        raise ValueError("Unable to coerce to DataFrame")
    if other.ndim > 2:
        raise ValueError("Unable to coerce to Series/DataFrame")
    return np.broadcast_to(other, shape)


# Answered while compiling ------------------------------------------------------------------------


def is_entry(found: Any) -> None:
    """A function gives a number: of lists, arrays and texts pandas makes objects."""


def are_of_one_kind(found: Any) -> None:
    """Numbers are truth values all, or none: of some pandas makes objects."""


def has_rows(count: int, what: str) -> None:
    """There are rows: of none, pandas gives other dtypes."""


def keeps_dtype(values: Any, found: Any, what: str) -> None:
    """What is made of values has their dtype, which it has of none, or there are some."""


def is_ufunc(func: Any) -> Any:
    """Whether a function is one of NumPy's that pandas calls with all values."""


def is_bound(values: Any, bound: Any) -> None:
    """Values that a bound replaces keep their dtype, whichever these are."""

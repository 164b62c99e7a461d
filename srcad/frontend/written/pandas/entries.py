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


# Answered while compiling ------------------------------------------------------------------------


def is_entry(found: Any) -> None:
    """A function gives a number: of lists, arrays and texts pandas makes objects."""


def are_of_one_kind(found: Any) -> None:
    """Numbers are truth values all, or none: of some pandas makes objects."""


def has_rows(count: int, what: str) -> None:
    """There are rows: of none, pandas gives other dtypes."""

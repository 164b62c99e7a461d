"""The table of operations: what passes know of a function besides its rule and its type.

    row_of(np.zeros_like)  ->  Row(shape_only=True, of_shape=np.zeros, ...)

A function has one row, stated in the file of its library beside this. Ufuncs and functions with an
elementwise rule have one by their class. Nothing is known of functions without a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one function.

    `store`: `(array, index, values)` gives a copy of the array that has the values at the index.
    `in_place`: does the same to its first argument itself. `product`: multiplies matrices, where
    both arguments have two axes.
    """

    store: bool = False
    in_place: Any = None
    product: bool = False


UNKNOWN = Row()
_ROWS: dict[Any, Row] = {}


def state(row: Row, *fns: Any) -> None:
    """State the row of functions that have none yet."""
    taken = [fn for fn in fns if fn in _ROWS]
    assert not taken, f"{taken} have a row"
    _ROWS.update(dict.fromkeys(fns, row))


def row_of(fn: Any) -> Row:
    """The row of a function, by its class where none is stated."""
    try:
        return _ROWS.get(fn, UNKNOWN)
    except TypeError:  # a thing that is called and has no hash: a polynomial
        return UNKNOWN


def rows() -> dict[Any, Row]:
    """All rows that are stated."""
    return dict(_ROWS)

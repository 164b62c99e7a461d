"""The loops that sum up rows: `SparseRows.summed` without sorting."""

from __future__ import annotations

from typing import Any

from numba import types

from srcad.kernels.compiled.jit import INTEGER, INTEGERS, loop
from srcad.kernels.compiled.vectors import read, write

_PLACES = types.Array(types.int64, 1, "C")


@loop(lambda array, given: (INTEGERS, _PLACES, _PLACES))
def find_rows(rows: Any, places: Any, found: Any) -> None:
    """The rows that are named, each once and in order.

    `places` has an entry for each row there is: its number among those `found`, or -1. The first
    number in `found` is how many they are.
    """
    for i in range(places.size):
        places[i] = -1
    for i in range(rows.size):
        places[rows[i]] = 0  # counts from the end where negative
    k = 0
    for i in range(places.size):
        if places[i] == 0:
            places[i] = k
            k += 1
            found[k] = i
    found[0] = k


@loop(lambda array, given: (given, INTEGERS, INTEGERS, INTEGER, array))
def add_rows(values: Any, rows: Any, places: Any, width: Any, sums: Any) -> None:
    """Add each row of `values` to the sum of its place; `sums` are zeros."""
    for i in range(rows.size):
        at, to = i * width, places[rows[i]] * width
        for k in range(width):
            write(sums, to + k, read(sums, to + k) + read(values, at + k))


__all__ = ["add_rows", "find_rows"]

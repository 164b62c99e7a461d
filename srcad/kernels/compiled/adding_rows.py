"""The loops over rows of tables: `embedding`, and `SparseRows.summed` without sorting."""

from __future__ import annotations

from typing import Any

from numba import types

from srcad.kernels.compiled.jit import INTEGER, INTEGERS, loop
from srcad.kernels.compiled.vectors import load, read, store, width, write

_PLACES = types.Array(types.int64, 1, "C")


@loop(lambda array, given: (given, INTEGERS, INTEGER, INTEGER, array, _PLACES))
def copy_rows(table: Any, rows: Any, n: Any, columns: Any, y: Any, missing: Any) -> None:
    """Copy the rows that are named, of `n`; `missing` gets 1 where one is not there."""
    lanes = width(table)
    for i in range(rows.size):
        row = rows[i] + n if rows[i] < 0 else rows[i]
        if row < 0 or row >= n:
            missing[0] = 1
            return
        at, to = row * columns, i * columns
        if columns < lanes:
            for k in range(columns):
                write(y, to + k, read(table, at + k))
        else:
            for k in range(0, columns, lanes):
                m = min(k, columns - lanes)  # the last ones twice
                store(y, to + m, load(table, at + m))


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


__all__ = ["add_rows", "copy_rows", "find_rows"]

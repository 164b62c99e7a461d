"""Colouring: columns of a sparse matrix that one product with it tells apart get one colour.

    x . . .        columns 0, 2 and 3 share no row: colour 0
    x x . .        column 1: colour 1
    . x x .        two products with vectors of ones and zeros give all entries
    . . . x

The greedy methods of the field: Curtis, Powell and Reid (1974) for columns, in their order or in
that of decreasing counts of entries (Welsh and Powell 1967), whichever needs fewer; star colouring
for symmetric matrices after Gebremedhin, Manne and Pothen, "What Color Is Your Jacobian?", SIAM
Review 47 (2005), algorithm 4.1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Places = np.ndarray[Any, Any]


def color_columns(rows: Places, columns: Places, n: int) -> Places:
    """The colour of each of `n` columns: no two of one colour have an entry in the same row.

    Columns without entries have colour 0.
    """
    counts = np.bincount(columns, minlength=n)
    by_column = _groups(rows, columns, counts)
    m = int(rows.max(initial=-1)) + 1
    by_size = np.argsort(-counts, kind="stable")
    found = [_greedy(by_column, m, order.tolist()) for order in (np.arange(n), by_size)]
    return min(found, key=lambda colors: int(colors.max(initial=0)))


def _greedy(by_column: list[list[int]], m: int, order: list[int]) -> Places:
    """The least colour that is free, for each column in this order."""
    taken = [0] * m  # the colours in each row, as bits of an int
    colors = np.zeros(len(by_column), np.intp)
    for j in order:
        own = by_column[j]
        used = 0
        for i in own:
            used |= taken[i]
        bit = ~used & (used + 1)  # the lowest that is free
        for i in own:
            taken[i] |= bit
        colors[j] = bit.bit_length() - 1
    return colors


def color_symmetric(rows: Places, columns: Places, n: int) -> Places:
    """A star colouring of a symmetric pattern: each entry is alone with its colour in its row or,
    transposed, in its column.
    """
    counts = np.bincount(columns, minlength=n)
    near = [[i for i in own if i != j] for j, own in enumerate(_groups(rows, columns, counts))]
    colors = [-1] * n
    for v in np.argsort(-counts, kind="stable").tolist():
        seen: dict[int, int] = {}  # how many neighbours have a colour
        for w in near[v]:
            seen[colors[w]] = seen.get(colors[w], 0) + 1
        used = set(seen)
        for w in near[v]:
            for x in near[w]:
                is_open = x != v and colors[x] >= 0 and colors[x] not in used
                if is_open and (seen[colors[w]] > 1 or _is_paired(near[x], w, colors)):
                    used.add(colors[x])
        colors[v] = next(k for k in range(n) if k not in used)
    return np.array(colors, np.intp)


def _is_paired(near: list[int], w: int, colors: list[int]) -> bool:
    """Whether another neighbour has the colour of `w`."""
    return any(y != w and colors[y] == colors[w] for y in near)


def is_alone(rows: Places, columns: Places, colors: Places) -> Places:
    """Whether no other entry in its row has the colour of an entry's column."""
    pairs = rows * (int(colors.max(initial=0)) + 1) + colors[columns]
    _, at, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    found: Places = counts[at] == 1
    return found


def _groups(rows: Places, columns: Places, counts: Places) -> list[list[int]]:
    """The rows of the entries of each column."""
    ordered = rows[np.argsort(columns, kind="stable")].tolist()
    ends = np.cumsum(counts).tolist()
    return [ordered[end - count : end] for end, count in zip(ends, counts.tolist(), strict=True)]


__all__ = ["color_columns", "color_symmetric", "is_alone"]

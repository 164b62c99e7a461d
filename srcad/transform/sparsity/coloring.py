"""Colouring: columns of a sparse matrix that one product with it tells apart get one colour.

    x . . .        columns 0, 2 and 3 share no row: colour 0
    x x . .        column 1: colour 1
    . x x .        two products with vectors of ones and zeros give all entries
    . . . x

The greedy methods of the field: Curtis, Powell and Reid (1974) for columns, in their order, in that
of decreasing counts of entries (Welsh and Powell 1967) or, next, the column with most neighbours
that have a colour (incidence degree; Coleman and Moré 1983), whichever needs fewest; star colouring
for symmetric matrices after Gebremedhin, Manne and Pothen, "What Color Is Your Jacobian?", SIAM
Review 47 (2005), algorithm 4.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

Places = np.ndarray[Any, Any]
Lists = list[list[int]]
_OFTEN = 50  # pairs of entries in one row that are looked at, for each entry


def color_columns(rows: Places, columns: Places, n: int) -> Places:
    """The colour of each of `n` columns: no two of one colour have an entry in the same row.

    Columns without entries have colour 0.
    """
    counts = np.bincount(columns, minlength=n)
    by_column = _groups(rows, columns, counts)
    in_rows = np.bincount(rows, minlength=1)
    least, m = int(in_rows.max()), in_rows.size
    best = _greedy(by_column, m, range(n))
    if best.max(initial=0) >= least:
        by_size = np.argsort(-counts, kind="stable")
        best = min(best, _greedy(by_column, m, by_size.tolist()), key=_most)
    if best.max(initial=0) >= least and np.sum(in_rows**2) <= _OFTEN * rows.size:
        by_row = _groups(columns, rows, in_rows)
        order = _by_neighbours(by_column, by_row, np.argsort(counts, kind="stable").tolist())
        best = min(best, _greedy(by_column, m, order), key=_most)
    return best


def _most(colors: Places) -> int:
    return int(colors.max(initial=0))


def _by_neighbours(by_column: Lists, by_row: Lists, order: list[int]) -> Iterator[int]:
    """The columns, always one with most entries of earlier columns in its rows; of those that have
    as many the one that came to it last, at first the last in `order`.
    """
    counts: list[int] = [0] * len(by_column)
    waiting = [order]  # by counts, those of earlier counts as well
    is_left = [True] * len(by_column)
    while waiting:
        most = len(waiting) - 1
        if not waiting[most]:
            waiting.pop()
            continue
        j = waiting[most].pop()
        if not is_left[j] or counts[j] != most:
            continue
        is_left[j] = False
        yield j
        for i in by_column[j]:
            for k in by_row[i]:
                if is_left[k]:
                    counts[k] += 1
                    if counts[k] == len(waiting):
                        waiting.append([])
                    waiting[counts[k]].append(k)


def _greedy(by_column: Lists, m: int, order: Iterable[int]) -> Places:
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


def symmetric_part(rows: Places, columns: Places, n: int) -> tuple[Places, Places]:
    """The entries of a pattern of which the transposed ones are in it too: a symmetric matrix has
    no others.
    """
    both = np.isin(rows * n + columns, columns * n + rows)
    return rows[both], columns[both]


def is_alone(rows: Places, columns: Places, colors: Places) -> Places:
    """Whether no other entry in its row has the colour of an entry's column."""
    pairs = rows * (int(colors.max(initial=0)) + 1) + colors[columns]
    _, at, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    found: Places = counts[at] == 1
    return found


def _groups(rows: Places, columns: Places, counts: Places) -> list[list[int]]:
    """The rows of the entries of each column. Each row is one int, however many entries it has."""
    ordered = rows[np.argsort(columns, kind="stable")]
    numbers = [*range(int(rows.max(initial=-1)) + 1)]
    ends = np.cumsum(counts)
    parts = zip((ends - counts).tolist(), ends.tolist(), strict=True)
    return [[*map(numbers.__getitem__, ordered[at:end].tolist())] for at, end in parts]


__all__ = ["color_columns", "color_symmetric", "is_alone", "symmetric_part"]

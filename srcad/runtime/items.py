"""Items of containers: how they compare, and lists whose items stand in arrays meanwhile.

    xs = [0.0]                          for i in range(n): xs[i], marks[i] = v, is_numpys(v)
    for v in x: xs.append(v)     ->     xs = np.concatenate([np.array([0.0]), xs])
    return xs                           return listed_by_marks(xs, np.concatenate([[False], marks]))

Programs read an entry of such an array with `as_listed`, or with `as_held` if the list is at hand
too: as a number of the class that the item has. `joined` puts arrays of many lengths, which a list
holds, into one; its derivative takes them apart with `cut`.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def is_or_equals(x: Any, y: Any) -> bool:
    """Whether two items are one object or equal: NaN is in a list that holds this very NaN."""
    return x is y or bool(x == y)


def taken_apart(items: list[Any], count: int) -> tuple[Any, ...]:
    """The items of a list that has so many."""
    return tuple(items)


def stacked(rows: list[Any], shape: tuple[int, ...]) -> Any:
    """The array of the rows of a list; without any, it has no rows of this shape."""
    return np.array(rows).reshape(len(rows), *shape)


def as_listed(x: Any, is_numpys: Any) -> Any:
    """An entry of an array as the list had it of whose floats it is made: NumPy's or Python's."""
    return x if is_numpys else float(x)


def as_held(x: Any, items: list[Any], index: int) -> Any:
    """An entry of the array of some items as a number of the class that this item has."""
    return type(items[index])(x)


def item_as_float(x: Any) -> Any:
    """An entry of the array of ints and floats as compiled code has it: a float of NumPy's."""
    return x


def is_numpys(x: Any) -> bool:
    """Whether a number is one of NumPy's scalars."""
    return isinstance(x, np.generic)


def listed(columns: tuple[Any, ...], read_as: tuple[Any, ...], is_tuple: bool) -> list[Any]:
    """The list of the entries of an array, or of the tuples of those of several.

    Args:
        read_as: of each array, whether its entries are numbers of Python's, or numbers of NumPy's
            and arrays of their own; or the pairs of codes and what they stand for.
    """
    parts = [*map(_items, columns, read_as)]
    return list(zip(*parts, strict=True)) if is_tuple else parts[0]


def _items(column: Any, read_as: Any) -> list[Any]:
    if isinstance(read_as, tuple):
        named = dict(read_as)
        return [named[code] for code in column.tolist()]
    if read_as:
        return list(column.tolist())
    return [*column] if column.ndim == 1 else [*map(np.copy, column)]


def listed_as_held(columns: tuple[list[Any], ...], is_tuple: bool) -> list[Any]:
    """The list of the items of a list, or of the tuples of those of several: these themselves."""
    return list(zip(*columns, strict=True)) if is_tuple else list(columns[0])


def marked(items: list[Any], marks: Any) -> list[Any]:
    """The items that have a mark."""
    return [x for x, is_marked in zip(items, marks, strict=True) if is_marked]


def in_turn(first: list[Any], second: list[Any]) -> list[Any]:
    """The items of two lists, one after the other."""
    return [*first, *second]


def given_back(items: list[Any], marks: list[bool], given: Any) -> list[Any]:
    """The items of a list, with an array that was given in the place of those that have a mark."""
    return [given if is_marked else x for x, is_marked in zip(items, marks, strict=True)]


def listed_by_marks(column: Any, are_numpys: Any) -> list[Any]:
    """The list of the entries of an array, each as a number of NumPy's or of Python's."""
    return [x if is_numpys else float(x) for x, is_numpys in zip(column, are_numpys, strict=True)]


def listed_rows(table: Any, read_as: bool, are_numpys: Any = None) -> list[Any]:
    """The list of the rows of an array, each a list of its own.

    [[1.0, 2.0], [3.0, 4.0]]         of an array of two axes
    """
    marks = [None] * len(table) if are_numpys is None else are_numpys
    if table.ndim > 1:
        pairs = zip(table, marks, strict=True)
        return [listed_rows(row, read_as, marks_of_row) for row, marks_of_row in pairs]
    return _items(table, read_as) if are_numpys is None else listed_by_marks(table, are_numpys)


def joined(first: Any, pieces: list[Any]) -> Any:
    """The array `first` and those of a list, one after the other along the first axis.

    What has no entries may be of any shape and dtype, as `np.array([])` is.
    """
    return np.concatenate([first, *(piece for piece in pieces if len(piece))])


def cut(x: Any, start: int, pieces: list[Any]) -> list[Any]:
    """The parts of an array from `start` on that are as long as the `pieces`."""
    parts = []
    for piece in pieces:
        stop = start + len(piece)
        parts.append(x[start:stop].copy())
        start = stop
    return parts

"""`sorted` of numbers of which data decides the order: read in place, as a user's function is.

sorted(x, key=f)        keys = column_of([f(v) for v in x])
                        y = column_of([v for v in x])
                        [v for v in y[runtime.order_of(keys, False)]]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime


def column_of(items: Any) -> Any:
    """The array of the numbers in a list; of those that would be in it, where it has none."""
    return np.array(items)


def keys_of(items: Any, key: Any) -> Any:
    """The array of the keys of all items."""
    return column_of([key(v) for v in items])


def numpys_numbers(items: Any, keys: Any, reverse: bool) -> Any:
    """The list of NumPy's numbers, in the order of their keys."""
    y = column_of([v for v in items])
    return [v for v in y[runtime.order_of(keys, reverse)]]


def pythons_numbers(items: Any, keys: Any, reverse: bool) -> Any:
    """The list of Python's numbers, in the order of their keys."""
    y = column_of([v for v in items])
    return y[runtime.order_of(keys, reverse)].tolist()


def floats_of_either_kind(items: Any, keys: Any, reverse: bool) -> Any:
    """The list of floats, each of which may be NumPy's or Python's, in the order of their keys."""
    order = runtime.order_of(keys, reverse)
    numbers = column_of([v for v in items])[order]
    marks = column_of([runtime.is_numpys(v) for v in items])[order]
    return [runtime.as_listed(v, mark) for v, mark in zip(numbers, marks, strict=True)]


def arrays(items: Any, keys: Any, reverse: bool) -> Any:
    """The list of many arrays of one type, in the order of their keys, to be read only."""
    y = np.array([v for v in items])
    return [v for v in sorted_rows(items, y[runtime.order_of(keys, reverse)])]


def sorted_rows(items: Any, y: Any) -> Any:
    """The rows, each of which stands for one of the items: neither can be written then."""
    return y


def less_of(items: Any) -> Any:
    """Which objects are less than which, by their own `<`."""
    count = len(items)
    return [[i != j and items[i] < items[j] for j in range(count)] for i in range(count)]


def ranks_of(less: Any) -> Any:
    """How many objects are less than each; equal ones have the same number.

    Raises:
        NotImplementedError: `<` gives no order, as where one is compared by NaN.
    """
    table = np.array(less)
    ranks = table.sum(axis=0)
    if not np.all((ranks[:, None] < ranks) == table):
        raise NotImplementedError("`sorted` of objects whose `<` gives no order, as of NaN")
    return ranks


def others(items: Any, keys: Any, reverse: bool) -> Any:
    """The list of items of any kind, of which there are a few, in the order of their keys."""
    order = runtime.order_of(keys, reverse)
    return [_picked(items, order[k]) for k in range(len(items))]


def _picked(items: Any, place: Any) -> Any:
    found = items[0]
    for k in range(1, len(items)):
        found = items[k] if place == k else found
    return found

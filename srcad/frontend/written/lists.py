"""Methods of lists, of which data says what they find, iteration by `__getitem__`, and lists of
what `filter` keeps: read in place of Python's.
"""

from __future__ import annotations

from typing import Any


def remove(items: Any, item: Any, /) -> None:
    """Take the first item out that equals this one."""
    place = place_of(items, item)
    if place < 0:
        raise ValueError("list.remove(x): x not in list")
    items.pop(place)


def place_of(items: Any, item: Any) -> Any:
    """Where the first item stands that equals this one; -1 if none does."""
    if may_be_nan(item) and item != item:  # a refusal, which no `except` here takes
        raise NotImplementedError(
            "NaN is in a list by which object it is, which arrays do not keep: ask `np.isnan(x)`"
        )
    for place in range(len(items)):
        if items[place] == item:
            return place
    return -1


def may_be_nan(item: Any) -> bool:
    """Whether a number is no int: the frontend answers for its type."""
    return not isinstance(item, int)


def contains(items: Any, item: Any) -> Any:
    """`item in items`."""
    return place_of(items, item) >= 0


def index(items: Any, item: Any, /) -> Any:
    """`items.index(item)`."""
    place = place_of(items, item)
    if place < 0:
        raise ValueError(f"{item!r} is not in list")
    return place


def count(items: Any, item: Any, /) -> Any:
    """`items.count(item)`."""
    total = 0
    if place_of(items, item) >= 0:
        for each in items:
            if each == item:
                total += 1
    return total


def by_index(items: Any) -> Any:
    """The items of what has a `__getitem__` and no `__iter__`."""
    place = 0
    while True:
        try:
            item = items[place]
        except IndexError:
            return
        yield item
        place += 1


def kept(fn: Any, items: Any) -> Any:
    """`list(filter(fn, items))`."""
    return [item for item in items if fn(item)]


def true_ones(_: None, items: Any) -> Any:
    """`list(filter(None, items))`."""
    return [item for item in items if item]


__all__ = ["by_index", "contains", "count", "index", "kept", "remove", "true_ones"]

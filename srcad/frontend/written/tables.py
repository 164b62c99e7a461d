"""Dicts and sets with keys that data gives: lists of their keys and values, read in place of them.

counts = {}                                   keys, values = [], []
counts[k] = counts.get(k, 0.0) + w     ->     place = place_of(keys, k), and there or at the end
                                              values[place] = ... + w

Keys stand in the order in which they came, as Python's do.
"""

from __future__ import annotations

import collections
from typing import Any


def place_of(keys: Any, key: Any) -> Any:
    """Where a key stands; -1 where it does not."""
    may_be_key(key)
    for place in range(len(keys)):
        if keys[place] == key:
            return place
    return -1


class Keyed:
    """What dicts and sets have in common."""

    stands_for: type = dict
    _keys: Any

    def __len__(self) -> Any:
        return len(self._keys)

    def __contains__(self, key: Any) -> Any:
        return place_of(self._keys, key) >= 0

    def __eq__(self, other: object) -> Any:
        cannot_compare(self)

    def _listed(self) -> Any:
        """The keys as they are now."""
        return self._keys.copy()

    def _places(self) -> Any:
        """The places of the keys; no key may come or go while they are gone through."""
        count = len(self._keys)
        for place in range(count):
            yield place
            if len(self._keys) != count:
                raise RuntimeError("dictionary changed size during iteration")

    def _there(self, key: Any) -> Any:
        """Where a key stands that must be there."""
        place = place_of(self._keys, key)
        if place < 0:
            raise KeyError(key)
        return place


class View:
    """`d.keys()` and its kin: what the dict has whenever it is asked."""

    stands_for: type

    def __init__(self, table: Any) -> None:
        self._table = table

    def __len__(self) -> Any:
        return len(self._table)


class Keys(View):
    """`d.keys()`."""

    stands_for: type = type({}.keys())

    def __iter__(self) -> Any:
        for place in self._table._places():
            yield self._table._keys[place]

    def __contains__(self, key: Any) -> Any:
        return key in self._table


class Values(View):
    """`d.values()`."""

    stands_for: type = type({}.values())

    def __iter__(self) -> Any:
        for place in self._table._places():
            yield self._table._at(place)

    def __contains__(self, value: Any) -> Any:
        return value in self._table._values


class Items(View):
    """`d.items()`."""

    stands_for: type = type({}.items())

    def __iter__(self) -> Any:
        for place in self._table._places():
            yield self._table._keys[place], self._table._at(place)


class Mapped(Keyed):
    """What dicts have alone."""

    def keys(self) -> Any:
        return Keys(self)

    def values(self) -> Any:
        return Values(self)

    def items(self) -> Any:
        return Items(self)


class Table(Mapped):
    """A dict of numbers, arrays of one shape, or tuples of these."""

    def __init__(self, keys: Any, values: Any, origin: str) -> None:
        self._keys = keys
        self._values = values
        self._origin = origin

    def __iter__(self) -> Any:
        for place in self._places():
            yield self._keys[place]

    def _at(self, place: Any) -> Any:
        """The value that stands at a place."""
        return self._values[place]

    def _listed_values(self) -> Any:
        """The values as they are now."""
        return self._values.copy()

    def __getitem__(self, key: Any) -> Any:
        return self._values[self._there(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        holds_numbers(self._origin, value)
        place = place_of(self._keys, key)
        if place < 0:
            self._keys.append(key)
            self._values.append(value)
        else:
            self._values[place] = value

    def __delitem__(self, key: Any) -> None:
        place = self._there(key)
        self._keys.pop(place)
        self._values.pop(place)

    def get(self, key: Any, default: Any = None) -> Any:
        holds_numbers(self._origin, default)
        place = place_of(self._keys, key)
        return default if place < 0 else self._values[place]

    def setdefault(self, key: Any, default: Any = None) -> Any:
        holds_numbers(self._origin, default)
        place = place_of(self._keys, key)
        if place < 0:
            self._keys.append(key)
            self._values.append(default)
            return default
        return self._values[place]

    def pop(self, key: Any, *default: Any) -> Any:
        if default and place_of(self._keys, key) < 0:
            return default[0]
        place = self._there(key)
        self._keys.pop(place)
        return self._values.pop(place)

    def popitem(self) -> Any:
        if len(self._keys) == 0:
            raise KeyError("popitem(): dictionary is empty")
        return self._keys.pop(), self._values.pop()

    def clear(self) -> None:
        self._keys.clear()
        self._values.clear()

    def update(self, other: Any) -> None:
        if _is_mapping(other):
            for key in other:
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value


class Ordered(Table):
    """An `OrderedDict`."""

    stands_for = collections.OrderedDict


class Counts(Table):
    """A `Counter`."""

    stands_for = collections.Counter

    def update(self, items: Any) -> None:
        if not _is_mapping(items):
            for key in items:
                self[key] = self[key] + 1
        elif len(self._keys) == 0:
            for key in items:
                self[key] = items[key]
        else:
            for key in items:
                self[key] = items[key] + self[key]

    def __getitem__(self, key: Any) -> Any:
        place = place_of(self._keys, key)
        return 0 if place < 0 else self._values[place]


class Defaults(Table):
    """A `defaultdict` of numbers."""

    stands_for = collections.defaultdict

    def __init__(self, keys: Any, values: Any, origin: str, default_factory: Any) -> None:
        self._keys = keys
        self._values = values
        self._origin = origin
        self.default_factory = default_factory

    def __getitem__(self, key: Any) -> Any:
        place = place_of(self._keys, key)
        if place < 0:
            value = self.default_factory()
            holds_numbers(self._origin, value)
            self._keys.append(key)
            self._values.append(value)
            return value
        return self._values[place]


class Members(Keyed):
    """A set."""

    stands_for = set

    def __init__(self) -> None:
        self._keys: Any = []

    def update(self, items: Any) -> None:
        for key in items:
            self.add(key)

    def add(self, key: Any) -> None:
        if place_of(self._keys, key) < 0:
            self._keys.append(key)

    def discard(self, key: Any) -> None:
        place = place_of(self._keys, key)
        if place >= 0:
            self._keys.pop(place)

    def remove(self, key: Any) -> None:
        self._keys.pop(self._there(key))

    def clear(self) -> None:
        self._keys.clear()


def _is_mapping(x: Any) -> bool:
    return isinstance(x, dict | Mapped)


def may_be_key(key: Any) -> None:
    """Answered while compiling: what is equal is one key, which NaN is not."""


def holds_numbers(origin: str, value: Any) -> None:
    """Answered while compiling: a dict of which a value is a list is one of lists."""


def cannot_compare(table: Any) -> None:
    """Answered while compiling: which keys there are is not known."""


def holds_lists(origin: str) -> None:
    """Answered while compiling: a dict of which a list changes that data gives is one of lists."""


def is_empty(default: Any) -> None:
    """Answered while compiling: what a dict of lists gives in their place is an empty one."""


__all__ = [
    "Counts", "Defaults", "Keyed", "Mapped", "Members", "Ordered", "Table", "cannot_compare",
    "holds_lists", "holds_numbers", "is_empty", "may_be_key", "place_of",
]  # fmt: skip

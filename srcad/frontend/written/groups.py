"""Dicts of lists with keys that data gives: what is read in place of them.

cells[k].append(i)                            owners.append(ids[place]), items.append(i)

A value that is a list has an id; the items of all of them stand in one list, each beside the id of
its owner.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Any

from srcad.frontend.written.tables import (
    Mapped,
    cannot_compare,
    holds_lists,
    is_empty,
    place_of,
)


class Groups(Mapped):
    """A dict of lists."""

    def __init__(self, origin: str) -> None:
        self._keys: Any = []
        self._ids: Any = []
        self._owners: Any = []
        self._items: Any = []
        self._count = 0
        self._origin = origin

    def __iter__(self) -> Any:
        for place in self._places():
            yield self._keys[place]

    def _at(self, place: Any) -> Any:
        """The list that stands at a place."""
        return Group(self, self._ids[place])

    def __getitem__(self, key: Any) -> Any:
        return Group(self, self._ids[self._there(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        place = place_of(self._keys, key)
        new = self._count
        if place < 0:
            self._keys.append(key)
            self._ids.append(new)
        else:
            self._ids[place] = new
        self._count = new + 1
        for item in value:
            self._owners.append(new)
            self._items.append(item)

    def __delitem__(self, key: Any) -> None:
        place = self._there(key)
        self._keys.pop(place)
        self._ids.pop(place)

    def clear(self) -> None:
        self._keys.clear()
        self._ids.clear()

    def get(self, key: Any, default: Any = None) -> Any:
        is_empty(default)
        place = place_of(self._keys, key)
        return Shown(self, -1 if place < 0 else self._ids[place])

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if place_of(self._keys, key) < 0:
            self[key] = default
        return self[key]


class SeenGroups(Groups):
    """A dict of lists that has a table where it is read."""

    def __getitem__(self, key: Any) -> Any:
        return Shown(self, self._ids[self._there(key)])


class DefaultGroups(Groups):
    """A `defaultdict(list)`."""

    stands_for = collections.defaultdict

    def __getitem__(self, key: Any) -> Any:
        if place_of(self._keys, key) < 0:
            self[key] = []
        return Group(self, self._ids[place_of(self._keys, key)])


class Shown:
    """A list that is a value of a dict, or an empty one: it is read."""

    stands_for = list

    def __init__(self, table: Any, own: Any) -> None:
        self._table = table
        self._own = own

    def append(self, item: Any) -> None:
        holds_lists(self._table._origin)

    def extend(self, items: Any) -> None:
        holds_lists(self._table._origin)

    def __eq__(self, other: object) -> Any:
        cannot_compare(self)

    def as_list(self) -> Any:
        """The items."""
        owners, items = self._table._owners, self._table._items
        return [items[k] for k in range(len(items)) if owners[k] == self._own]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.as_list())

    def __len__(self) -> Any:
        count = 0
        for owner in self._table._owners:
            if owner == self._own:
                count += 1
        return count

    def __getitem__(self, index: Any) -> Any:
        return self.as_list()[index]

    def __contains__(self, item: Any) -> Any:
        return item in self.as_list()

    def __add__(self, other: Any) -> Any:
        return self.as_list() + other

    def __radd__(self, other: Any) -> Any:
        return other + self.as_list()


class Group(Shown):
    """A list that is a value of a dict."""

    def append(self, item: Any) -> None:
        self._table._owners.append(self._own)
        self._table._items.append(item)

    def extend(self, items: Any) -> None:
        for item in items:
            self.append(item)


__all__ = ["DefaultGroups", "Group", "Groups", "SeenGroups", "Shown"]

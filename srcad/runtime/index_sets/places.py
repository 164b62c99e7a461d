"""Arrays of index sets: numbers of sets, all of which stand in one pool.

    x_from = own_places(x)        at: 1 2 3       pool: {} {0} {1} {2}
    x_from[1:] | x_from[:-1]      at: 4 5         pool: {} {0} {1} {2} {0, 1} {1, 2}

What moves entries moves their numbers, as NumPy moves any; 0 is the empty set, so that zeros which
are filled in depend on nothing. The set of a single entry is a frozenset: loops over entries join
these.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

Array = np.ndarray[Any, Any]

_LOCAL = threading.local()
_BLOCK = 1 << 17  # places that are joined at once
_MOST_WAITING = 1 << 12  # sets that Python holds
_FEW = 1 << 20  # places in a pool that is not made smaller


class Pool:
    """Sets of places one after the other: set k is `columns[starts[k]:starts[k + 1]]`.

    Sets are only added, until there are twice as many places as the arrays in use need.
    """

    def __init__(self) -> None:
        self.starts: Array = np.zeros(2, np.intp)
        self.columns: Array = np.empty(0, np.int32)
        self.count = 1
        self._waiting: list[frozenset[int]] = []  # those after the last
        self._users: weakref.WeakSet[Places] = weakref.WeakSet()
        self._limit = _FEW

    @classmethod
    def new(cls) -> Self:
        """A new one, in which the sets of this thread are from now on."""
        made = cls()
        _LOCAL.pool = weakref.ref(made)
        return made

    @classmethod
    def current(cls) -> Self:
        """That of this thread."""
        made: Self | None = getattr(_LOCAL, "pool", lambda: None)()
        return cls.new() if made is None else made

    def of(self, at: Any) -> Any:
        """The array of the sets with these numbers, the set itself for one number."""
        return Places(self, at) if np.ndim(at) else self.set_at(int(at))

    def use(self, places: Places) -> None:
        """Note an array that needs its sets."""
        self._users.add(places)

    def set_at(self, k: int) -> frozenset[int]:
        """One set."""
        if k >= self.count:
            return self._waiting[k - self.count]
        return frozenset(self.columns[self.starts[k] : self.starts[k + 1]].tolist())

    def number(self, places: frozenset[int]) -> int:
        """The number of a set."""
        if not places:
            return 0
        if len(self._waiting) >= _MOST_WAITING:
            self._settle()
        self._waiting.append(places)
        return self.count + len(self._waiting) - 1

    def numbers(self, sets: Any) -> Array:
        """The numbers of the sets in an array, in a list of arrays, or of one set."""
        if isinstance(sets, Places) and sets.pool is self:
            return sets.at
        if isinstance(sets, frozenset):
            return np.asarray(self.number(sets), np.intp)
        if isinstance(sets, list | tuple):
            if all(isinstance(each, frozenset) for each in sets):
                return np.fromiter(map(self.number, sets), np.intp, len(sets))
            return np.stack([self.numbers(each) for each in sets])
        flat = np.fromiter(map(self.number, np.asarray(sets, object).flat), np.intp, np.size(sets))
        return flat.reshape(np.shape(sets))

    def extend(self, counts: Array, columns: Array) -> int:
        """Add sets of so many places each; returns the number of the first."""
        if self._waiting:
            self._settle()
        first, used = self.count, int(self.starts[self.count])
        self.count += len(counts)
        self.starts = _with_room(self.starts, self.count + 1)
        np.cumsum(counts, out=self.starts[first + 1 : self.count + 1])
        self.starts[first + 1 : self.count + 1] += used
        self.columns = _with_room(self.columns, used + len(columns))
        self.columns[used : used + len(columns)] = columns
        return first

    def _settle(self) -> None:
        sets, self._waiting = self._waiting, []
        counts = np.fromiter(map(len, sets), np.intp, len(sets))
        columns = (k for each in sets for k in sorted(each))
        self.extend(counts, np.fromiter(columns, np.int32, int(counts.sum())))

    def places(self, at: Array) -> tuple[Array, Array]:
        """How many places the sets with these numbers have, and the places, one after the other."""
        if self._waiting:
            self._settle()
        starts = self.starts[at]
        counts = self.starts[at + 1] - starts
        ends = np.cumsum(counts)
        index = np.repeat(starts - ends + counts, counts)
        index += np.arange(len(index))
        return counts, self.columns[index]

    def union(self, a: Array, b: Array) -> Array:
        """The numbers of the unions, entry by entry."""
        a, b = np.broadcast_arrays(a, b)
        made = np.where(a == 0, b, a)
        both: Array = (a != b) & (a != 0) & (b != 0)
        if both.any():
            pairs = np.stack([a[both], b[both]], 1)
            made[both] = self.joined(np.repeat(np.arange(len(pairs)), 2), pairs.ravel(), len(pairs))
        return made

    def joined(self, groups: Array, at: Array, n_groups: int) -> Array:
        """The numbers of the unions of the sets in each group; `groups` says in which each is."""
        made = np.zeros(n_groups, np.intp)
        groups, at = groups[at > 0], at[at > 0]
        if (groups[1:] < groups[:-1]).any():
            order = np.argsort(groups, kind="stable")
            groups, at = groups[order], at[order]
        if self._waiting:
            self._settle()
        ends = np.cumsum(self.starts[at + 1] - self.starts[at])
        low = 0
        while low < len(at):
            before = ends[low - 1] if low else 0
            high = max(low + 1, int(np.searchsorted(ends, before + _BLOCK, "right")))
            high = int(np.searchsorted(groups, groups[high - 1], "right"))  # a group is not cut
            self._join(made, groups[low:high], at[low:high])
            low = high
        return made

    def _join(self, made: Array, groups: Array, at: Array) -> None:
        """A block of `joined`. A union that is one of its sets gets the number of that."""
        first = int(groups[0])
        own = made[first : int(groups[-1]) + 1]
        groups = groups - first
        counts, columns = self.places(at)
        keys = np.repeat(groups << 32, counts)
        keys |= columns
        keys.sort(kind="stable")
        is_new = np.ones(len(keys), bool)
        np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
        keys = keys[is_new]
        of = keys >> 32
        sizes = np.bincount(of, minlength=len(own))
        is_whole = counts == sizes[groups]
        own[groups[is_whole]] = at[is_whole]
        is_other = (own == 0) & (sizes > 0)
        start = self.extend(sizes[is_other], keys[is_other[of]] & 0xFFFFFFFF)
        own[is_other] = start + np.arange(np.count_nonzero(is_other))

    def trim(self) -> None:
        """Drop the sets that no array needs, if most are such."""
        if self.starts[self.count] <= self._limit:
            return
        if self._waiting:
            self._settle()
        arrays = {id(owner): owner for each in self._users for owner in (_owner(each.at),)}
        used = np.unique(np.concatenate([[0], *(each.ravel() for each in arrays.values())]))
        numbers = np.zeros(self.count, np.intp)
        numbers[used] = np.arange(len(used))
        for each in arrays.values():
            each[...] = numbers[each]
        counts, self.columns = self.places(used)
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        self.count, self._limit = len(used), 2 * len(self.columns) + _FEW


class Places:
    """An array of index sets, by their numbers `at`; NumPy's functions that move entries move
    these.
    """

    __array_ufunc__ = None

    def __init__(self, pool: Pool, at: Array) -> None:
        self.pool, self.at = pool, at
        pool.use(self)

    def __or__(self, other: Any) -> Any:
        """The unions, entry by entry."""
        self.pool.trim()
        return self.pool.of(self.pool.union(self.at, self.pool.numbers(other)))

    __ror__ = __or__

    def __getitem__(self, index: Any) -> Any:
        return self.pool.of(self.at[index])

    def __setitem__(self, index: Any, sets: Any) -> None:
        self.at[index] = self.pool.numbers(sets)

    def __len__(self) -> int:
        return len(self.at)

    def __iter__(self) -> Iterator[Any]:
        return map(self.pool.of, self.at)

    def __getattr__(self, name: str) -> Any:
        """The methods of arrays that move entries: `x_from.reshape(s)`."""
        if name.startswith("_"):  # those by which NumPy would take the numbers
            raise AttributeError(name)
        found = getattr(self.at, name)
        if isinstance(found, np.ndarray):
            return self.pool.of(found)
        return self._moved(found) if callable(found) else found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The sets themselves."""
        made = np.empty(self.at.size, object)
        made[:] = [self.pool.set_at(k) for k in self.at.ravel().tolist()]
        return made.reshape(self.at.shape)

    def _moved(self, move: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **kwargs: moved(self.pool, move, args, kwargs)

    def __array_function__(
        self, fn: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if fn in (np.shape, np.ndim, np.size):
            return fn(self.at)
        return moved(self.pool, fn, args, kwargs)


def moved(
    pool: Pool, move: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What a function that moves entries makes of sets; what it fills in, zeros, are empty."""

    def numbers(x: Any) -> Any:
        if isinstance(x, list | tuple):
            return type(x)(map(numbers, x))
        return pool.numbers(x) if are_sets(x) else x

    def sets(x: Any) -> Any:
        return type(x)(map(sets, x)) if isinstance(x, list | tuple) else pool.of(x)

    return sets(move(*map(numbers, args), **kwargs))


def are_sets(x: Any) -> bool:
    """Whether this is a set, or an array of sets."""
    of_objects = isinstance(x, np.ndarray) and x.dtype == object
    return of_objects or isinstance(x, frozenset | Places)


def _with_room(array: Array, n: int) -> Array:
    """`array`, or a copy of it with room for `n` entries and some more."""
    if len(array) >= n:
        return array
    made = np.empty(max(n, len(array) * 5 // 4), array.dtype)
    made[: len(array)] = array
    return made


def _owner(array: Array) -> Array:
    """The array in whose memory another stands."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


__all__ = ["Places", "Pool", "are_sets", "moved"]

"""Results of parts put together, in the order of the parts.

value                   added
gradients               added in groups of about the root of their number, then the groups: where
                        results lie with workers, these add the groups, to the same last digits
gradient by a split x   joined along the first axis
aux                     added, joined or the first, as the program says for each leaf
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from srcad.api.arguments.trees import flatten, unflatten


def added(trees: Sequence[Any]) -> Any:
    """The sum of trees, leaf by leaf."""
    return _leaf_by_leaf(trees, lambda leaves, _: reduce(_add, leaves))


def joined(trees: Sequence[Any], axis: int = 0) -> Any:
    """The leaves of trees one after the other."""
    return _leaf_by_leaf(trees, lambda leaves, _: np.concatenate(leaves, axis))


def combined(trees: Sequence[Any], how: Any) -> Any:
    """Aux of all parts; `how` has for each leaf "sum", "first" or an axis."""
    modes = flatten(how)[0]

    def combine(leaves: Sequence[Any], k: int) -> Any:
        if modes[k] == "first":
            return leaves[0]
        if modes[k] == "sum":
            return reduce(_add, leaves)
        return np.concatenate(leaves, modes[k])

    return _leaf_by_leaf(trees, combine)


def _leaf_by_leaf(trees: Sequence[Any], combine: Any) -> Any:
    flats = [flatten(tree)[0] for tree in trees]
    leaves = [combine(each, k) for k, each in enumerate(zip(*flats, strict=True))]
    return unflatten(flatten(trees[0])[1], leaves)


def _add(a: Any, b: Any) -> Any:
    """The sum of two results, in the first one's buffer where it can be reused."""
    if type(a) is np.ndarray and type(b) is np.ndarray and a.flags.writeable and a.ndim:
        return np.add(a, b, out=a)
    return _plus(a, b)


def _plus(a: Any, b: Any) -> Any:
    """The sum of two results; of two arrays an array, also without axes."""
    total = a + b
    return np.asarray(total) if type(a) is type(b) is np.ndarray else total


def group_size(count: int) -> int:
    """How many parts, one after the other, are added before others are added to them."""
    return math.isqrt(count - 1) + 1 if count else 1


class Added:
    """What a part has for a gradient, the class itself, that is in that of its group's first."""


class Total:
    """Gradients by one argument, put together as they come: sums take the memory of two."""

    def __init__(self, is_split: bool, count: int) -> None:
        self._is_split = is_split
        self._size = group_size(count)
        self._number = 0
        self._found: list[Any] = []  # all of those by samples; else the sum of the groups before
        self._group: list[Any] = []  # the sum of those of this group

    def add(self, gradient: Any) -> None:
        """One more, of the part that is next in order."""
        if self._is_split:
            self._found.append(gradient)
            return
        if gradient is not Added:
            self._group = [added([*self._group, gradient])]
        self._number += 1
        if self._number % self._size == 0:
            self._close()

    def whole(self) -> Any:
        """That by all samples."""
        if self._is_split:
            return joined(self._found)
        if self._group:
            self._close()
        return self._found[0]

    def _close(self) -> None:
        self._found, self._group = [added([*self._found, *self._group])], []


def added_there(results: Sequence[Any], is_split: Sequence[bool], single: bool) -> list[Any]:
    """Results of parts with the sums of their gradients in the first one; as they are if one is
    none, or there is but one.

    They are left as they are themselves: a worker may be asked for them again.
    """
    if len(results) == 1 or not all(type(result) is tuple for result in results):
        return list(results)
    parts = [(each,) if single else tuple(each) for _, each in results]
    found = []
    for k, (head, _) in enumerate(results):
        own = tuple(
            parts[k][j] if split else Added if k else _sum([part[j] for part in parts])
            for j, split in enumerate(is_split)
        )
        found.append((head, own[0] if single else own))
    return found


def _sum(trees: Sequence[Any]) -> Any:
    first = _leaf_by_leaf(trees[:2], lambda leaves, _: _plus(*leaves))
    return added([first, *trees[2:]])


__all__ = ["Added", "Total", "added", "added_there", "combined", "group_size", "joined"]

"""Results of parts put together, in the order of the parts.

value, gradients        added
gradient by a split x   joined along the first axis
aux                     added, joined or the first, as the program says for each leaf
"""

from __future__ import annotations

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
    return a + b


class Total:
    """Gradients by one argument, put together as they come: sums take the memory of one."""

    def __init__(self, is_split: bool) -> None:
        self._is_split = is_split
        self._found: list[Any] = []

    def add(self, gradient: Any) -> None:
        """One more, of the part that is next in order."""
        if self._is_split or not self._found:
            self._found.append(gradient)
        else:
            self._found = [added([self._found[0], gradient])]

    def whole(self) -> Any:
        """That by all samples."""
        return joined(self._found) if self._is_split else self._found[0]


__all__ = ["Total", "added", "combined", "joined"]

"""Arguments in parts: which arrays are split, where, and the part of each.

lengths(10, 3)            4, 3, 3
paths_of({"x": a}, 2)     A[2]['x']
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from srcad.api.arguments.trees import flatten, paths, unflatten
from srcad.errors import error
from srcad.parallel.storage import Stored


def lengths(n: int, count: int) -> list[int]:
    """The lengths of so many parts, longer ones first; of fewer where there are no samples."""
    count = max(1, min(count, n))
    return [n // count + (k < n % count) for k in range(count)]


def bounds(parts: Sequence[int]) -> list[tuple[int, int]]:
    """Where each part begins and ends."""
    return [*pairwise(accumulate(parts, initial=0))]


def paths_of(tree: Any, position: int) -> list[str]:
    """The paths of the arrays of an argument, as guards have them."""
    return [f"A[{position}]{path}" for path in paths(tree)]


def check_split(named: Sequence[tuple[str, Any]]) -> int:
    """The number of samples.

    Args:
        named: the arguments that are split, with their names.

    Raises:
        ArgumentValueError: E323, one is no array with an axis, or they differ in length.
    """
    found: dict[str, int] = {}
    for name, tree in named:
        for path, leaf in zip(paths(tree), flatten(tree)[0], strict=True):
            if not isinstance(leaf, np.ndarray | Stored) or leaf.ndim == 0:
                what = "which has no axis," if np.ndim(leaf) == 0 else "which is no array,"
                raise error("E323", None, what=f"`{name}{path}`, {what}")
            found[name + path] = len(leaf)
    if len(set(found.values())) != 1:
        told = ", ".join(f"{name} with {n}" for name, n in found.items()) or "without an array"
        raise error("E323", None, what=f"what differs in length ({told})")
    return next(iter(found.values()))


def part_of(tree: Any, start: int, stop: int) -> Any:
    """The entries from `start` to `stop` of each array; those of stored ones are not read yet."""
    flat, structure = flatten(tree)
    return unflatten(structure, [_rows(leaf, start, stop) for leaf in flat])


def _rows(x: Any, start: int, stop: int) -> Any:
    return x[start:stop] if isinstance(x, Stored) else np.asarray(x)[start:stop]


def as_several(tree: Any) -> Any:
    """Arrays like those given, with two samples at least: programs of one sample are others."""
    flat, structure = flatten(tree)
    return unflatten(structure, [_several(leaf) for leaf in flat])


def _several(x: np.ndarray | Stored) -> np.ndarray:
    if isinstance(x, Stored):
        return np.zeros((2, *x.shape[1:]), x.dtype)
    x = np.asarray(x)
    if len(x) > 1:
        return x
    return np.concatenate([x, x]) if len(x) else np.zeros((2, *x.shape[1:]), x.dtype)


__all__ = ["as_several", "bounds", "check_split", "lengths", "part_of", "paths_of"]

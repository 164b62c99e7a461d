"""Keys of arguments: what is equal as an argument of an operation has one key."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.nodes import Value

_EXACT = frozenset((int, bool, str, type(None)))


def freeze(tree: Any) -> Any:
    """A hashable key of an argument tree; constants differ by type, and zeros by sign."""
    kind = type(tree)
    if kind is Value:
        return tree
    if kind is tuple or kind is list:
        return (kind, *map(freeze, tree))
    if kind is dict:
        return (kind, *((name, freeze(item)) for name, item in tree.items()))
    if kind is slice:
        return (kind, freeze(tree.start), freeze(tree.stop), freeze(tree.step))
    if kind in _EXACT or isinstance(tree, type | np.dtype):
        return (kind, tree)
    if kind is float or kind is complex:
        return (kind, repr(tree))
    if isinstance(tree, np.generic):
        return (kind, tree.tobytes())
    return (kind, id(tree))


__all__ = ["freeze"]

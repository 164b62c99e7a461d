"""Containers of arrays outside the compiler, by optree; dataclasses join in when they are first
met.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import optree

_NAMESPACE = "srcad"
_ARRAYS = frozenset((np.ndarray,))
_known: set[type] = set()
_plain: set[type] = set()  # no containers


def leaves(tree: Any) -> list[Any]:
    """The leaves of a container, depth first; dicts in the order of their sorted keys."""
    if type(tree) is dict and _ARRAYS.issuperset(map(type, tree.values())):
        try:
            return [tree[key] for key in sorted(tree)]  # in each step of a training: no walk
        except TypeError:  # keys of several kinds
            pass
    flat, _ = flatten(tree)
    return flat


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """The leaves and the structure of a container."""
    _register(tree)
    flat, structure = optree.tree_flatten(tree, namespace=_NAMESPACE)
    return flat, structure


def unflatten(structure: Any, flat: list[Any]) -> Any:
    """The container with this structure and these leaves."""
    return optree.tree_unflatten(structure, flat)


def paths(tree: Any) -> list[str]:
    """How each leaf is reached, as Python writes it: `['w']`, `[0].bias`."""
    _register(tree)
    return [accessor.codify("") for accessor in optree.tree_accessors(tree, namespace=_NAMESPACE)]


def map_leaves(fn: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """`tree` with `fn` applied to its leaves, and to those of `others` in the same places."""
    _register(tree)
    return optree.tree_map(fn, tree, *others, namespace=_NAMESPACE)


def _register(tree: Any) -> None:
    """Make the dataclasses in a tree containers of their fields."""
    if type(tree) in _plain:
        return
    if isinstance(tree, dict):
        items: Any = tree.values()
    elif isinstance(tree, list | tuple):
        items = tree
    elif dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        items = [getattr(tree, f.name) for f in dataclasses.fields(tree)]
        _register_class(type(tree))
    else:
        if not isinstance(tree, type):
            _plain.add(type(tree))
        return
    for item in items:
        _register(item)


def _register_class(cls: type) -> None:
    if cls in _known:
        return
    names = tuple(f.name for f in dataclasses.fields(cls))

    def take_apart(x: Any) -> Any:
        return [getattr(x, n) for n in names], None, names

    def put_together(_: Any, values: Any) -> Any:
        # Not by the constructor: it may check or compute, and these are not its arguments.
        made: Any = object.__new__(cls)
        for name, value in zip(names, values, strict=True):
            object.__setattr__(made, name, value)
        return made

    optree.register_pytree_node(cls, take_apart, put_together, namespace=_NAMESPACE)
    _known.add(cls)

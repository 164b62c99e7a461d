"""Containers of arrays outside the compiler: their leaves, and the same container of others.

    flatten({"w": [1.0, 2.0], "b": 0.5})     [0.5, 1.0, 2.0], and the structure
    unflatten(structure, [3.0, 4.0, 5.0])    {"w": [4.0, 5.0], "b": 3.0}

Containers are tuples, lists, dicts, deques, named tuples, dataclasses and plain objects: those that
are nothing but their attributes. All else is a leaf, but for None, which is a container of nothing.

`optree` is not used for this: objects may lead back to themselves, which it ends with a
`RecursionError`. It would also keep each class of the user's in a registry for ever, which has to
be entered before the first object of that class is met.
"""

from __future__ import annotations

import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from srcad.runtime.fields import made_by
from srcad.runtime.outside import has_values, holds_values, values_of, with_values
from srcad.runtime.records import (
    attributes,
    beside_fields,
    filled,
    is_dataclass,
    is_dict_class,
    is_plain_class,
    own_fields,
    record,
    zeros,
)

Tree = TypeVar("Tree")
_DICTS = (dict, OrderedDict, defaultdict)
_ARRAYS = frozenset((np.ndarray,))
# The quick test: most objects that are met are of these classes.
_LEAVES = frozenset(
    (np.ndarray, np.float64, np.float32, bool, int, float, complex, str, types.FunctionType)
)


@dataclass(frozen=True, slots=True)
class Structure:
    """A container's form: `cls` with a structure for each of `keys`; a leaf has no class.

    `made` builds it from the items in the order of `keys`.
    """

    cls: type | None
    keys: tuple[Any, ...] = ()
    items: tuple[Structure, ...] = ()
    made: Callable[[Sequence[Any]], Any] = field(default=tuple, compare=False, repr=False)

    @property
    def has_objects(self) -> bool:
        """Whether there is a plain object in it, or one of a dataclass with more than fields."""
        kind = "" if self.cls is None else _kind(self.cls)
        cls: Any = self.cls
        if kind == "dataclass" and len(self.keys) > len(own_fields(cls)):
            return True
        if kind in ("plain", "values"):
            return True
        return any(item.has_objects for item in self.items)

    def __str__(self) -> str:
        if self.cls is None:
            return "*"
        parts = zip(self.keys, self.items, strict=True)
        inside = ", ".join(f"{key}: {item}" for key, item in parts)
        return f"{self.cls.__name__}({inside})"


LEAF = Structure(None)
_NONE = Structure(type(None), made=lambda items: None)


def leaves(tree: Any, *, nones: bool = False) -> list[Any]:
    """The leaves of a container, depth first; dicts in the order of their sorted keys.

    With `nones`, None is a leaf too.
    """
    keys = flat_keys(tree)
    if keys is not None:
        return [tree[key] for key in keys]
    found: list[Any] = []
    _collect(tree, found, nones, set())
    return found


def _collect(tree: Any, found: list[Any], nones: bool, inside: set[int]) -> None:
    parts = None if type(tree) in _LEAVES or id(tree) in inside else _parts(tree)
    if parts is None or (nones and tree is None):
        found.append(tree)
        return
    inside.add(id(tree))
    for item in parts[1]:
        _collect(item, found, nones, inside)
    inside.discard(id(tree))


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves and the structure of a container."""
    flat: list[Any] = []
    return flat, _flatten(tree, flat, set())


def flat_keys(tree: Any, classes: frozenset[type] = _ARRAYS) -> list[Any] | None:
    """The sorted keys of a dict of arrays, as a training updates one in each step: no walk is
    needed. None for all else.

    Args:
        classes: of its items; leaves.
    """
    if type(tree) is not dict or not classes.issuperset(map(type, tree.values())):
        return None
    try:
        return sorted(tree)
    except TypeError:  # keys of several kinds
        return None


def _flatten(tree: Any, flat: list[Any], inside: set[int]) -> Structure:
    """A container that contains itself is a leaf there."""
    parts = None if type(tree) in _LEAVES or id(tree) in inside else _parts(tree)
    if parts is None:
        flat.append(tree)
        return LEAF
    keys, items, made = parts
    inside.add(id(tree))
    forms = tuple(_flatten(item, flat, inside) for item in items)
    inside.discard(id(tree))
    return Structure(type(tree), tuple(keys), forms, made)


def unflatten(structure: Structure, flat: Sequence[Any]) -> Any:
    """The container with this structure and these leaves."""
    rest = iter(flat)
    made = _unflatten(structure, rest)
    if next(rest, LEAF) is not LEAF:
        raise ValueError("more leaves than the structure has")
    return made


def _unflatten(structure: Structure, rest: Iterator[Any]) -> Any:
    if structure.cls is None:
        return next(rest)
    return structure.made([_unflatten(item, rest) for item in structure.items])


def paths(tree: Any) -> list[str]:
    """How each leaf is reached, as Python writes it: `['w']`, `[0].bias`."""
    return paths_of(flatten(tree)[1])


def paths_of(structure: Structure) -> list[str]:
    """How each leaf of a structure is reached."""
    return list(_paths(structure, ""))


def _paths(structure: Structure, path: str) -> Iterator[str]:
    if structure.cls is None:
        yield path
        return
    named = not issubclass(structure.cls, tuple | list | dict | deque)
    named = named or (issubclass(structure.cls, tuple) and hasattr(structure.cls, "_fields"))
    for key, item in zip(structure.keys, structure.items, strict=True):
        yield from _paths(item, f"{path}.{key}" if named else f"{path}[{key!r}]")


def map_leaves(fn: Callable[[Any], Any], tree: Any) -> Any:
    """`tree` with `fn` applied to its leaves."""
    flat, structure = flatten(tree)
    return unflatten(structure, list(map(fn, flat)))


def stop_gradient(x: Tree) -> Tree:
    """`x`, treated as a constant where it is differentiated.

    Args:
        x: a number, an array, or a container of these: tuples, lists, dicts, named tuples,
            dataclasses or objects of them.

    Returns:
        The number or array itself, or a new container that holds the same ones.

    >>> import srcad
    >>> srcad.grad(lambda x: x * srcad.stop_gradient(x))(3.0)
    3.0
    >>> srcad.grad(lambda p: p["w"] * srcad.stop_gradient(p)["w"])({"w": 3.0})
    {'w': 3.0}
    """
    constant: Tree = map_leaves(lambda leaf: leaf, x)
    return constant


def completed(found: Any, whole: Any) -> Any:
    """`found` with the attributes that its objects lack, zeros as those in the same places of
    `whole`, in the order that they have there.
    """
    if isinstance(found, np.ndarray) and holds_values(whole):
        return with_values(whole, found)
    if found is None or type(found) is not type(whole):
        return found
    mine, others = _parts(found), _parts(whole)
    if mine is None or others is None:
        return found
    keys, items, made = others
    have = dict(zip(mine[0], mine[1], strict=True))
    pairs = zip(keys, items, strict=True)
    both = [completed(have[k], x) if k in have else zeros(x) for k, x in pairs]  # zeros of its own
    result = made(both)
    for name in have.keys() - set(keys):  # of the class
        object.__setattr__(result, name, have[name])
    return result


def with_leaves(tree: Any, structure: Structure, flat: Sequence[Any]) -> Any:
    """`tree` with the leaves of another container where it has None and that one a leaf."""
    return _with_leaves(tree, structure, iter(flat))


def _with_leaves(tree: Any, structure: Structure, rest: Iterator[Any]) -> Any:
    if structure.cls is None:
        leaf = next(rest)
        return leaf if tree is None else tree
    parts = _parts(tree)
    if parts is None or type(tree) is not structure.cls or tuple(parts[0]) != structure.keys:
        for _ in paths_of(structure):
            next(rest)
        return tree
    items = [_with_leaves(x, form, rest) for x, form in zip(parts[1], structure.items, strict=True)]
    return parts[2](items)


# One level ---------------------------------------------------------------------------------------

Parts = tuple[Sequence[Any], Sequence[Any], Callable[[Sequence[Any]], Any]]


def _parts(tree: Any) -> Parts | None:
    """The keys and items of a container, and what makes it of other items; None for a leaf."""
    cls: Any = type(tree)
    if tree is None:
        return (), (), _NONE.made
    if cls in (tuple, list):
        return range(len(tree)), tree, cls
    if cls in _DICTS:
        return _parts_of_dict(tree)
    if cls is deque:
        return range(len(tree)), tree, lambda items: deque(items, tree.maxlen)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return cls._fields, tree, cls._make
    if is_dict_class(cls):
        return _parts_of_dict(tree)
    kind = _kind(cls)
    if kind == "dataclass":
        names = own_fields(cls)
        beside = beside_fields(tree)
        if beside:
            own = attributes(tree)
            own |= {name: getattr(tree, name) for name in names if name not in own}
            return _parts_of_object(cls, own, (*names, *sorted(beside)))
        # Not by the constructor: it may check or compute, and these are not its arguments.
        return (
            names,
            [getattr(tree, name) for name in names],
            lambda items: record(cls, **dict(zip(names, items, strict=True))),
        )
    if kind == "plain":
        own = attributes(tree)
        return _parts_of_object(cls, own, sorted(own))
    if kind == "values" and holds_values(tree):
        held = (values_of(tree),)
        return ("values",), held, lambda items: with_values(tree, np.asarray(items[0]))
    return None


@lru_cache(maxsize=1024)
def _kind(cls: type) -> str:
    if is_dataclass(cls) and is_plain_class(cls):
        return "dataclass"
    if has_values(cls):
        return "values"
    # What gives an array by itself is one, whatever it keeps: `SparseRows`.
    return "plain" if is_plain_class(cls) and not hasattr(cls, "__array__") else ""


def _parts_of_dict(tree: Any) -> Parts:
    keys = sorted_keys(tree)

    def made(items: Sequence[Any]) -> Any:
        found = dict(zip(keys, items, strict=True))
        pairs = [(key, found[key]) for key in own]
        if type(tree) is defaultdict:
            return defaultdict(tree.default_factory, pairs)
        if type(tree) in _DICTS:
            return type(tree)(pairs)
        return made_by(tree)(type(tree), dict(pairs))

    own = list(tree)
    return keys, [tree[key] for key in keys], made


def _parts_of_object(cls: type, own: dict[str, Any], names: Sequence[str]) -> Parts:
    """The attributes in the order of `names`, so that objects are alike whichever was set first."""

    def made(items: Sequence[Any]) -> Any:
        found = dict(zip(names, items, strict=True))
        return filled(cls, {name: found[name] for name in own})

    return names, [own[name] for name in names], made


def sorted_keys(tree: dict[Any, Any]) -> list[Any]:
    """The keys of a dict in their order, those of several kinds by kind; those without an order in
    that of the dict.
    """
    if type(tree) is OrderedDict:
        return list(tree)
    try:
        return sorted(tree)
    except TypeError:
        pass
    try:
        return sorted(tree, key=lambda key: (type(key).__qualname__, key))
    except TypeError:
        return list(tree)


__all__ = [
    "LEAF",
    "Structure",
    "completed",
    "flat_keys",
    "flatten",
    "leaves",
    "map_leaves",
    "paths",
    "paths_of",
    "sorted_keys",
    "stop_gradient",
    "unflatten",
    "with_leaves",
]

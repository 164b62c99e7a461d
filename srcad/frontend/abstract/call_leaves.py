"""What goes in and out of a function that is called: trees of leaves, and the types of these.

f({"w": w, "n": 2}, True)      leaves: w, 2, True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import CONTAINERS
from srcad.frontend.abstract.containers.contents import known_contents, like
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import Abstract, is_leaf, is_static
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, Type
from srcad.rules.core.facts import unknown_extent


def leaves_of(x: Abstract) -> Iterator[Abstract]:
    """The leaves of a tree, in order."""
    return (leaf for _, leaf in placed_leaves(x))


def placed_leaves(
    x: Abstract, path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Abstract]]:
    """The leaves of a tree, each with its keys from outside in."""
    if is_leaf(x):
        yield path, x
    elif isinstance(x, tuple):
        for k, item in enumerate(x):
            yield from placed_leaves(item, (*path, k))
    elif isinstance(x, CONTAINERS):
        for key, item in known_contents(x).items():
            yield from placed_leaves(item, (*path, key))


def names_of(entry: dict[str, Abstract]) -> Iterator[str]:
    """The names of the leaves: those of the values, else of the parameters."""
    for name, x in entry.items():
        for leaf in leaves_of(x):
            yield name if leaf is x else (leaf.name if isinstance(leaf, Value) else "")


def rebuilt(x: Abstract, leaf: Callable[[Abstract], Abstract], frozen: bool) -> Abstract:
    """`x` with its leaves replaced, its containers new ones: not to be changed if `frozen`."""
    if is_leaf(x):
        return leaf(x)
    if isinstance(x, tuple):
        return tuple(rebuilt(item, leaf, frozen) for item in x)
    if isinstance(x, CONTAINERS):
        new = like(x, {k: rebuilt(item, leaf, frozen) for k, item in known_contents(x).items()})
        new.frozen = frozen or x.frozen or bool(x.path)
        return new
    return x


def as_result(x: Abstract, what: str) -> Abstract:
    """A returned value; refuses what is neither a leaf, nor a constant, nor a container of such."""
    if isinstance(x, tuple):
        return tuple(as_result(item, what) for item in x)
    if isinstance(x, CONTAINERS):
        for item in known_contents(x).values():
            as_result(item, what)
        return x
    if is_leaf(x) or is_static(x):
        return x
    raise error("E129", None, what=what)


def stripped(t: Type) -> Type:
    """An int that differs from call to call is no array's extent."""
    return NumberType(t.kind) if isinstance(t, NumberType) else t


def extents_at(params: dict[int, Type], given: dict[int, Abstract]) -> Callable[[Type], Type]:
    """What the unknown extents in the function are at a call: those of an argument, or new ones."""
    known: dict[Extent, Extent] = {}
    for k, t in params.items():
        actual = type_of_leaf(given[k])
        if isinstance(t, ArrayType) and isinstance(actual, ArrayType) and t.shape and actual.shape:
            known.update(
                (a, b) for a, b in zip(t.shape, actual.shape, strict=False) if _is_local(a)
            )

    def extent(e: Extent) -> Extent:
        if not _is_local(e) or not isinstance(e, Dim):
            return e
        if e not in known:
            known[e] = replace(unknown_extent(), never_one=e.never_one)
        return known[e]

    def fill(t: Type) -> Type:
        if not isinstance(t, ArrayType) or not t.shape:
            return t
        return ArrayType(t.dtype, tuple(map(extent, t.shape)), t.scalar)

    return fill


def _is_local(e: Extent) -> bool:
    """Whether an extent is another number in each call: not one of the signature."""
    return isinstance(e, Dim) and "?" in e.symbol

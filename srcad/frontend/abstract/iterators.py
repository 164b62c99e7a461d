"""Iterators: lazy, as in Python, and used up by the first iteration over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Iterator as Items
from dataclasses import dataclass, field
from typing import Any

from srcad.frontend.abstract.objects import Abstract, AbstractObject
from srcad.ir.nodes import Checkpointing


@dataclass(eq=False, slots=True)
class OneShot(AbstractObject):
    """What can be iterated over once.

    `home`: the statements among which it was made, and the number of loops around; `items`: those
    that are left, once one was taken; `began`: what it goes over that must stay as it is, or as
    long, with what says that it is.
    """

    home: tuple[list[Any], int] | None = field(default=None, init=False)
    items: Items[Abstract] | None = field(default=None, init=False)
    began: tuple[tuple[Any, Any], ...] = field(default=(), init=False)


@dataclass(eq=False, slots=True)
class Sparing(AbstractObject):
    """`srcad.checkpoint(inner, budget=...)`: what a loop runs over that is checkpointed."""

    inner: Abstract
    how: Checkpointing


@dataclass(eq=False, slots=True)
class Enumerate(OneShot):
    """`enumerate(inner, start)`."""

    inner: Abstract
    start: Abstract


@dataclass(eq=False, slots=True)
class Zip(OneShot):
    """`zip(*parts)`."""

    parts: tuple[Abstract, ...]


@dataclass(eq=False, slots=True)
class Reversed(OneShot):
    """`reversed(inner)`."""

    inner: Abstract


@dataclass(eq=False, slots=True)
class Iterator(OneShot):
    """`iter(inner)`."""

    inner: Abstract


@dataclass(eq=False, slots=True)
class Lazy(OneShot):
    """An iterator of `itertools`; `make` gives its items, from those of `parts`."""

    name: str
    make: Callable[[], Iterable[Abstract]]
    parts: tuple[Abstract, ...]


@dataclass(eq=False, slots=True)
class Map(OneShot):
    """`map(fn, *parts)`."""

    fn: Abstract
    parts: tuple[Abstract, ...]

"""Iterators: lazy, as in Python, and used up by whoever iterates over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from srcad.frontend.abstract.objects import Abstract, AbstractObject


class OneShot(AbstractObject):
    """What can be iterated over once."""

    __slots__ = ()


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

"""What is iterated over without being a container: lazy, as in Python; and lists made by loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gast

if TYPE_CHECKING:
    from srcad.frontend.abstract.frame import Frame
    from srcad.frontend.abstract.objects import DictObj
    from srcad.ir.nodes import Value
    from srcad.ir.types import Type

Abstract = Any


@dataclass(frozen=True, eq=False, slots=True)
class Grown:
    """A list that a loop appended to: what its items are made of, stacked in arrays.

    `item` is an item with the number of a column in place of each array or number; `kinds` are
    their types.
    """

    item: Abstract
    columns: tuple[Value, ...]
    kinds: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """A `range` with bounds known at run time only."""

    start: Abstract
    stop: Abstract
    step: Abstract


@dataclass(eq=False, slots=True)
class Enumerate:
    """`enumerate(inner, start)`."""

    inner: Abstract
    start: Abstract


@dataclass(eq=False, slots=True)
class Zip:
    """`zip(*parts)`."""

    parts: tuple[Abstract, ...]


@dataclass(eq=False, slots=True)
class Reversed:
    """`reversed(inner)`."""

    inner: Abstract


@dataclass(eq=False, slots=True)
class Iterator:
    """`iter(inner)`."""

    inner: Abstract


@dataclass(eq=False, slots=True)
class Lazy:
    """An iterator of `itertools`; `make` gives its items, from those of `parts`."""

    name: str
    make: Callable[[], Iterable[Abstract]]
    parts: tuple[Abstract, ...]


@dataclass(eq=False, slots=True)
class Map:
    """`map(fn, *parts)`."""

    fn: Abstract
    parts: tuple[Abstract, ...]


@dataclass(eq=False, slots=True)
class Generator:
    """A generator expression, run when something iterates over it; `source`: what its first clause
    iterates over.
    """

    node: gast.GeneratorExp
    frame: Frame
    source: Abstract


@dataclass(eq=False, slots=True)
class View:
    """`d.keys()`, `d.values()` or `d.items()`: shows what `d` holds when it is read."""

    owner: DictObj
    kind: str

    @property
    def items(self) -> list[Abstract]:
        """What it shows now."""
        return list(getattr(self.owner.items, self.kind)())


ITERATORS = (Enumerate, Zip, Reversed, Iterator, Lazy, Map, Generator)

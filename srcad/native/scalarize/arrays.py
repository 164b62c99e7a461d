"""Arrays while loops are made of them: memory, views of it, and entries not computed yet.

    u[1:-1]                 View of u:     entry (i) is u[i + 1]
    a * b[:, None]          Entries:       entry (i, j) is a[i, j] * b[i]

An array knows its extents and how to write the code of one entry; nothing is computed before
something reads it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.ir import Value
from srcad.ir.affine import Affine
from srcad.native.scalarize.loop_builder import INT, Code
from srcad.native.scalarize.scalars import precision

Index = tuple[Affine, ...]
Extents = tuple[Affine, ...]


@dataclass(frozen=True)
class Array(ABC):
    """What all have: a dtype and extents."""

    dtype: np.dtype
    extents: Extents

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.extents)

    @abstractmethod
    def entry(self, code: Code, index: Index) -> Any:
        """Write the code of one entry; returns the atom that holds it."""


@dataclass(frozen=True)
class Axis:
    """The position along one axis of the memory: `start + step * index[of]`, or just `start`."""

    start: Affine
    of: int | None = None
    step: int = 1

    def at(self, index: Index) -> Affine:
        """The position for an index of the view."""
        return self.start if self.of is None else self.start + index[self.of] * self.step


@dataclass(frozen=True, eq=False)
class Memory:
    """An array of the compiled function: a parameter, or one that it allocates."""

    value: Value
    dtype: np.dtype
    extents: Extents


@dataclass(frozen=True)
class View(Array):
    """Memory seen through basic indices. An axis of the view that no axis of the memory follows
    repeats what is there.
    """

    memory: Memory
    axes: tuple[Axis, ...]

    def entry(self, code: Code, index: Index) -> Any:
        """Read the memory."""
        return code.load(self.memory.value, self.place(index), self.dtype)

    def place(self, index: Index) -> Index:
        """Where in the memory the entry is."""
        return tuple(axis.at(index) for axis in self.axes)

    def is_whole(self, axis: int) -> bool:
        """Whether the view is as long along an axis as the memory along the one it follows."""
        own = [k for k, a in enumerate(self.axes) if a.of == axis]
        return bool(own) and self.extents[axis] == self.memory.extents[own[0]]

    @property
    def is_all(self) -> bool:
        """Whether the view is the memory as it lies."""
        same = (a.of == k and a.step == 1 and a.start == Affine() for k, a in enumerate(self.axes))
        return self.extents == self.memory.extents and all(same)

    @property
    def is_injective(self) -> bool:
        """Whether no two entries have one place."""
        shown = {axis.of for axis in self.axes}
        return all(k in shown or n.number == 1 for k, n in enumerate(self.extents))


def whole(memory: Memory) -> View:
    """The view of all of the memory."""
    axes = tuple(Axis(Affine(), k) for k in range(len(memory.extents)))
    return View(memory.dtype, memory.extents, memory, axes)


@dataclass(frozen=True)
class Entries(Array):
    """An array that is computed entry by entry, where they are used."""

    compute: Callable[[Code, Index], Any]
    is_trivial: bool = False  # as cheap as reading memory

    def entry(self, code: Code, index: Index) -> Any:
        """Compute the entry."""
        return self.compute(code, index)


@dataclass(frozen=True)
class Unwritten(Entries):
    """`np.empty(n)`: in memory its entries are what happens to be there."""


@dataclass(frozen=True)
class Counted(Entries):
    """The integers from 0 on, one after the other: `np.arange(n)`."""


def counted(n: Affine) -> Counted:
    """`np.arange(n)`."""
    return Counted(np.dtype(np.int64), (n,), lambda code, index: code.whole(index[0]), True)


def shifted(array: Array, extents: Extents, axis: int, by: Affine) -> Array:
    """The part of an array that begins at `by` along an axis."""

    def back(index: Index) -> Index:
        return tuple(place + by if k == axis else place for k, place in enumerate(index))

    return remapped(array, extents, back)


def cast_entries(array: Array, dtype: np.dtype, is_trivial: bool = False) -> Entries:
    """The array with another dtype."""

    def entry(code: Code, index: Index) -> Any:
        return precision.cast(code, array.entry(code, index), dtype)

    return Entries(dtype, array.extents, entry, is_trivial)


def without_axes(array: Array, gone: Sequence[int]) -> Array:
    """The array without axes of one entry."""
    if not gone:
        return array
    kept = [k for k in range(array.rank) if k not in gone]

    def back(index: Index) -> Index:
        return tuple(index[kept.index(k)] if k in kept else Affine() for k in range(array.rank))

    return remapped(array, tuple(array.extents[k] for k in kept), back)


def remapped(array: Array, extents: Extents, back: Callable[[Index], Index]) -> Array:
    """The array whose entry at `index` is that of `array` at `back(index)`.

    Args:
        back: keeps the form `start + step * index[k]` of each position (or is a constant).
    """
    if isinstance(array, View):
        probe = tuple(Affine.of(Value(f"k{k}", INT)) for k in range(len(extents)))
        places = array.place(back(probe))
        axes = tuple(_axis(place, probe) for place in places)
        return View(array.dtype, extents, array.memory, axes)
    is_trivial = isinstance(array, Entries) and array.is_trivial

    def entry(code: Code, index: Index) -> Any:
        return array.entry(code, back(index))

    return Entries(array.dtype, extents, entry, is_trivial)


def permuted(x: Array, axes: Sequence[int]) -> Array:
    """The array with its axes in another order."""
    order = [k % x.rank for k in axes]
    places = [order.index(k) for k in range(x.rank)]
    return remapped(x, tuple(x.extents[k] for k in order), lambda i: tuple(i[k] for k in places))


def _axis(place: Affine, probe: Sequence[Affine]) -> Axis:
    for k, symbol in enumerate(probe):
        ((value, _),) = symbol.terms
        step = place.coefficient(value)
        if step:
            return Axis(place - symbol * step, k, step)
    return Axis(place)


def aligned(array: Array, code: Code, index: Index) -> Any:
    """The entry of an array for an index of what it is broadcast to."""
    own = index[len(index) - array.rank :]
    at = tuple(Affine() if n.number == 1 else i for n, i in zip(array.extents, own, strict=True))
    return array.entry(code, at)

"""The names that variables hold, and the first of a family that a variable may take.

    x      held by a value that lives here
    x_2    held by one that lives here
    x_3    free: what held it is read no more

Thousands of values of one name may live at once, as in the reverse sweep of a long program. So
which names are held is looked up for all values of a name together.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import filterfalse
from typing import Protocol

import numpy as np

_FEW = 24  # names that are tried one by one


class Held(Protocol):
    """Values that share a name: their bits, and those of what lives where they are written."""

    mine: int
    living: int


class _Holders:
    """All values that hold one name."""

    __slots__ = ("living", "mine", "number")

    def __init__(self, number: int) -> None:
        self.number, self.mine, self.living = number, 0, 0


class HeldNames:
    """Which values hold which name."""

    def __init__(self) -> None:
        self.holders: dict[str, _Holders] = {}
        self.by_bit = np.full(64, -1, np.int32)  # the number of the name that a value holds

    def give(self, name: str, variable: Held) -> None:
        """Let the values of a variable hold `name`."""
        held = self.holders.get(name)
        if held is None:
            held = self.holders[name] = _Holders(len(self.holders))
        held.mine |= variable.mine
        held.living |= variable.living
        bits = _positions(variable.mine)
        if bits[-1] >= self.by_bit.size:
            more = np.full(2 * int(bits[-1]), -1, np.int32)
            more[: self.by_bit.size] = self.by_bit
            self.by_bit = more
        self.by_bit[bits] = held.number

    def is_free(self, name: str, variable: Held) -> bool:
        """Whether no value of the variable clashes with one that holds `name`."""
        held = self.holders.get(name)
        return held is None or not (variable.living & held.mine or held.living & variable.mine)

    def first_free(self, names: list[str], numbers: np.ndarray, variable: Held) -> str | None:
        """The first of `names`, which have these numbers, that the variable may take."""
        if len(names) > _FEW:
            holding = np.zeros(len(self.holders) + 1, bool)
            lives = _set_bits(variable.living)[: self.by_bit.size]
            holding[self.by_bit[: lives.size][lives]] = True
            perhaps = np.flatnonzero(~holding[numbers[: len(names)]])
            return next((names[k] for k in perhaps if self.is_free(names[k], variable)), None)
        return next((name for name in names if self.is_free(name, variable)), None)


class Family:
    """`wish`, `wish_2`, ... as far as needed."""

    def __init__(self, wishes: Iterator[str], reserved: set[str]) -> None:
        self.names: list[str] = []
        self.numbers = np.empty(2 * _FEW, np.int32)
        self.more = filterfalse(reserved.__contains__, wishes)

    def free(self, held: HeldNames, variable: Held) -> str:
        """The first name that the variable may take; it must be given to it."""
        name = held.first_free(self.names, self.numbers, variable)
        if name is None:
            name = next(name for name in self.more if held.is_free(name, variable))
            if len(self.names) == self.numbers.size:
                self.numbers = np.resize(self.numbers, 2 * self.numbers.size)
            known = held.holders.get(name)
            self.numbers[len(self.names)] = len(held.holders) if known is None else known.number
            self.names.append(name)
        return name


def _positions(bits: int) -> list[int]:
    """The places of the bits that are set, in order."""
    found: list[int] = []
    while bits and len(found) < _FEW:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return [*found, *np.flatnonzero(_set_bits(bits))] if bits else found


def _set_bits(bits: int) -> np.ndarray:
    """Whether each bit is set."""
    data = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), np.uint8)
    return np.unpackbits(data, bitorder="little").view(bool)

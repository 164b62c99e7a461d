"""Sets of values as whole numbers: one bit for each value.

    bits = Bits()
    live = bits.of([x, y])          0b11
    live &= ~bits.of([x])           0b10
    bits.values(live)               [y]

What lives at each place of a long program is a set for each place, most of it the same from one to
the next: as numbers these take an eighth of a byte for each value, and are joined and compared a
word at a time.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcad.ir.nodes import Value


class Bits:
    """Numbers the values as they are first asked for."""

    __slots__ = ("_at", "_values")

    def __init__(self) -> None:
        self._at: dict[Value, int] = {}
        self._values: list[Value] = []

    def of(self, values: Iterable[Value]) -> int:
        """The set of `values`."""
        at, found = self._at, 0
        for value in values:
            k = at.get(value)
            if k is None:
                k = at[value] = len(at)
                self._values.append(value)
            found |= 1 << k
        return found

    def values(self, found: int) -> list[Value]:
        """The values of a set, in the order in which they were numbered."""
        values = []
        while found:
            lowest = found & -found
            values.append(self._values[lowest.bit_length() - 1])
            found ^= lowest
        return values

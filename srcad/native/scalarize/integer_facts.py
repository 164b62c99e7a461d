"""What is known of integers while loops are written: known to which thread, and how large.

for i in range(n):                     i is 0 to n - 1
    end = clipped(i + 3, n)            end is 0 to n
    ... i - end                        -n to n - 1, before the loop
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from srcad.ir import Stmt, Value
from srcad.ir.affine import Affine
from srcad.native.helpers import check_natural

_GONE = 1 << 30  # the level of what no open block knows


@dataclass
class Frame:
    """A block under construction. Of a loop: its index, and the first and last value of it; checks
    go past `is_sure` frames, which run whenever what is around them does.
    """

    body: list[Stmt] = field(default_factory=list)
    index: Value | None = None
    least: Affine = field(default_factory=Affine)
    greatest: Affine = field(default_factory=Affine)
    is_sure: bool = True
    loaded: dict[Any, Value] = field(default_factory=dict)
    checked: set[tuple[Any, ...]] = field(default_factory=set)
    derived: dict[Any, Affine] = field(default_factory=dict)
    bounds: dict[Affine, Any] = field(default_factory=dict)
    # Arrays that lie elsewhere as well, as they are: in which one, ahead of the own place.
    copies: dict[Value, tuple[Value, tuple[Affine, ...]]] = field(default_factory=dict)


class Known:
    """A stack of blocks, and facts about the integers that they bind."""

    def __init__(self) -> None:
        self.frames = [Frame()]
        self.level: dict[Value, int] = {}
        self.same: dict[Value, Affine] = {}
        self.limits: dict[Value, tuple[Affine, Affine]] = {}
        self.naturals: set[Value] = set()  # what is not negative, and may be as large as it likes

    def unify(self, n: Affine, m: Affine) -> None:
        """Two integers are equal from here on: one of their values can be told by the others."""
        difference = n - m
        for value, k in difference.terms:
            if abs(k) == 1:
                told = Affine.of(value) - difference * k
                self.same = {v: f.replaced({value: told}) for v, f in self.same.items()}
                self.same[value] = told
                return

    def unify_within(self, n: Affine, m: Affine) -> None:
        """As `unify`, in the current block: it is a value of its own that is told by others."""
        difference = n - m
        level = len(self.frames) - 1
        for value, k in reversed(difference.terms):
            if abs(k) == 1 and self.depth_of(value) == level:
                told = Affine.of(value) - difference * k
                self.same = {v: f.replaced({value: told}) for v, f in self.same.items()}
                self.same[value] = told
                return

    def settled(self, number: Affine) -> Affine:
        """The form in which equal integers are one."""
        return number.replaced(self.same) if self.same else number

    def depth(self, number: Affine) -> int:
        """The number of the outermost block that knows an integer."""
        return max((self.depth_of(value) for value, _ in number.terms), default=0)

    def depth_of(self, value: Value) -> int:
        """The number of the block that binds a value."""
        return self.level.get(value, _GONE)

    def outermost(self, *numbers: Affine) -> int:
        """The number of the outermost block where these are known, whatever runs them."""
        return max((self.depth(number) for number in numbers), default=0)

    def bounds(self, number: Affine, level: int) -> tuple[Affine, Affine] | None:
        """The least and the greatest value that `number` takes in the block `level`."""
        least = greatest = number
        for k in range(len(self.frames) - 1, level, -1):
            least, greatest = self.limited(least, k, False), self.limited(greatest, k, True)
            frame = self.frames[k]
            if frame.index is not None:
                least, greatest = extreme(least, frame, False), extreme(greatest, frame, True)
        known = self.outermost(least, greatest) <= level
        return (least, greatest) if known else None

    def limited(self, number: Affine, level: int, is_greatest: bool) -> Affine:
        """A number with the limits of those bound in a block in their place."""
        while True:
            bound = [v for v, _ in number.terms if v in self.limits and self.depth_of(v) == level]
            if not bound:
                return number
            last = bound[-1]
            number = _end(number, last, self.limits[last], is_greatest)

    def extremes(self, number: Affine) -> tuple[Affine, Affine] | None:
        """The least and the greatest value that `number` takes, told by what comes in."""
        found = self.bounds(number, 0)
        if found is None:
            return None
        return self.limited(found[0], 0, False), self.limited(found[1], 0, True)

    def is_natural(self, number: Affine) -> bool:
        """Whether a number is surely not negative."""
        number = self.settled(number)
        if number.const >= 0 and all(k > 0 and v in self.naturals for v, k in number.terms):
            return True
        found = self.extremes(number)
        if found is None or found[0].const < 0:
            return False
        return all(k > 0 and value in self.naturals for value, k in found[0].terms)

    def is_checked(self, number: Affine) -> bool:
        """Whether a number was seen to: the function has ended before where it is negative."""
        number = self.settled(number)
        return self.has_check(check_natural, number, number)

    def has_check(self, check: Callable[..., None], *numbers: Affine) -> bool:
        """Whether a check of these numbers was made in an open block."""
        return any((check, *numbers) in frame.checked for frame in self.frames)

    def sure_level(self) -> int:
        """The outermost block that runs whenever the current one does."""
        level = len(self.frames) - 1
        while level > 0 and self.frames[level].is_sure:
            level -= 1
        return level

    def room(self, extents: Sequence[Affine]) -> tuple[int, tuple[Affine, ...]]:
        """The outermost block that knows how large an array can become, and those extents."""
        for level in range(len(self.frames)):
            found = [self.bounds(n, level) for n in extents]
            if None not in found:
                return level, tuple(pair[1] for pair in found if pair is not None)
        raise AssertionError("extents are known where they are")


def extreme(number: Affine, frame: Frame, is_greatest: bool) -> Affine:
    """The extreme value of `number` over the iterations of a loop."""
    assert frame.index is not None
    return _end(number, frame.index, (frame.least, frame.greatest), is_greatest)


def _end(number: Affine, value: Value, ends: tuple[Affine, Affine], is_greatest: bool) -> Affine:
    """A number with an end of what a value can be in the value's place."""
    k = number.coefficient(value)
    return number.replaced({value: ends[(k > 0) == is_greatest]}) if k else number

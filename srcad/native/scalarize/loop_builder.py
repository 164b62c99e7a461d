"""Writing loops: integers that others tell, and checks of positions and extents.

A position that a program computes is checked before the outermost loop whose index it depends on:

    for i in range(1, n): ... u[i + 1]           check_range(2, n, u.shape[0])
                                                 for i in range(1, n): ...
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence

from srcad.ir import Value
from srcad.ir.affine import Affine
from srcad.native.helpers import check_equal, check_natural, check_range
from srcad.native.scalarize.block_builder import BlockBuilder, Place
from srcad.native.scalarize.entry_types import INT, NARROW, Unsuited, scalar
from srcad.native.scalarize.integer_facts import extreme

__all__ = ["INT", "NARROW", "Code", "Place", "Unsuited", "scalar"]


class Code(BlockBuilder):
    """The function under construction."""

    def __init__(self) -> None:
        super().__init__()
        # Of integers that are computed of others: by what, of which, and the most they can be.
        self.recipes: dict[Value, tuple[Callable[..., int], tuple[Affine, ...], Affine | None]] = {}

    # Integers that others tell

    def derived(
        self, fn: Callable[..., int], of: Sequence[Affine], most: Affine | None, name: str = ""
    ) -> Affine:
        """`fn(*of)`, computed once, in the outermost block that knows these; 0 to `most`."""
        key = (fn, tuple(map(self.settled, of)))
        for frame in self.frames:
            if key in frame.derived:
                return frame.derived[key]
        known = key[1] if most is None else (*key[1], most)
        with self.outside(self.outermost(*known)):
            made = self.op(fn, [self.whole(each) for each in key[1]], INT, name)
            self.recipes[made] = (fn, key[1], most)
            if most is not None:
                self.limits[made] = (Affine(), most)
            self.frames[-1].derived[key] = found = Affine.of(made)
        return found

    def multiplied(self, n: Affine, m: Affine) -> Affine:
        """The product of two integers, neither known; not negative where neither is."""
        made = self.derived(operator.mul, (n, m), None)
        if self.is_natural(n) and self.is_natural(m):
            self.naturals.update(value for value, _ in made.terms)
        return made

    def product(self, numbers: Sequence[Affine]) -> Affine:
        """The product of extents."""
        total = Affine(1)
        for n in numbers:
            if total.number is not None or n.number is not None:
                total = n * total.number if total.number is not None else total * (n.number or 0)
            else:
                total = self.multiplied(total, n)
        return total

    def told_by(self, numbers: Sequence[Affine]) -> Iterator[Value]:
        """The integers of which these are made, and those of which they were computed."""
        for number in numbers:
            for value, _ in number.terms:
                if value in self.recipes:
                    yield from self.told_by(self.recipes[value][1])
                else:
                    yield value

    def translated(self, form: Affine, then: Mapping[Value, Affine]) -> Affine:
        """The integer in another loop, where `then` is what the indices of the first were."""
        total = Affine(form.const)
        for value, k in form.terms:
            found = then.get(value, Affine.of(value))
            if value in self.recipes and value not in self.level:
                fn, of, most = self.recipes[value]
                own = [self.translated(each, then) for each in of]
                if self.outermost(*own) >= len(self.frames):
                    raise Unsuited("integers that are not known any more")
                limit = None if most is None else self.translated(most, then)
                found = self.derived(fn, own, limit, value.name)
            total += found * k
        return total

    def limited_to(self, number: Affine, most: Affine) -> Affine:
        """An integer that was saved, of which it is known that it is 0 to `most`."""
        for value, _ in number.terms:
            self.limits[value] = (Affine(), most)
        return number

    # Checks

    def check(self, position: Affine, n: Affine, may_wrap: bool = False) -> None:
        """See to it that a position is one of `n`; negative ones count from the end if they may."""
        position, n = self.settled(position), self.settled(n)
        if self.is_natural(position) and self.is_natural(n - position - 1):
            return
        level, least, greatest = self.hoisted(position, position, n)
        lowest = -n if may_wrap else Affine()
        self._check_once(level, check_range, lowest, least, greatest, n)

    def check_natural(self, number: Affine) -> None:
        """See to it that a number is not negative."""
        number = self.settled(number)
        if self.is_natural(number):
            return
        level, least, greatest = self.hoisted(number, number)
        self._check_once(level, check_natural, least, greatest)

    def _check_once(self, level: int, check: Callable[..., None], *numbers: Affine) -> None:
        """Make a check in the block at this level, unless it is made there or around it."""
        with self.outside(level):
            if not self.has_check(check, *numbers):
                self.frames[-1].checked.add((check, *numbers))
                self.effect(check, *map(self.whole, numbers))

    def broadcast(self, shapes: Sequence[Place]) -> Place:
        """The extents of the result; those that must be equal and are not known to be are
        compared.
        """
        rank = max(map(len, shapes))
        result = []
        for k in range(rank):
            given = [s[k - rank + len(s)] for s in shapes if k - rank + len(s) >= 0]
            long = [n for n in given if n.number != 1]
            for n in long[1:]:
                self.equal(long[0], n)
            result.append(long[0] if long else Affine(1))
        return tuple(result)

    def equal(self, n: Affine, m: Affine) -> None:
        """See to it that two extents are equal."""
        n, m = self.settled(n), self.settled(m)
        if n == m:
            return
        if (n - m).number is not None:
            raise Unsuited("extents that differ")
        level = min(self.outermost(n, m), len(self.frames) - 1)
        level = max(level, self.sure_level())
        with self.outside(level):
            if not self.has_check(check_equal, n, m):
                self.frames[-1].checked.add((check_equal, n, m))
                self.effect(check_equal, self.whole(n), self.whole(m))
                if level == 0:
                    self.unify(n, m)
                else:
                    self.unify_within(n, m)

    def equal_all(self, a: Place, b: Place) -> None:
        """See to it that two arrays have equal extents."""
        if len(a) != len(b):
            raise Unsuited("an array of several ranks")
        for n, m in zip(a, b, strict=True):
            self.equal(n, m)

    def hoisted(
        self, least: Affine, greatest: Affine, *others: Affine
    ) -> tuple[int, Affine, Affine]:
        """The outermost block that knows what a check needs, and the extremes there."""
        level = len(self.frames) - 1
        while level > 0:
            frame = self.frames[level]
            if not frame.is_sure:
                break
            if frame.index is None:
                lower, upper = least, greatest
            else:
                lower, upper = extreme(least, frame, False), extreme(greatest, frame, True)
            if self.outermost(lower, upper, *others) >= level:
                break
            level, least, greatest = level - 1, lower, upper
        return level, least, greatest

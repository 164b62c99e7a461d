"""How a value depends on samples that are split into parts: the lattice of the analysis.

    def loss(w, x, y):                    split over x and y, which have n samples
        r = x @ w - y                     each: one entry per sample, along axis 0
        k = len(x)                        count: n itself; as a factor it is `same`, power 1
        s = np.sum(r**2)                  sum: of one term per sample, power 0
        m = s / k                         sum, power -1: a mean
        p = np.sum(w**2)                  same: no samples are in it
        return m + p                      sum, power -1: `p` is the mean of as many p

A value of power q is n**q times what the samples give. A `sum` of power q of all samples is made of
those of the parts: with `share`, the number of a part's samples over n, it is the sum over the
parts of `share**-q * value`. So is what is the `same` for all samples, c * n**p: it is a sum of
power p - 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from srcad.errors import Location
from srcad.ir.nodes import Stmt

Kind = Literal[
    "zero", "same", "each", "place", "list", "items", "sum", "running", "filling", "all", "tuple",
    "mixed",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """One value's dependence on the samples.

    zero: the number 0, or an array of these. same: no samples, but for `power` of their number.
    each: one entry per sample along `axis`; with axis None, in a loop over the samples, what
    belongs to the sample of this iteration. place: the numbers 0 ... n-1 of the samples, in the
    same way. list: a sequence with an element per sample. items: one of which each element is as
    `items` says. sum: a sum of a term per sample.
    running: what a loop over the samples has added to the carried value number `of` so far; its
    power is None before the first term. filling: an array with samples first of which each
    iteration writes the entry of its sample, carried value number `of`. all: whether something
    holds for all samples. tuple: of values with these `items`. mixed: none of these, for the
    `reason`, `where`.

    group: "" for one entry per sample, "several" for as many of each, one after the other; or the
    mask that has left some of the samples.
    """

    kind: Kind
    power: int | None = 0
    axis: int | None = 0
    is_count: bool = False
    of: int = 0
    items: tuple[Fact, ...] = ()
    group: Any = ""
    reason: str = ""
    where: Location | None = None

    @property
    def is_same(self) -> bool:
        """Whether it is the same in any part."""
        if self.kind == "tuple":
            return all(item.is_same for item in self.items)
        return self.kind == "zero" or (self.kind == "same" and self.power == 0)

    @property
    def is_own(self) -> bool:
        """Whether it is a matter of one sample, that of this iteration, or the same for all."""
        if self.kind == "tuple":
            return all(item.is_own for item in self.items)
        return self.is_same or (self.kind == "each" and self.axis is None and self.power == 0)


ZERO = Fact("zero")
SAME = Fact("same")
COUNT = Fact("same", 1, is_count=True)
OWN = Fact("each", axis=None)
PLACES = Fact("place")
PLACE = Fact("place", axis=None)
ALL = Fact("all")


def same(power: int) -> Fact:
    """A constant times this power of the number of samples."""
    return Fact("same", power)


def each(axis: int | None, power: int | None = 0, group: Any = "") -> Fact:
    """An entry per sample, or for several or some of them."""
    return Fact("each", power, axis, group=group)


def total(power: int) -> Fact:
    """A sum over the samples times this power of their number."""
    return Fact("sum", power)


def mixed_at(stmt: Stmt, reason: str) -> Fact:
    """What a statement gives depends on the samples in a way that is not followed."""
    return Fact("mixed", reason=reason, where=stmt.loc)


class Mixed(Exception):  # noqa: N818 - a signal, no error
    """A value depends on the samples in a way that no other kind describes, for a reason."""


def sum_power(fact: Fact) -> int | None:
    """The power of a value as a sum over the samples; None for what is no such sum.

    Zero is a sum of any power.
    """
    if fact.kind in ("sum", "running"):
        return fact.power
    if fact.kind == "same":
        assert fact.power is not None
        return fact.power - 1
    return None


def joined(a: Fact, b: Fact, is_inexact: bool) -> Fact:
    """What holds of a value that is one or the other.

    Args:
        is_inexact: whether a number in between may be put in its place, a share of it.

    Raises:
        Mixed: nothing does.
    """
    if a == b:
        return a
    for one, other in ((a, b), (b, a)):
        if one.kind == "mixed":
            return one
        if one.kind == "zero" and other.kind in ("same", "sum", "running"):
            return SAME if other.is_count else other
        if one.is_same and other == OWN:
            return OWN
    if a.kind == b.kind == "running" and a.of == b.of and None in (a.power, b.power):
        return a if b.power is None else b
    if a.kind == b.kind == "same" and a.power == b.power:
        return same(a.power or 0)
    if a.kind == b.kind == "tuple" and len(a.items) == len(b.items):
        pairs = zip(a.items, b.items, strict=True)
        return Fact("tuple", items=tuple(joined(x, y, False) for x, y in pairs))
    powers = {sum_power(x) for x in (a, b)}
    if {a.kind, b.kind} <= {"same", "sum"} and (len(powers) == 1 or is_inexact):
        return total(next(iter(powers)) or 0 if len(powers) == 1 else 0)
    raise Mixed("one value with two meanings: of each sample, of all, or of none")


def first_mixed(facts: Iterable[Fact]) -> Fact | None:
    """The first of them that is mixed, in a tuple perhaps."""
    for fact in facts:
        if fact.kind == "mixed":
            return fact
        if (found := first_mixed(fact.items)) is not None:
            return found
    return None

"""Integers as sums of values times constants: positions and extents that can be compared.

    i - 1 + 1        i                 n - 2 < n        always

The forms are canonical: two that are equal are the same number whatever the values are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from srcad.ir.nodes import Value


@dataclass(frozen=True, slots=True, eq=False)
class Affine:
    """`const + sum(k * value for value, k in terms)`; no `k` is 0, no value is there twice."""

    const: int = 0
    terms: tuple[tuple[Value, int], ...] = ()

    @staticmethod
    def of(atom: Value | int) -> Affine:
        """The form of a value or a number."""
        return Affine(0, ((atom, 1),)) if isinstance(atom, Value) else Affine(int(atom))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Affine):
            return NotImplemented
        return self.const == other.const and set(self.terms) == set(other.terms)

    def __hash__(self) -> int:
        return hash((self.const, frozenset(self.terms)))

    def __add__(self, other: Affine | int) -> Affine:
        if not isinstance(other, Affine):
            return Affine(self.const + other, self.terms)
        total = dict(self.terms)
        for value, k in other.terms:
            total[value] = total.get(value, 0) + k
        terms = tuple((value, k) for value, k in total.items() if k)
        return Affine(self.const + other.const, terms)

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self + (-other)

    def __mul__(self, k: int) -> Affine:
        if k == 0:
            return Affine()
        return Affine(self.const * k, tuple((value, c * k) for value, c in self.terms))

    def replaced(self, by: Mapping[Value, Affine]) -> Affine:
        """The form with values replaced."""
        total = Affine(self.const)
        for value, k in self.terms:
            total += by.get(value, Affine.of(value)) * k
        return total

    @property
    def number(self) -> int | None:
        """The number, where it is known."""
        return None if self.terms else self.const

    def coefficient(self, value: Value) -> int:
        """How often `value` is in the sum."""
        return dict(self.terms).get(value, 0)

"""The types of inputs: which of their extents a program knows, and what it assumes of the others.

x: an array of 3 rows and 1 column      f64[n, 1]: rows unknown but never 1, one column
the same, specialised to its rows       f64[3, 1], guarded: x.shape[0] is 3
y, specialised to as many as x          f64[n], guarded: x.shape[0] == y.shape[0]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.devices import is_array
from srcad.errors import error
from srcad.frontend.abstract.signals import NeedStatic
from srcad.ir.guards import Guard, GuardKind
from srcad.ir.types import ArrayType, Dim, NumberType

# An array with a longer axis is never specialised to its length.
MAX_STATIC_EXTENT = 128


class InputExtents:
    """The extents of inputs by the path of each, `A[0].shape[1]`, and the guards of a program.

    Args:
        statics: the paths of ints and extents to which the program is specialised, and the facts
            of two extents that it knows.
        general: the paths of extents that may be 1.
    """

    def __init__(self, statics: frozenset[str], general: frozenset[str] = frozenset()) -> None:
        self.statics = statics
        self.general = general
        self.guards: dict[tuple[str, str], Guard] = {}
        self.extents: dict[str, str] = {}  # the symbols of those that are unknown
        self.sizes: dict[str, int] = {}  # what they are in this call

    def guard(self, path: str, kind: GuardKind, expected: Any) -> None:
        """Note that the program holds only while this stays true."""
        self.guards.setdefault((path, kind), Guard(path, kind, expected))

    def type_of(self, obj: Any, path: str, prefix: str) -> ArrayType | NumberType:
        """The type of an input: extents are 1 or unknown; the unknown ones are never 1, if they are
        not `general`.
        """
        if is_array(obj):
            return ArrayType(
                obj.dtype,
                tuple(
                    1 if n == 1 else self._extent(f"{path}.shape[{axis}]", n, f"{prefix}{axis}")
                    for axis, n in enumerate(obj.shape)
                ),
            )
        if isinstance(obj, np.generic):
            return ArrayType(obj.dtype, (), scalar=True)
        return NumberType(next(kind for kind in (int, float, complex) if isinstance(obj, kind)))

    def _extent(self, at: str, size: int, symbol: str) -> int | Dim:
        """An unknown extent; the same as that of another axis, or so much longer, where the program
        was specialised to that.
        """
        self.sizes[at] = size
        if at in self.statics:
            self.guard(at, "static", size)
            return size
        for fact in sorted(self.statics):
            base, by, second = relation(fact)
            is_constant = base in self.statics and base in self.sizes
            if second == at and (is_constant or base in self.extents):
                holds = self.sizes[base] + by == size
                self.guard(fact, "equals", holds)
                if holds and is_constant:
                    return size
                if holds and by:
                    return Dim(self.extents[base], -by, at not in self.general, least=0)
                if holds:
                    symbol = self.extents[base]
        self.extents[at] = symbol
        return Dim(symbol, never_one=at not in self.general)

    def assume_equal(self, a: object, b: object) -> None:
        """Ask for a program that knows two extents of inputs to be equal, if they are in this call.

        What is square in every sensible call (the argument of `np.trace`) has a simpler derivative
        then.
        """
        places = [
            next((p for p, s in self.extents.items() if Dim(s, never_one=True) == d), None)
            for d in (a, b)
        ]
        first, second = (
            sorted(p for p in places if p is not None) if None not in places else ("", "")
        )
        fact = f"{first} == {second}"
        if (
            first
            and a != b
            and fact not in self.statics
            and self.sizes[first] == self.sizes[second]
        ):
            raise NeedStatic(frozenset({fact}))

    def is_zero(self, extent: Dim) -> bool:
        """Whether an input's extent, perhaps less a constant, is 0: asks for a program that is
        specialised to that (E123 for an extent that is computed).
        """
        at = next((path for path, symbol in self.extents.items() if symbol == extent.symbol), None)
        if at is None:
            raise error("E123", None, what="whether an array is empty")
        fact = f"{at} <= {extent.minus}"
        if fact not in self.statics:
            raise NeedStatic(frozenset({fact}))
        holds = self.sizes[at] <= extent.minus
        self.guard(fact, "equals", holds)
        return holds

    def extent_path(self, extent: object) -> str | None:
        """The path of the input's extent that is `extent`, perhaps less a constant, if a program
        may depend on it.
        """
        if not isinstance(extent, Dim):
            return None
        at = next((path for path, symbol in self.extents.items() if symbol == extent.symbol), None)
        return at if at in self.short_extents() else None

    def short_extents(self) -> set[str]:
        """The paths of the unknown extents to which a program may be specialised."""
        return {at for at in self.extents if self.sizes[at] <= MAX_STATIC_EXTENT}


def relation(fact: str) -> tuple[str, int, str]:
    """What a fact of two extents says, `A[0].shape[0] - 4 == A[1].shape[0]`: paths and shift."""
    first, _, second = fact.partition(" == ")
    base, sign, by = first.rpartition(" + " if " + " in first else " - ")
    return (base, int(sign.strip() + by), second) if by.isdigit() and sign else (first, 0, second)

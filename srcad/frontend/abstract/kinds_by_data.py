"""Kinds by data: what a name is where it is None, a number or a text as run-time values say.

    best = None                             best, best_kind = 0.0, 0
    for v in xs:                            for v in xs:
        if best is None or v < best:            if best_kind == 0 or v < best:
            best = v                                best, best_kind = v, 1

Such a name stands for an `Either`: a code beside what it is of each kind. Of the kinds that it has
not at the moment it holds a filler, which is never read: each read asks for the code, unless the
conditions around it tell. `Codes` keeps the codes, and what is known of them.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.containers import CONTAINERS, DictObj
from srcad.frontend.abstract.containers.contents import contents
from srcad.frontend.abstract.objects import Abstract, AbstractObject, Either, Ref
from srcad.frontend.abstract.which import Which
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType

Key = Hashable
MAX_KINDS = 16
_NAMED = (enum.Enum, FunctionType, BuiltinFunctionType, np.ufunc, type)
NONE, NUMBER = (type(None), None), ("a number",)


def kind_of(x: Abstract) -> Key | None:
    """The kind of an abstract value, for each of which an `Either` holds one; None for what is none
    of several.
    """
    if isinstance(x, Value):
        return NUMBER if isinstance(x.type, ArrayType | NumberType) else None
    if isinstance(x, bool | int | float | complex):
        return NUMBER
    if isinstance(x, str | bytes | type(None)):
        return (type(x), x)
    if isinstance(x, DictObj):
        return (DictObj, x.cls, *contents(x))
    if isinstance(x, CONTAINERS):
        return (type(x), x.cls)
    if isinstance(x, Ref) and isinstance(x.obj, _NAMED):
        return (Ref, id(x.obj), x.path)
    if isinstance(x, AbstractObject) and x.is_function:
        return (type(x), id(x))
    return (tuple, len(x)) if isinstance(x, tuple) else None


def has_length(kind: Key) -> bool:
    """Whether a kind is one of tuples or dicts, of which longer ones are other kinds."""
    return isinstance(kind, tuple) and kind[0] in (tuple, DictObj)


@dataclass(frozen=True, slots=True)
class Named:
    """What entries of an array of codes are read as: texts, None and the like, by their kinds."""

    keys: frozenset[Key]
    cases: dict[Key, Abstract] = field(compare=False)


def named(x: Abstract) -> Named | None:
    """The constants, or the one, that a code stands for; None for another value."""
    if isinstance(x, Either):
        several = [named(case) for case in x.cases.values()]
        return None if None in several else union_of([each for each in several if each])
    key = kind_of(x)
    is_constant = isinstance(x, str | bytes | type(None) | Ref)
    return Named(frozenset([key]), {key: x}) if is_constant and key is not None else None


def union_of(several: Iterable[Named]) -> Named:
    """What holds all of them."""
    cases = {key: case for each in several for key, case in each.cases.items()}
    return Named(frozenset(cases), cases)


@dataclass(eq=False, slots=True)
class Codes:
    """The code of each kind, and what is known of the codes at the place that is being lowered.

    `tests` are the values that ask whether a code is, or is not, a number. `chosen` are flags that
    a branch made: its condition, and what its sides gave. `assumed` are the conditions around,
    which hold or not. `excluded`: the numbers that a code is known not to be.
    """

    producers: dict[Value, Op]
    tests: dict[Value, tuple[Value, int, bool]] = field(default_factory=dict)
    chosen: dict[Value, tuple[Value, Any, Any]] = field(default_factory=dict)
    assumed: list[tuple[Value, bool]] = field(default_factory=list)
    excluded: dict[Value, set[int]] = field(default_factory=dict)
    which: Which = field(default_factory=Which)
    _numbers: dict[Key, int] = field(default_factory=lambda: {NONE: 0})

    def number(self, kind: Key) -> int:
        """The code of a kind."""
        return self._numbers.setdefault(kind, len(self._numbers))

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is assumed inside is forgotten afterwards."""
        n = len(self.assumed)
        try:
            yield
        finally:
            del self.assumed[n:]

    def assume(self, cond: Any, holds: bool) -> None:
        """Note that a condition holds, or does not, until the end of the block."""
        if isinstance(cond, Value):
            self.assumed.append((cond, holds))

    def possible(self, x: Either) -> list[Key]:
        """The kinds that `x` may have here."""
        left = self._left(x.code, self.assumed)
        return [key for key in x.cases if self.number(key) in left]

    def _left(self, code: Any, conditions: Iterable[tuple[Any, bool]]) -> set[int]:
        """The numbers that a code may be where these conditions hold, or do not."""
        if not isinstance(code, Value):
            return {code}
        left = set(self._numbers.values()) - self.excluded.get(code, set())
        for cond, holds in conditions:
            for each, number, is_one in self.implied(cond, holds):
                if each is code:
                    left = left & {number} if is_one else left - {number}
        return left

    def join(self, cond: Value, a: Any, b: Any, joined: Value) -> None:
        """Note a code that is `a` where a condition holds, else `b`."""
        sides = (self._left(code, [(cond, code is a)]) for code in (a, b))
        self.excluded[joined] = set(self._numbers.values()).difference(*sides)

    def implied(self, cond: Any, holds: bool) -> Iterator[tuple[Value, int, bool]]:
        """What a condition that holds, or not, says of codes: `(code, number, whether it is)`."""
        if not isinstance(cond, Value):
            return
        if cond in self.tests:
            code, number, is_one = self.tests[cond]
            yield code, number, is_one is holds
        made_by = self.producers.get(cond)
        if made_by is not None and made_by.fn in (operator.not_, bool):
            yield from self.implied(made_by.args[0], holds is (made_by.fn is bool))
        if cond not in self.chosen:
            return
        test, *ends = self.chosen[cond]
        sides = [k == 0 if end is test else end for k, end in enumerate(ends)]
        left = [k for k, side in enumerate(sides) if side is not (not holds)]
        if len(left) == 1:
            yield from self.implied(test, left[0] == 0)
            yield from self.implied(sides[left[0]], holds)

    def tell_of(self, outs: dict[Value, Value], cond: Any) -> None:
        """Note what a loop's results are, of which the test does not hold for the last carried
        values.
        """
        for code, number, is_one in self.implied(cond, False):
            others = set(self._numbers.values()) - {number} if is_one else {number}
            if code in outs:
                self.excluded.setdefault(outs[code], set()).update(others)


def resolved(codes: Codes, x: Abstract) -> Abstract:
    """`x`, or what it is of the one kind that it can have here."""
    if not isinstance(x, Either):
        return x
    kinds = codes.possible(x)
    return x.cases[kinds[0]] if len(kinds) == 1 else x


def mapped(x: Either, of: Callable[[Abstract], Abstract]) -> Abstract:
    """An `Either` of what `of` makes of the parts of `x`."""
    return Either(of(x.code), {key: of(case) for key, case in x.cases.items()})


__all__ = [
    "Codes",
    "Either",
    "Named",
    "has_length",
    "kind_of",
    "mapped",
    "named",
    "resolved",
    "union_of",
]

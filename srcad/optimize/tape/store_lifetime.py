"""Store lifetime: whether an entry that a loop nest reads or stores keeps its value until the end.

    for i in range(n):
        for j in range(i):
            t = getitem(L, (i, k))             (i, k) is stored to for each j of this i and of later
            L = index_update(L, (i, j), v)     i: is there one with j = k that follows?

An entry is still there if no store follows to the same place: in a later iteration of one of the
loops around both, or by a later statement of the same iteration. For each such order the ranges of
the loops and the equality of all positions are inequalities between whole numbers; the entry lasts
if they are impossible together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from srcad.ir.affine import Affine
from srcad.ir.forms import Forms, within
from srcad.ir.inequalities import are_impossible
from srcad.ir.nodes import For, Value
from srcad.ir.types import NumberType
from srcad.ir.walk import bound_in
from srcad.optimize.tape.array_versions import Store, StoredArray, Version, mapped, positions

_INT = NumberType(int)


class Lasting:
    """Answers for one nest; `local` are the values that it binds."""

    def __init__(self, nest: For, forms: Forms) -> None:
        self.forms = forms
        self.local = bound_in(nest.body)

    def lasts(self, index: Any, version: Version, array: StoredArray, facts: list[Affine]) -> bool:
        """Whether what the version has at an index stays until the end."""
        there = mapped(index, lambda form: form, self.forms)
        return there is not None and self.lasts_at(there, version, array, facts)

    def lasts_at(
        self, index: Any, version: Version, array: StoredArray, facts: list[Affine]
    ) -> bool:
        """As `lasts`, of an index whose integers are forms."""
        holds = [*facts, *within(version.loops, self.forms)]
        place = [_range(part, holds) for part in positions(index)]
        return not any(
            self._may_meet(place, holds, version, store, order)
            for store in array.stores
            for order in _orders(version, store)
        )

    def _may_meet(
        self,
        place: Sequence[tuple[Affine | None, Affine | None] | None],
        holds: list[Affine],
        version: Version,
        store: Store,
        order: int,
    ) -> bool:
        """Whether a store that follows may be to the same place.

        Args:
            order: of the loops around both, how many are in the same iteration; the next one, if
            there
                is one, is in a later iteration.
        """
        then = self._later(store, order)
        ranges = [f.replaced(then) for f in within(store.loops, self.forms)]
        system = [*holds, *ranges]
        if order < _shared(version, store):
            loop = store.loops[order]
            ahead = then[loop.index] - Affine.of(loop.index)
            system.append((ahead if (loop.step > 0) is not loop.reverse else -ahead) - 1)
        parts = positions(mapped(store.op.args[1], lambda f: f.replaced(then), self.forms) or ())
        for mine, part in zip(place, parts, strict=False):
            theirs = _range(part, system)
            if mine is None or theirs is None:
                continue
            # Two ranges meet where neither ends before the other begins.
            for end, begin in ((mine[1], theirs[0]), (theirs[1], mine[0])):
                if end is not None and begin is not None:
                    system.append(end - begin)
        return not are_impossible(system)

    def _later(self, store: Store, order: int) -> dict[Value, Affine]:
        """The integers of the nest as they are in the iteration of a store that follows: others,
        but for the indices of the iterations that are the same.
        """
        same = {loop.index for loop in store.loops[:order]}
        return {v: Affine.of(Value(v.name, _INT)) for v in self.local - same}


def _range(part: Any, holds: Sequence[Affine]) -> tuple[Affine | None, Affine | None] | None:
    """The first and the last entry that a part names; None where that is not known.

    A position that might be negative counts from the end, and says nothing.
    """
    if isinstance(part, slice):
        start = Affine() if part.start is None else _natural(part.start, holds)
        stop = None if part.stop is None else _natural(part.stop, holds)
        return start, None if stop is None else stop - 1
    at = _natural(part, holds)
    return (at, at) if at is not None else None


def _natural(form: Affine, holds: Sequence[Affine]) -> Affine | None:
    return form if are_impossible([*holds, -form - 1]) else None


def _shared(version: Version, store: Store) -> int:
    """How many loops are around both."""
    n = 0
    for a, b in zip(version.loops, store.loops, strict=False):
        if a is not b:
            break
        n += 1
    return n


def _orders(version: Version, store: Store) -> Iterator[int]:
    """The orders in which the store may follow: in how many loops it is the same iteration."""
    n = _shared(version, store)
    yield from range(n)
    if store.time > version.time:
        yield n

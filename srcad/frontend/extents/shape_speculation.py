"""Extents that meet in an operation, and fit in this call, are known to fit in the program.

    def step(u: f64[s0_0], v: f64[s1_0]):          def step(u: f64[s0_0], v: f64[s0_0]):
        for ...:                                       for ...:
            u[1:-1] += v[2:] - v[:-2]       ->             u[1:-1] += v[2:] - v[:-2]
                                                   guard: A[0].shape[0] == A[1].shape[0]

What happens in a loop proves nothing of the inputs: it may not run, and `s0_0-2` may be 1 where
`s1_0-2` is not. So the derivative would have to look, in each iteration, whether anything was
broadcast. But where two extents of inputs are equal in this call, or differ by a few, as a field
and its halo, they most likely always do. The function is lowered again with that for a fact and a
guard; for arguments that do not fit like this there is one more program, without the fact.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.reading.capture import Inputs
from srcad.frontend.reading.input_extents import relation
from srcad.ir.calls import called
from srcad.ir.nodes import For, Function, If, Op, While
from srcad.ir.types import Dim, Extent, Shape, shape_of
from srcad.ir.walk import statements
from srcad.ops import row_of
from srcad.ops.fitting import summed_over
from srcad.rules import RULES
from srcad.rules.arrays.index_facts import getitem_type
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.infer import types_in

# A halo is narrow: other differences are chance.
_WIDEST = 16
_SYMBOL = re.compile(r"\bs\d+_\d+\b")


def assume_fits(fn: Function, inputs: Inputs) -> None:
    """Ask for a program that knows how the inputs fit together in this call.

    Raises:
        NeedStatic: with the facts.
    """
    places: dict[str, str] = {}
    for place, symbol in inputs.extents.items():
        places.setdefault(symbol, place)
    known = {_pair(fact) for fact in inputs.statics}
    meetings = list(_meetings(fn))
    found = itertools.chain(
        (fact for a, b in meetings for fact in _facts(a, b, places, inputs.sizes)),
        _facts_in_chains([*meetings, *_joins(fn)], places, inputs.sizes),
    )
    # Where one difference came out as chance, so may the next: there is no second fact of a pair.
    facts = frozenset(fact for fact in found if _pair(fact) not in known)
    if facts:
        raise NeedStatic(facts)


def _pair(fact: str) -> tuple[str, str]:
    base, _, other = relation(fact)
    return base, other


def _meetings(fn: Function) -> Iterator[tuple[Dim, Dim]]:
    """Different extents that an operation broadcasts together or sums over, wherever it stands."""
    return _different(
        shapes
        for each in (*called(fn), fn)
        for op in statements(each.body)
        if isinstance(op, Op)
        for shapes in itertools.combinations(_shapes(op), 2)
    )


def _joins(fn: Function) -> Iterator[tuple[Dim, Dim]]:
    """Different extents of what one name holds: in iterations of a loop, on paths of a branch."""
    return _different(
        shapes
        for each in (*called(fn), fn)
        for stmt in statements(each.body)
        for values in _joined(stmt)
        for shapes in itertools.combinations(filter(None, map(_shape, values)), 2)
    )


def _joined(stmt: Any) -> Iterator[tuple[Any, ...]]:
    match stmt:
        case If():
            yield from zip(stmt.outs, stmt.then.results, stmt.orelse.results, strict=False)
        case For() | While():
            yield from zip(stmt.init, stmt.carried, stmt.yielded, stmt.outs, strict=True)


def _different(pairs: Iterable[tuple[Shape, Shape]]) -> Iterator[tuple[Dim, Dim]]:
    found = (pair for shapes in pairs for pair in zip(*map(reversed, shapes), strict=False))
    for a, b in dict.fromkeys(found):
        if isinstance(a, Dim) and isinstance(b, Dim) and a != b:
            yield a, b


def _shapes(op: Op) -> list[Shape]:
    rule = RULES.get(op.fn)
    if row_of(op.fn).elementwise or (rule is not None and rule.kind == "elementwise"):
        return [shape for shape in map(_shape, op.args) if shape]
    if row_of(op.fn).product and len(op.args) == 2:
        first, second = map(_shape, op.args)
        return [(extent,) for extent in summed_over(first, second)] if first and second else []
    if row_of(op.fn).store:
        array, index, values = op.args
        try:
            place = getitem_type(type_of_leaf(array), types_in(index))
        except (TypeError, ValueError, UncoveredError):
            return []
        return [shape for shape in (shape_of(place), _shape(values)) if shape]
    return []


def _shape(a: Any) -> Shape | None:
    return shape_of(type_of_leaf(a))


def _facts(a: Extent, b: Extent, places: dict[str, str], sizes: dict[str, int]) -> Iterator[str]:
    """What would make the two extents one, of what holds in this call."""
    first, second = str(a), str(b)
    order = list(places)
    symbols = {s for s in _SYMBOL.findall(f"{first} {second}") if s in places}
    for p, q in itertools.combinations(sorted(symbols, key=order.index), 2):
        at, other = places[p], places[q]
        by = sizes[other] - sizes[at]
        if "?" not in first + second:
            near = abs(by) <= _WIDEST
        else:  # something else is unknown as well: that must be the same
            near = by == 0 and re.sub(rf"\b{q}\b", p, first) == re.sub(rf"\b{q}\b", p, second)
        if near:
            yield _fact(at, by, other)


def _facts_in_chains(
    pairs: list[tuple[Dim, Dim]], places: dict[str, str], sizes: dict[str, int]
) -> Iterator[str]:
    """What would make all pairs one, also by way of extents that no input has, if it holds."""
    steps: dict[str, list[tuple[str, int]]] = {}
    for a, b in pairs:
        steps.setdefault(a.symbol, []).append((b.symbol, b.minus - a.minus))
        steps.setdefault(b.symbol, []).append((a.symbol, a.minus - b.minus))
    seen: set[str] = set()
    for start in places:
        if start in seen or start not in steps:
            continue
        longer = {start: 0}  # by how much each is longer than `start`
        waiting = [start]
        while waiting:
            symbol = waiting.pop()
            for other, by in steps[symbol]:
                if other not in longer:
                    longer[other] = longer[symbol] + by
                    waiting.append(other)
        seen.update(longer)
        at = places[start]
        for other, by in longer.items():
            if other != start and other in places and sizes[places[other]] == sizes[at] + by:
                yield _fact(at, by, places[other])


def _fact(at: str, by: int, other: str) -> str:
    shift = f" {'+' if by > 0 else '-'} {abs(by)}" if by else ""
    return f"{at}{shift} == {other}"

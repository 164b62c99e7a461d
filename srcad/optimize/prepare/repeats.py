"""Repeats: statements in a row that do the same, time after time, with other values.

    a = matmul(x, w1); b = tanh(a); c = matmul(b, w2); d = tanh(c)     2 times 2 statements

Each statement has a key: all of it but the values, its place in the source included. So what
repeats is what the user wrote once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcad.ir.nodes import Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.walk import blocks, inputs, map_tree, outputs

_PERIODS = 8  # distances that are looked at, the most frequent ones


@dataclass
class Trace:
    """What statements are but for their values, and these in order: bound, read, of each."""

    key: list[Hashable] = field(default_factory=list)
    bound: list[Value] = field(default_factory=list)
    read: list[Value] = field(default_factory=list)
    is_plain: bool = True  # no `try`, `with`, or function inside

    def add(self, stmt: Stmt) -> None:
        """Append a statement with the blocks inside."""
        match stmt:
            case Op():
                fn = stmt.fn
                self.key += [id(fn) if stmt.key is None else fn, stmt.effect, stmt.raises]
                self.is_plain &= not isinstance(fn, Function)
            case If():
                self.is_plain &= stmt.is_branch
            case For():
                self.key += [stmt.reverse, stmt.exits, len(stmt.init), stmt.count is None]
            case While():
                self.key += [stmt.exits, len(stmt.init), stmt.count is None]
            case Closure():
                self.is_plain = False
        self.key += [type(stmt).__name__, stmt.loc]
        self.tree(inputs(stmt))
        for block in blocks(stmt):
            self.bind(block.params)
            for inner in block.body:
                self.add(inner)
            self.tree(block.results)
        self.bind(outputs(stmt))

    def bind(self, values: Any) -> None:
        """Append values that are bound."""
        self.bound += values
        self.key += [(type(v.type), v.partial) for v in values]

    def tree(self, tree: Any) -> None:
        """Append what is read."""
        self.key.append(_structure(tree))
        map_tree(self._leaf, tree)

    def _leaf(self, atom: Any) -> None:
        if isinstance(atom, Value):
            self.read.append(atom)
            self.key.append(Value)
        else:
            self.key.append(_constant(atom))


def _structure(tree: Any) -> Hashable:
    """The containers of a tree of atoms."""
    if type(tree) in (tuple, list):
        return (type(tree), *map(_structure, tree))
    if isinstance(tree, dict):
        return (dict, *((key, _structure(item)) for key, item in tree.items()))
    if isinstance(tree, slice):
        return (slice, *map(_structure, (tree.start, tree.stop, tree.step)))
    return None


def _constant(atom: Any) -> Hashable:
    """A constant, equal to those that stand for the same alone: 0.0 is neither 0 nor -0.0."""
    if not isinstance(atom, Hashable):
        return id(atom)
    return type(atom), atom, repr(atom) if isinstance(atom, float | complex | np.generic) else ""


@dataclass(frozen=True)
class Repeat:
    """`count` times `period` statements, from `start` on."""

    start: int
    period: int
    count: int

    @property
    def stop(self) -> int:
        """Where the next statement is."""
        return self.start + self.period * self.count


def may_repeat(body: list[Stmt]) -> bool:
    """Whether statements of one kind and place are there three times, at a glance."""
    places = Counter((type(stmt), None if isinstance(stmt, Closure) else stmt.loc) for stmt in body)
    return max(places.values(), default=0) >= 3


def find_repeats(body: list[Stmt], traces: list[Trace], least: int) -> Iterator[Repeat]:
    """Repeats of at least three times, and at least so many statements in all, in order."""
    keys = [hash(tuple(trace.key)) if trace.is_plain else object() for trace in traces]
    runs = {period: _runs(keys, period) for period in _periods(keys)}
    at = 0
    while at < len(body):
        found = [
            Repeat(at, period, run[at] // period + 1)
            for period, run in runs.items()
            if run[at] >= 2 * period
        ]
        found = [repeat for repeat in found if repeat.stop - at >= least]
        if not found:
            at += 1
            continue
        best = max(found, key=lambda repeat: (repeat.stop, -repeat.period))
        yield best
        at = best.stop


def _periods(keys: list[Any]) -> list[int]:
    """The most frequent distances of equal statements."""
    last: dict[Any, int] = {}
    distances: Counter[int] = Counter()
    for k, key in enumerate(keys):
        if key in last:
            distances[k - last[key]] += 1
        last[key] = k
    return [distance for distance, _ in distances.most_common(_PERIODS)]


def _runs(keys: list[Any], period: int) -> list[int]:
    """By the position: how many statements from there on equal those a period after them."""
    runs = [0] * (len(keys) + 1)
    for k in range(len(keys) - period - 1, -1, -1):
        runs[k] = runs[k + 1] + 1 if keys[k] == keys[k + period] else 0
    return runs


__all__ = ["Repeat", "Trace", "find_repeats", "may_repeat"]

"""Array contraction: shrinks a temporary to the slice that one iteration uses.

    t = np.empty((n, m))                      t = np.empty((m,))
    for i in range(n):                        for i in range(n):
        for j in range(m): t[i, j] = ...          for j in range(m): t[j] = ...
        for j in range(m): s += t[i, j]           for j in range(m): s += t[j]

What is m numbers instead of n times m stays in the cache.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

import numpy as np

from srcad.ir import ArrayType, Block, For, Function, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.effects import destroys
from srcad.ir.forms import Forms, Place
from srcad.ir.walk import blocks, inputs, statements, values_in, with_blocks

Loops = tuple[For, ...]


def contract_arrays(fn: Function) -> Function:
    """The function with smaller arrays."""
    found = _NeedlessAxes(fn).axes()
    gone = {memory: _Part(_smaller(memory, axes), axes) for memory, axes in found.items()}
    return fn if not gone else replace(fn, body=_without(fn.body, gone))


@dataclass(frozen=True, slots=True)
class _Part:
    """What is left of an array: the memory in its place, and the axes that this lacks."""

    memory: Value
    axes: list[int]


class _NeedlessAxes:
    """Finds, for arrays that a function makes, the axes along which one entry at a time is used."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.forms = Forms(fn.body)
        self.made = {
            stmt.out: loops
            for loops, stmt in _operations(fn.body, ())
            if stmt.fn is np.empty and isinstance(stmt.args[0], tuple)
        }
        self.kept = set(values_in(fn.body.results))
        self.places: dict[Value, list[tuple[Loops, Place]]] = {}

    def axes(self) -> dict[Value, list[int]]:
        """For each array the axes that it need not have."""
        for loops, op in _operations(self.fn.body, ()):
            if destroys(op) or op.fn is operator.getitem:
                memory, index = op.args[:2]
                self.places.setdefault(memory, []).append((loops, self.forms.place(index)))
                self.kept.update(values_in(op.args[2:]))
            elif op.fn is not np.empty:
                self.kept.update(values_in((op.args, op.kwargs)))
        for stmt in statements(self.fn.body):
            if not isinstance(stmt, Op):
                self.kept.update(values_in(inputs(stmt)))
        found = {
            memory: self.axes_of(memory, len(loops))
            for memory, loops in self.made.items()
            if memory in self.places and memory not in self.kept
        }
        return {memory: axes for memory, axes in found.items() if axes}

    def axes_of(self, memory: Value, depth: int) -> list[int]:
        """The axes along which every access is at the index of one loop around them all."""
        places = self.places[memory]
        shared = list(places[0][0])
        for loops, _ in places[1:]:
            same = (a is b for a, b in zip(shared, loops, strict=False))
            shared = shared[: sum(takewhile(bool, same))]
        found = []
        for loop in shared[depth:]:
            index = Affine.of(loop.index)
            for axis in range(len(places[0][1])):
                if all(place[axis] == index for _, place in places):
                    found.append(axis)
        return sorted(found)


def _operations(block: Block, loops: Loops) -> Iterator[tuple[Loops, Op]]:
    for stmt in block.body:
        if isinstance(stmt, Op):
            yield loops, stmt
        for inner in blocks(stmt):
            inside = (*loops, stmt) if isinstance(stmt, For) else loops
            yield from _operations(inner, inside)


def _smaller(memory: Value, axes: list[int]) -> Value:
    t = memory.type
    assert isinstance(t, ArrayType)
    return Value(memory.name, replace(t, shape=_left(t.shape or (), axes)), memory.partial)


def _without(block: Block, gone: dict[Value, _Part]) -> Block:
    """The block with arrays that lack axes."""
    return Block(block.params, [_shrunk(stmt, gone) for stmt in block.body], block.results)


def _shrunk(stmt: Stmt, gone: dict[Value, _Part]) -> Stmt:
    match stmt:
        case Op() if stmt.fn is np.empty and stmt.out in gone:
            part = gone[stmt.out]
            shape = _left(stmt.args[0], part.axes)
            return replace(stmt, args=(shape or (1,), *stmt.args[1:]), outs=(part.memory,))
        case Op() if destroys(stmt) or stmt.fn is operator.getitem:
            memory, index, *rest = stmt.args
            if memory not in gone:
                return stmt
            part = gone[memory]
            return replace(stmt, args=(part.memory, _left(index, part.axes) or (0,), *rest))
        case _:
            return with_blocks(stmt, lambda block: _without(block, gone))


def _left(items: tuple[Any, ...], axes: list[int]) -> tuple[Any, ...]:
    return tuple(item for k, item in enumerate(items) if k not in axes)

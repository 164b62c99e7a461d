"""Integers of Python's never end; those of compiled code have 64 bits. What may not fit is refused.

    a + b, of arguments             check_within(a, 2**55), check_within(b, 2**55)
    int(x[i]) * n                   check_size(t), check_size(n)
    x[n - i - 1], n an extent       nothing: neither arrays nor loops are so long

A sum that is but a position needs no check, where one term of it is not known: a position that has
wrapped around is out of bounds.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir import Block, For, Function, Op, Value
from srcad.ir.affine import Affine
from srcad.ir.effects import destroys
from srcad.ir.kinds import is_python_int
from srcad.ir.types import dtype_of
from srcad.ir.walk import blocks, inputs, settled, statements, values_in
from srcad.native.helpers import (
    check_size,
    check_within,
    clipped,
    count_iterations,
    counted,
    kept,
)
from srcad.native.scalarize.loop_builder import NARROW, Code, Unsuited
from srcad.native.scalarize.scalars.weak_scalars import kind_of
from srcad.ops import row_of
from srcad.rules.core.staged import type_of

_ROOM = 1 << 61
_SUMMAND = 1 << 55
_FACTOR = 1 << 31  # `check_size`
_EXACT = 1 << 52
_FEW = 1 << 24  # so many times the longest array have room
_KEEPING = (operator.floordiv, operator.mul, min, max, clipped, count_iterations, counted, kept)
_COMPARISONS = (
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
)  # fmt: skip


def positions(fn: Function) -> set[Value]:
    """The integers that are read as positions, extents and bounds of loops only."""
    others: set[Value] = set()
    sums = [op for op in statements(fn.body) if isinstance(op, Op) and _is_sum(op)]

    def walk() -> None:
        for op in sums:
            if op.out in others:
                others.update(values_in(op.args))

    _read_otherwise(fn.body, others)
    settled(others, walk)
    return {op.out for op in sums} - others


def _is_sum(op: Op) -> bool:
    return row_of(op.fn).of_ring and len(op.outs) == 1 and is_python_int(op.out)


def _read_otherwise(block: Block, found: set[Value]) -> None:
    """Add what a block reads as numbers."""
    found.update(values_in(block.results))
    for stmt in block.body:
        if isinstance(stmt, Op):
            if not _is_sum(stmt):
                found.update(values_in([_as_numbers(stmt), stmt.kwargs]))
        elif isinstance(stmt, For):
            found.update(values_in((stmt.init, stmt.ins)))
        else:
            found.update(values_in(inputs(stmt)))
        for inner in blocks(stmt):
            _read_otherwise(inner, found)


def _as_numbers(op: Op) -> Any:
    """The arguments of an operation that are no positions or extents."""
    if op.fn is operator.getitem:
        return ()
    row = row_of(op.fn)
    is_store = row.store or (destroys(op) and len(op.args) == 3)
    return op.args[2:] if is_store else op.args[1:] if row.allocates else op.args


class Sizes:
    """How large the integers are that a function computes with."""

    def __init__(self, code: Code, fn: Function) -> None:
        self.code = code
        self.positions = positions(fn)
        self.most: dict[Value, int] = {}  # what integers are not more than, nor less than minus it

    def check_sum(self, out: Value, total: Affine) -> None:
        """See to it that a sum of Python's integers has room."""
        if abs(total.const) > _ROOM:
            raise Unsuited("a large integer")
        terms = self._unknown(total)
        if out in self.positions and [abs(k) for _, k in terms] == [1]:
            return
        for value, k in terms:
            self.check(value, min(_SUMMAND, _ROOM // (abs(k) * len(terms))))

    def check_factors(self, *factors: Affine) -> None:
        """See to it that a product of these has room."""
        for factor in factors:
            if abs(factor.const) > _FACTOR:
                raise Unsuited("a large integer")
            terms = self._unknown(factor)
            for value, k in terms:
                self.check(value, _FACTOR // (abs(k) * len(terms)))

    def check_compared(self, op: Op, whole: Callable[[Any], Affine]) -> None:
        """See to it that an integer of Python's is a float without rounding, where it meets one."""
        kinds = {kind_of(arg) for arg in op.args}
        if op.fn not in _COMPARISONS or kinds != {int, float}:
            return
        for number in (whole(arg) for arg in op.args if kind_of(arg) is int):
            terms = self._unknown(number)
            for value, k in terms:
                self.check(value, _EXACT // (abs(k) * len(terms)))

    def check(self, value: Value, most: int) -> None:
        """See to it that an integer is not more than `most`: where it is bound, so that it is done
        once.
        """
        if self.most.get(value, most + 1) <= most:
            return
        if most < 2:
            raise Unsuited("an integer that grows")
        self.most[value] = most
        code = self.code
        with code.outside(code.depth_of(value)):
            if most == _FACTOR:
                code.effect(check_size, value)
            else:
                code.effect(check_within, value, most)

    def note(self, op: Op, made: Any) -> None:
        """Note that what an operation has made is small: of few bits, or a rest."""
        if not isinstance(made, Value) or not is_python_int(made):
            return
        last = op.args[-1]
        if op.fn is int:
            dtype = dtype_of(type_of(last))
            is_small = dtype is not None and (dtype == np.bool_ or dtype in NARROW)
        else:
            is_small = op.fn is operator.mod and type(last) is int and abs(last) <= _FACTOR
        if is_small:
            self.bound(made)

    def bound(self, value: Value) -> None:
        """Note that an integer is checked in each iteration of a loop, or grows by little."""
        self.most[value] = _FACTOR

    def is_physical(self, number: Affine) -> bool:
        """Whether an integer is made of extents and numbers of iterations, by little."""
        return not self._unknown(number)

    def _unknown(self, number: Affine) -> list[tuple[Value, int]]:
        terms = self.code.settled(number).terms
        return [(v, k) for v, k in terms if abs(k) >= _FEW or not self._is_extent(v)]

    def _is_extent(self, value: Value) -> bool:
        """Whether an integer is never larger than arrays and loops are long."""
        code = self.code
        if not is_python_int(value) or value in code.naturals or value in code.limits:
            return True
        for frame in code.frames:
            if frame.index is value:
                return self.is_physical(frame.least) or self.is_physical(frame.greatest)
        fn, of, _ = code.recipes.get(value, (None, (), None))
        return fn in _KEEPING and all(map(self.is_physical, of))


__all__ = ["Sizes", "positions"]

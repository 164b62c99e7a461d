"""Strength reduction of division: an array over a number becomes a product with its reciprocal.

    x_bar = truediv(g, c)                      r = inverse(c)
    for i in range(n):               ->        x_bar = mul(g, r)
        s = add(s, truediv(t, c))              for i in range(n):
                                                   s = add(s, mul(t, r))

For gradients that are compiled: a division takes as long as several products, and there are many in
reverse sweeps. The last bit of a quotient may be another one, so nothing changes that the value, a
comparison, an index or a root depends on (`srcad.analysis.rounding_sensitivity`). What has
no inverse in the range of floats is left to NumPy (`srcad.runtime.inverse`).
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad import runtime
from srcad.analysis.operations import has_axes
from srcad.analysis.rounding_sensitivity import decisive
from srcad.ir.definedness import unbound_anywhere
from srcad.ir.nodes import Block, For, Function, Op, Stmt, Value, While
from srcad.ir.types import ArrayType, NumberType, dtype_of
from srcad.ir.walk import blocks, outputs, statements, with_blocks

_DIVISIONS = (operator.truediv, np.divide)
# Inverses of other constants are taken to be rounded to zero or infinity.
_LEAST, _GREATEST = 1e-30, 1e30


def divide_by_reciprocals(fn: Function, *, exact: Sequence[int]) -> Function:
    """The program with fewer divisions; `fn` itself where there are none to save.

    Args:
        exact: the numbers of the results that stay as they are.
    """
    if not any(isinstance(s, Op) and _divides(s) for s in statements(fn.body)):
        return fn
    kept = decisive(fn, [fn.body.results[k] for k in exact])
    if kept is None:
        return fn
    found = _Divisions(kept, unbound_anywhere(fn))
    found.block(fn.body, 0)
    if not found.divided:
        return fn
    return Function(fn.name, _Inverter(found).block(fn.body), fn.interface)


class _Divisions:
    """`divided` are the results of divisions that go, with the divisor; `depths` tells in how many
    loops a value is bound. What a path leaves unbound has no inverse there.
    """

    def __init__(self, kept: set[Value], unbound: set[Value]) -> None:
        self.kept, self.unbound = kept, unbound
        self.depths: dict[Value, int] = {}
        self.divided: dict[Value, Any] = {}

    def block(self, block: Block, depth: int) -> None:
        self.depths.update(dict.fromkeys(block.params, depth))
        for stmt in block.body:
            self.depths.update(dict.fromkeys(outputs(stmt), depth))
            if isinstance(stmt, Op):
                if self.is_to_go(stmt, depth):
                    self.divided[stmt.out] = stmt.args[1]
                continue
            inner = depth + isinstance(stmt, For | While)
            for each in blocks(stmt):
                self.block(each, inner)

    def is_to_go(self, op: Op, depth: int) -> bool:
        """Whether an operation divides many numbers, one after the other, by the same."""
        if not _divides(op) or op.out in self.kept:
            return False
        divisor, t = op.args[1], op.out.type
        if not isinstance(t, ArrayType) or t.dtype not in (np.float64, np.float32):
            return False
        if not isinstance(divisor, Value):
            is_float = type(divisor) in (int, float)
            return is_float and _LEAST < abs(divisor) < _GREATEST
        if (
            has_axes(divisor)
            or not _is_number(divisor)
            or divisor in self.unbound
            or dtype_of(divisor.type) != t.dtype
        ):
            return False
        return has_axes(op.out) or depth > self.depths[divisor]


class _Inverter:
    """Puts inverses after what binds the divisors, and products in the place of divisions."""

    def __init__(self, found: _Divisions) -> None:
        self.divided = found.divided
        divisors = [v for v in found.divided.values() if isinstance(v, Value)]
        self.inverse = {v: Value("", v.type) for v in divisors}

    def block(self, block: Block) -> Block:
        made: list[Stmt] = []
        self.inverted(block.params, made)
        for stmt in block.body:
            made.append(self.op(stmt) if isinstance(stmt, Op) else with_blocks(stmt, self.block))
            self.inverted(outputs(stmt), made)
        return Block(block.params, made, block.results)

    def inverted(self, values: Any, made: list[Stmt]) -> None:
        made += [
            Op(runtime.inverse, (v,), {}, (self.inverse[v],)) for v in values if v in self.inverse
        ]

    def op(self, op: Op) -> Op:
        if len(op.outs) != 1 or op.out not in self.divided:
            return op
        divisor = self.divided[op.out]
        inverse = self.inverse[divisor] if isinstance(divisor, Value) else 1.0 / divisor
        return Op(operator.mul, (op.args[0], inverse), {}, op.outs, op.loc)


def _is_number(value: Value) -> bool:
    t = value.type
    return (isinstance(t, NumberType) and t.kind is float) or isinstance(t, ArrayType)


def _divides(op: Op) -> bool:
    return op.key in _DIVISIONS and not op.kwargs


__all__ = ["divide_by_reciprocals"]

"""Conversion sinking: what some paths leave unbound is converted where it is bound.

    if c: h = x                                if c: h, h_2 = x, astype(x, float64)
    for y in ys carrying h = astype(h):   ->   for y in ys carrying h = h_2:
        if d: h = y                                if d: h = y

A loop that carries arrays of two dtypes under one name converts them. That is no read of the
program's: a path that has not bound the name raises nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from srcad.ir import UNDEFINED, ArrayType, Function, Op, Stmt, Value
from srcad.ir.walk import statements, with_program
from srcad.optimize.analysis.definedness import Unbound
from srcad.optimize.rewriter import Rewriter
from srcad.optimize.shadow_values import Flag, ShadowValues


def sink_conversions(fn: Function) -> Function:
    """The function without conversions of what may be unbound."""
    while True:
        unbound = Unbound(fn)
        found = [stmt for stmt in statements(fn.body) if _is_sunk(stmt, unbound)]
        if not found:
            return fn
        # What is converted twice is converted to the first dtype first.
        dtype = found[0].args[1]
        made = _Conversions(unbound, dtype, [op for op in found if op.args[1] == dtype])
        rest = Rewriter()
        fn = with_program(fn, made.block(fn.body))
        rest.env.update(made.converted())
        fn = rest.run(fn)


def _is_sunk(stmt: Stmt, unbound: Unbound) -> TypeGuard[Op]:
    """Whether a statement is a conversion that the compiler made of what may be unbound."""
    return (
        isinstance(stmt, Op)
        and stmt.fn is np.astype
        and stmt.out.partial
        and stmt.args[0] in unbound.values
    )


class _Conversions(ShadowValues):
    """Values converted to a dtype, beside those that may be unbound."""

    def __init__(self, unbound: Unbound, dtype: np.dtype[Any], sunk: list[Op]) -> None:
        self.unbound = unbound
        self.dtype = dtype
        self.sunk = sunk
        super().__init__(op.args[0] for op in sunk)

    def converted(self) -> dict[Value, Any]:
        """What stands for the results of the conversions that are gone."""
        return {op.out: self.flags[op.args[0]] for op in self.sunk}

    def sources(self, atom: Any) -> Iterable[Any] | None:
        return self.unbound.ends.get(atom) if atom in self.unbound.values else None

    def name(self, value: Value) -> str:
        return value.name

    def shadow(self, name: str, value: Value) -> Value:
        assert isinstance(value.type, ArrayType)
        return Value(name, replace(value.type, dtype=self.dtype), partial=True)

    def moved(self, atom: Any, target: Value, made: list[Stmt]) -> Flag:
        if atom is UNDEFINED or atom in self.flags:
            return self.flags.get(atom, UNDEFINED)
        is_array = isinstance(atom, Value) and isinstance(atom.type, ArrayType)
        out = self.shadow("", atom if is_array else target)
        out.partial = False
        made.append(Op(np.astype, (atom, self.dtype), {}, (out,)))
        return out

    def operation(self, op: Op) -> list[Stmt]:
        return [] if op in self.sunk else [op]

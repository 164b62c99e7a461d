"""Rounding sensitivity: which values must be NumPy's to the last bit.

    k = int(x / h)              x / h    decides an index: rounded otherwise it may be another one
    value = u / c               value    is a result that is asked for exactly
    x_bar = g / c               g / c    goes into sums and products alone, up to a cotangent

All else may be rounded in another way: what sums and products make of it is as close to the true
value as before. A root or a logarithm is no such function: at its edge a last bit decides.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from srcad.ir.inplace import index_truediv
from srcad.ir.nodes import Block, Closure, For, Function, If, Op, Value, While
from srcad.ir.walk import statements, values_in
from srcad.ops import row_of


def decisive(fn: Function, results: Iterable[Any]) -> set[Value] | None:
    """The values that decide something, where `results` do; None if that is not known."""
    found = _Needs(set(values_in(list(results))))
    for stmt in statements(fn.body):
        if isinstance(stmt, Closure) or (isinstance(stmt, If) and not stmt.is_branch):
            return None
    found.block(fn.body)
    return found.settled()


class _Needs:
    """`roots` decide; `needs` has what decides if a value does."""

    def __init__(self, roots: set[Value]) -> None:
        self.roots = roots
        self.needs: dict[Value, list[Value]] = {}

    def settled(self) -> set[Value]:
        """The roots, and all that they are made of."""
        open_, found = [*self.roots], set[Value]()
        while open_:
            value = open_.pop()
            if value not in found:
                found.add(value)
                open_ += self.needs.get(value, ())
        return found

    def need(self, values: Iterable[Any], of: Any) -> None:
        """If any of `values` decides, so does what it is made of."""
        for value in values:
            if isinstance(value, Value):
                self.needs.setdefault(value, []).extend(values_in(of))

    def block(self, block: Block) -> None:
        for stmt in block.body:
            match stmt:
                case Op():
                    self.op(stmt)
                case If():
                    self.branch(stmt)
                case For() | While():
                    self.loop(stmt)

    def op(self, op: Op) -> None:
        self.need(op.outs, (op.args, op.kwargs))
        row, is_known = row_of(op.fn), not op.effect
        if is_known and row.shape_only:
            return
        if is_known and row.smooth == "all":
            self.roots.update(values_in(op.kwargs))
        elif is_known and row.smooth == "first":
            self.roots.update(values_in((op.args[1:], op.kwargs)))
        elif row.store and op.fn is not index_truediv:
            self.roots.update(values_in(op.args[1]))  # the position
        elif is_known and op.fn is np.where and len(op.args) == 3:
            self.roots.update(values_in(op.args[0]))
        elif not (is_known and _is_power(op.fn) and _is_count(op.args[1])):
            self.roots.update(values_in((op.args, op.kwargs)))

    def branch(self, stmt: If) -> None:
        self.roots.update(values_in(stmt.cond))
        for block in (stmt.then, stmt.orelse):
            self.block(block)
            for out, result in zip(stmt.outs, block.results, strict=True):
                self.need([out], result)

    def loop(self, stmt: For | While) -> None:
        if isinstance(stmt, For):
            self.roots.update(values_in((stmt.start, stmt.stop, stmt.step)))
            for element, source in zip(stmt.elements, stmt.ins, strict=True):
                self.need([element], source)
        else:
            self.roots.update(values_in(stmt.test.results))
            self.block(stmt.test)
            for value, param in zip(stmt.test.params, stmt.carried, strict=True):
                self.need([value], param)
        self.roots.update(values_in(stmt.leaves))
        parts = zip(stmt.init, stmt.carried, stmt.yielded, stmt.outs, strict=True)
        for start, value, yielded, out in parts:
            self.need([value, out], (start, yielded))
        for seq, written in zip(stmt.seqs, stmt.written, strict=True):
            self.need([seq], written)
        self.block(stmt.body)


def _is_power(fn: Any) -> bool:
    return fn is operator.pow or fn is np.power


def _is_count(exponent: Any) -> bool:
    return isinstance(exponent, int | float) and exponent in (1, 2, 3, 4)


__all__ = ["decisive"]

"""Common subexpression elimination: an operation is computed once for the same operands.

    a = exp(x)                          a = exp(x)
    b = exp(x)                          c = mul(a, a)
    c = mul(a, b)

A sum or product is the same in either order.

What is computed before a statement is known in its blocks; what is computed in a block is known
there only. Allocations (`zeros`, `copy`) are not merged: each is a buffer of its own, to be written
in place.
"""

from __future__ import annotations

from typing import Any

from srcad.analysis.operations import is_pure
from srcad.ir.keys import freeze
from srcad.ir.nodes import Block, Function, If, Op, Value
from srcad.ir.regions import Context
from srcad.ir.types import ArrayType, NumberType
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter


def cse(fn: Function) -> Function:
    """The program without repeated pure operations."""
    return _Cse().run(fn)


def _is_numeric(x: Any) -> bool:
    """Whether `x` is a number or an array: lists and strings are added in order."""
    return not isinstance(x, Value) or isinstance(x.type, ArrayType | NumberType)


class _Cse(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self.known: dict[Any, Op] = {}
        self.added: list[Any] = []

    def block(self, block: Block) -> Block:
        outer, self.added = self.added, []
        block = super().block(block)
        for key in self.added:
            del self.known[key]
        self.added = outer
        return block

    def branch(self, stmt: If) -> If:
        """In a `with`, what an operation does to errors may be another: nothing is known there."""
        if not isinstance(stmt.cond, Context):
            return super().branch(stmt)
        outer, self.known = self.known, {}
        stmt = super().branch(stmt)
        self.known = outer
        return stmt

    def op(self, op: Op) -> None:
        row = row_of(op.fn)
        if row.allocates or not is_pure(op):
            self.body.append(op)
            return
        if row.commutes and len(op.args) == 2 and all(map(_is_numeric, op.args)):
            args: Any = frozenset(map(freeze, op.args))
        else:
            args = freeze(op.args)
        key = (op.fn, args, freeze(op.kwargs) if op.kwargs else None)
        earlier = self.known.get(key)
        if earlier is None:
            self.known[key] = op
            self.added.append(key)
            self.body.append(op)
            return
        for out, known in zip(op.outs, earlier.outs, strict=True):
            self.replace(out, known)

"""A store of zero that is added to next is a store of what is added.

    a = index_update(x_bar, i, 0)       b = index_update(x_bar, i, g)
    b = index_add(a, i, g)

    a = index_update(x_bar, i, 0)       a = index_update(x_bar, i, h)
    b = index_add(a, j, g)              c = index_add(a, j, g)
    c = index_add(b, i, h)

The cotangent of `x[i] = f(x[i], x[j])` is made so. Sums of cotangents have no order of their own:
what is added to other places between may be added after.
"""

from __future__ import annotations

from typing import Any

from srcad import runtime
from srcad.ir.nodes import Block, Function, Op, Value
from srcad.ir.types import ArrayType, rank_of
from srcad.ir.walk import count_reads, statements
from srcad.optimize.rewrite import Rewriter, freeze
from srcad.rules.distinct import names_once
from srcad.rules.staged import type_of


def stores(fn: Function) -> Function:
    """The program with zeroing stores merged into the sums that follow them."""
    if not any(isinstance(s, Op) and _is_zeroing(s) for s in statements(fn.body)):
        return fn
    return _Stores(fn).run(fn)


def _is_zeroing(op: Op) -> bool:
    return op.fn is runtime.index_update and type(op.args[2]) is int and op.args[2] == 0


class _Stores(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.uses = count_reads(fn)
        self.made: dict[Value, Op] = {}
        self.here: set[Value] = set()

    def block(self, block: Block) -> Block:
        outer, self.here = self.here, set()
        block = super().block(block)
        self.here = outer
        return block

    def op(self, op: Op) -> None:
        chain = self.chain(op) if op.fn is runtime.index_add else []
        if chain:
            self.merge(op, chain)
            return
        self.add(op)

    def add(self, op: Op) -> None:
        for out in op.outs:
            self.made[out] = op
        self.here.update(op.outs)
        self.body.append(op)

    def chain(self, op: Op) -> list[Op]:
        """The zeroing of what `op` adds to and the sums between, if only this chain reads them."""
        index, found = freeze(op.args[1]), []
        if not names_once(op.args[1], self.made) or not _is_array(op.args[0]):
            return []
        value: Any = op.args[0]
        while value in self.here and self.uses[value] == 1:
            made = self.made[value]
            found.append(made)
            if _is_zeroing(made) and freeze(made.args[1]) == index:
                return found[::-1] if _fits(op, made) else []
            if made.fn is not runtime.index_add:
                return []
            value = made.args[0]
        return []

    def merge(self, op: Op, chain: list[Op]) -> None:
        zeroing, *between = chain
        dropped = set(chain)
        self.body = [stmt for stmt in self.body if stmt not in dropped]
        outs = [*(made.outs for made in chain[:-1]), op.outs] if between else [op.outs]
        args: tuple[Any, ...] = (zeroing.args[0], zeroing.args[1], op.args[2])
        self.add(Op(runtime.index_update, args, {}, outs[0], op.loc))
        for made, before, out in zip(between, outs[:-1], outs[1:], strict=True):
            self.add(Op(made.fn, (*before, *made.args[1:]), {}, out, made.loc))


def _is_array(a: Any) -> bool:
    return isinstance(a, Value) and isinstance(a.type, ArrayType)


def _fits(op: Op, zeroing: Op) -> bool:
    """Whether what is added may as well be stored: `a[i] += v` and `a[i] = v` differ for ranks."""
    values, array = type_of(op.args[2]), zeroing.out.type
    return rank_of(values) is not None and isinstance(array, ArrayType) and array == op.out.type

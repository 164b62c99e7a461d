"""What is stored and then added at one index is stored, or added, at once.

    a = index_update(x_bar, i, 0)       b = index_update(x_bar, i, g)
    b = index_add(a, i, g)

    a = index_update(x_bar, i, v)       t = add(h, v)
    b = index_add(a, j, g)              a = index_update(x_bar, i, t)
    c = index_add(b, i, h)              c = index_add(a, j, g)

The cotangent of `x[i] = f(x[i], x[j])` is made so. Sums of cotangents have no order of their own:
what is added to other places between may be added after.
"""

from __future__ import annotations

import operator
from typing import Any

from srcad import runtime
from srcad.errors import SrcadError
from srcad.ir.nodes import Block, Function, Op, Value
from srcad.ir.types import dtype_of
from srcad.ir.walk import count_reads, statements
from srcad.optimize.rewrite import Rewriter, freeze
from srcad.rules.distinct import names_once
from srcad.rules.staged import infer, type_of


def stores(fn: Function) -> Function:
    """The program with sums of stores at one index."""
    if not any(isinstance(s, Op) and s.fn is runtime.index_add for s in statements(fn.body)):
        return fn
    return _Stores(fn).run(fn)


_WRITES = (runtime.index_add, runtime.index_update)


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
        total = self.total(op, chain[0]) if chain else None
        if total is None:
            self.add(op)
        else:
            self.merge(op, chain, total)

    def add(self, op: Op) -> None:
        for out in op.outs:
            self.made[out] = op
        self.here.update(op.outs)
        self.body.append(op)

    def chain(self, op: Op) -> list[Op]:
        """The earlier write at the index of `op` and the sums between, if only these read them."""
        index, found = freeze(op.args[1]), []
        if not names_once(op.args[1], self.made) or not isinstance(op.args[0], Value):
            return []
        value: Any = op.args[0]
        while value in self.here and self.uses[value] == 1 and value.type == op.out.type:
            made = self.made[value]
            if made.fn not in _WRITES:
                break
            found.append(made)
            if freeze(made.args[1]) == index:
                return found[::-1]
            if made.fn is not runtime.index_add:
                break
            value = made.args[0]
        return []

    def total(self, op: Op, first: Op) -> Op | None:
        """What `first` stores or adds and `op` adds; None where a sum may not stand for both."""
        before, after = first.args[2], op.args[2]
        if type(before) is int and before == 0 and first.fn is runtime.index_update:
            return Op(operator.pos, (after,))
        try:
            t = infer(operator.add, (after, before), {})
        except SrcadError:
            return None
        # A sum of float32 and what is cast to it would be rounded otherwise.
        same = {dtype_of(type_of(x)) for x in (before, after)} == {dtype_of(op.out.type)}
        return Op(operator.add, (after, before), {}, (Value("", t),), op.loc) if same else None

    def merge(self, op: Op, chain: list[Op], total: Op) -> None:
        """Put the write of the `total` and then the sums between in the place of `op`."""
        first, *between = chain
        dropped = set(chain)
        self.body = [stmt for stmt in self.body if stmt not in dropped]
        if total.outs:
            self.add(total)
        outs = [*(made.outs for made in chain[:-1]), op.outs] if between else [op.outs]
        args = (first.args[0], first.args[1], total.out if total.outs else total.args[0])
        self.add(Op(first.fn, args, {}, outs[0], op.loc))
        for made, before, out in zip(between, outs[:-1], outs[1:], strict=True):
            self.add(Op(made.fn, (*before, *made.args[1:]), {}, out, made.loc))

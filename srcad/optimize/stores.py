"""What is stored and then added at one index is stored, or added, at once.

    a = index_update(x_bar, i, 0)       b = index_update(x_bar, i, g)
    b = index_add(a, i, g)

    a = index_update(x_bar, i, v)       t = add(h, v)
    b = index_add(a, j, g)              a = index_update(x_bar, i, t)
    c = index_add(b, i, h)              c = index_add(a, j, g)

    a = index_add(x_bar, i, g)          h = add(getitem(x_bar, i), g)
    h = getitem(a, i)                   b = index_update(x_bar, i, f(h))
    b = index_update(a, i, f(h))

The cotangent of `x[i] = f(x[i], x[j])` is made so. Sums of cotangents have no order of their own:
what is added to other places between may be added after.
"""

from __future__ import annotations

import operator
from typing import Any

from srcad import runtime
from srcad.errors import SrcadError
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.types import dtype_of
from srcad.ir.walk import count_reads, fresh_like, statements
from srcad.optimize.rewrite import Rewriter, freeze
from srcad.rules.distinct import names_once
from srcad.rules.infer import infer
from srcad.rules.staged import type_of


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
        if op.fn is runtime.index_update:
            op = self.without_sum(op)
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

    def without_sum(self, op: Op) -> Op:
        """A store over entries that were added to, of something that only read the sums."""
        made = self.made.get(op.args[0]) if op.args[0] in self.here else None
        index = op.args[1]
        if made is None or made.fn is not runtime.index_add or not names_once(index, self.made):
            return op
        if made.out.type != op.out.type or freeze(made.args[1]) != freeze(index):
            return op
        reads = [stmt for stmt in self.body if self.is_read(stmt, made.out, index)]
        if self.uses[made.out] != 1 + len(reads):
            return op
        found: list[Stmt] = []
        for stmt in self.body:
            if stmt in reads and isinstance(stmt, Op):
                entry = Op(operator.getitem, (made.args[0], index), {}, (fresh_like(stmt.out),))
                total = Op(operator.add, (entry.out, made.args[2]), {}, stmt.outs, stmt.loc)
                self.made.update({entry.out: entry, stmt.out: total})
                found += [entry, total]
            elif stmt is not made:
                found.append(stmt)
        self.body = found
        return Op(op.fn, (made.args[0], *op.args[1:]), {}, op.outs, op.loc)

    def is_read(self, stmt: Stmt, array: Value, index: Any) -> bool:
        """Whether `stmt` is `array[index]`, in the type of its sum with what was added."""
        if not isinstance(stmt, Op) or stmt.fn is not operator.getitem:
            return False
        if stmt.args[0] is not array or freeze(stmt.args[1]) != freeze(index):
            return False
        added = self.made[array].args[2]
        try:
            return bool(infer(operator.add, (stmt.out, added), {}) == stmt.out.type)
        except SrcadError:
            return False

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

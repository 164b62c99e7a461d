"""Store combining: a store and an addition at the same index become one store.

    a = index_update(x_bar, i, 0)       b = index_update(x_bar, i, g)
    b = index_add(a, i, g)

    a = index_update(x_bar, i, v)       t = add(h, v)
    b = index_add(a, j, g)              a = index_update(x_bar, i, t)
    c = index_add(b, i, h)              c = index_add(a, j, g)

    a = index_add(x_bar, i, g)          h = add(getitem(x_bar, i), g)
    h = getitem(a, i)                   b = index_update(x_bar, i, f(h))
    b = index_update(a, i, f(h))

The cotangent of `x[i] = f(x[i], x[j])` is made so. Sums of cotangents have no order of their own:
what is added to other places between may be added after. Of those up to 200 are looked past, so
that the work grows with the program.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcad import runtime
from srcad.errors import SrcadError
from srcad.ir.keys import freeze
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.types import dtype_of
from srcad.ir.walk import count_reads, fresh_like, statements
from srcad.optimize.rewriter import Rewriter, is_same_type
from srcad.rules.arrays.distinct import names_once
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import type_of


def combine_stores(fn: Function) -> Function:
    """The program with sums of stores at one index."""
    if not any(isinstance(s, Op) and s.fn is runtime.index_add for s in statements(fn.body)):
        return fn
    return _Stores(fn).run(fn)


_WRITES = (runtime.index_add, runtime.index_update)
_MANY = 200  # writes between two at one index


class _Stores(Rewriter):
    """`place` is where each operation of the block stands in `body`, or in what stands `instead` of
    an item of it: what is dropped or replaced leaves the places of others as they are.
    """

    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.uses = count_reads(fn)
        self.made: dict[Value, Op] = {}
        self.here: set[Value] = set()
        self.place: dict[Op, int] = {}
        self.instead: dict[int, list[Stmt]] = {}
        self.entries: dict[Value, list[Op]] = {}  # what reads entries of an array
        self.keys: dict[Op, Any] = {}  # the index of a read or write, to be compared

    def block(self, block: Block) -> Block:
        outer = self.here, self.place, self.instead
        self.here, self.place, self.instead = set(), {}, {}
        block = super().block(block)
        self.here, self.place, self.instead = outer
        return block

    def statements(self, body: list[Stmt]) -> None:
        super().statements(body)
        if self.instead:
            old = self.body
            self.body = [s for k, stmt in enumerate(old) for s in self.instead.get(k, (stmt,))]

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
        self.note(op, len(self.body))
        self.body.append(op)

    def note(self, op: Op, place: int) -> None:
        self.place[op] = place
        if op.fn is operator.getitem and isinstance(op.args[0], Value):
            self.entries.setdefault(op.args[0], []).append(op)

    def put(self, old: Op, new: list[Op]) -> None:
        """Let `new` stand in the place of `old`."""
        place = self.place.pop(old)
        here = self.instead.setdefault(place, [self.body[place]])
        at = here.index(old)
        here[at : at + 1] = new
        for op in new:
            self.note(op, place)

    def key(self, op: Op) -> Any:
        """The index at which `op` reads or writes."""
        found = self.keys.get(op)
        if found is None:
            found = self.keys[op] = freeze(op.args[1])
        return found

    def without_sum(self, op: Op) -> Op:
        """A store over entries that were added to, of something that only read the sums."""
        array, index = op.args[0], op.args[1]
        is_here = isinstance(array, Value) and array in self.here
        made = self.made.get(array) if is_here else None
        if made is None or made.fn is not runtime.index_add or not names_once(index, self.made):
            return op
        if made.out.type != op.out.type or self.key(made) != self.key(op):
            return op
        entries = self.entries.get(made.out, ())
        reads = [read for read in entries if read in self.place and self.is_read(read, made)]
        if self.uses[made.out] != 1 + len(reads):
            return op
        for read in reads:
            entry = Op(operator.getitem, (made.args[0], index), {}, (fresh_like(read.out),))
            total = Op(operator.add, (entry.out, made.args[2]), {}, read.outs, read.loc)
            self.made.update({entry.out: entry, read.out: total})
            self.put(read, [entry, total])
        self.put(made, [])
        return replace(op, args=(made.args[0], *op.args[1:]))

    def is_read(self, read: Op, made: Op) -> bool:
        """Whether `read` is what was added to, in the type of its sum with what was added."""
        if self.key(read) != self.key(made):
            return False
        try:
            return is_same_type(infer(operator.add, (read.out, made.args[2]), {}), read.out.type)
        except SrcadError:
            return False

    def chain(self, op: Op) -> list[Op]:
        """The earlier write at the index of `op` and the sums between, if only these read them."""
        if not names_once(op.args[1], self.made) or not isinstance(op.args[0], Value):
            return []
        index = self.key(op)
        found: list[Op] = []
        value: Any = op.args[0]
        while self.is_passed_on(value) and value.type == op.out.type:
            made = self.made[value]
            if made.fn not in _WRITES or len(found) == _MANY:
                break
            found.append(made)
            if self.key(made) == index:
                return found[::-1]
            if made.fn is not runtime.index_add:
                break
            value = made.args[0]
        return []

    def is_passed_on(self, array: Any) -> bool:
        """Whether an array is made in this block and read once; a constant is not."""
        return isinstance(array, Value) and array in self.here and self.uses[array] == 1

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
        for made in chain:
            self.put(made, [])
        if total.outs:
            self.add(total)
        outs = [*(made.outs for made in chain[:-1]), op.outs] if between else [op.outs]
        args = (first.args[0], first.args[1], total.out if total.outs else total.args[0])
        self.add(Op(first.fn, args, {}, outs[0], op.loc))
        for made, before, out in zip(between, outs[:-1], outs[1:], strict=True):
            self.add(Op(made.fn, (*before, *made.args[1:]), {}, out, made.loc))

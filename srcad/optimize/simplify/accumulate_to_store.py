"""Zero-fill elimination: entries of zeros to which a loop adds once are stored instead.

    a = zeros_like(x)                            a = empty_like(x)
    for t in range(n) carrying b = a:            for t in range(n) carrying b = a:
        c = index_add(b, t, g)                       c = index_update(b, t, g)
        yield c                                      yield c

So is made the cotangent of what a loop reads as `x[t]`. Where an iteration is made for each entry
there is nothing to clear either. Like sums with zeros elsewhere, -0.0 is stored where 0.0 was.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeGuard

from srcad.ir.nodes import Block, For, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, NumberType
from srcad.ir.walk import count_reads, fresh_like, statements
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter
from srcad.runtime import index_add, index_update


def eliminate_zero_fills(fn: Function) -> Function:
    """The program with stores where loops add to zeros."""
    if not any(isinstance(s, Op) and s.fn is index_add for s in statements(fn.body)):
        return fn
    return _Slots(fn).run(fn)


class _Slots(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.uses = count_reads(fn)
        self.zeros: dict[Value, Op] = {}

    def op(self, op: Op) -> None:
        if row_of(op.fn).makes_zeros:
            self.zeros[op.out] = op
        self.body.append(op)

    def region(self, stmt: Any) -> None:
        if isinstance(stmt, For) and _names_each_once(stmt):
            made = enumerate(stmt.body.body)
            adds = {s.out: at for at, s in made if isinstance(s, Op) and s.fn is index_add}
            for k in range(len(stmt.init)):
                stmt = self._stored(stmt, k, adds)
        self.body.append(stmt)

    def _stored(self, loop: For, k: int, adds: dict[Value, int]) -> For:
        """The loop with a store in place of what it adds to the k-th carried array.

        Args:
            adds: where its body adds, by what that makes.
        """
        given = loop.init[k]
        start = self.zeros.get(given) if isinstance(given, Value) else None
        array, after = loop.carried[k], loop.yielded[k]
        if start is None or self.uses[array] != 1 or self.uses.get(after) != 1:
            return loop
        at = adds.get(after)
        if at is None or not adds_to(stmt := loop.body.body[at], array, loop.index):
            return loop
        body = list(loop.body.body)
        body[at] = Op(index_update, stmt.args, stmt.kwargs, stmt.outs, stmt.loc)
        init = list(loop.init)
        if reaches_all(loop, array):
            init[k] = fresh_like(start.out)
            made = Op(row_of(start.fn).uncleared, start.args, start.kwargs, (init[k],), start.loc)
            self.body.append(made)
        return replace(loop, init=init, body=Block(loop.body.params, body, loop.body.results))


def adds_to(stmt: Stmt, array: Value, index: Value) -> TypeGuard[Op]:
    """Whether `stmt` adds to `array[index]`."""
    if not isinstance(stmt, Op) or stmt.fn is not index_add:
        return False
    return stmt.args[0] is array and stmt.args[1] is index


def _names_each_once(loop: For) -> bool:
    """Whether no entry is named by two indices: none is negative."""
    if type(loop.step) is not int:
        return False
    first = loop.start if loop.step > 0 else loop.stop
    return type(first) is int and first >= (0 if loop.step > 0 else -1)


def reaches_all(loop: For, array: Value) -> bool:
    """Whether there is an iteration for each entry along the first axis."""
    t = array.type
    if loop.exits or (loop.start, loop.step) != (0, 1) or not isinstance(t, ArrayType):
        return False
    stop = loop.stop
    if isinstance(stop, Value):
        stop = stop.type.extent if isinstance(stop.type, NumberType) else None
    return stop is not None and t.shape is not None and t.shape[:1] == (stop,)


__all__ = ["adds_to", "eliminate_zero_fills", "reaches_all"]

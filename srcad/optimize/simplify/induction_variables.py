"""Induction variables: integers that a loop counts up become functions of its index.

    for r in range(d) carrying at = n:            for r in range(d) carrying at = n:
        x = getitem(w, at)                            t = r * (r - 1) // 2 + n
        at_2 = add(at, r)                 ->          x = getitem(w, t)
        yield at_2                                    at_2 = add(t, r)
                                                      yield at_2

As they are in packed triangles, or in `k += 1`. What is not read is neither carried nor saved
(`dce`): a reverse sweep has them from its own index. For programs that are compiled.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcad.ir.kinds import is_python_int
from srcad.ir.nodes import Block, For, Function, Op, Stmt, Value
from srcad.ir.types import NumberType
from srcad.ir.walk import defined_in
from srcad.optimize.rewriter import Rewriter

_INT = NumberType(int)
# Of larger ones compiled code would have no room for the multiples.
_MOST = 2**31


def close_induction_variables(fn: Function) -> Function:
    """The program with what its loops count computed anew in each iteration."""
    return _Counters().run(fn)


class _Counters(Rewriter):
    def loop(self, stmt: For) -> For:
        counted: dict[Value, Any] = {}
        ahead: list[Stmt] = []
        if (stmt.start, stmt.step) == (0, 1) and not stmt.reverse:
            made = {s.out: s for s in stmt.body.body if isinstance(s, Op) and len(s.outs) == 1}
            bound = defined_in(stmt.body)
            for start, carried, yielded in zip(stmt.init, stmt.carried, stmt.yielded, strict=True):
                by = _counted_by(carried, made.get(yielded) if isinstance(yielded, Value) else None)
                if by is not None and (by is stmt.index or by not in bound):
                    counted[carried] = _written(start, by, stmt.index, carried.name, ahead)
        if counted:
            self.env.update(counted)
            body = Block(stmt.body.params, [*ahead, *stmt.body.body], stmt.body.results)
            stmt = replace(stmt, body=body)
        return super().loop(stmt)


def _counted_by(carried: Value, op: Op | None) -> Any:
    """What an iteration adds to a carried integer, if that is all that becomes of it."""
    if (
        not is_python_int(carried)
        or op is None
        or op.fn is not operator.add
        or carried not in op.args
    ):
        return None
    a, b = op.args
    by = b if a is carried else a
    is_small = isinstance(by, Value) or (type(by) is int and abs(by) < _MOST)
    return by if is_small and is_python_int(by) and by is not carried else None


def _written(start: Any, by: Any, index: Value, name: str, made: list[Stmt]) -> Any:
    """The value at the start of the iteration with some index, of range(0, n)."""

    def op(fn: Any, a: Any, b: Any, name: str = "") -> Value:
        out = Value(name, _INT)
        made.append(Op(fn, (a, b), {}, (out,)))
        return out

    if by is index:
        sum_ = op(operator.floordiv, op(operator.mul, index, op(operator.sub, index, 1)), 2)
    else:
        sum_ = op(operator.mul, index, by)
    return op(operator.add, start, sum_, name)


__all__ = ["close_induction_variables"]

"""Items of returned lists are the arrays that Python puts there: views of the caller's, say.

    rows: seq of x[i]                       rows: seq of x[i]
    t = array(rows)                 ->      y = listed_as_held((rows,), False)
    y = listed((t,), ...)                   return y
    return y

Inside of a program a list of arrays is one array. Where its items may be arrays that others hold,
the list that leaves a compiled function has these themselves, no copies.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import For, Function, If, Op, Value, While
from srcad.ir.types import ArrayType, ObjectType, SeqType, dtype_of
from srcad.ir.walk import count_reads, statements
from srcad.optimize.analysis.alias import OUTSIDE, Aliases, find_aliases
from srcad.optimize.rewriter import Rewriter


def hold_items(fn: Function) -> Function:
    """The program with lists of what is held."""
    if fn.interface is None or not fn.interface.is_primal:
        return fn
    ops = [stmt for stmt in statements(fn.body) if isinstance(stmt, Op)]
    if not any(op.fn is runtime.listed for op in ops):
        return fn
    return _Holding(fn, {out: op for op in ops for out in op.outs}, find_aliases(fn)).run(fn)


def items_of_lists(fn: Function) -> list[Value]:
    """What loops put into the lists of arrays that a program makes of lists."""
    ops = [stmt for stmt in statements(fn.body) if isinstance(stmt, Op)]
    listed = [op for op in ops if op.fn is runtime.listed]
    if not listed:
        return []
    makers = {out: op for op in ops for out in op.outs}
    found = (held(column, makers) for op in listed for column in op.args[0])
    waiting = [each[0] for each in found if each is not None]
    ends: dict[Value, tuple[Any, ...]] = {}
    for stmt in statements(fn.body):
        if isinstance(stmt, For | While):
            ends.update({seq: (x,) for seq, x in zip(stmt.seqs, stmt.written, strict=True)})
        elif isinstance(stmt, If):
            sides = zip(stmt.then.results, stmt.orelse.results, strict=True)
            ends.update(zip(stmt.outs, sides, strict=True))
    items: list[Value] = []
    for value in waiting:
        new = [x for x in ends.get(value, ()) if isinstance(x, Value)]
        waiting += [x for x in new if isinstance(x.type, SeqType) and x not in waiting]
        items += [x for x in new if not isinstance(x.type, SeqType)]
    return items


def held(column: Any, makers: dict[Value, Op]) -> tuple[Value, Any] | None:
    """The list that an array is made of, and the truths that choose among its items."""
    op = makers.get(column) if isinstance(column, Value) else None
    if op is None:
        return None
    if op.fn in (np.array, runtime.stacked):
        items = op.args[0]
        is_list = isinstance(items, Value) and isinstance(items.type, SeqType)
        return (items, None) if is_list and _is_of_arrays(items.type.elem) else None
    marks = op.args[1] if op.fn is operator.getitem else None
    if not isinstance(marks, Value) or dtype_of(marks.type) != np.bool_:
        return None
    found = held(op.args[0], makers)
    return (found[0], marks) if found is not None and found[1] is None else None


class _Holding(Rewriter):
    def __init__(self, fn: Function, makers: dict[Value, Op], facts: Aliases) -> None:
        super().__init__()
        self.makers, self.facts, self.reads = makers, facts, count_reads(fn)

    def op(self, op: Op) -> None:
        if op.fn is not runtime.listed or not any(map(self.is_held, op.args[0])):
            return super().op(op)
        columns, read_as, is_tuple = op.args
        items = tuple(map(self.items, columns, read_as))
        super().op(Op(runtime.listed_as_held, (items, is_tuple), {}, op.outs, op.loc))

    def held(self, column: Any) -> tuple[Value, Any] | None:
        """The list that an array is made of, of which nothing else reads entries."""
        found = held(column, self.makers) if self.reads[column] == 1 else None
        if found is None or found[1] is None or self.reads[self.makers[column].args[0]] == 1:
            return found
        return None

    def is_held(self, column: Any) -> bool:
        """Whether an array is made of a list of arrays that others may hold."""
        found = self.held(column)
        return found is not None and OUTSIDE in self.facts.of(found[0])

    def items(self, column: Any, read_as: Any) -> Value:
        """The list of what is held, or of the entries of an array."""
        found = self.held(column)
        if found is None:
            return self.made(runtime.listed, ((column,), (read_as,), False))
        items, marks = found
        return items if marks is None else self.made(runtime.marked, (items, marks))

    def made(self, fn: Any, args: tuple[Any, ...]) -> Value:
        """What a function gives."""
        out = Value("", ObjectType("list"))
        super().op(Op(fn, args, {}, (out,)))
        return out


def _is_of_arrays(t: Any) -> bool:
    return isinstance(t, ArrayType) and not t.scalar and t.shape != ()


__all__ = ["hold_items", "items_of_lists"]

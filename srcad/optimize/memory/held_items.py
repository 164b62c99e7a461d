"""Items of returned lists are the arrays that Python puts there: views of the caller's, say.

    rows: seq of x[i]                       rows: seq of x[i]
    t = array(rows)                 ->      y = listed_as_held((rows,), False)
    y = listed((t,), ...)                   return y
    return y

Inside of a program a list of arrays is one array. Others may hold its items: the list that leaves a
compiled function has these themselves, no copies.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import For, Function, If, Op, Value, While
from srcad.ir.types import ArrayType, ObjectType, SeqType, dtype_of
from srcad.ir.walk import statements, values_in
from srcad.optimize.rewriter import Rewriter


def hold_items(fn: Function) -> Function:
    """The program with lists of what is held."""
    if fn.interface is None or not fn.interface.is_primal:
        return fn
    ops = [stmt for stmt in statements(fn.body) if isinstance(stmt, Op)]
    if not any(op.fn is runtime.listed for op in ops):
        return fn
    return _Holding({out: op for op in ops for out in op.outs}).run(fn)


def items_of_lists(fn: Function) -> list[Value]:
    """What loops put into the lists of arrays that a program makes of lists."""
    ops = [stmt for stmt in statements(fn.body) if isinstance(stmt, Op)]
    listed = [op for op in ops if op.fn is runtime.listed]
    if not listed:
        return []
    makers = {out: op for op in ops for out in op.outs}
    found = (held(column, makers) for op in listed for column in op.args[0])
    waiting = [x for parts in found for part in parts for x in values_in(part.items)]
    ends: dict[Value, tuple[Any, ...]] = {}
    for stmt in statements(fn.body):
        if isinstance(stmt, For | While):
            ends.update({seq: (x,) for seq, x in zip(stmt.seqs, stmt.written, strict=True)})
        elif isinstance(stmt, If):
            sides = zip(stmt.then.results, stmt.orelse.results, strict=True)
            ends.update(zip(stmt.outs, sides, strict=True))
    items = [x for x in waiting if not isinstance(x.type, SeqType)]
    for value in waiting:
        new = [x for x in ends.get(value, ()) if isinstance(x, Value)]
        waiting += [x for x in new if isinstance(x.type, SeqType) and x not in waiting]
        items += [x for x in new if not isinstance(x.type, SeqType)]
    return items


def held_lists(fn: Function) -> frozenset[Value]:
    """The lists of a program that have the arrays that Python puts there."""
    ops = (stmt for stmt in fn.body.body if isinstance(stmt, Op))
    return frozenset(op.out for op in ops if op.fn is runtime.listed_as_held)


@dataclass(frozen=True, slots=True)
class Part:
    """Items of a list: a sequence, or arrays one by one; the truths that choose among them."""

    items: Any
    marks: Value | None = None


def held(column: Any, makers: dict[Value, Op]) -> list[Part]:
    """What the list consists of that an array is made of; nothing where it is made otherwise."""
    op = makers.get(column) if isinstance(column, Value) else None
    if op is None:
        return []
    items = op.args[0]
    if op.fn in (np.array, runtime.stacked):
        if isinstance(items, Value) and isinstance(items.type, SeqType):
            return [Part(items)] if _is_of_arrays(items.type.elem) else []
        are_arrays = isinstance(items, list) and all(map(_is_array, items))
        return [Part(items)] if are_arrays and items else []
    if op.fn is np.concatenate and len(op.args) == 1 and not op.kwargs:
        parts = [held(x, makers) for x in items]
        return [part for each in parts for part in each] if all(parts) else []
    marks = op.args[1] if op.fn is operator.getitem else None
    if not isinstance(marks, Value) or dtype_of(marks.type) != np.bool_:
        return []
    found = held(items, makers)
    is_one = len(found) == 1 and found[0].marks is None
    return [Part(found[0].items, marks)] if is_one else []


class _Holding(Rewriter):
    def __init__(self, makers: dict[Value, Op]) -> None:
        super().__init__()
        self.makers = makers

    def op(self, op: Op) -> None:
        if op.fn is not runtime.listed or not any(held(x, self.makers) for x in op.args[0]):
            return super().op(op)
        columns, read_as, is_tuple = op.args
        items = tuple(map(self.items, columns, read_as))
        super().op(Op(runtime.listed_as_held, (items, is_tuple), {}, op.outs, op.loc))

    def items(self, column: Any, read_as: Any) -> Value:
        """The list of what is held, or of the entries of an array."""
        parts = held(column, self.makers)
        if not parts:
            return self.made(runtime.listed, ((column,), (read_as,), False))
        lists = map(self.chosen, parts)
        made: Value = reduce(lambda a, b: self.made(runtime.in_turn, (a, b)), lists)
        return made

    def chosen(self, part: Part) -> Any:
        """The items of a part that are in the list."""
        if part.marks is None:
            return part.items
        return self.made(runtime.marked, (part.items, part.marks))

    def made(self, fn: Any, args: tuple[Any, ...]) -> Value:
        """What a function gives."""
        out = Value("", ObjectType("list"))
        super().op(Op(fn, args, {}, (out,)))
        return out


def _is_array(x: Any) -> bool:
    return isinstance(x, Value) and _is_of_arrays(x.type)


def _is_of_arrays(t: Any) -> bool:
    return isinstance(t, ArrayType) and not t.scalar and t.shape != ()


__all__ = ["held_lists", "hold_items", "items_of_lists"]

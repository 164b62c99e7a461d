"""What a path of a compiled function makes stays an object of its own, where another path gives
back the caller's.

    if n: x = copy(x)                 if n: x = own_array(copy(x))          if n: x = copy(x)
    else: x = x                  ->   else: x = x                    ->     else: x = x
    return x                          return x                              return x

No law of algebra may find that `x * 1.0` is `x` there, nor that two equal arrays are one. So what
is made new is marked before the program is simplified, and so are views that are new objects.
Afterwards a mark is the copy that it stands for, and nothing where that operation is still there.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from copy import copy as shallow_copy
from dataclasses import replace
from typing import Any

from srcad import runtime
from srcad.analysis.operations import is_fresh
from srcad.ir.definedness import Unbound
from srcad.ir.kinds import has_storage
from srcad.ir.nodes import Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, rank_of
from srcad.ir.walk import reached, statements, values_in
from srcad.ops import row_of
from srcad.ops.memory import memory_of
from srcad.optimize.memory.copiers import Copier, copier_in
from srcad.optimize.memory.held_items import items_of_lists
from srcad.optimize.rewriter import ReadsRewriter, Rewriter
from srcad.rules.core.staged import type_of

_MARKS = (runtime.own_array, runtime.own_view)


def mark_new(fn: Function) -> Function:
    """The program of a compiled function with marks at what is made new among its results."""
    shared = fn.interface.shared | fn.interface.joint if fn.interface is not None else ()
    results = [r for k, r in enumerate(fn.body.results) if k in shared and isinstance(r, Value)]
    own = set(fn.params)
    if fn.interface is not None and fn.interface.is_primal and (items := items_of_lists(fn)):
        results += [*items, *filter(_is_array, fn.body.results)]
    if not any(result not in own for result in results):
        return fn
    return _Marked(_reached(fn, results)).run(fn)


def _is_array(x: Any) -> bool:
    return isinstance(x, Value) and isinstance(x.type, ArrayType)


def unmark_new(fn: Function) -> Function:
    """The program with copies and views in the place of those marks that still mean anything."""
    if not any(isinstance(s, Op) and s.fn in _MARKS for s in statements(fn.body)):
        return fn
    return _Unmarked(fn).run(fn)


def _reached(fn: Function, results: list[Value]) -> set[Value]:
    """The values that may be results: through branches, loops and views."""
    ends = Unbound(fn).ends
    made = {out: stmt for stmt in statements(fn.body) if isinstance(stmt, Op) for out in stmt.outs}

    def behind(value: Value) -> Iterator[Any]:
        yield from ends.get(value, ())
        op = made.get(value)
        if op is not None and not isinstance(op.fn, Function) and memory_of(op) != "fresh":
            yield from (x for x in values_in((op.args, op.kwargs)) if has_storage(x.type))

    return set(reached(results, behind))


def _is_marked(op: Op, out: Value) -> bool:
    return is_fresh(op) or (row_of(op.fn).new_view and rank_of(out.type) is not None)


class _Marked(Rewriter):
    def __init__(self, results: set[Value]) -> None:
        super().__init__()
        self.results = results

    def op(self, op: Op) -> None:
        if isinstance(op.fn, Function) or op.fn in _MARKS or self.results.isdisjoint(op.outs):
            self.body.append(op)
            return
        outs = list(op.outs)
        marks: list[Stmt] = []
        for k, out in enumerate(outs):
            if out in self.results and has_storage(out.type) and _is_marked(op, out):
                outs[k] = Value("", out.type)
                mark = runtime.own_array if is_fresh(op) else runtime.own_view
                marks.append(Op(mark, (outs[k],), {}, (out,), op.loc))
        self.body += [replace(op, outs=tuple(outs)) if marks else op, *marks]


class _Unmarked(ReadsRewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.copier: Copier = copier_in(fn)
        self.places: dict[Value, list[Stmt]] = {}

    def op(self, op: Op) -> None:
        if op.fn not in _MARKS:
            self.made |= dict.fromkeys(op.outs, op)
            self.places |= dict.fromkeys(op.outs, self.body)
            self.body.append(op)
            return
        (x,) = op.args
        made = self.sole(x) if self.places.get(x) is self.body else None  # as often as the mark
        is_array = op.fn is runtime.own_array
        if made is not None and (is_fresh(made) if is_array else row_of(made.fn).new_view):
            self.uses[x] += self.uses[op.out] - 1
            self.replace(op.out, x)
        elif is_array:
            rank = rank_of(type_of(x))  # perhaps it is a number, of which NumPy makes an array
            copier = self.copier(type_of(x)) if rank is not None else shallow_copy
            self.body.append(Op(copier, (x,), {}, op.outs, op.loc))
        else:
            self.body.append(Op(operator.getitem, (x, Ellipsis), {}, op.outs, op.loc))


__all__ = ["mark_new", "unmark_new"]

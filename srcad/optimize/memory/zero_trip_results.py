"""A loop that has no iterations gives back what it starts with, itself: the caller's array,
perhaps.

    t = for x in a carrying (t = b):        t_2 = for x in a carrying (t_2 = b):
        t_3 = add(t, x)             ->          t_3 = add(t_2, x)
        yield t_3                               yield t_3
    return t                                t = if 0 < n: yield t_2  else: yield b
                                            return t

Then the loop may write into a copy of what it starts with. What an iteration may leave as it is
cannot be told apart so: such a loop does not write (`srcad.analysis.alias`).
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcad.analysis.operations import owns_results
from srcad.ir import Block, For, Function, If, NumberType, Op, Stmt, Value
from srcad.ir.definedness import Unbound
from srcad.ir.walk import reached


def returned(fn: Function) -> frozenset[Value]:
    """The results of a compiled function that may be arrays of the caller's, and the values of
    branches and loops that these are made of.
    """
    shared = () if fn.interface is None else fn.interface.shared
    results = [r for k, r in enumerate(fn.body.results) if k in shared and isinstance(r, Value)]
    ends = Unbound(fn).ends if results else {}
    return frozenset(reached(results, lambda value: ends.get(value, ())))


def asked(fn: Function) -> set[Value]:
    """What loops have made where they had an iteration, and nothing is told of where they had none:
    `given_back` has asked for that.
    """
    loops = {
        stmt.outs[k]: (stmt, k)
        for stmt in fn.body.body
        if isinstance(stmt, For)
        for k in range(len(stmt.outs))
    }
    ends = [
        pair
        for stmt in fn.body.body
        if isinstance(stmt, If) and not stmt.then.body and not stmt.orelse.body
        for pair in zip(stmt.then.results, stmt.orelse.results, strict=True)
    ]
    return {
        out
        for out, start in ends
        if out in loops and _is_made(*loops[out]) and loops[out][0].init[loops[out][1]] is start
    }


def given_back(fn: Function, values: frozenset[Value]) -> tuple[Function, frozenset[Value]]:
    """The program where loops of which each iteration makes a new array tell whether they made one;
    and those of `values` that may still be what a loop starts with.
    """
    body: list[Stmt] = []
    told: set[Value] = set()
    for stmt in fn.body.body:
        if not isinstance(stmt, For):
            body.append(stmt)
            continue
        new = [k for k, out in enumerate(stmt.outs) if out in values and _is_made(stmt, k)]
        told.update(stmt.outs[k] for k in new)
        if any(type(n) is not int for n in (stmt.start, stmt.stop)):
            body += _asking(stmt, new)
        else:
            body.append(stmt)
    if not told:
        return fn, values
    return replace(fn, body=replace(fn.body, body=body)), values - told


def _is_made(stmt: For, k: int) -> bool:
    """Whether each iteration makes the array that it yields in a place, and iterations can be
    counted.
    """
    if type(stmt.step) is not int or (_is_known(stmt) and not len(_range(stmt))):
        return False
    ops = (op for op in stmt.body.body if isinstance(op, Op) and stmt.yielded[k] in op.outs)
    return any(owns_results(op) for op in ops)


def _is_known(stmt: For) -> bool:
    return type(stmt.start) is int and type(stmt.stop) is int


def _range(stmt: For) -> range:
    return range(stmt.start, stmt.stop, stmt.step)


def _asking(stmt: For, places: list[int]) -> list[Stmt]:
    """A loop, and what it started with in these places where it made no iteration."""
    if not places:
        return [stmt]
    outs = list(stmt.outs)
    cond = Value("", NumberType(bool))
    ends: list[tuple[Any, Any]] = []
    for k in places:
        outs[k] = Value(outs[k].name, outs[k].type)
        ends.append((outs[k], stmt.init[k]))
    made, started = map(list, zip(*ends, strict=True))
    is_turned = operator.lt if stmt.step > 0 else operator.gt
    return [
        replace(stmt, outs=tuple(outs)),
        Op(is_turned, (stmt.start, stmt.stop), {}, (cond,), stmt.loc),
        If(
            cond, Block([], [], made), Block([], [], started),
            tuple(stmt.outs[k] for k in places), stmt.loc,
        ),
    ]  # fmt: skip


__all__ = ["asked", "given_back", "returned"]

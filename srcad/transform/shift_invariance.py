"""Shift invariance: the maximum that a softmax subtracts is a constant for differentiation.

    m = max(x, axis=1, keepdims=True)          m = stop_gradient(max(x, axis=1, keepdims=True))
    z = x - m                                  z = x - m
    e = exp(z)                           ->    ...
    y = z - log(sum(e, axis=1, keepdims=True))

y does not depend on m, whatever m is: log(sum(exp(x - m))) is log(sum(exp(x))) - m. So the
cotangent of m is zero, and an expert leaves it out; term by term it would be added up to the same.
Likewise for exp(z) / sum(exp(z)).
"""

from __future__ import annotations

import operator
from collections import defaultdict
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.walk import fresh_like, reads, substitute, values_in

Uses = dict[Value, list[Any]]


def stop_shift_gradients(fn: Function) -> Function:
    """`fn` with `stop_gradient` around each maximum whose effect cancels; top-level statements
    only.
    """
    if not any(map(_is_maximum, fn.body.body)):
        return fn
    uses = _uses(fn.body)
    body: list[Any] = []
    held: dict[Value, Value] = {}
    for stmt in fn.body.body:
        if isinstance(stmt, Op):
            changed = substitute(stmt.args, held) if held else stmt.args
            body.append(replace(stmt, args=changed))
        else:
            body.append(stmt)
        if _is_maximum(stmt) and _cancels(stmt, uses):
            fixed = fresh_like(stmt.out, "")
            body.append(Op(runtime.stop_gradient, (stmt.out,), {}, (fixed,), stmt.loc))
            held[stmt.out] = fixed
    if not held:
        return fn
    return Function(fn.name, Block(fn.params, body, fn.body.results), fn.interface)


def _is_maximum(stmt: Stmt) -> TypeGuard[Op]:
    return isinstance(stmt, Op) and stmt.fn in (np.max, np.amax)


def _uses(block: Block) -> Uses:
    """The statements that read each value; the block's results count as one."""
    uses: Uses = defaultdict(list)
    for stmt in block.body:
        for value in dict.fromkeys(reads(stmt)):
            uses[value].append(stmt)
    for value in dict.fromkeys(values_in(block.results)):
        uses[value].append(None)
    return uses


def _cancels(maximum: Op, uses: Uses) -> bool:
    """Whether the maximum is used as the shift of one softmax or log-softmax, and nowhere else."""
    z = _only(uses[maximum.out], operator.sub, (*maximum.args, maximum.out))
    if z is None or not maximum.kwargs.get("keepdims", False):
        return False
    if not all(isinstance(stmt, Op) for stmt in uses[z]):
        return False
    exps = [stmt.out for stmt in uses[z] if _is(stmt, np.exp)]
    if len(exps) != 1:
        return False
    (e,) = exps
    total = next((stmt for stmt in uses[e] if _is(stmt, np.sum)), None)
    if total is None or total.kwargs != maximum.kwargs:
        return False
    last = [stmt for stmt in uses[z] if stmt.out is not e]
    if not last and len(uses[e]) == 2:
        # e / sum(e)
        return _only(uses[total.out], operator.truediv, (e, total.out)) in _outs(uses[e])
    log = _only(uses[total.out], np.log, (total.out,))
    if log is None or len(last) != 1 or len(uses[e]) != 1:
        return False
    # z - log(sum(e))
    return _only(uses[log], operator.sub, (z, log)) in _outs(last)


def _only(statements: list[Any], fn: Any, args: tuple[Any, ...]) -> Value | None:
    """The result of the only statement, if it is `fn(*args)`."""
    if len(statements) == 1 and _is(statements[0], fn) and statements[0].args == args:
        out: Value = statements[0].out
        return out
    return None


def _outs(statements: list[Any]) -> list[Value]:
    return [stmt.out for stmt in statements if isinstance(stmt, Op)]


def _is(stmt: Any, fn: Any) -> bool:
    return isinstance(stmt, Op) and stmt.fn is fn

"""Shifts that cancel: the maximum that a softmax subtracts is held fixed when it is differentiated.

    m = max(x, axis=1, keepdims=True)          m = stop_gradient(max(x, axis=1, keepdims=True))
    z = x - m                                  z = x - m
    e = exp(z)                           ->    ...
    y = z - log(sum(e, axis=1, keepdims=True))

y does not depend on m, whatever m is: log(sum(exp(x - m))) is log(sum(exp(x))) - m. So the
cotangent of m is zero, and an expert leaves it out; term by term it would be added up to the same.
Likewise for exp(z) / sum(exp(z)), and for `m + log(sum(exp(x - m)))`.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Block, Function, Op, Value
from srcad.ir.walk import fresh_like, reads, substitute, values_in

Uses = dict[Value, list[Any]]


def hold_shifts(fn: Function) -> Function:
    """`fn` with `stop_gradient` around each maximum whose effect cancels; top-level statements
    only.
    """
    uses = _uses(fn.body)
    body: list[Any] = []
    held: dict[Value, Value] = {}
    for stmt in fn.body.body:
        if isinstance(stmt, Op):
            changed = substitute(stmt.args, held) if held else stmt.args
            body.append(Op(stmt.fn, changed, stmt.kwargs, stmt.outs, stmt.loc, stmt.effect))
        else:
            body.append(stmt)
        if isinstance(stmt, Op) and stmt.fn in (np.max, np.amax) and _cancels(stmt, uses):
            fixed = fresh_like(stmt.out, "")
            body.append(Op(runtime.stop_gradient, (stmt.out,), {}, (fixed,), stmt.loc))
            held[stmt.out] = fixed
    if not held:
        return fn
    return Function(fn.name, Block(fn.params, body, fn.body.results), fn.interface)


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
    """Whether every use of the maximum is as the shift of one softmax or log-sum-exp over its axes."""
    shifts = uses[maximum.out]
    differences = [
        s for s in shifts if _is(s, operator.sub) and s.args == (*maximum.args, maximum.out)
    ]
    if len(differences) != 1:
        return False
    z = differences[0].out
    return _all(uses[z], lambda stmt: _is(stmt, np.exp) or _is(stmt, operator.sub)) and _is_softmax(
        maximum, z, [s for s in shifts if s is not differences[0]], uses
    )


def _is_softmax(maximum: Op, z: Value, others: list[Any], uses: Uses) -> bool:
    exps = [s for s in uses[z] if _is(s, np.exp)]
    if len(exps) != 1:
        return False
    e = exps[0].out
    sums = [s for s in uses[e] if _is_sum_like(s, maximum)]
    if len(sums) != 1:
        return False
    total, rest = sums[0].out, [s for s in uses[e] if s is not sums[0]]
    keeps = bool(maximum.kwargs.get("keepdims", False)) and bool(sums[0].kwargs.get("keepdims"))
    subtractions = [s for s in uses[z] if s is not exps[0]]
    if keeps and not others and not subtractions and rest:
        # softmax: e / sum(e)
        return rest == uses[total] and _all(
            rest, lambda s: _is(s, operator.truediv) and s.args == (e, total)
        )
    logs = uses[total]
    if rest or len(logs) != 1 or not _is(logs[0], np.log):
        return False
    log = logs[0].out
    if keeps and not others:
        # log-softmax: z - log(sum(e))
        return (
            bool(subtractions)
            and subtractions == uses[log]
            and _all(subtractions, lambda s: s.args == (z, log))
        )
    return False


def _is_sum_like(stmt: Any, maximum: Op) -> bool:
    """A sum over the axes of the maximum."""
    if not _is(stmt, np.sum):
        return False
    return bool(
        stmt.kwargs.get("axis") == maximum.kwargs.get("axis")
        and stmt.kwargs.get("keepdims") == maximum.kwargs.get("keepdims")
        and set(stmt.kwargs) <= {"axis", "keepdims"}
    )


def _is(stmt: Any, fn: Any) -> bool:
    return isinstance(stmt, Op) and stmt.fn is fn


def _all(statements: list[Any], test: Any) -> bool:
    return all(test(stmt) for stmt in statements)

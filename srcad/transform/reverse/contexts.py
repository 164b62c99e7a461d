"""Reverse mode of what runs whenever its block runs: `with`, `try` whose handlers all raise.

    with np.errstate(divide="ignore"):       with np.errstate(divide="ignore"):
        y = 1 / x                                x_bar = -y_bar * y * y

    with timer("solve"):                     a_bar = -np.outer(solve(a.T, y_bar), y)
        y = np.linalg.solve(a, b)

The derivative runs in the same `np.errstate`, or under the same filters of warnings, as far as
these are silent: where the primal would raise on a floating-point error, its derivative does not,
for it may underflow or be infinite where the primal is fine. What other managers do is done once,
for the primal.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from srcad.ir.nodes import UNDEFINED, Atom, Block, If, Op, Value
from srcad.ir.raising import FILTERS, SILENT, never_ends
from srcad.ir.regions import Attempt, Context
from srcad.ir.walk import fresh_like
from srcad.rules.core.masks import hand_on
from srcad.rules.core.staged import Builder, type_of
from srcad.rules.core.zero import ZERO
from srcad.transform.conform import bar_name
from srcad.transform.reverse.residuals import supply_values
from srcad.transform.reverse.scope import RegionScope, Scope
from srcad.transform.reverse.sweep import Sweep


def quiet_context(stmt: If) -> tuple[Context | None, list[Op]]:
    """The manager for the derivative of what is in a `with`, and what to call first in it."""
    cond = stmt.cond
    if not isinstance(cond, Context):
        return None, []
    if cond.manager is np.errstate:
        kept = {key: mode for key, mode in cond.kwargs.items() if mode in SILENT}
        return (Context(np.errstate, (), kept) if kept else None), []
    if cond.manager is warnings.catch_warnings:
        calls = [
            Op(op.fn, op.args, op.kwargs, (), op.loc, effect=True)
            for op in stmt.then.body
            if isinstance(op, Op) and op.fn in FILTERS and op.args and op.args[0] in SILENT
        ]
        return (Context(cond.manager) if calls else None), calls
    return None, []


def block_always_run(stmt: If) -> Block | None:
    """The block that has been run to its end wherever `stmt` has; None where either may be."""
    if isinstance(stmt.cond, Context):
        return stmt.then
    if not isinstance(stmt.cond, Attempt):
        return None
    if never_ends(stmt.orelse):
        return stmt.then
    return stmt.orelse if never_ends(stmt.then) else None


def reverse_inside(sweep: Sweep, stmt: If, block: Block, scope: Scope) -> None:
    """Append the reversed `block`, the one of `stmt` that is run to its end."""
    inner = RegionScope(block, scope)
    gs = [scope.pop(out) for out in stmt.outs]
    if all(g is ZERO for g in gs):
        return
    for result, g in zip(block.results, gs, strict=True):
        sweep.accumulate(inner, result, g)
    sweep.block(inner)
    touched = [v for v in inner.touched() if inner.bars[v] is not ZERO]
    body = Block([], inner.builder.body, [inner.bars[v] for v in touched])
    supply_values(body, inner, set(), supply_from(stmt, block), sweep.recompute)
    names = [bar_name(v) for v in touched]
    bars = place(stmt, body, inner.builder, scope.builder, names)
    scope.bars.update(zip(touched, bars, strict=True))


def supply_from(stmt: If, block: Block) -> Callable[[Value], Atom]:
    """Reads of a block's values after `stmt`: results of it, added where needed."""
    other = stmt.orelse if block is stmt.then else stmt.then

    def supply(value: Value) -> Atom:
        for result, out in zip(block.results, stmt.outs, strict=True):
            if result is value:
                return out
        out = fresh_like(value)
        block.results.append(value)
        other.results.append(UNDEFINED)
        stmt.outs = (*stmt.outs, out)
        return out

    return supply


def place(
    stmt: If, block: Block, inner: Builder, outer: Builder, names: Sequence[str]
) -> list[Atom]:
    """Append what differentiates `stmt`, in a `with` of its own if it needs one; the results.

    Args:
        inner: what `block` was made with.
        outer: what it is appended to.
        names: of the results.
    """
    manager, first = quiet_context(stmt)
    results: list[Atom] = block.results
    if manager is None or not block.body:
        outer.body.extend(block.body)
    else:
        outs = tuple(
            Value(name, type_of(result), isinstance(result, Value) and result.partial)
            for name, result in zip(names, block.results, strict=True)
        )
        block.body[:0] = first
        nothing = Block([], [], [UNDEFINED] * len(outs))
        outer.body.append(If(manager, block, nothing, outs, stmt.loc))
        results = list(outs)
    for given, taken in zip(block.results, results, strict=True):
        if isinstance(taken, Value):
            hand_on(inner, given, taken)
    return results

"""Reverse mode of branches.

    if c: y = a * x                      if c: x_bar = y_bar * a
    else: y = x                          else: x_bar = y_bar

A reversed branch has the same condition, that of a `try` is whether it succeeded. The cotangents of
what either side reads from outside meet in the results of the reversed `If`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from srcad.ir.nodes import UNDEFINED, Atom, Block, If, Value
from srcad.ir.types import Type
from srcad.rules.core.product import holds_masked_zeros
from srcad.rules.core.staged import Builder, Staged
from srcad.rules.core.zero import ZERO
from srcad.transform.conform import as_form, bar_name, is_number, meeting_type
from srcad.transform.reverse.contexts import block_always_run, reverse_inside
from srcad.transform.reverse.residuals import supply_values
from srcad.transform.reverse.scope import BranchScope, Scope

if TYPE_CHECKING:
    from srcad.transform.reverse.adjoint import Sweep


def reverse_branch(sweep: Sweep, stmt: If, scope: Scope) -> None:
    """Append the reversed `If` to the scope's reverse sweep."""
    only = block_always_run(stmt)
    if only is not None:
        return reverse_inside(sweep, stmt, only, scope)
    gs = [scope.pop(out) for out in stmt.outs]
    if all(g is ZERO for g in gs):
        return
    paths = []
    for block in (stmt.then, stmt.orelse):
        inner = BranchScope(block, scope, stmt.truth)
        for result, g in zip(block.results, gs, strict=True):
            sweep.accumulate(inner, result, g)
        sweep.block(inner)
        paths.append(inner)
    touched = list(dict.fromkeys(v for path in paths for v in path.touched()))
    ends = [[_at_end(path, v) for v in touched] for path in paths]
    outs = [_meet(v, [end[k] for end in ends], paths) for k, v in enumerate(touched)]
    blocks = []
    for path, end in zip(paths, ends, strict=True):
        results = [as_form(path.builder, a, out.type) for a, out in zip(end, outs, strict=True)]
        blocks.append(Block([], path.builder.body, results))
    for path, block in zip(paths, blocks, strict=True):
        supply_values(block, path, set(), _branch_supply(stmt, path.block), sweep.recompute)
    for path, end in zip(paths, ends, strict=True):
        hand_masks(path.builder, end, outs)
    if touched:
        scope.builder.body.append(If(stmt.truth, blocks[0], blocks[1], tuple(outs), stmt.loc))
        scope.bars.update(zip(touched, outs, strict=True))


def _at_end(path: BranchScope, value: Value) -> Atom:
    """The cotangent of an outer value at the end of a branch, a zero where there is none."""
    if value in path.bars:
        return path.bars[value]
    if path.is_unbound(value):
        return UNDEFINED
    bar = path.get(value)
    return path.zero(value) if bar is ZERO else bar


def _meet(value: Value, ends: list[Atom], paths: list[BranchScope]) -> Value:
    """The out of the reversed `If` in which the cotangents of `value` meet."""
    undefined = any(a is UNDEFINED or (isinstance(a, Value) and a.partial) for a in ends)
    form: Type = meeting_type(value.type, numbers=all(map(is_number, ends)))
    return Value(bar_name(value), form, undefined)


def _branch_supply(stmt: If, block: Block) -> Any:
    """Reads of a branch's values by its reversed form: results of the `If`, added where needed."""
    other = stmt.orelse if block is stmt.then else stmt.then

    def supply(value: Value) -> Atom:
        for result, out in zip(block.results, stmt.outs, strict=True):
            if result is value:
                return out
        out = Value(value.name, value.type, partial=True)
        block.results.append(value)
        other.results.append(UNDEFINED)
        stmt.outs = (*stmt.outs, out)
        return out

    return supply


def hand_masks(builder: Builder, results: list[Atom], outs: Sequence[Value]) -> None:
    """Note as masked what a region hands out of masked values."""
    for result, out in zip(results, outs, strict=True):
        if holds_masked_zeros(Staged(result, builder)):
            builder.masked.add(out)


__all__ = ["hand_masks", "reverse_branch"]

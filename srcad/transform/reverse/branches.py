"""Reverse mode of branches.

    if c: y = a * x                      if c: x_bar = y_bar * a
    else: y = x                          else: x_bar = y_bar

A reversed branch has the same condition, that of a `try` is whether it succeeded. The cotangents of
what either side reads from outside meet in the results of the reversed `If`.

What only one side has a use for is reversed inside of it, so that the other does not even get
0 * NaN from it:

    v = np.sqrt(x)                       if c: x_bar = 0.5 * y_bar / v
    if c: y = v                          else: x_bar = 0.0
    else: y = 1.0
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import Any

from srcad.ir.nodes import UNDEFINED, Atom, Block, For, If, Op, Value, While
from srcad.ir.types import Type, rank_of
from srcad.ops import row_of
from srcad.rules.core.masks import hand_on
from srcad.rules.core.regularity import looks_for_nan
from srcad.rules.core.table import RULES
from srcad.rules.core.zero import ZERO
from srcad.transform.conform import as_form, bar_name, is_number, meeting_type
from srcad.transform.reverse.contexts import block_always_run, reverse_inside
from srcad.transform.reverse.residuals import supply_values
from srcad.transform.reverse.scope import BranchScope, Scope
from srcad.transform.reverse.sweep import Sweep


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
        inner = BranchScope(block, scope, (stmt.truth, block is stmt.then))
        for result, g in zip(block.results, gs, strict=False):  # flags may have been added
            sweep.accumulate(inner, result, g)
        sweep.block(inner)
        paths.append(inner)
    for path, other in (paths, paths[::-1]):
        _pull_in(sweep, scope, path, other)
    touched = list(dict.fromkeys(v for path in paths for v in path.touched()))
    ends = [[_at_end(path, v) for v in touched] for path in paths]
    outs = [_meet(v, [end[k] for end in ends]) for k, v in enumerate(touched)]
    blocks = []
    for path, end in zip(paths, ends, strict=True):
        results = [as_form(path.builder, a, out.type) for a, out in zip(end, outs, strict=True)]
        blocks.append(Block([], path.builder.body, results))
    for path, block in zip(paths, blocks, strict=True):
        supply_values(block, path, set(), _branch_supply(stmt, path.block), sweep.recompute)
    for path, end in zip(paths, ends, strict=True):
        for a, out in zip(end, outs, strict=True):
            hand_on(path.builder, a, out)
    _note_unused(scope, stmt, paths, dict(zip(touched, outs, strict=True)))
    if touched:
        scope.builder.body.append(If(stmt.truth, blocks[0], blocks[1], tuple(outs), stmt.loc))
        scope.bars.update(zip(touched, outs, strict=True))


def _pull_in(sweep: Sweep, scope: Scope, path: BranchScope, other: BranchScope) -> None:
    """Reverse in `path` the operations before the `If` whose results only `path` has a use for."""
    todo = [-at for v in path.bars if (at := scope.place_of(v)) is not None]
    heapify(todo)
    taken = {scope.at}
    while todo:
        at = -heappop(todo)
        op = scope.block.body[at]
        if at in taken or not isinstance(op, Op) or not _is_pulled(op):
            continue
        if any(v in other.bars or scope.get(v) is not ZERO for v in op.outs):
            continue
        if any(not taken.issuperset(sweep.users(scope, v)) for v in op.outs):
            continue
        taken.add(at)
        before, raises = set(path.bars), op.raises
        sweep.located(op, path)
        op.raises = raises  # on the other path, too, where no derivative tells
        for v in path.bars:
            if v not in before and (place := scope.place_of(v)) is not None:
                heappush(todo, -place)


def _is_pulled(op: Op) -> bool:
    """Whether an operation is reversed in a branch. A number read from an array is not: a loop adds
    to the cotangent of the array in each iteration, which can be vectorised.
    """
    row = row_of(op.fn)
    if op.fn is operator.getitem:
        return bool(rank_of(op.out.type))
    return op.fn in RULES and not row.store and not row.scatters


def _note_unused(
    scope: Scope, stmt: If, paths: Sequence[BranchScope], met: dict[Value, Value]
) -> None:
    """Note as masked the cotangents that are zero where a path has no use for a value."""
    if isinstance(scope.binding.made_by.get(stmt.truth), For | While):
        return  # says by which of its statements a loop was left
    marks = scope.builder.marks
    is_missing = looks_for_nan(stmt.truth, scope.builder)
    for value, out in met.items():
        if any(value not in path.bars and path.get(value) is ZERO for path in paths):
            marks.masked.add(out)
            if is_missing:
                marks.missing.add(out)


def _at_end(path: BranchScope, value: Value) -> Atom:
    """The cotangent of an outer value at the end of a branch, a zero where there is none."""
    if value in path.bars:
        return path.bars[value]
    if path.is_unbound(value):
        return UNDEFINED
    bar = path.get(value)
    return path.zero(value) if bar is ZERO else bar


def _meet(value: Value, ends: list[Atom]) -> Value:
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


__all__ = ["reverse_branch"]

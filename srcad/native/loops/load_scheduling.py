"""Load scheduling: an iteration of the innermost loop reads neighbours before it writes.

    for k in range(n):                          for k in range(n):
        y[k] = x[k + 1] - x[k]                      a, b, c = x[k + 1], x[k], x[k + 2]
        z[k] = x[k + 2] - x[k + 1]        ->        y[k] = a - b
                                                    z[k] = c - a

LLVM reads an entry once and keeps it for the next iteration, where it is the neighbour. If it is
read after a store of what its neighbour is read for, the loop is not vectorised: stores are not
moved. Nothing is read ahead of a check, nor of an array that the loop writes.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from srcad.analysis.operations import has_axes
from srcad.ir import Block, For, Function, Op, Stmt, Value
from srcad.ir.effects import destroys
from srcad.ir.forms import Forms, Place
from srcad.ir.walk import outputs, values_in, with_blocks, with_body, with_program


def schedule_loads(fn: Function) -> Function:
    """The function with such reads at the head of innermost loops."""
    return with_program(fn, _block(fn.body, Forms(fn.body)))


def _block(block: Block, forms: Forms) -> Block:
    def inside(stmt: Stmt) -> Stmt:
        if isinstance(stmt, For):
            ops = [each for each in stmt.body.body if isinstance(each, Op)]
            if len(ops) == len(stmt.body.body):
                return with_blocks(stmt, lambda body: with_body(body, _ordered(ops, forms)))
        return with_blocks(stmt, lambda inner: _block(inner, forms))

    return with_body(block, [inside(stmt) for stmt in block.body])


def _ordered(ops: Sequence[Op], forms: Forms) -> list[Stmt]:
    """The operations of an iteration, reads of neighbours ahead of the first store."""
    stores = [k for k, op in enumerate(ops) if destroys(op)]
    written = {ops[k].args[0] for k in stores}
    loads = [op for op in ops if op.fn is operator.getitem and has_axes(op.args[0])]
    moved = {op for op in _of_neighbours(loads, forms) if op.args[0] not in written}
    has_checks = any(op.effect and not destroys(op) for op in ops)
    if has_checks or not stores or not any(op in moved for op in ops[stores[0] :]):
        return [*ops]
    wanted = {value for op in moved for value in values_in(op.args[1:])}
    first: list[Op] = []
    for op in reversed(ops):
        if op in moved or not wanted.isdisjoint(outputs(op)):
            if op not in moved and any(map(has_axes, values_in(op.args))):
                return [*ops]  # a place that an array tells
            first.insert(0, op)
            wanted.update(values_in(op.args[1:] if op in moved else op.args))
    ahead = set(first)
    return [*first, *(op for op in ops if op not in ahead)]


def _of_neighbours(loads: Sequence[Op], forms: Forms) -> list[Op]:
    """The loads of entries that lie beside others along the last axis."""
    rows: dict[tuple[Value, Place], list[Op]] = {}
    for op in loads:
        index = op.args[1] if isinstance(op.args[1], tuple) else (op.args[1],)
        place = tuple(forms.of(part) for part in index)
        last = place[-1]
        if last is not None and last.terms:
            row = (*place[:-1], last - last.const)
            rows.setdefault((op.args[0], row), []).append(op)
    return [op for row in rows.values() if len(row) > 2 for op in row]


__all__ = ["schedule_loads"]

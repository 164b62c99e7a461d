"""Sparse updates: a compiled step changes only those rows of a table that it has read.

    g = scatter_rows(values, shape, ids)        rows, sums = summed_rows(values, shape, ids)
    t = mul(rate, g)                      ->    t = mul(rate, sums)
    w_2 = sub(w, t)                             w_2 = index_sub(w, rows, t)

Such steps are those of training loops under `srcad.compile`: a gradient alone has none.

The same numbers: what is not named is less zero. Only where the gradient is read by nothing else.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcad import kernels
from srcad.ir.inplace import index_sub
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, rank_of, shape_of
from srcad.ir.walk import count_reads
from srcad.rules.core.facts import unknown_extent
from srcad.rules.core.staged import type_of


def sparsify_updates(fn: Function) -> Function:
    """The program with updates of some rows in place of updates of whole tables."""
    if fn.interface is None or not fn.interface.writes:
        return fn
    found = _Found(fn)
    if not found.updates:
        return fn
    body = [made for stmt in fn.body.body for made in found.rewritten(stmt)]
    return Function(fn.name, Block(fn.params, body, fn.body.results), fn.interface)


class _Found:
    """The updates by `scatter_rows`; `sums` are the rows and values of each, `times` the factor."""

    def __init__(self, fn: Function) -> None:
        self.uses = count_reads(fn)
        self.made = {s.outs[0]: s for s in fn.body.body if isinstance(s, Op) and len(s.outs) == 1}
        self.updates: dict[Op, tuple[Op, Op | None]] = {}
        for op in self.made.values():
            found = self.rows_of(op.args[1]) if _is_update(op) else None
            if found is not None:
                self.updates[op] = found
        self.sums = {scatter: _summed(scatter) for scatter, _ in self.updates.values()}
        self.dropped = {factor for _, factor in self.updates.values()}

    def rows_of(self, atom: Any) -> tuple[Op, Op | None] | None:
        """The `scatter_rows` that makes an atom, and the product with a number in between."""
        op = self.sole(atom)
        if op is not None and op.fn is operator.mul:
            for number, rows in (op.args, op.args[::-1]):
                scatter = self.sole(rows)
                if rank_of(type_of(number)) == 0 and scatter is not None and _is_scatter(scatter):
                    return scatter, op
        return (op, None) if op is not None and _is_scatter(op) else None

    def sole(self, atom: Any) -> Op | None:
        """What made an atom that nothing else reads."""
        return self.made.get(atom) if isinstance(atom, Value) and self.uses[atom] == 1 else None

    def rewritten(self, stmt: Stmt) -> Iterator[Stmt]:
        if isinstance(stmt, Op) and stmt in self.sums:
            yield Op(kernels.summed_rows, stmt.args, {}, self.sums[stmt], stmt.loc)
        elif isinstance(stmt, Op) and stmt in self.updates:
            scatter, product = self.updates[stmt]
            rows, sums = self.sums[scatter]
            if product is not None:
                whole = scatter.out
                args = tuple(sums if arg is whole else arg for arg in product.args)
                assert isinstance(product.out.type, ArrayType)
                sums = Value("", ArrayType(product.out.type.dtype, shape_of(sums.type)))
                yield Op(operator.mul, args, {}, (sums,), product.loc)
            yield Op(index_sub, (stmt.args[0], rows, sums), {}, stmt.outs, stmt.loc)
        elif stmt not in self.dropped:
            yield stmt


def _is_update(op: Op) -> bool:
    return op.fn is operator.sub and type_of(op.args[0]) == op.out.type


def _is_scatter(op: Op) -> bool:
    t = op.out.type
    return op.fn is kernels.scatter_rows and isinstance(t, ArrayType) and bool(t.shape)


def _summed(scatter: Op) -> tuple[Value, Value]:
    t = scatter.out.type
    assert isinstance(t, ArrayType)
    assert t.shape is not None
    n = unknown_extent()
    rows = Value("rows", ArrayType(np.dtype(np.int64), (n,)))
    return rows, Value("", ArrayType(t.dtype, (n, *t.shape[1:])))


__all__ = ["sparsify_updates"]

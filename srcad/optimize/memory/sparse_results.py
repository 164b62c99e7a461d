"""Sparse gradients: the gradient of a table is returned as the rows that it consists of.

    g = scatter_rows(values, shape, ids)        g = SparseRows(ids, values, shape)
    return g                                    return g

Only where the program returns it and does nothing else with it: inside programs arrays are whole.
Runs after result ownership: the values become a part of a result, so they are copied where anything
else has to do with them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from srcad import kernels
from srcad.analysis.operations import is_fresh
from srcad.ir.nodes import Block, Function, Op, Stmt, Value
from srcad.ir.walk import count_reads


def sparsify_results(fn: Function) -> Function:
    """The program with the rows themselves where it returns a table that is zero but for them."""
    results, uses = set(fn.body.results), count_reads(fn)
    found = {
        stmt.out
        for stmt in fn.body.body
        if isinstance(stmt, Op) and stmt.fn is kernels.scatter_rows and uses[stmt.out] == 1
    }
    if found.isdisjoint(results):
        return fn
    own = {
        stmt.out
        for stmt in fn.body.body
        if isinstance(stmt, Op) and len(stmt.outs) == 1 and is_fresh(stmt) and uses[stmt.out] == 1
    }
    body = [made for stmt in fn.body.body for made in _rows(stmt, found & results, own)]
    return Function(fn.name, Block(fn.body.params, body, fn.body.results), fn.interface)


def _rows(stmt: Stmt, found: set[Value], own: set[Value]) -> Iterator[Stmt]:
    if not isinstance(stmt, Op) or len(stmt.outs) != 1 or stmt.out not in found:
        yield stmt
        return
    values, shape, rows = stmt.args
    if values not in own:
        held, values = values, Value("", values.type)
        yield Op(np.copy, (held,), {}, (values,), stmt.loc)
    yield Op(kernels.SparseRows, (rows, values, shape), {}, stmt.outs, stmt.loc)


__all__ = ["sparsify_results"]

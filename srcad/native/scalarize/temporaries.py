"""Arrays that a compiled function needs for itself and that are as large as its caller's arrays.

    t = np.empty((n, m))
    for i in range(n): t[i, j] = exp(x[i, j])          t: one loop leaves it to another
    for i in range(n): y[i, j] = t[i, j] * t[i, 0]

They have several axes, and several statements of the function use them. A row that each iteration
of a loop fills for itself is none: each thread has its own.
"""

from __future__ import annotations

import operator

import numpy as np

from srcad.analysis.operations import has_axes
from srcad.ir import Block, Function, Op, Stmt, Value
from srcad.ir.effects import destroys
from srcad.ir.walk import blocks, inputs, reads, statements, values_in
from srcad.native.vectorised import written_by


def temporaries(fn: Function) -> set[Value]:
    """The arrays of a function that its caller can make."""
    body = fn.body
    made = {
        stmt.out
        for stmt in body.body
        if isinstance(stmt, Op) and stmt.fn is np.empty and _has_rows(stmt.args[0])
    }
    made -= _used_as_a_whole(body)
    users: dict[Value, list[Stmt]] = {array: [] for array in made}
    for stmt in body.body:
        for array in set(reads(stmt)) & made:
            users[array].append(stmt)
    return {array for array, found in users.items() if len(found) > 1}


def _has_rows(shape: object) -> bool:
    return isinstance(shape, tuple) and len(shape) > 1


def _used_as_a_whole(body: Block) -> set[Value]:
    """What is passed on: returned, carried by loops, or read other than entry by entry."""
    found = set(values_in(body.results))
    for stmt in statements(body):
        found.update(v for block in blocks(stmt) for v in values_in(block.results))
        if not isinstance(stmt, Op):
            found.update(values_in(inputs(stmt)))
        elif destroys(stmt) or (stmt.fn is operator.getitem and not has_axes(stmt.out)):
            found.update(values_in((stmt.args[1:], stmt.kwargs)))
        elif not written_by(stmt):
            found.update(values_in((stmt.args, stmt.kwargs)))
    return found

"""Which branches stand in the `else` and in the handler of the `try` before them.

If(Attempt((LinAlgError,)), [y = solve(a, b)], [])       try:
If(ok, [-> y], [-> b])                                       y = np.linalg.solve(a, b)
                                                         except np.linalg.LinAlgError:
                                                             y = b

What tells whether it succeeded is a variable only if something else reads it.
"""

from __future__ import annotations

from itertools import pairwise

from srcad.ir import Block, For, If, Op, Value, While
from srcad.ir.regions import Attempt
from srcad.ir.walk import blocks, statements, values_in
from srcad.runtime.effects import caught


def exception_of(handler: Block) -> Value | None:
    """The value that is the exception being handled."""
    first = handler.body[0] if handler.body else None
    return first.out if isinstance(first, Op) and first.fn is caught else None


def find_elses(block: Block) -> set[If]:
    """The branches, at any depth, on whether the `try` right before them succeeded."""
    bodies = [block.body, *(b.body for stmt in statements(block) for b in blocks(stmt))]
    loops = [stmt for stmt in statements(block) if isinstance(stmt, For | While)]
    saved = {v for loop in loops for v in values_in(loop.body.results[len(loop.init) :])}
    return {
        stmt
        for body in bodies
        for before, stmt in pairwise(body)
        if isinstance(before, If) and isinstance(before.cond, Attempt)
        if isinstance(stmt, If) and stmt.cond is before.truth
        if saved.isdisjoint(before.outs)  # else it is stored in between
    }

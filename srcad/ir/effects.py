"""Which statements do more than bind values: write an array, or have an effect.

w_2 = iadd(w, g)            writes w: w_2 is w, changed
ensure(left)                has an effect: it may raise
"""

from __future__ import annotations

from srcad.ir.inplace import DESTROYS
from srcad.ir.nodes import Function, Op, Stmt
from srcad.ir.walk import blocks, statements
from srcad.runtime import effects
from srcad.runtime.checkpoints.states import Checkpoints

# Effects that decide which statements run.
CONTROL = (effects.ensure, effects.raise_, effects.ensure_bound, effects.reraise, effects.caught)
_OWN = (*CONTROL, Checkpoints, bool, getattr)


def destroys(op: Op) -> bool:
    """Whether an operation writes its first argument."""
    return op.key in DESTROYS


def has_effect(stmt: Stmt) -> bool:
    """Whether something in a statement writes in place or has an effect."""
    if isinstance(stmt, Op):
        return stmt.effect or destroys(stmt)
    return any(has_effect(inner) for block in blocks(stmt) for inner in block.body)


def is_noticed(stmt: Stmt) -> bool:
    """Whether something in a statement is done for its effect, which an exception before it would
    prevent; not what only raises what was computed for.
    """
    if isinstance(stmt, Op):
        return stmt.effect and not stmt.raises
    return any(is_noticed(inner) for block in blocks(stmt) for inner in block.body)


def acts(fn: Function) -> bool:
    """Whether a program does something that is noticed when it runs twice: it prints, draws, calls
    what was declared without derivative.
    """
    return any(
        isinstance(stmt, Op)
        and (isinstance(stmt.fn, Function) or (stmt.effect and stmt.fn not in _OWN))
        for stmt in statements(fn.body)
    )


__all__ = ["CONTROL", "acts", "destroys", "has_effect", "is_noticed"]

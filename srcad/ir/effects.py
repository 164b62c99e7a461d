"""Which statements do more than bind values: write an array, or have an effect.

w_2 = iadd(w, g)            writes w: w_2 is w, changed
ensure(left)                has an effect: it may raise
"""

from __future__ import annotations

from srcad.ir.inplace import DESTROYS
from srcad.ir.nodes import Op, Stmt
from srcad.ir.walk import blocks


def destroys(op: Op) -> bool:
    """Whether an operation writes its first argument."""
    return op.key in DESTROYS


def has_effect(stmt: Stmt) -> bool:
    """Whether something in a statement writes in place or has an effect."""
    if isinstance(stmt, Op):
        return stmt.effect or destroys(stmt)
    return any(has_effect(inner) for block in blocks(stmt) for inner in block.body)


__all__ = ["destroys", "has_effect"]

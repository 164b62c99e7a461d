"""What a program refuses otherwise is known after it: `raise` under a condition, `assert`.

    if z.shape[1] != 4 * n:
        raise ValueError                    after it z.shape[1] == 4 * n,
    i = z[:, :n]                            and i is n long

Extents of inputs that must be equal so, and are in this call, are made one (`extents`); sums of
them that must be say how long slices are (`windows`).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any

from srcad.ir.kinds import extent_of_atom, is_python_int
from srcad.ir.nodes import Block, If, Op, Stmt, Value
from srcad.ir.types import Extent
from srcad.ops import row_of
from srcad.runtime.effects import ensure, raise_

Comparison = tuple[Any, Any, Any]


def known_behind(stmt: Stmt, ops: Mapping[Value, Op]) -> Comparison | None:
    """The comparison that holds after a statement, `(operator.eq, a, b)`, if it refuses others.

    Args:
        ops: the operation that makes each value.
    """
    if isinstance(stmt, Op):
        return _compared(stmt.args[0], ops, True) if stmt.fn is ensure else None
    if not isinstance(stmt, If) or not stmt.is_branch:
        return None
    if _raises(stmt.then):
        return _compared(stmt.cond, ops, False)
    return _compared(stmt.cond, ops, True) if _raises(stmt.orelse) else None


def known_inside(stmt: If, is_then: bool, ops: Mapping[Value, Op]) -> Comparison | None:
    """The comparison that holds in a block of a branch."""
    return _compared(stmt.cond, ops, is_then) if stmt.is_branch else None


def equal_behind(stmt: Stmt, ops: Mapping[Value, Op]) -> Iterator[tuple[Extent, Extent]]:
    """Extents that are equal after a statement."""
    known = known_behind(stmt, ops)
    if known is None or known[0] is not operator.eq:
        return
    a, b = map(extent_of_atom, known[1:])
    if a is not None and b is not None:
        yield a, b


def _raises(block: Block) -> bool:
    """Whether nothing comes after a block."""
    return any(isinstance(stmt, Op) and stmt.fn is raise_ for stmt in block.body)


def _compared(cond: Any, ops: Mapping[Value, Op], holds: bool) -> Comparison | None:
    op = ops.get(cond) if isinstance(cond, Value) else None
    negation = None if op is None else row_of(op.fn).negation
    if op is None or negation is None or not all(map(is_python_int, op.args)):
        return None
    a, b = op.args
    return (op.fn if holds else negation), a, b


__all__ = ["Comparison", "equal_behind", "known_behind", "known_inside"]

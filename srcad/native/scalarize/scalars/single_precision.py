"""Numbers of either kind where something is in single precision, and the kind decides the result.

    s = 0.0                            s = np.float32(0)
    for i in range(n):        ->       for i in range(n):
        s = s + w[i]                       s = s + w[i]            w: float32
    return s / n                       return divide(s, n)

A number of Python's is double beside another and takes the precision of NumPy's. Compiled code has
one type for both. So only zero is moved to where a single number may be: it has no digits to lose,
and the operations below keep it zero. Others are not compiled.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from srcad.ir import ArrayType, Block, Op, Stmt, Value
from srcad.ir.effects import destroys
from srcad.ir.types import dtype_of
from srcad.ir.walk import statements, values_in
from srcad.native.scalarize.scalars.weak_scalars import Kinds
from srcad.ops import row_of
from srcad.rules.core.masks import is_zero

_POWERS: Final = (1, 2, 3, 4)


def meets_single(body: Sequence[Stmt], kinds: Kinds) -> bool:
    """Whether the kind of a number that may be of either decides a result. (In an array both are
    stored alike.)
    """
    ops = (stmt for stmt in statements(Block([], list(body), [])) if isinstance(stmt, Op))
    return any(_is_decided(op, kinds) for op in ops)


def _is_decided(op: Op, kinds: Kinds) -> bool:
    args = list(values_in((op.args, op.kwargs)))
    if not any(is_single(value) for value in (*args, *op.outs)):
        return False
    return any(_is_loose(x, kinds) for x in args) and not _keeps_zero(op, kinds)


def _keeps_zero(op: Op, kinds: Kinds) -> bool:
    """Whether zero of either kind gives the same, or zero of the same kind."""
    if destroys(op):
        return True
    if not all(is_single(x) for x in op.args if _is_loose(x, kinds)):
        return False
    if op.fn is operator.pow:
        return type(op.args[1]) in (int, float) and op.args[1] in _POWERS
    row = row_of(op.fn)
    if row.negation is not None:
        return all(_is_strong(x) or _is_exact(x) for x in op.args)
    return row.keeps_zero or (row.adds and all(_is_strong(x) or is_zero(x) for x in op.args))


def _is_loose(x: Any, kinds: Kinds) -> bool:
    """Whether a number is of a kind that is not known; a truth has no precision."""
    return kinds.is_loose(x) and dtype_of(x.type) != np.bool_


def _is_strong(x: Any) -> bool:
    return isinstance(x, Value) and isinstance(x.type, ArrayType)


def _is_exact(x: Any) -> bool:
    """Whether an atom is a number of Python's that a single one is equal to."""
    return type(x) in (int, float) and float(np.float32(x)) == x


def is_single(x: Any) -> bool:
    """Whether a value is in single precision."""
    return isinstance(x, Value) and dtype_of(x.type) == np.float32

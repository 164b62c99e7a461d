"""Shifts and complements of integers as arithmetic, whose bounds are known.

n << 3, n >> 3           n * 8, n // 8
~n                       -1 - n
n << k, n >> k           shifted_left(n, k), shifted_right(n, k)     of Python's integers
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from srcad.ir import NumberType, Op
from srcad.ir.types import dtype_of
from srcad.native.helpers import shifted_left, shifted_right
from srcad.native.scalarize.loop_builder import Code, Unsuited

_AS_ARITHMETIC: dict[Any, Any] = {operator.lshift: operator.mul, operator.rshift: operator.floordiv}
_SHIFTS: dict[Any, Any] = {operator.lshift: shifted_left, operator.rshift: shifted_right}


def as_arithmetic(op: Op) -> Op:
    """An operation on bits as one of arithmetic, if it is one."""
    dtype = dtype_of(op.out.type)
    if dtype is None or dtype.kind != "i":
        return op
    if op.fn is operator.invert:
        return replace(op, fn=operator.sub, args=(-1, *op.args))
    count = op.args[-1] if op.fn in _AS_ARITHMETIC else None
    if type(count) is int and 0 <= count < 8 * dtype.itemsize - 1:
        return replace(op, fn=_AS_ARITHMETIC[op.fn], args=(op.args[0], 2**count))
    return op


def shift(code: Code, operands: Sequence[Any], op: Op) -> Any:
    """`n << k` and `n >> k` of Python's integers, where data say how far."""
    if op.out.type != NumberType(int):
        raise Unsuited("shifts of NumPy's integers by as much as data say")
    return code.op(_SHIFTS[op.fn], operands, op.out.type)


__all__ = ["as_arithmetic", "shift"]

"""What the integers of a program are sums of.

t = add(i, 1); u = sub(t, n)            u: i - n + 1
"""

from __future__ import annotations

import operator
from typing import Any

from srcad.ir.affine import Affine
from srcad.ir.nodes import Block, Op, Value
from srcad.ir.types import NumberType
from srcad.ir.walk import statements


class Forms:
    """Integers of a program as sums of those that nothing is known of."""

    def __init__(self, block: Block) -> None:
        self.ops = {
            op.out: op
            for op in statements(block)
            if isinstance(op, Op) and len(op.outs) == 1 and op.fn in _SUMS
        }

    def of(self, atom: Any) -> Affine | None:
        """The form of an integer; None for what is none."""
        if type(atom) is int:
            return Affine(atom)
        if not isinstance(atom, Value) or not _is_int(atom):
            return None
        op = self.ops.get(atom)
        if op is None:
            return Affine.of(atom)
        forms = [self.of(arg) for arg in op.args]
        if any(form is None for form in forms):
            return Affine.of(atom)
        return _SUMS[op.fn](*forms) or Affine.of(atom)


def _is_int(value: Value) -> bool:
    return isinstance(value.type, NumberType) and value.type.kind is int


def _times(a: Affine, b: Affine) -> Affine | None:
    if a.number is not None:
        return b * a.number
    return a * b.number if b.number is not None else None


_SUMS: dict[Any, Any] = {
    operator.add: lambda a, b: a + b,
    operator.sub: lambda a, b: a - b,
    operator.neg: lambda a: -a,
    operator.mul: _times,
}

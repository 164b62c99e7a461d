"""Read-modify-write stores: a store that changes what it reads becomes `a[i] *= v`, `a[i] -= v`.

    t = mul(getitem(a, i), v)           b = index_mul(a, i, v)
    b = index_update(a, i, t)

    b = index_add(a, i, neg(v))         b = index_sub(a, i, v)
    b = index_add(a, i, mul(-2.0, v))   b = index_sub(a, i, mul(2.0, v))

Where the value stored has another use it stays as it is.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcad import runtime
from srcad.analysis.operations import has_axes
from srcad.ir.inplace import index_sub
from srcad.ir.keys import freeze
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import is_inexact
from srcad.ir.walk import statements
from srcad.ops import row_of
from srcad.optimize.rewriter import ReadsRewriter, is_same_type
from srcad.rules.arrays.distinct import names_once


def augment_stores(fn: Function) -> Function:
    """The program with `a[i] = a[i] op v` as one operation."""
    if not any(isinstance(s, Op) and row_of(s.fn).store for s in statements(fn.body)):
        return fn
    return _Augment(fn).run(fn)


class _Augment(ReadsRewriter):
    def op(self, op: Op) -> None:
        if op.fn is runtime.index_update and has_axes(op.args[0]):
            op = self.updated(op)
        elif op.fn is runtime.index_add and has_axes(op.args[0]):
            op = self.added(op)
        for out in op.outs:
            self.made[out] = op
        self.body.append(op)

    def updated(self, op: Op) -> Op:
        a, index, values = op.args
        made = self.sole(values)
        if made is None or row_of(made.fn).at_index is None:
            return op
        if made.fn is operator.add and not names_once(index, self.made):
            return op
        x, y = made.args
        augmented = row_of(made.fn).at_index
        if self.is_entry(x, a, index, made):
            return replace(op, fn=augmented, args=(a, index, y))
        if row_of(made.fn).commutes and self.is_entry(y, a, index, made):
            return replace(op, fn=augmented, args=(a, index, x))
        return op

    def is_entry(self, x: Any, a: Any, index: Any, made: Op) -> bool:
        """Whether `x` is `a[index]`, in the type that was made of it."""
        read = self.made.get(x) if isinstance(x, Value) else None
        return (
            read is not None
            and read.fn is operator.getitem
            and read.args[0] is a
            and freeze(read.args[1]) == freeze(index)
            and is_same_type(read.out.type, made.out.type)
        )

    def added(self, op: Op) -> Op:
        a, index, values = op.args
        if not isinstance(values, Value) or not names_once(index, self.made):
            return op
        opposite = self.without_minus(values)
        return op if opposite is None else Op(index_sub, (a, index, opposite), {}, op.outs, op.loc)

    def without_minus(self, x: Any) -> Any:
        """What `x` is the negative of, None where no minus is seen, and of integers: narrow ones
        wrap around before they are added to wider ones.
        """
        if type(x) in (int, float):
            return -x if x < 0 else None
        made = self.sole(x)
        if made is None or made.fn not in (operator.neg, operator.mul, operator.truediv):
            return None
        if not is_inexact(made.out.type):
            return None
        if made.fn is operator.neg:
            return made.args[0]
        factor = self.without_minus(made.args[0])
        if factor is None:
            return None
        opposite = Op(made.fn, (factor, made.args[1]), {}, (Value("", made.out.type),), made.loc)
        self.body.append(opposite)
        return opposite.out

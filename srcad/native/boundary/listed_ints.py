"""Ints beside NumPy's floats in a list are floats to compiled code, which has one type for items.

t = as_held(v[i], items, i)         t = v[i]         of a list of ints and NumPy's floats
s = s + t                    ->     s = s + t        NumPy's, as in Python unless all are ints
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Function, Op
from srcad.ir.types import dtype_of
from srcad.ir.walk import count_reads, statements, values_in
from srcad.optimize.rewriter import Rewriter
from srcad.optimize.simplify.dce import dce
from srcad.rules.core.joined_kinds import joined_kinds
from srcad.rules.core.staged import type_of

_SUMS = (operator.add, operator.sub, operator.mul)
_FLOATS = tuple(map(np.dtype, (np.float64, np.float32)))


def ints_as_floats(fn: Function) -> Function:
    """The program in which nothing asks which numbers of such lists are ints, where these are only
    added and multiplied: a single one that leaves or divides is Python's, and told.
    """
    if not any(isinstance(s, Op) and s.fn is runtime.as_held for s in statements(fn.body)):
        return fn
    new = _AsFloats(fn).run(fn)
    return fn if new is fn else dce(new)


class _AsFloats(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.kinds = joined_kinds(fn)
        sums = [s for s in statements(fn.body) if isinstance(s, Op) and s.fn in _SUMS]
        self.others = count_reads(fn) - Counter(values_in([s.args for s in sums]))

    def op(self, op: Op) -> None:
        if op.fn is runtime.as_held and self.has_floats(*op.args[:2]) and not self.others[op.out]:
            self.replace(op.out, op.args[0])
        else:
            self.body.append(op)

    def has_floats(self, entry: Any, items: Any) -> bool:
        """Whether items are ints and NumPy's floats, of the dtype of the array of them."""
        dtype = dtype_of(type_of(entry))
        return dtype in _FLOATS and self.kinds.of(items) == frozenset([int, (dtype, True)])


__all__ = ["ints_as_floats"]

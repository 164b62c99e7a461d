"""Mark elimination: floats of lists of which nothing tells whether they are Python's or NumPy's.

t = as_listed(v[i], marks[i])      t = v[i]
if t > 0:                     ->   if t > 0:
    s = s + t * t * p[1]               s = s + t * t * p[1]

Of float64 both kinds compute the same where nothing is raised. The product of a float with NumPy's
is NumPy's; a quotient raises where the divisor is Python's zero, unless one of both is NumPy's.
The marks are not read then, and no longer made.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Function, If, Op, Value
from srcad.ir.types import dtype_of
from srcad.ir.walk import count_reads, statements, values_in
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter
from srcad.rules.core.joined_kinds import joined_kinds

_TOTAL = (
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.abs, abs,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
)  # fmt: skip
_MARKED = (runtime.as_listed, runtime.as_held)
_FLOAT = np.dtype(float)


def eliminate_marks(fn: Function) -> Function:
    """The program without marks that decide nothing."""
    if not any(isinstance(s, Op) and s.fn in _MARKED for s in statements(fn.body)):
        return fn
    return _Unmarked(fn).run(fn)


class _Unmarked(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.readers: defaultdict[Value, list[Op]] = defaultdict(list)
        self.others = Counter(count_reads(fn))  # reads by what is no operation and no test
        self.kinds = joined_kinds(fn)
        for stmt in statements(fn.body):
            if isinstance(stmt, If) and isinstance(stmt.cond, Value):
                self.others[stmt.cond] -= 1
            elif isinstance(stmt, Op):
                for x in values_in((stmt.args, stmt.kwargs)):
                    self.readers[x].append(stmt)
                    self.others[x] -= 1

    def op(self, op: Op) -> None:
        if op.fn in _MARKED and self.is_untold(op.out):
            self.replace(op.out, self.sub(op.args[0]))
        else:
            self.body.append(op)

    def is_untold(self, x: Value) -> bool:
        """Whether nothing tells which kind of float `x` is."""
        return not self.others[x] and all(map(self._is_blind, self.readers[x]))

    def _is_blind(self, op: Op) -> bool:
        """Whether an operation makes the same of floats of either kind."""
        row = row_of(op.fn)
        if row.store:
            return _is_float(op.args[0])
        if len(op.outs) != 1 or not all(map(_is_float, values_in((op.args, op.kwargs)))):
            return False
        if op.out in self.kinds:  # of one of several kinds as well
            return op.fn in _TOTAL and self.is_untold(op.out)
        return op.fn in _TOTAL or row.is_operator or isinstance(op.fn, np.ufunc)


def _is_float(x: Value) -> bool:
    return dtype_of(x.type) == _FLOAT


__all__ = ["eliminate_marks"]

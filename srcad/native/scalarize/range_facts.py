"""What operations tell of integers: sums that are at least 0 from then on.

check_range(0, n - 2, n - 2, n + 1)         n - 2 >= 0
k = shape[0]                                k >= 0
end = clipped(i + 3, n)                     end >= 0, n - end >= 0
row = kept(i, rows)                         row >= 0
"""

from __future__ import annotations

import operator

import numpy as np

from srcad.ir import Block, Op, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms
from srcad.ir.walk import statements
from srcad.native.helpers import check_natural, check_range, clipped, counted, kept, natural


def learnt(op: Op, forms: Forms, shapes: set[Value]) -> list[Affine]:
    """What is known when an operation has been done; `shapes` are those of arrays."""
    if op.fn is np.shape:
        shapes.add(op.out)
    elif op.fn is operator.getitem and isinstance(op.args[0], Value) and op.args[0] in shapes:
        return [Affine.of(op.out)]
    elif op.fn is check_range:
        return range_checked(op, forms)
    elif op.fn is check_natural:
        least, greatest = map(forms.of, op.args)
        return [least] if least is not None and least == greatest else []
    elif op.fn is clipped:
        at, n = Affine.of(op.out), forms.of(op.args[1])
        return [at] if n is None else [at, n - at]
    elif op.fn in (kept, natural):
        return [Affine.of(op.out)]
    elif op.fn is counted:  # of what has been checked
        at, n = Affine.of(op.out), forms.of(op.args[1])
        return [at] if n is None else [at, n - at - 1]
    return []


def range_checked(op: Op, forms: Forms) -> list[Affine]:
    """A check says that positions lie in an array, where there are any."""
    lowest, least, greatest, n = (forms.of(arg) for arg in op.args)
    if least is None or least != greatest:
        return []
    found = [least] if lowest == Affine() else []
    return [*found, n - least - 1] if n is not None else found


def wraps_nowhere(body: Block, forms: Forms) -> bool:
    """Whether no check lets a negative position pass."""
    checks = (s for s in statements(body) if isinstance(s, Op) and s.fn is check_range)
    return all(forms.of(check.args[0]) == Affine() for check in checks)


class Truths:
    """What comparisons say where they are true."""

    def __init__(self, forms: Forms) -> None:
        self.forms = forms
        self.known: dict[Value, list[Affine]] = {}

    def note(self, op: Op) -> None:
        """Remember what a comparison says."""
        if op.fn is operator.and_:
            both = [self.of(arg) for arg in op.args]
            self.known[op.out] = [*both[0], *both[1]]
        elif op.fn in (operator.le, operator.lt):
            a, b = (self.forms.of(arg) for arg in op.args)
            if a is not None and b is not None:
                self.known[op.out] = [b - a - (op.fn is operator.lt)]

    def of(self, cond: object) -> list[Affine]:
        """What is at least 0 where a condition holds."""
        return self.known.get(cond, []) if isinstance(cond, Value) else []

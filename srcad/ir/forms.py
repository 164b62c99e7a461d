"""What the integers of a program are sums of.

t = add(i, 1); u = sub(t, n)            u: i - n + 1
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcad.ir.affine import Affine
from srcad.ir.kinds import index_parts, is_integer
from srcad.ir.nodes import Block, For, Op, Value
from srcad.ir.types import ArrayType, NumberType
from srcad.ir.walk import statements

Place = tuple[Affine | None, ...]  # of an entry: one form for each axis


class Forms:
    """Integers of a program as sums of those that nothing is known of.

    Args:
        compiled: entries of int64 arrays are integers too, as they are in compiled code.
    """

    def __init__(self, block: Block, *, compiled: bool = False) -> None:
        self.compiled = compiled
        self.ops: dict[Value, Op] = {}
        for stmt in statements(block):
            if isinstance(stmt, Op):
                self.note(stmt)

    def note(self, op: Op) -> None:
        """An operation that a pass writes: its result has a form too."""
        if len(op.outs) == 1 and op.fn in _SUMS:
            self.ops[op.out] = op

    def of(self, atom: Any) -> Affine | None:
        """The form of an integer; None for what is none."""
        if is_integer(atom) and not isinstance(atom, bool):
            return Affine(int(atom))
        if not isinstance(atom, Value) or not self.is_int(atom):
            return None
        op = self.ops.get(atom)
        if op is None:
            return Affine.of(atom)
        forms = [self.of(arg) for arg in op.args]
        if any(form is None for form in forms):
            return Affine.of(atom)
        return _SUMS[op.fn](*forms) or Affine.of(atom)

    def place(self, index: Any) -> Place:
        """The forms of the parts of an index; None for a part that is no integer."""
        return tuple(map(self.of, index_parts(index)))

    def is_int(self, value: Value) -> bool:
        """Whether a value is an integer whose form is told."""
        match value.type:
            case NumberType(kind):
                return kind is int
            case ArrayType(dtype, scalar=True):
                return self.compiled and dtype == np.int64
        return False


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


def within(loops: Iterable[For], forms: Forms) -> list[Affine]:
    """That the indices of loops are in their ranges, as sums that are at least 0."""
    found = []
    for loop in loops:
        start, stop = forms.of(loop.start), forms.of(loop.stop)
        index = Affine.of(loop.index)
        if type(loop.step) is not int:
            continue
        if start is not None:
            found.append(index - start if loop.step > 0 else start - index)
        if stop is not None:
            found.append(stop - index - 1 if loop.step > 0 else index - stop - 1)
    return found


def as_atom(form: Affine, operation: Callable[[Any, tuple[Any, ...]], Value]) -> Any:
    """The atom of a sum; `operation` appends a function of integers and returns its result."""
    total: Any = None
    for value, k in form.terms:
        size = abs(k)
        term = value if size == 1 else operation(operator.mul, (size, value))
        if total is None:
            total = term if k > 0 else operation(operator.neg, (term,))
        else:
            total = operation(operator.add if k > 0 else operator.sub, (total, term))
    if total is None:
        return form.const
    if form.const:
        fn = operator.add if form.const > 0 else operator.sub
        total = operation(fn, (total, abs(form.const)))
    return total

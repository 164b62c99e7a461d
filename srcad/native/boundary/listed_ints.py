"""Ints beside NumPy's floats in a list are floats to compiled code, which has one type for items.

t = as_held(v[i], items, i)         t = item_as_float(v[i])    of ints and NumPy's floats
s = s + t                    ->     s = s + t

The sum is NumPy's, as in Python unless all items are ints: then the call is left to NumPy
(`srcad.native.boundary.arrays_of_ints`). So is the whole program where such a sum is not compiled.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import For, Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, dtype_of
from srcad.ir.walk import count_reads, statements, values_in
from srcad.optimize.rewriter import Rewriter
from srcad.optimize.simplify.dce import dce
from srcad.rules.core.joined_kinds import joined_kinds
from srcad.rules.core.staged import type_of

_SUMS = (operator.add, operator.sub, operator.mul)
_FLOATS = tuple(map(np.dtype, (np.float64, np.float32)))


def has_items_as_floats(fn: Function) -> bool:
    """Whether a function has such an item."""
    return any(isinstance(s, Op) and s.fn is runtime.item_as_float for s in statements(fn.body))


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
        self.added = set(_added(fn))

    def op(self, op: Op) -> None:
        if op.fn is runtime.as_held and op.out in self.added and self.has_floats(*op.args[:2]):
            self.body.append(Op(runtime.item_as_float, op.args[:1], {}, op.outs, op.loc))
        else:
            self.body.append(op)

    def has_floats(self, entry: Any, items: Any) -> bool:
        """Whether items are ints and NumPy's floats, of the dtype of the array of them."""
        dtype = dtype_of(type_of(entry))
        return dtype in _FLOATS and self.kinds.of(items) == frozenset([int, (dtype, True)])


def _added(fn: Function) -> Iterator[Value]:
    """The items that a loop over all items adds up, and nothing else reads."""
    makers = {out: s for s in statements(fn.body) if isinstance(s, Op) for out in s.outs}
    reads = count_reads(fn)
    for loop in statements(fn.body):
        if not isinstance(loop, For) or loop.exits or (loop.start, loop.step) != (0, 1):
            continue
        here = [stmt for stmt in loop.body.body if isinstance(stmt, Op)]
        sums = Counter(values_in([op.args for op in here if op.fn in _SUMS]))
        for op in here:
            is_item = op.fn is runtime.as_held and op.args[2] is loop.index
            if is_item and sums[op.out] == reads[op.out]:
                entry = makers[op.args[0]]
                if _is_extent(loop.stop, entry.args[0], makers):
                    yield op.out


def _is_extent(n: Any, array: Value, makers: dict[Value, Op]) -> bool:
    """Whether a number is that of the rows of an array."""
    own = array.type.shape if isinstance(array.type, ArrayType) else None
    count = type_of(n)
    if own and isinstance(count, NumberType) and count.extent == own[0]:
        return True
    op = makers.get(n) if isinstance(n, Value) else None
    shape = makers.get(op.args[0]) if op is not None and op.fn is operator.getitem else None
    return shape is not None and shape.fn is np.shape and shape.args[0] is array


__all__ = ["has_items_as_floats", "ints_as_floats"]

"""What the optimiser knows of operations: which are pure, elementwise, total, fresh or a view.

A primitive returns a new array, or a view of its arguments (or one of them): never an array that
someone else holds.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.ir.kinds import index_parts
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import ArrayType, Extent, NumberType, TupleType, Type, shape_of
from srcad.ops import row_of
from srcad.ops.memory import memory_of
from srcad.ops.raising import may_miss, raises_by_value
from srcad.rules import RULES


def is_pure(op: Op) -> bool:
    """Whether the operation may be merged with an equal one: a primitive without an effect."""
    return not op.effect and not isinstance(op.fn, Function) and op.fn in RULES


def is_fresh(op: Op) -> bool:
    """Whether the results are arrays that nothing else holds."""
    return memory_of(op) == "fresh" and not row_of(op.fn).read_only


def is_recomputed(op: Op) -> bool:
    """Whether the operation calls a function whose results are its caller's alone."""
    return isinstance(op.fn, Function) and op.fn.recomputed


def owns_results(op: Op) -> bool:
    """Whether all that an operation returns is memory that nothing else holds."""
    fresh = is_fresh(op) and all(isinstance(out.type, ArrayType) for out in op.outs)
    return fresh or is_recomputed(op)


def has_axes(a: Any) -> bool:
    """Whether an atom is an array with axes."""
    t = a.type if isinstance(a, Value) else None
    return isinstance(t, ArrayType) and bool(t.shape)


def is_total(op: Op) -> bool:
    """Whether the operation cannot raise and costs no more than a pass over its result."""
    fn, args = op.fn, op.args
    if row_of(fn).measures or fn is np.transpose:
        return True
    if fn is operator.getitem:
        return always_in_range(args[0], args[1])
    if not row_of(fn).elementwise or raises_by_value(op):
        return False
    types = [a.type for a in args if isinstance(a, Value)]
    if all(isinstance(t, NumberType) for t in types):
        return row_of(fn).raises in ("", "never", "mixed")
    return always_fit(types, op.out.type)


def always_fit(types: list[Type], result: Type) -> bool:
    """Whether the operands are known to broadcast: no extent must turn out equal to another."""
    wide = shape_of(result)
    if wide is None or not isinstance(result, ArrayType):
        return False
    for t in types:
        shape = shape_of(t)
        if shape is None or not isinstance(t, ArrayType | NumberType):
            return False
        pairs = zip(shape[::-1], wide[::-1], strict=False)
        if any(extent not in (1, other) for extent, other in pairs):
            return False
    return True


def always_in_range(x: Any, index: Any) -> bool:
    """Whether `x[index]` cannot raise."""
    t = x.type if isinstance(x, Value) else None
    if isinstance(t, TupleType):
        return isinstance(index, int)  # checked when the type was inferred
    if not isinstance(t, ArrayType) or t.shape is None:
        return False
    parts = index_parts(index)
    is_view = all(p is None or p is Ellipsis or isinstance(p, slice) for p in parts)
    return is_view and not may_miss(x, index)


def is_trip_certain(bounds: tuple[Any, ...]) -> bool:
    """Whether `range(*bounds)` is known and not empty."""
    return all(type(b) is int for b in bounds) and bounds[2] != 0 and len(range(*bounds)) > 0


def extent_value(t: Type) -> Extent | None:
    """The int that every value of this type is, if it is known."""
    return t.extent if isinstance(t, NumberType) and isinstance(t.extent, int) else None

"""Tuples of integers, such as shapes, are passed to compiled functions one integer at a time.

y = loss_1(x, shape)      ->      n = shape[0]
                                  m = shape[1]
                                  y = loss_1(x, n, m)
"""

from __future__ import annotations

import operator
from typing import Any

from srcad.ir import NumberType, Op, Stmt, Value
from srcad.ir.types import TupleType


def is_shape(value: Any) -> bool:
    """Whether a value is a tuple of integers."""
    t = value.type if isinstance(value, Value) else None
    if not isinstance(t, TupleType):
        return False
    return all(isinstance(item, NumberType) and item.kind is int for item in t.items)


def items_of(value: Value) -> tuple[Any, ...]:
    """The types of what is passed for a value: of the items of a tuple, or its own."""
    return value.type.items if isinstance(value.type, TupleType) else (value.type,)


def taken_apart(value: Value, body: list[Stmt]) -> list[Value]:
    """The items of a tuple; appends the operations that read them."""
    items = [Value("", t) for t in items_of(value)]
    for k, item in enumerate(items):
        body.append(Op(operator.getitem, (value, k), {}, (item,)))
    return items


__all__ = ["is_shape", "items_of", "taken_apart"]

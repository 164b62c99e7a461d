"""Indexing: `x[index]` in all its forms, and its transposes `scatter` and `index_add`.

The cotangent of `x` in `x[index]` is `scatter(g, x.shape, index)`: zeros with `g` added at `index`. Repeated
indices add up. Where several cotangents of one array meet, the transform adds in place with `index_add`.
"""

from __future__ import annotations

import operator
from typing import Any

from srcad.rules.shaping import extents

from srcad import runtime
from srcad.ir.types import ArrayType, TupleType, Type, dtype_of, shape_of
from srcad.rules.facts import as_type, shape_from
from srcad.rules.index_facts import getitem_type
from srcad.rules.registry import linear, rule
from srcad.rules.staged import call, type_of
from srcad.rules.zero import ZERO


def _scatter_type(values: object, shape: object, index: object) -> Type:
    t = as_type(values)
    dtype = dtype_of(t)
    assert dtype is not None, t
    return ArrayType(dtype, shape_from(shape))


def _index_add_type(a: object, index: object, values: object) -> Type:
    t = as_type(a)
    dtype = dtype_of(t)
    assert dtype is not None, t
    return ArrayType(dtype, shape_of(t))


def _getitem_vjp(g: Any, y: Any, a: Any, index: Any) -> Any:
    if isinstance(type_of(a), TupleType):
        return ZERO  # a shape
    return call(runtime.scatter, g, extents(a), index)


linear(operator.getitem, a=_getitem_vjp, type_of=getitem_type)

linear(
    runtime.scatter,
    values=lambda g, y, values, shape, index: call(operator.getitem, g, index),
    type_of=_scatter_type,
)


def _index_add_jvp(ts: Any, y: Any, a: Any, index: Any, values: Any) -> Any:
    # Linear in both together, not in each alone.
    a_dot, _, values_dot = ts
    if values_dot is ZERO:
        return a_dot
    if a_dot is ZERO:
        return call(runtime.scatter, values_dot, extents(a), index)
    return call(runtime.index_add, a_dot, index, values_dot)


rule(
    runtime.index_add,
    jvp=_index_add_jvp,
    a=lambda g, y, a, index, values: g,
    values=lambda g, y, a, index, values: call(operator.getitem, g, index),
    type_of=_index_add_type,
)

"""Indexing: `x[index]` in all its forms, and its transposes `scatter` and `index_add`.

The cotangent of `x` in `x[index]` is `scatter(g, x.shape, index)`: zeros with `g` added at `index`.
Repeated indices add up. Where several cotangents of one array meet, they are added by `index_add`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, TupleType, Type, dtype_of, shape_of
from srcad.rules.facts import as_type, shape_from
from srcad.rules.index_facts import getitem_type
from srcad.rules.registry import linear, rule
from srcad.rules.shaping import call_beside, extents
from srcad.rules.staged import call, type_of
from srcad.rules.table import Case
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


def _only_adds_axes(index: Any) -> bool:
    """Whether an index takes every entry: `x[:, None]`."""
    items = index if isinstance(index, tuple) else (index,)
    return bool(items) and all(
        item is None
        or item is Ellipsis
        or (isinstance(item, slice) and item.start is item.stop is item.step is None)
        for item in items
    )


def _getitem_vjp(g: Any, y: Any, a: Any, index: Any) -> Any:
    if isinstance(type_of(a), TupleType):
        return ZERO  # a shape
    if _only_adds_axes(index):
        return call_beside(g, np.reshape, g, extents(a))
    return call(runtime.scatter, g, extents(a), index)


_repeated = np.array([0, 2, 0, 1])
_indices = [
    0,
    -1,
    slice(1, -1),
    slice(None, None, -2),
    (slice(None), 0),
    (Ellipsis, None, slice(2)),
    (1, 2),
    None,
    Ellipsis,
    _repeated,
    (_repeated, slice(1, None)),
    (_repeated[:, None], _repeated),
    (slice(None), [0, 0, 3]),
    np.array([[0, 1], [0, 0]]),
    np.array([True, False, True]),
    (0, _repeated),
]

linear(
    operator.getitem,
    a=_getitem_vjp,
    type_of=getitem_type,
    cases=[
        *(Case((3, 4), index) for index in _indices),
        Case((), ()),
        Case((3,), 1),
        Case((3,), np.int64(1)),
        Case((4,), np.array(2)),
        Case((2, 3, 4), (_repeated % 2, slice(None), _repeated)),
        Case((2, 3, 4), (Ellipsis, 1)),
        Case((3,), (1, Ellipsis)),
        Case((3, 4), np.arange(12).reshape(3, 4) % 3 == 0),
    ],
)

linear(
    runtime.scatter,
    values=lambda g, y, values, shape, index: call(operator.getitem, g, index),
    type_of=_scatter_type,
    cases=[Case((4, 2), (3, 2), _repeated), Case((2,), (4,), slice(1, 3)), Case((), (3,), 1)],
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
    cases=[Case((3, 2), _repeated, (4, 2)), Case((4,), slice(1, 3), (2,)), Case((3,), 0, ())],
)

"""Indexing: `x[index]` in all its forms, its transposes `scatter` and `index_add`, and stores.

The cotangent of `x` in `x[index]` is `scatter(g, x.shape, index)`: zeros with `g` added at `index`.
Repeated indices add up. Where several cotangents of one array meet, they are added by `index_add`.

`x[index] = values` is `index_update(x, index, values)`. The cotangent of what it overwrites is
zero, that of `values` is what stands at `index`, for the values that were not overwritten in turn.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, TupleType, Type, dtype_of, shape_of
from srcad.rules.arrays.distinct import names_once, only_adds_axes
from srcad.rules.arrays.index_facts import getitem_type
from srcad.rules.arrays.shaping import call_beside, extents
from srcad.rules.core.broadcast import cast_like, unbroadcast
from srcad.rules.core.facts import as_type, shape_from
from srcad.rules.core.registry import linear, nondiff, rule
from srcad.rules.core.staged import call, find_builder, is_number, rank_or_none, type_of, unwrap
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO


def _scatter_type(values: object, shape: object, index: object) -> Type:
    t = as_type(values)
    dtype = dtype_of(t)
    assert dtype is not None, t
    return ArrayType(dtype, shape_from(shape))


def _written_type(a: object, index: object, values: object) -> Type:
    t = as_type(a)
    dtype = dtype_of(t)
    assert dtype is not None, t
    return ArrayType(dtype, shape_of(t))


def _getitem_vjp(g: Any, y: Any, a: Any, index: Any) -> Any:
    if isinstance(type_of(a), TupleType):
        return ZERO  # a shape
    if type(index) is tuple and not index and rank_or_none(a) == 0:
        return g
    if only_adds_axes(index):
        return call_beside(g, np.reshape, g, extents(a))
    return call(runtime.scatter, g, extents(a), index)


_repeated = np.array([0, 2, 0, 1])
_indices: list[Any] = [
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


def _read_back(g: Any, index: Any, values: Any, shape: Any = None) -> Any:
    """The cotangent of `values`, which were broadcast to what `index` names and cast.

    With `shape`, that of the array, only the last of the values written to one entry takes part.
    """
    if is_number(g):
        g = call(np.asarray, g)
    taken = call_beside(g, operator.getitem, g, index)
    if shape is not None:
        taken = np.where(call_beside(g, runtime.last_writes, shape, index), taken, 0)
    rank, wanted = rank_or_none(taken), rank_or_none(values)
    if rank is None or wanted is None or wanted <= rank:
        return unbroadcast(taken, values)
    extra = tuple(range(wanted - rank))  # x[:] = v[None, :] does not mind
    summed = unbroadcast(taken, np.squeeze(values, axis=extra))
    return call_beside(g, np.reshape, summed, extents(values))


linear(
    runtime.scatter,
    values=lambda g, y, values, shape, index: _read_back(g, index, values),
    type_of=_scatter_type,
    cases=[
        Case((4, 2), (3, 2), _repeated),
        Case((2,), (4,), slice(1, 3)),
        Case((), (3,), 1),
        Case(float, (3,), slice(1, None)),
        Case((2, 1), (2, 3), Ellipsis),
    ],
)

_broadcast = [
    Case((3, 4), slice(1, None), (4,)),
    Case((3, 4), slice(1, None), ()),
    Case((3, 4), (slice(None), 1), float),
    Case((3, 4), _repeated, (4, 1)),
    Case((3,), np.array([True, False, True]), float),
]


def _index_add_jvp(ts: Any, y: Any, a: Any, index: Any, values: Any) -> Any:
    # Linear in both together, not in each alone.
    a_dot, _, values_dot = ts
    if values_dot is ZERO:
        return a_dot
    if a_dot is ZERO:
        return call_beside(values_dot, runtime.scatter, cast_like(values_dot, a), extents(a), index)
    return call(runtime.index_add, a_dot, index, values_dot)


rule(
    runtime.index_add,
    jvp=_index_add_jvp,
    a=lambda g, y, a, index, values: g,
    values=lambda g, y, a, index, values: _read_back(g, index, values),
    type_of=_written_type,
    cases=[
        Case((3, 2), _repeated, (4, 2)),
        Case((4,), slice(1, 3), (2,)),
        Case((3,), 0, ()),
        *_broadcast,
    ],
)


def _index_update_jvp(ts: Any, y: Any, a: Any, index: Any, values: Any) -> Any:
    a_dot, _, values_dot = ts
    if a_dot is ZERO and values_dot is ZERO:
        return ZERO
    if a_dot is ZERO:
        a_dot = np.zeros_like(y)
    return call(runtime.index_update, a_dot, index, 0 if values_dot is ZERO else values_dot)


def _stored_vjp(g: Any, y: Any, a: Any, index: Any, values: Any) -> Any:
    builder = find_builder((g, a, index))
    distinct = names_once(unwrap(index), {} if builder is None else builder.made)
    return _read_back(g, index, values, None if distinct else extents(a))


def _last_writes_type(shape: object, index: object) -> Type:
    t = getitem_type(ArrayType(np.dtype(bool), shape_from(shape)), index)
    assert isinstance(t, ArrayType), t
    return t


nondiff(
    runtime.last_writes,
    type_of=_last_writes_type,
    cases=[
        Case(Case.made(lambda rng: (3, 4)), _repeated),
        Case(Case.made(lambda rng: (4,)), np.array([1, 3])),
    ],
)
rule(
    runtime.index_update,
    jvp=_index_update_jvp,
    a=lambda g, y, a, index, values: call(runtime.index_update, g, index, 0),
    values=_stored_vjp,
    type_of=_written_type,
    cases=[
        *(Case((3, 4), index, np.zeros((3, 4))[index].shape) for index in _indices),
        *_broadcast,
        Case((3, 4), 0, 2.5),
        Case((), (), ()),
        Case((), Ellipsis, float),
        Case((4,), np.array(2), float),
        Case((4,), slice(1, None), (1, 3)),
        Case((3, 4), 1, (1, 1, 4)),
        Case((4, 2), np.array([2, -2, 1]), (3, 2)),
        Case((2, 3, 4), (_repeated % 2, slice(None), _repeated), (4, 3)),
    ],
    note="of repeated indices the last one wins",
)

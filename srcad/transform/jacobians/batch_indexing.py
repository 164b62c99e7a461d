"""Subscripts of values with an axis for the directions: what they read, and what they write.

getitem(t: f64[n], index)                getitem(t: f64[k, n], (:, *index))
scatter(t: f64[m], (n,), index)          scatter(t: f64[k, m], (k, n), (:, *index))
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.kinds import index_parts
from srcad.ir.nodes import Atom, Op, Value
from srcad.ir.types import ArrayType, rank_of
from srcad.ir.walk import values_in
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import type_of
from srcad.transform.jacobians.batch import (
    WHOLE,
    Batch,
    Form,
    NotBatched,
    aligned,
    extents_of,
    known_rank,
)


def _index(batch: Batch, index: Any) -> tuple[Any, ...]:
    """An index after the axis; refuses one that depends on it, or whose arrays would come before
    it.
    """
    if any(map(batch.has_axis, values_in(index))):
        raise NotBatched
    parts = index_parts(index)
    if any(isinstance(p, list | np.ndarray | bool) for p in parts):
        raise NotBatched
    picks = [k for k, p in enumerate(parts) if not (p is None or p is Ellipsis or type(p) is slice)]
    has_array = any(isinstance(p, Value) and rank_of(p.type) != 0 for p in parts)
    if has_array and picks[-1] - picks[0] + 1 != len(picks):
        raise NotBatched
    return (WHOLE, *parts)


def _getitem(batch: Batch, op: Op) -> Any:
    x, index = op.args
    if not isinstance(type_of(x), ArrayType):
        raise NotBatched
    whole = _index(batch, index)
    *before, last = whole
    if all(part == WHOLE for part in before) and _is_of_places(last):
        # The same entries; NumPy takes them several times as fast.
        return batch.builder.emit(np.take, (batch.of(x), last), {"axis": len(before)})
    return batch.builder.emit(operator.getitem, (batch.of(x), whole))


def _is_of_places(part: Any) -> bool:
    """Whether a part of an index is an array of integers."""
    t = part.type if isinstance(part, Value) else None
    return isinstance(t, ArrayType) and bool(t.shape) and t.dtype.kind in "iu"


def _scatter(batch: Batch, op: Op) -> Any:
    values, shape, index = op.args
    rank = _region_rank(op.out, index, values)
    whole = (batch.count, *extents_of(batch, shape))
    args = (aligned(batch, values, rank), whole, _index(batch, index))
    return batch.builder.emit(runtime.scatter, args)


def _update(batch: Batch, op: Op) -> Any:
    """`index_add`, `index_update`."""
    a, index, values = op.args
    rank = _region_rank(a, index, values)
    args = (batch.of(a), _index(batch, index), aligned(batch, values, rank))
    return batch.builder.emit(op.fn, args)


def _region_rank(a: Atom, index: Any, values: Atom) -> int:
    """The rank of `a[index]`, which `values` are for."""
    t = infer(operator.getitem, (a, index), {})
    rank = None if isinstance(t, tuple) else rank_of(t)
    if rank is None or known_rank(values) > rank:  # NumPy drops leading ones of the values
        raise NotBatched
    return rank


FORMS: dict[Any, Form] = {
    operator.getitem: _getitem,
    runtime.scatter: _scatter,
    runtime.index_add: _update,
    runtime.index_update: _update,
}

__all__ = ["FORMS"]

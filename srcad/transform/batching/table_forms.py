"""Operations on tables and sequences of all samples at once, where each sample has its own.

interp(x: f64[k], xp, fp: f64[m])       interp_rows(x: f64[n, k], xp, fp: f64[n, m])
table[at: i64[k]]                       table[arange(n)[:, None], at: i64[n, k]]
convolve(a: f64[k], v: f64[m])          convolve_rows(a: f64[n, k], v: f64[n, m])
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Atom, Op, Value
from srcad.ir.types import ArrayType, dtype_of, rank_of, shape_of
from srcad.ir.walk import values_in
from srcad.rules.core.staged import type_of
from srcad.transform.jacobians import batch_forms
from srcad.transform.jacobians.batch import (
    Batch,
    Form,
    NotBatched,
    aligned,
    extents_of,
    known_rank,
)

_WHOLE = slice(None)


def has_own_places(batch: Batch, index: Any) -> bool:
    """Whether an index is of ints, of which some depend on the samples: an array, or several ahead
    of slices.
    """
    places, rest = _parts(index)
    if not any(isinstance(each, Value) and batch.has_axis(each) for each in places):
        return False
    if any(batch.has_axis(v) for v in values_in(rest)):
        return False
    are_slices = all(isinstance(each, slice) for each in rest)
    return are_slices and all(map(_is_place, places))


def _parts(index: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The items of an index ahead of slices, and the slices; an index that is no tuple is one."""
    items = index if isinstance(index, tuple) else (index,)
    count = next((k for k, each in enumerate(items) if isinstance(each, slice)), len(items))
    return items[:count], items[count:]


def _is_place(x: Any) -> bool:
    if isinstance(x, int):
        return not isinstance(x, bool)
    dtype = dtype_of(x.type) if isinstance(x, Value) else None
    return dtype is not None and dtype.kind in "iu" and rank_of(x.type) is not None


def rank_of_places(index: Any) -> int:
    """The number of axes that the places of an index have."""
    return max(known_rank(x) if isinstance(x, Value) else 0 for x in _parts(index)[0])


def places_of(batch: Batch, index: Any) -> tuple[Any, ...]:
    """Where the entries stand that each sample's own places lead to."""
    samples = batch.builder.emit(np.arange, (batch.count,))
    rank = rank_of_places(index)
    if rank:
        samples = batch.builder.emit(operator.getitem, (samples, (_WHOLE, *[None] * rank)))
    return samples, *own_places(batch, index)


def own_places(batch: Batch, index: Any) -> tuple[Any, ...]:
    """The index with the axis of the samples, for what is the same for all."""
    places, rest = _parts(index)
    rank = rank_of_places(index)
    return (*(aligned(batch, x, rank) if isinstance(x, Value) else x for x in places), *rest)


def _scatter(batch: Batch, op: Op) -> Any:
    values, shape, index = op.args
    if not has_own_places(batch, index):
        return batch_forms.form_of(op)(batch, op)
    whole = (batch.count, *extents_of(batch, shape))
    args = _values_at(batch, op.out, index, values), whole, places_of(batch, index)
    return batch.builder.emit(runtime.scatter, args)


def _update(batch: Batch, op: Op) -> Any:
    """`index_add`, `index_update`."""
    a, index, values = op.args
    if not has_own_places(batch, index):
        return batch_forms.form_of(op)(batch, op)
    args = batch.of(a), places_of(batch, index), _values_at(batch, a, index, values)
    return batch.builder.emit(op.fn, args)


def _values_at(batch: Batch, a: Atom, index: Any, values: Atom) -> Any:
    """What goes to these places, with the axis."""
    rank = known_rank(a) - len(_parts(index)[0]) + rank_of_places(index)
    if known_rank(values) > rank:
        raise NotBatched
    return aligned(batch, values, rank)


def _interp(batch: Batch, op: Op) -> Any:
    x, xp, fp = op.args
    if any(map(batch.has_axis, values_in(op.kwargs))):
        raise NotBatched
    if not batch.has_axis(xp) and not batch.has_axis(fp):
        return batch.builder.emit(np.interp, (batch.of(x), xp, fp), op.kwargs)
    if any(shape_of(type_of(table)) in (None, (1,)) for table in (xp, fp)):
        raise NotBatched
    tables = (batch.of(table) if batch.has_axis(table) else table for table in (xp, fp))
    return batch.builder.emit(runtime.interp_rows, (batch.of(x), *tables), op.kwargs)


def _searchsorted(batch: Batch, op: Op) -> Any:
    table, x, *rest = op.args
    if any(batch.has_axis(v) for v in values_in((rest, op.kwargs))) or "sorter" in op.kwargs:
        raise NotBatched
    if not batch.has_axis(table):
        return batch.builder.emit(op.fn, (table, batch.of(x), *rest), op.kwargs)
    return batch.builder.emit(runtime.search_rows, (batch.of(table), batch.of(x), *rest), op.kwargs)


def _polyval(batch: Batch, op: Op) -> Any:
    p, x = op.args
    if not batch.has_axis(p):
        return batch.builder.emit(np.polyval, (p, batch.of(x)))
    if not isinstance(type_of(x), ArrayType) and not batch.has_axis(x):
        x = batch.builder.emit(np.asarray, (x,))
    return batch.builder.emit(runtime.polyval_rows, (batch.of(p), batch.of(x)))


def _vander(batch: Batch, op: Op) -> Any:
    x, *rest = op.args
    if any(batch.has_axis(v) for v in values_in((rest, op.kwargs))) or len(rest) > 1:
        raise NotBatched
    emit, made = batch.builder.emit, batch.of(x)
    own = emit(operator.getitem, (emit(np.shape, (made,)), 1))
    n = rest[0] if rest else op.kwargs.get("N")
    n = own if n is None else n
    increasing = op.kwargs.get("increasing", False)
    powers = emit(np.vander, (emit(np.reshape, (made, (-1,))), n), {"increasing": increasing})
    return emit(np.reshape, (powers, (batch.count, own, n)))


def _convolve(batch: Batch, op: Op) -> Any:
    """`np.convolve(a, v, "same")`: the middle of the whole."""
    a, v, *rest = op.args
    mode = rest[0] if rest else op.kwargs.get("mode", "full")
    if known_rank(a) != 1 or known_rank(v) != 1:
        raise NotBatched
    emit, rows = batch.builder.emit, (batch.of(a), batch.of(v))
    if mode != "same":
        args = rows if mode == "full" else (*rows, mode)
        return emit(runtime.convolve_rows, args)
    whole = emit(runtime.convolve_rows, rows)
    lengths = [emit(operator.getitem, (emit(np.shape, (x,)), 1)) for x in rows]
    shorter, longer = (emit(fn, tuple(lengths)) for fn in (min, max))
    first = emit(operator.floordiv, (emit(operator.sub, (shorter, 1)), 2))
    end = emit(operator.add, (first, longer))
    return emit(operator.getitem, (whole, (_WHOLE, slice(first, end))))


FORMS: dict[Any, Form] = {
    np.convolve: _convolve,
    np.interp: _interp,
    np.polyval: _polyval,
    np.searchsorted: _searchsorted,
    np.vander: _vander,
    runtime.index_add: _update,
    runtime.index_update: _update,
    runtime.scatter: _scatter,
}

__all__ = ["FORMS", "has_own_places", "places_of"]

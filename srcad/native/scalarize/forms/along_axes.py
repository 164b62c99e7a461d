"""What is done to each row or column of a matrix: places of extremes, entries at places.

np.argmax(a, axis=1)               the place of the largest entry of each row
np.take_along_axis(a, places, 1)   a[i, places[i, j]]
np.maximum.accumulate(a, axis=1)   the largest entry of each row so far
"""

from __future__ import annotations

import operator
from functools import partial
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op
from srcad.ir.kinds import index_parts
from srcad.native.scalarize.forms.calls import (
    FLOAT,
    INT,
    Choice,
    Chosen,
    Form,
    Formula,
    is_any,
    is_array,
    must,
    options,
    rank,
)
from srcad.native.scalarize.forms.rows import array_of_each, so_far
from srcad.rules.core.staged import call, type_of


def place_of_extreme(v: Any, is_largest: bool) -> Any:
    """`np.argmax(v)`, or `np.argmin`: the first of equal entries, and of NaN if there is one."""
    if len(v) == 0:
        raise ValueError("no entries")
    best = 0
    for k in range(1, len(v)):
        is_better = v[k] > v[best] if is_largest else v[k] < v[best]
        if is_better or (v[k] != v[k] and v[best] == v[best]):
            best = k
    return best


def places_in_rows(a: Any, is_largest: bool) -> Any:
    """`np.argmax(a, axis=1)` of a matrix, or `np.argmin`."""
    out = np.empty(a.shape[0], dtype=np.int64)
    for i in range(a.shape[0]):
        out[i] = place_of_extreme(a[i], is_largest)
    return out


def places_in_columns(a: Any, is_largest: bool) -> Any:
    """`np.argmax(a, axis=0)` of a matrix, or `np.argmin`."""
    out = np.empty(a.shape[1], dtype=np.int64)
    for j in range(a.shape[1]):
        out[j] = place_of_extreme(a[:, j], is_largest)
    return out


def taken_of_vector(v: Any, places: Any) -> Any:
    """`np.take_along_axis(v, places)` of a vector."""
    out = np.empty(len(places))
    for i in range(len(places)):
        out[i] = v[places[i]]
    return out


def taken_in_rows(a: Any, places: Any) -> Any:
    """`np.take_along_axis(a, places, axis=1)` of matrices with equally many rows."""
    n, m = places.shape
    if a.shape[0] != n:
        raise ValueError("other rows")
    out = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            out[i, j] = a[i, places[i, j]]
    return out


def taken_in_columns(a: Any, places: Any) -> Any:
    """`np.take_along_axis(a, places, axis=0)` of matrices with equally many columns."""
    n, m = places.shape
    if a.shape[1] != m:
        raise ValueError("other columns")
    out = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            out[i, j] = a[places[i, j], j]
    return out


def scattered(g: Any, places: Any, n: Any) -> Any:
    """The cotangent of `np.take_along_axis(v, places)` of a vector of n entries."""
    if len(g) != len(places):
        raise ValueError("other places")
    out = np.zeros(n)
    for i in range(len(g)):
        out[places[i]] += g[i]
    return out


def scattered_in_rows(g: Any, places: Any, n: Any, m: Any) -> Any:
    """The cotangent of `np.take_along_axis(a, places, axis=1)` of an n by m matrix."""
    rows, columns = places.shape
    if rows != n or g.shape[0] != rows or g.shape[1] != columns:
        raise ValueError("other places")
    out = np.zeros((n, m))
    for i in range(rows):
        for j in range(columns):
            out[i, places[i, j]] += g[i, j]
    return out


def scattered_in_columns(g: Any, places: Any, n: Any, m: Any) -> Any:
    """The cotangent of `np.take_along_axis(a, places, axis=0)` of an n by m matrix."""
    rows, columns = places.shape
    if columns != m or g.shape[0] != rows or g.shape[1] != columns:
        raise ValueError("other places")
    out = np.zeros((n, m))
    for i in range(rows):
        for j in range(columns):
            out[places[i, j], j] += g[i, j]
    return out


def _by_axis(in_rows: Form, in_columns: Form, axis: Any) -> Form | None:
    if type(axis) is not int:
        return None
    return {-2: in_columns, -1: in_rows, 0: in_columns, 1: in_rows}.get(axis)


def _extreme(is_largest: bool) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, axis=None)
        if found is None or not is_array(op.args[0], FLOAT, 2):
            return None
        form = _by_axis(places_in_rows, places_in_columns, found[0])
        return None if form is None else (form, (op.args[0], is_largest))

    return choose


def _taken(op: Op) -> Chosen | None:
    found = options(op, 2, axis=-1)
    if found == (None,) and is_any(op.args[0], (FLOAT,), 2, 3) and is_array(op.args[1], INT, 1):
        return Formula(lambda a, at: np.take_along_axis(np.ravel(a), at, 0)), op.args[:2]
    if found is not None and is_array(op.args[0], FLOAT, 1) and is_array(op.args[1], INT, 1):
        return (taken_of_vector, op.args[:2]) if found[0] in (-1, 0) else None
    if found is None or not is_array(op.args[0], FLOAT, 2) or not is_array(op.args[1], INT, 2):
        return None
    form = _by_axis(taken_in_rows, taken_in_columns, found[0])
    return None if form is None else (form, op.args[:2])


def _scattered(op: Op) -> Chosen | None:
    if op.kwargs or len(op.args) != 4:
        return None
    g, shape, places, axis = op.args
    if not is_array(g, FLOAT, 1, 2, 3) or not is_array(places, INT, rank(g)):
        return None
    parts = index_parts(shape)
    count = len(parts) if len(parts) > 1 else len(getattr(type_of(parts[0]), "items", "1"))
    if count != rank(g):
        return None
    if count == 1:
        return (scattered, (g, places, *parts)) if axis in (-1, 0) else None
    if count == 3:
        return Formula(_each_scattered), (g, places, axis % 3, shape)
    form = _by_axis(scattered_in_rows, scattered_in_columns, axis)
    return None if form is None else (form, (g, places, *parts))


def _as_rows(a: Any, axis: int) -> Any:
    """The vectors along one of three axes, as rows."""
    a = np.moveaxis(a, axis, -1)
    return np.reshape(a, (a.shape[0] * a.shape[1], a.shape[2]))


def _as_before(rows: Any, axis: int, shape: Any) -> Any:
    """The array of three axes, of this shape, that rows are of."""
    extents = [shape[k] for k in range(3) if k != axis]
    return np.moveaxis(np.reshape(rows, (*extents, shape[axis])), -1, axis)


def _each_running(fn: Any, a: Any, axis: int) -> Any:
    """`fn.accumulate(a, axis)` of three axes."""
    return _as_before(call(fn, _as_rows(a, axis), axis=1), axis, a.shape)


def _each_scattered(g: Any, places: Any, axis: int, shape: Any) -> Any:
    """The cotangent of `np.take_along_axis(a, places, axis)` of three axes."""
    rows, at = (_as_rows(x, axis) for x in (g, places))
    found = call(runtime.scatter_along_axis, rows, (rows.shape[0], shape[axis]), at, 1)
    return _as_before(found, axis, shape)


def _running(form: Form) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found, n = options(op, 1, axis=0), rank(op.args[0])
        if found is None or not is_any(op.args[0], (FLOAT, INT), 1, 2, 3):
            return None
        axis = found[0] % n if type(found[0]) is int and -n <= found[0] < n else n
        if axis == 0:
            return form, op.args[:1]
        if n == 3 and axis < n:
            return Formula(partial(_each_running, op.key)), (op.args[0], axis)
        return (array_of_each, (op.args[0], form)) if axis == 1 else None

    return choose


def variances_in_rows(a: Any, less: float, is_root: bool) -> Any:
    """`np.var(a, axis=1, ddof=less)` of a matrix, or `np.std`."""
    n, m = a.shape
    if m <= less:
        raise ValueError("too few entries")
    out = np.empty(n)
    for i in range(n):
        mean = np.sum(a[i]) / m
        total = np.float64(0.0)
        for j in range(m):
            total += (a[i, j] - mean) * (a[i, j] - mean)
        out[i] = np.sqrt(total / (m - less)) if is_root else total / (m - less)
    return out


def variances_in_columns(a: Any, less: float, is_root: bool) -> Any:
    """`np.var(a, axis=0, ddof=less)` of a matrix, or `np.std`."""
    return variances_in_rows(np.transpose(a), less, is_root)


def _variances(is_root: bool) -> Choice:
    """Of samples; others are reductions that compiled code has."""

    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, axis=None, dtype=None, out=None, ddof=0)
        if found is None or found[1:3] != (None, None) or type(found[3]) not in (int, float):
            return None
        form = _by_axis(variances_in_rows, variances_in_columns, found[0])
        is_fit = found[3] > 0 and is_array(op.args[0], FLOAT, 2)
        return (form, (op.args[0], found[3], is_root)) if form is not None and is_fit else None

    return choose


def unwrapped(a: Any, most: float, axis: int, period: float) -> Any:
    """`np.unwrap(a, most, axis, period=period)`."""
    must(call(operator.gt, a.shape[axis], 0))
    half, ahead = period / 2, (slice(None),) * axis
    step = np.diff(a, axis=axis)
    rest = np.remainder(step + half, period) - half
    rest = np.where((rest == -half) & (step > 0.0), half, rest)
    more = np.cumsum(np.where(np.abs(step) < most, 0.0, rest - step), axis=axis)
    later = a[(*ahead, slice(1, None))] + more
    return np.concatenate((a[(*ahead, slice(None, 1))], later), axis=axis)


def _unwrap(op: Op) -> Chosen | None:
    found, n = options(op, 1, discont=None, axis=-1, period=2 * np.pi), rank(op.args[0])
    if found is None or type(found[1]) is not int or not is_array(op.args[0], FLOAT, 1, 2, 3):
        return None
    most, axis, period = found
    if type(period) is not float or period <= 0 or not isinstance(most, float | None):
        return None
    most = period / 2 if most is None else most
    return Formula(unwrapped), (op.args[0], most, axis % n, period)


ALONG_AXES: Final[dict[Any, Choice]] = {
    np.argmax: _extreme(True),
    np.argmin: _extreme(False),
    np.unwrap: _unwrap,
    np.var: _variances(False),
    np.std: _variances(True),
    np.take_along_axis: _taken,
    runtime.scatter_along_axis: _scattered,
    **{fn.accumulate: _running(so_far(fn)) for fn in (np.maximum, np.minimum, np.fmax, np.fmin)},
}

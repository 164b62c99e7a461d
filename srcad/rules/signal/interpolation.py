"""Linear interpolation: `np.interp`, and `interp_rows` with a table for each row.

At a knot the slope is that of the interval on its right, at the last knot that on its left; outside
of the knots it is 0.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import Type, dtype_of, shape_of
from srcad.rules.arrays.shaping import call_beside, extents
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.array_arguments import constant_array
from srcad.rules.core.broadcast import cast_like, promoted
from srcad.rules.core.declaration.cases import places
from srcad.rules.core.facts import UncoveredError, array_or_scalar, as_type, real_only
from srcad.rules.core.product import times
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import as_array, call, rank_or_none, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO


def _normalize(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Arguments:
    if period is not None:
        raise TypeError("`period` is not covered: take `x % period` of sorted knots")
    x, xp, fp = map(constant_array, (x, xp, fp))
    ends = {k: v for k, v in (("left", left), ("right", right)) if v is not None}
    return (x, xp, fp), ends


def _interp_type(
    x: object, xp: object, fp: object, left: object = None, right: object = None
) -> Type:
    for end in (left, right):
        if not isinstance(end, int | float | None):
            raise UncoveredError("`left=` or `right=` that is computed")
    t, shape = as_type(fp), shape_of(as_type(x))
    assert dtype_of(t) is not None
    return array_or_scalar(np.dtype(float), shape)


def _interval(x: Any, xp: Any) -> Any:
    """The index of the knot at the left end of the interval in which each `x` lies."""
    has_rows = _has_rows(xp)
    last = (np.shape(xp)[1] if has_rows else np.size(xp)) - 2
    search = runtime.search_rows if has_rows else np.searchsorted
    return np.clip(call(search, xp, x, side="right") - 1, 0, last)


def _has_rows(table: Any) -> bool:
    return rank_or_none(table) == 2


def _end(table: Any, at: int, x: Any) -> Any:
    """The first or last entry of a table, for each `x`."""
    if not _has_rows(table):
        return table[at]
    return np.reshape(table[:, at], _column(x))


def _column(x: Any) -> tuple[int, ...]:
    """The shape of a number for each row, beside `x`."""
    return (-1, *[1] * ((rank_or_none(x) or 1) - 1))


def _outside(x: Any, xp: Any) -> Any:
    return np.logical_or(x < _end(xp, 0, x), x > _end(xp, -1, x))


def _index(table: Any, at: Any) -> Any:
    """Where entries of a table stand, or of each row of it."""
    if not _has_rows(table):
        return at
    rows = call_beside(at, np.arange, extents(table)[0])
    return np.reshape(rows, _column(at)), at


def _taken(values: Any, at: Any) -> Any:
    return call(operator.getitem, values, _index(values, at))


def _step(values: Any, at: Any) -> Any:
    """From the left end of each interval to its right end."""
    return _taken(values, at + 1) - _taken(values, at)


def _known_size(table: Any) -> int | None:
    """How many knots there are, where that is known while compiling."""
    shape = None if _has_rows(table) else shape_of(type_of(as_array(table)))
    size = shape[0] if shape else None
    return size if isinstance(size, int) else None


def _slope(x: Any, xp: Any, fp: Any) -> Any:
    if _known_size(xp) in (0, 1):
        return np.zeros_like(x, dtype=float)  # without knots the function raises
    at = _interval(x, xp)
    return _masked(_outside(x, xp), _step(fp, at) / _step(xp, at))


def _masked(outside: Any, value: Any) -> Any:
    found = np.where(outside, 0, value)
    return found[()] if rank_or_none(value) == 0 else found


def _of_floats(body: Any) -> Any:
    """A derivative, of knots and values as NumPy computes with them: differences of small ints
    overflow.
    """

    @functools.wraps(body)
    def derivative(g: Any, y: Any, *inputs: Any, **ends: Any) -> Any:
        return body(g, y, *(promoted(x, y) for x in inputs), **ends)

    return derivative


@_of_floats
def _x_bar(g: Any, y: Any, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    return cast_like(times(g, _slope(x, xp, fp)), x)


def _knots_bar(g: Any, x: Any, xp: Any, left: Any, right: Any, to: Any) -> Any:
    """The cotangents `g` of the values, shared among the knots at both ends of their interval."""
    size = _known_size(xp)
    if size == 0:
        return np.zeros_like(to)
    if left is not None:
        g = _masked(x < _end(xp, 0, x), g)
    if right is not None:
        g = _masked(x > _end(xp, -1, x), g)
    if size == 1:
        return cast_like(np.reshape(np.sum(g), (1,)), to)
    at = _interval(x, xp)
    share = np.clip((x - _taken(xp, at)) / _step(xp, at), 0, 1)
    upper = times(g, share)
    low = call(runtime.scatter, g - upper, extents(to), _index(to, at))
    return cast_like(call(runtime.index_add, low, _index(to, at + 1), upper), to)


@_of_floats
def _fp_bar(g: Any, y: Any, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    return _knots_bar(g, x, xp, left, right, fp)


@_of_floats
def _xp_bar(g: Any, y: Any, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    return _knots_bar(-times(g, _slope(x, xp, fp)), x, xp, left, right, xp)


@_of_floats
def _jvp(ts: Any, y: Any, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    x_dot, xp_dot, fp_dot = ts
    moved = x_dot
    interp = runtime.interp_rows if _has_rows(xp) or _has_rows(fp) else np.interp
    if xp_dot is not ZERO:
        moved = moved - call(interp, x, xp, xp_dot)
    if moved is not ZERO:
        moved = moved * _slope(x, xp, fp)
    if fp_dot is not ZERO:
        ends = {k: 0.0 for k, v in (("left", left), ("right", right)) if v is not None}
        moved = moved + call(interp, x, xp, fp_dot, **ends)
    return cast_like(moved, y)


def _rows_of_places(rng: Any) -> Any:
    return np.stack([places(5)(rng) for _ in range(3)])


rule(
    np.interp,
    jvp=_jvp,
    x=_x_bar,
    xp=_xp_bar,
    fp=_fp_bar,
    type_of=real_only(_interp_type),
    normalize=_normalize,
    domain=(-1.5, 5.5),
    note="at a knot the slope on its right",
    cases=(
        Case((6,), places(5), (5,)),
        Case((2, 3), places(5), (5,)),
        Case(float, places(5), (5,)),
        Case(np.float64, places(2), (2,)),
        Case((8,), places(4), (4,), left=-1.0, right=2.5),
        Case((8,), places(4), (4,), right=0.5),
    ),
)
rule(
    runtime.interp_rows,
    jvp=_jvp,
    x=_x_bar,
    xp=_xp_bar,
    fp=_fp_bar,
    type_of=_interp_type,
    domain=(-1.5, 5.5),
    note="at a knot the slope on its right",
    cases=(
        Case((3, 6), _rows_of_places, (3, 5)),
        Case((3,), places(5), (3, 5)),
        Case((3, 2, 2), _rows_of_places, (5,), left=-1.0, right=2.5),
    ),
)

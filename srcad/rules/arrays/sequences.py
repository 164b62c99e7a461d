"""Lists: made of the rows of an array or of single items, and taken apart.

list(x)                     the rows of an array; what transposes the array of a list
list([a, b, c])             a list of these items
stacked(rows, (3,))         their array, with an axis of 3 even where there are no rows
taken_apart(items, 3)       its items one by one, which transposes that
marked(items, marks)        those of its items that have a mark
in_turn(first, second)      the items of two lists
joined(first, pieces)       the arrays of a list one after the other
cut(x, start, pieces)       an array cut as long as pieces are, which transposes that
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, SeqType, Type, dtype_of, shape_of
from srcad.rules.arrays.creation import filled
from srcad.rules.arrays.shaping import dims, dtype_of_arrays
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import (
    UncoveredError,
    array_or_scalar,
    as_type,
    shape_from,
    unknown_extent,
)
from srcad.rules.core.registry import nondiff, rule
from srcad.rules.core.staged import Staged, call, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.runtime import cut, in_turn, joined, marked, stacked, taken_apart


def _list_type(iterable: object) -> Type:
    if isinstance(iterable, list):
        return SeqType(as_type(iterable[0]))
    t = as_type(iterable)
    if not isinstance(t, ArrayType) or not t.shape:
        raise UncoveredError("anything but an array")
    return SeqType(array_or_scalar(t.dtype, t.shape[1:]))


def _list_jvp(ts: Any, y: Any, iterable: Any) -> Any:
    if isinstance(iterable, list):
        return _listed(filled(ts[0], iterable), y)
    return call(list, ts[0])


def _list_vjp(g: Any, y: Any, iterable: Any) -> Any:
    if not isinstance(iterable, list):
        return call(np.array, g)
    return _apart(g, iterable)


def _apart(bars: Any, items: list[Any]) -> list[Any]:
    """The cotangents of these items, of which `bars` is the list."""
    apart = call(taken_apart, bars, len(items))
    for bar, x in zip(apart, items, strict=True):
        if isinstance(bar, Staged) and shape_of(type_of(x)):
            dtype = dtype_of(type_of(bar))
            assert dtype is not None
            bar.value.type = ArrayType(dtype, shape_of(type_of(x)))  # of an element it tells less
    return [cast_like(bar, x) for bar, x in zip(apart, items, strict=True)]


def _listed(items: list[Any], like: Any) -> Any:
    """A list of these items, of the type that another has."""
    made = call(list, items)
    if isinstance(made, Staged):
        made.value.type = type_of(like)
    return made


def _taken_apart_type(items: Any, count: int) -> Any:
    return (items.elem,) * count if isinstance(items, SeqType) else tuple(map(as_type, items))


def _taken_apart_vjp(g: Any, y: Any, items: Any, count: int) -> Any:
    bars = [np.zeros_like(x) if t is ZERO else t for t, x in zip(g, y, strict=True)]
    return bars if isinstance(items, list) else _listed(bars, items)


# A sequence from the rows of an array: what transposes the array of a sequence. Or from items.
rule(
    list,
    jvp=_list_jvp,
    iterable=_list_vjp,
    type_of=_list_type,
    cases=[Case((3, 4)), Case([(3,), (3,)])],
)
rule(
    taken_apart,
    jvp=lambda ts, y, items, count: call(taken_apart, ts[0], count),
    items=_taken_apart_vjp,
    type_of=_taken_apart_type,
    cases=[Case([(3,), (3,), (3,)], 3)],
)


def _stacked_type(rows: Any, shape: Any) -> Type:
    elem = rows.elem if isinstance(rows, SeqType) else as_type(rows[0])
    return ArrayType(dtype_of_arrays(elem), (unknown_extent(), *(shape_from(shape) or ())))


def _stacked_vjp(g: Any, y: Any, rows: Any, shape: Any) -> Any:
    bars = call(list, g)
    return _apart(bars, rows) if isinstance(rows, list) else bars


rule(
    stacked,
    jvp=lambda ts, y, rows, shape: call(stacked, filled(ts[0], rows), shape),
    rows=_stacked_vjp,
    type_of=_stacked_type,
    cases=[Case([(3,), (3,)], (3,)), Case([(2, 3)], (2, 3))],
)


def _joined_type(first: Any, pieces: Any) -> Type:
    t = as_type(first)
    elems = [pieces.elem] if isinstance(pieces, SeqType) else [as_type(x) for x in pieces]
    return ArrayType(dtype_of_arrays(t, *elems), (unknown_extent(), *(shape_of(t) or ())[1:]))


def _joined_jvp(ts: Any, y: Any, first: Any, pieces: Any) -> Any:
    first_dot = np.zeros_like(first) if ts[0] is ZERO else ts[0]
    if ts[1] is not ZERO and not isinstance(pieces, list):
        return call(joined, first_dot, ts[1])
    if isinstance(pieces, list):
        return call(joined, first_dot, filled(ts[1], pieces))
    rest = np.zeros_like(y)[dims(first)[0] :]
    return np.concatenate([first_dot, rest])


def _joined_vjp(g: Any, y: Any, first: Any, pieces: Any) -> Any:
    bars = call(cut, g, dims(first)[0], pieces)
    return _apart(bars, pieces) if isinstance(pieces, list) else bars


def _cut_type(x: Any, start: Any, pieces: Any) -> Type:
    elem = pieces.elem if isinstance(pieces, SeqType) else as_type(pieces[0])
    inner = (shape_of(elem) or ())[1:]
    return SeqType(ArrayType(dtype_of_arrays(as_type(x)), (unknown_extent(), *inner)))


rule(
    joined,
    jvp=_joined_jvp,
    first=lambda g, y, first, pieces: cast_like(g[: dims(first)[0]], first),
    pieces=_joined_vjp,
    type_of=_joined_type,
    cases=[Case((2,), [(3,), (1,)]), Case((0, 2), [(3, 2), (2, 2)])],
)
rule(
    cut,
    jvp=lambda ts, y, x, start, pieces: ZERO if ts[0] is ZERO else call(cut, ts[0], start, pieces),
    x=lambda g, y, x, start, pieces: call(joined, np.zeros_like(x[:start]), g),
    pieces=lambda g, y, x, start, pieces: ZERO,  # only how long they are matters
    type_of=_cut_type,
    cases=[Case((5,), 1, [(2,), (2,)])],
)


def _sequence(items: Any) -> SeqType:
    return items if isinstance(items, SeqType) else SeqType(as_type(items[0]))


# What they give tells the class of each number; its derivative is that of the array of them.
nondiff(
    marked,
    type_of=lambda items, marks: _sequence(items),
    cases=[Case([0.5, 1.5], np.array([True, False]))],
)
nondiff(
    in_turn,
    type_of=lambda first, second: _sequence(second),
    cases=[Case([0, 1.5], [0.5])],
)

"""Arrays put together: concatenate, stack, vstack, hstack, dstack, column_stack, append.

The cotangent of each joined array is its piece of `g`.

    y = np.concatenate((a, b))     a_bar = y_bar[:a.shape[0]]     b_bar = y_bar[a.shape[0]:]
    y = np.stack((a, b), axis=1)   a_bar = y_bar[:, 0]            b_bar = y_bar[:, 1]
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import ArrayType, Dim, Extent, Shape, Type, operand, shape_of
from srcad.rules.arrays.shaping import dims, extents, known_as, like, rank_of
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.call_facts import INSTEAD
from srcad.rules.core.facts import (
    as_type,
    broadcast_extents,
    promote,
    show_shape,
    size_of_shape,
    unknown_extent,
)
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO

# ---- facts


def sum_extents(parts: Sequence[Extent]) -> Extent:
    """The extent of these extents laid end to end."""
    known = sum(e for e in parts if isinstance(e, int))
    symbols = [e for e in parts if isinstance(e, Dim)]
    if not symbols:
        return known
    if len(symbols) == 1:
        return symbols[0].lengthened(known)
    total = Dim("+".join(operand(e) for e in symbols))
    if all(e.never_one for e in symbols) and known != 1:
        total = Dim(total.symbol, never_one=True)
    return total.lengthened(known)


def _items(arrays: Any) -> list[Any]:
    """The arrays joined; those in one array's first axis, if that is what is given."""
    if isinstance(arrays, list | tuple):
        return list(arrays)
    raise error("E203", None, what="a function that joins the parts of one array")


# ---- concatenate and its like: each array is first given the axes that it lacks

# How an array of some rank sits in the result: its axes in order, None for one added.
Layout = tuple[int | None, ...]

_ALL = slice(None)


def _plain(rank: int) -> Layout:
    return tuple(range(rank))


def _rows(rank: int) -> Layout:
    return (*(None,) * (2 - rank), *range(rank))


def _columns(rank: int) -> Layout:
    return (*range(rank), *(None,) * (2 - rank))


def _at_least_1(rank: int) -> Layout:
    return _plain(rank) if rank else (None,)


def _depths(rank: int) -> Layout:
    return {0: (None, None, None), 1: (None, 0, None), 2: (0, 1, None)}.get(rank, _plain(rank))


def _joined_shape(shapes: Sequence[Shape], axis: int, layout: Callable[[int], Layout]) -> Shape:
    lifted = [tuple(1 if i is None else s[i] for i in layout(len(s))) for s in shapes]
    if len(set(map(len, lifted))) > 1:
        raise error("E406", None, what=" and ".join(map(str, map(show_shape, shapes))))
    if not -len(lifted[0]) <= axis < len(lifted[0]):
        rank = len(lifted[0])
        raise error("E403", None, what=f"{axis} is out of range for an array with {rank} axes")
    axis %= len(lifted[0])
    result: list[Extent] = []
    for k, column in enumerate(zip(*lifted, strict=True)):
        if k == axis:
            result.append(sum_extents(column))
            continue
        if len({e for e in column if isinstance(e, int)}) > 1:
            raise error("E406", None, what=" and ".join(map(show_shape, shapes)))
        result.append(next((e for e in column if isinstance(e, int)), column[0]))
    return tuple(result)


def _pieces(g: Any, items: list[Any], axis: int, layout: Callable[[int], Layout]) -> list[Any]:
    """What of `g` belongs to each item, in the item's own shape."""
    axis %= rank_of(g)
    offset: Any = 0
    pieces = []
    for k, item in enumerate(items):
        places = layout(rank_of(item))
        own = places[axis]
        size = 1 if own is None else dims(item)[own]
        last = k == len(items) - 1
        stop = None if last and own is not None else _plus(offset, size)
        part = offset if own is None else slice(_start(offset), stop)
        index = [0 if place is None else _ALL for place in places]
        pieces.append(cast_like(known_as(_take(g, index, axis, part), item), item))
        offset = stop
    return pieces


def _plus(offset: Any, size: Any) -> Any:
    return size if isinstance(offset, int) and offset == 0 else offset + size


def _start(offset: Any) -> Any:
    return None if isinstance(offset, int) and offset == 0 else offset


def _take(g: Any, index: list[Any], axis: int, part: Any) -> Any:
    index[axis] = part
    while len(index) > 1 and index[-1] is _ALL:
        index.pop()
    return g[tuple(index) if len(index) > 1 else index[0]]


def _joining_type(layout: Callable[[int], Layout], axis_of: Callable[[int], int]) -> Any:
    def type_of(tup: Any) -> Type:
        return _join_types(_items(tup), axis_of, layout)

    return type_of


def _join_types(
    items: list[Any], axis_of: Callable[[int], int], layout: Callable[[int], Layout]
) -> ArrayType:
    types = [as_type(item) for item in items]
    dtype = promote(*(like(t, None) for t in types))
    shapes = [shape_of(t) for t in types]
    known = [s for s in shapes if s is not None]
    if len(known) < len(shapes):
        return ArrayType(dtype, None)
    return ArrayType(dtype, _joined_shape(known, axis_of(len(known[0])), layout))


def filled_list(ts: Any, items: list[Any]) -> list[Any]:
    """The tangents of a list of arrays, with zeros for what is `ZERO`."""
    return [np.zeros_like(x) if t is ZERO else t for t, x in zip(ts, items, strict=True)]


def _join_jvp(fn: Any) -> Any:
    def jvp(ts: Any, y: Any, arrays: Any, **options: Any) -> Any:
        return cast_like(call(fn, filled_list(ts[0], _items(arrays)), **options), y)

    return jvp


def _concatenate_type(arrays: Any, axis: Any = 0) -> Type:
    items = _items(arrays)
    if axis is None:
        types = [as_type(item) for item in items]
        shapes = [shape_of(t) for t in types]
        sizes = [unknown_extent() if s is None else size_of_shape(s) for s in shapes]
        return ArrayType(promote(*(like(t, None) for t in types)), (sum_extents(sizes),))
    return _join_types(items, lambda rank: operator.index(axis), _plain)


def _concatenate_vjp(g: Any, y: Any, arrays: Any, axis: Any = 0) -> list[Any]:
    items = _items(arrays)
    if axis is not None:
        return _pieces(g, items, axis, _plain)
    flat = _pieces(g, [np.reshape(x, -1) for x in items], 0, _plain)
    return [np.reshape(p, extents(x)) for p, x in zip(flat, items, strict=True)]


rule(
    np.concatenate,
    jvp=_join_jvp(np.concatenate),
    arrays=_concatenate_vjp,
    type_of=_concatenate_type,
    cases=[
        Case([(3,), (4,)]),
        Case([(2, 3), (2, 1), (2, 4)], axis=1),
        Case([(2, 3), (1, 3)], axis=-2),
        Case([(2, 3), (4,)], axis=None),
        Case([(3,)]),
        Case([(0,), (2,)]),
    ],
)


def _joins(layout: Callable[[int], Layout], axis_of: Callable[[int], int]) -> Any:
    """The vjp of a function that concatenates along one axis what `layout` says."""

    def vjp(g: Any, y: Any, tup: Any) -> list[Any]:
        items = _items(tup)
        return _pieces(g, items, axis_of(rank_of(items[0])), layout)

    return vjp


for _fn, _layout, _axis_of, _cases in (
    (np.vstack, _rows, lambda rank: 0, [Case([(3,), (3,)]), Case([(2, 3), (3,), (1, 3)])]),
    (
        np.hstack,
        _at_least_1,
        lambda rank: 0 if rank <= 1 else 1,
        [Case([(3,), (2,)]), Case([(), (2,)]), Case([(2, 3), (2, 1)])],
    ),
    (
        np.dstack,
        _depths,
        lambda rank: 2,
        [Case([(3,), (3,)]), Case([(2, 3), (2, 3)]), Case([(2, 3, 1), (2, 3, 2)])],
    ),
    (np.column_stack, _columns, lambda rank: 1, [Case([(3,), (3,)]), Case([(3,), (3, 2)])]),
):
    rule(
        _fn,
        jvp=_join_jvp(_fn),
        tup=_joins(_layout, _axis_of),
        type_of=_joining_type(_layout, _axis_of),
        cases=_cases,
    )


# ---- append


def _append_type(arr: object, values: object, axis: Any = None) -> Type:
    return _concatenate_type([arr, values], axis)


def _append_jvp(ts: Any, y: Any, arr: Any, values: Any, axis: Any = None) -> Any:
    a_dot, v_dot = filled_list(ts[:2], [arr, values])
    return cast_like(call(np.append, a_dot, v_dot, **({} if axis is None else {"axis": axis})), y)


rule(
    np.append,
    jvp=_append_jvp,
    arr=lambda g, y, arr, values, axis=None: _concatenate_vjp(g, y, [arr, values], axis)[0],
    values=lambda g, y, arr, values, axis=None: _concatenate_vjp(g, y, [arr, values], axis)[1],
    type_of=_append_type,
    cases=[Case((3,), (2,)), Case((2, 3), (2, 1), axis=1), Case((2, 2), (3,)), Case((3,), float)],
)


# ---- stack


def _stack_type(arrays: Any, axis: int = 0) -> Type:
    types = [as_type(item) for item in _items(arrays)]
    dtype = promote(*(like(t, None) for t in types))
    shapes = [shape_of(t) for t in types]
    first = shapes[0]
    if first is None or any(s is None for s in shapes):
        return ArrayType(dtype, None)
    common: list[Extent] = list(first)
    for s in shapes:
        if s is None or len(s) != len(first):
            raise error("E406", None, what=f"{show_shape(first)} and {show_shape(s or ())}")
        common = [broadcast_extents(a, b) for a, b in zip(common, s, strict=True)]
    at = operator.index(axis) % (len(first) + 1)
    return ArrayType(dtype, (*common[:at], len(types), *common[at:]))


def _stack_vjp(g: Any, y: Any, arrays: Any, axis: int = 0) -> list[Any]:
    at = axis % rank_of(g)
    items = _items(arrays)
    lead = [slice(None)] * at
    return [cast_like(g[(*lead, k) if at else k], x) for k, x in enumerate(items)]


rule(
    np.stack,
    jvp=_join_jvp(np.stack),
    arrays=_stack_vjp,
    type_of=_stack_type,
    cases=[
        Case([(3,), (3,)]),
        Case([(2, 3), (2, 3), (2, 3)], axis=1),
        Case([(2,)], axis=-1),
        Case([(), ()]),
    ],
)

if hasattr(np, "row_stack"):  # the old name of `vstack`, which warns
    INSTEAD[np.row_stack] = np.vstack

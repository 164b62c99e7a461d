"""Lists: made of the rows of an array or of single items, and taken apart.

list(x)                     the rows of an array; what transposes the array of a list
list([a, b, c])             a list of these items
taken_apart(items, 3)       its items one by one, which transposes that
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, SeqType, Type, shape_of
from srcad.rules.arrays.creation import filled
from srcad.rules.core.facts import UncoveredError, array_or_scalar, as_type
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import Staged, call, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.runtime import taken_apart


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
    bars = call(taken_apart, g, len(iterable))
    for bar, x in zip(bars, iterable, strict=True):
        if isinstance(bar, Staged) and shape_of(type_of(x)):
            bar.value.type = type_of(x)  # of an element it tells less
    return list(bars)


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

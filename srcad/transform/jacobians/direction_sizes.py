"""Sizes, dtypes and places of the directions of a Jacobian, as operations of a program."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.ir.nodes import Atom, Value
from srcad.ir.types import Extent, NumberType, dtype_of, rank_of, shape_of
from srcad.rules.arrays.shaping import dims
from srcad.rules.core.staged import Builder, type_of, unwrap

TOGETHER = 64  # directions at a time, at most: values of the sweeps grow by so much, not by all
_CACHED = 1 << 13  # entries of a value of the sweeps, about: larger ones leave the caches


def extent_of(count: Atom) -> Extent:
    """What is known of a number of directions."""
    if isinstance(count, int):
        return count
    assert isinstance(count.type, NumberType)
    assert count.type.extent is not None
    return count.type.extent


def moved_last(builder: Builder, part: Value) -> Value:
    """A value with its first axis put last."""
    if rank_of(part.type) == 2:
        transposed: Value = builder.emit(np.transpose, (part,))
    else:
        transposed = builder.emit(np.moveaxis, (part, 0, -1))
    return transposed


def place_of(jac: Value, index: Atom, leading: bool) -> Any:
    """The index of one direction."""
    return index if leading or rank_of(jac.type) == 1 else (Ellipsis, index)


def size_of(builder: Builder, value: Atom) -> Atom:
    """The number of entries of a value."""
    shape = shape_of(type_of(value))
    if shape is not None and all(isinstance(extent, int) for extent in shape):
        return math.prod(shape)
    return builder.emit(np.size, (value,))


def width_of(builder: Builder, arrays: Sequence[Atom]) -> Atom:
    """How many directions are taken together where values of the sweeps are as large as these."""
    like = {shape_of(type_of(x)): x for x in arrays if rank_of(type_of(x))}
    sizes = [_product(builder, unwrap(dims(builder.wrap(x)))) for x in like.values()]
    known = max((n for n in sizes if isinstance(n, int)), default=0)
    others = [*dict.fromkeys(n for n in sizes if isinstance(n, Value))]
    some = (*([known] if known else ()), *others)
    largest = known if not others else some[0] if len(some) == 1 else builder.emit(max, some)
    if isinstance(largest, int):
        return min(TOGETHER, 1 + _CACHED // (1 + largest))
    fitting = builder.emit(operator.floordiv, (_CACHED, added(builder, 1, largest)))
    return builder.emit(min, (TOGETHER, added(builder, 1, fitting)), name="width")


def _product(builder: Builder, extents: Sequence[Atom]) -> Atom:
    known: Atom = math.prod(n for n in extents if isinstance(n, int))
    for n in extents:
        if isinstance(n, Value):
            known = n if known == 1 else builder.emit(operator.mul, (known, n))
    return known


def added(builder: Builder, a: Atom, b: Atom) -> Atom:
    """The sum of two numbers."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return b if isinstance(a, int) and a == 0 else builder.emit(operator.add, (a, b))


def number_dtype(atom: Atom) -> np.dtype[Any]:
    """The dtype of a number or an array."""
    dtype = dtype_of(type_of(atom))
    assert dtype is not None, atom
    return dtype


def dtype_option(dtype: np.dtype[Any]) -> dict[str, Any]:
    """How `np.zeros` is asked for a dtype."""
    return {} if dtype == np.float64 else {"dtype": dtype.type}


def like(value: Value) -> Value:
    """Another value of the same name and type."""
    return Value(value.name, value.type)


__all__ = [
    "TOGETHER",
    "added",
    "dtype_option",
    "extent_of",
    "like",
    "moved_last",
    "number_dtype",
    "place_of",
    "size_of",
    "width_of",
]

"""Whether an index names no entry twice, so that `x[index] += v` and `x[index] = v` are plain.

x[1:], x[i, None], x[:, mask]         yes: ints, slices, one mask
x[np.arange(n), labels]               yes: one of aligned index arrays counts up
x[np.flatnonzero(mask)]               yes: places of a mask, an order, or some of these
x[np.array([2, 0])]                   yes: known while compiling
x[rows]                               not known
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir.kinds import index_parts, is_integer
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, Type, rank_of, shape_of
from srcad.rules.core.sequences import OnlyItem
from srcad.rules.core.staged import type_of

_DISTINCT: Final = (np.flatnonzero, OnlyItem(np.nonzero), np.argsort, runtime.order_of)


def names_once(index: Any, made: Mapping[Value, Op]) -> bool:
    """Whether `index`, of IR values and constants, surely names no entry twice.

    Args:
        made: the operations that made the values in it, where they are known.
    """
    if is_basic_index(index) or is_mask(index):
        return True
    parts = index_parts(index)
    others = tuple(p for p in parts if not is_mask(p))
    if len(others) == len(parts) - 1 and is_basic_index(others):
        return True
    arrays = [np.asarray(p) if isinstance(p, list) else p for p in parts if _is_index_array(p)]
    rest = tuple(p for p in parts if not _is_index_array(p))
    if not arrays or not is_basic_index(rest):
        return False
    is_aligned = len({shape_of(type_of(p)) for p in arrays}) == 1
    return is_aligned and (any(are_distinct(p, made) for p in arrays) or _are_places(arrays, made))


def is_basic_index(index: Any) -> bool:
    """Whether `index` is ints, slices, `None` and `...` only, so that it names no entry twice."""
    parts = index_parts(index)
    return all(
        p is None
        or p is Ellipsis
        or isinstance(p, slice)
        or (is_integer(p) and not isinstance(p, bool))
        or (isinstance(p, Value) and _is_int(p.type))
        for p in parts
    )


def names_all(index: Any) -> bool:
    """Whether `index` names every entry, each at its place: `x[:]`, `x[...]`."""
    parts = index_parts(index)
    return bool(parts) and all(
        p is Ellipsis or (isinstance(p, slice) and p.start is p.stop is p.step is None)
        for p in parts
    )


def only_adds_axes(index: Any) -> bool:
    """Whether `index` takes every entry, in the same order: `x[:, None]`."""
    parts = index_parts(index)
    return bool(parts) and all(p is None or names_all(p) for p in parts)


def _is_int(t: Type) -> bool:
    return (isinstance(t, NumberType) and t.kind is int) or (
        isinstance(t, ArrayType) and t.scalar and t.dtype.kind in "iu"
    )


def is_mask(index: Any) -> bool:
    """Whether `index` is one Boolean array."""
    t = type_of(index) if isinstance(index, Value | np.ndarray) else None
    return isinstance(t, ArrayType) and t.dtype.kind == "b"


def _is_index_array(part: Any) -> bool:
    if isinstance(part, list):
        part = np.asarray(part)
    t = type_of(part) if isinstance(part, Value | np.ndarray) else None
    return isinstance(t, ArrayType) and bool(t.shape) and t.dtype.kind in "iu"


def are_distinct(part: Any, made: Mapping[Value, Any]) -> bool:
    """Whether no two entries of an index array are the same index, whatever the extent."""
    if isinstance(part, np.ndarray):
        one_sign = bool(np.all(part >= 0) or np.all(part < 0))
        return one_sign and len(np.unique(part)) == part.size
    op = made.get(part)
    if not isinstance(op, Op) or rank_of(part.type) != 1:
        return False
    if "dtype" in op.kwargs:  # of few bits, say
        return False
    if op.fn is np.arange:
        return len(op.args) == 1
    if op.fn in (np.sort, np.flip, np.copy):
        return isinstance(op.args[0], Value) and are_distinct(op.args[0], made)
    if op.fn is operator.getitem:
        base, index = op.args
        return are_distinct(base, made) and names_once(index, made)
    return op.fn in _DISTINCT


def _are_places(parts: list[Any], made: Mapping[Value, Any]) -> bool:
    """Whether index arrays are all that `np.nonzero` of a matrix gives: each place once."""
    op = made.get(parts[0]) if isinstance(parts[0], Value) else None
    if not isinstance(op, Op) or op.fn is not np.nonzero:
        return False
    return len(parts) == len(op.outs) and all(map(operator.is_, parts, op.outs))

"""Type facts of `x[index]`: which axes go, which come, and how long the rest becomes.

    x: f64[x0, x1]    x[1:-1]: f64[x0-2, x1]    x[0]: f64[x1]    x[:, None]: f64[x0, 1, x1]
    rows: i64[r0]     x[rows]: f64[r0, x1]      x[x > 0]: f64[?1]

Slices with constant bounds give the same extent each time: `x[:3] + y[:3]` needs no broadcasting.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.kinds import index_parts, is_integer
from srcad.ir.types import (
    ArrayType,
    Dim,
    Extent,
    NumberType,
    ObjectType,
    SeqType,
    Shape,
    TupleType,
    Type,
    operand,
)
from srcad.rules.core.facts import as_type, broadcast_shapes, unknown_extent


def getitem_type(x: object, index: object) -> Type:
    """The type of `x[index]` for an array, a tuple or a sequence."""
    t = as_type(x)
    match t:
        case TupleType():
            return _item_of_tuple(t, index)
        case SeqType():
            return t if isinstance(index, slice) else t.elem
        case ArrayType(shape=None):
            return ArrayType(t.dtype, None)
        case ArrayType():
            parts = index_parts(index)
            shape = _indexed_shape(t.shape or (), parts)
            return ArrayType(t.dtype, shape, scalar=shape == () and Ellipsis not in _plain(parts))
        case ObjectType():
            return ObjectType()
        case _:
            raise TypeError(f"a value of type {t} has no items")


def _item_of_tuple(t: TupleType, index: object) -> Type:
    if isinstance(index, slice):
        return TupleType(t.items[index])
    if is_integer(index):
        if not -len(t.items) <= index < len(t.items):
            raise error("E405", None, what=f"{index} in a tuple of {len(t.items)}")
        return t.items[index]
    kinds = {item.kind if isinstance(item, NumberType) else None for item in t.items}
    kind = kinds.pop() if len(kinds) == 1 else None
    return NumberType(kind) if kind else ObjectType()


def _plain(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parts that may be compared by `==`: arrays may not."""
    return tuple(p for p in parts if p is None or p is Ellipsis)


def _indexed_shape(shape: Shape, parts: tuple[Any, ...]) -> Shape:
    """The shape after indexing; axes of integer and boolean arrays stand where NumPy puts them."""
    parts = tuple(_classified(p) for p in parts)
    used = sum(map(_axes_used, parts))
    if used > len(shape):
        raise error("E405", None, what=f"{used} indices for an array with {len(shape)} axes")
    parts = _with_rest(parts, len(shape) - used)
    fancy = [p for p in parts if isinstance(p, ArrayType)]
    is_fancy = [isinstance(p, ArrayType) or (bool(fancy) and _is_int(p)) for p in parts]
    kept: list[Extent] = []
    place: int | None = None
    axis = 0
    for k, part in enumerate(parts):
        if is_fancy[k]:
            if place is None:
                place = len(kept)
            elif not is_fancy[k - 1]:
                place = 0  # separated by a slice: NumPy puts the indexed axes first
        elif part is None:
            kept.append(1)
        elif isinstance(part, slice):
            kept.append(sliced_extent(shape[axis], part))
        axis += _axes_used(part)
    if place is None:
        return tuple(kept)
    common = broadcast_shapes(*map(_fancy_shape, fancy))
    return (*kept[:place], *(common or ()), *kept[place:])


def _classified(part: Any) -> Any:
    """An index part as int, None, Ellipsis, slice, a number type, or the type of an index array."""
    if isinstance(part, slice | NumberType) or part is None or part is Ellipsis:
        return part
    if is_integer(part) and not isinstance(part, bool):
        return part
    t = as_type(np.asarray(part) if isinstance(part, list | tuple) else part)
    if isinstance(t, ArrayType) and t.dtype.kind in "iu" and t.scalar:
        return NumberType(int)
    if isinstance(t, ArrayType) and t.dtype.kind in "iub" and t.shape is not None:
        return t
    if isinstance(t, ArrayType) and t.shape is None:
        raise error("E123", None, what="the number of axes of an index array")
    raise TypeError(f"an index of type {t}")


def _is_int(part: Any) -> bool:
    return isinstance(part, NumberType) or is_integer(part)


def _axes_used(part: Any) -> int:
    if part is None or part is Ellipsis:
        return 0
    if isinstance(part, ArrayType) and part.dtype.kind == "b":
        return len(part.shape or ())
    return 1


def _with_rest(parts: tuple[Any, ...], missing: int) -> tuple[Any, ...]:
    """`parts` with so many full slices after the ellipsis (which separates), else at the end."""
    full = (slice(None),) * missing
    for k, part in enumerate(parts):
        if part is Ellipsis:
            return (*parts[: k + 1], *full, *parts[k + 1 :])
    return (*parts, *full)


def _fancy_shape(t: ArrayType) -> Shape:
    return (unknown_extent(),) if t.dtype.kind == "b" else t.shape or ()


def sliced_extent(extent: Extent, part: slice) -> Extent:
    """The extent of an axis of this extent after a slice, whose bounds may be types of ints."""
    start, stop, step = part.start, part.stop, part.step
    if any(isinstance(b, ArrayType) for b in (start, stop, step)):
        return unknown_extent()
    step = 1 if step is None else step
    if isinstance(step, NumberType):
        return unknown_extent()
    if isinstance(start, NumberType) or isinstance(stop, NumberType):
        return _bounded_extent(extent, start, stop, step)
    bounds = slice(*(None if b is None else operator.index(b) for b in (start, stop, step)))
    if isinstance(extent, int):
        return len(range(*bounds.indices(extent)))
    return _shortened(extent, bounds)


def _shortened(extent: Dim, bounds: slice) -> Extent:
    start, stop, step = bounds.start or 0, bounds.stop, bounds.step
    if abs(step) == 1 and bounds.start is None and stop is None:
        return extent
    if step == 1 and start >= 0 and (stop is None or stop < 0):
        return extent.shortened(start + (0 if stop is None else -stop))
    first = None if start == 0 and step > 0 else bounds.start
    text = ":".join("" if b is None else str(b) for b in (first, stop, step))
    return Dim(f"{operand(extent)}[{text}]")


def _bounded_extent(extent: Extent, start: Any, stop: Any, step: int) -> Extent:
    """`x[:n - k]`, n the extent itself: known as n - k, which is taken not to be negative.

    `x[2:m + 2]` where x is m + 4 long: known as m.
    """
    from_zero = start is None or (not isinstance(start, NumberType) and start == 0)
    last = stop.extent if isinstance(stop, NumberType) else None
    if step == 1 and isinstance(last, Dim) and isinstance(extent, Dim) and last.floor >= 0:
        inside = last.symbol == extent.symbol and last.minus >= extent.minus
        if inside and not isinstance(start, NumberType) and (start or 0) > 0:
            return last.shortened(operator.index(start))
    if from_zero and step == 1:
        if isinstance(last, Dim) and isinstance(extent, Dim) and last.symbol == extent.symbol:
            return last if last.minus >= extent.minus else unknown_extent()
        if isinstance(last, int) and isinstance(extent, int):
            return min(last, extent)
    bounds = [_bound_text(b) for b in (start, stop)]
    return (
        unknown_extent()
        if None in bounds
        else Dim(f"{operand(extent)}[{':'.join(map(str, bounds))}:{step}]")
    )


def _bound_text(bound: Any) -> str | None:
    """What names this bound, the same text for the same number; None where nothing does."""
    if isinstance(bound, NumberType):
        return None if bound.extent is None else str(bound.extent)
    return "" if bound is None else str(operator.index(bound))


__all__ = ["getitem_type", "sliced_extent"]

"""NumPy's objects that are indexed to make arrays.

np.r_[x, 0.0]             np.concatenate((x, np.atleast_1d(0.0)))
np.c_[x, y]               columns side by side
np.mgrid[0:2, 0:1:5j]     np.stack(np.broadcast_arrays(np.arange(0, 2)[:, None], ...))
np.s_[1:, 0]              the index itself
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.expressions.missing import fails, raise_unless
from srcad.frontend.loops.iteration import items_of
from srcad.ir.kinds import index_parts
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, Dim, NumberType, dtype_of, rank_of
from srcad.rules.core.staged import type_of


def _index(frame: Frame, index: Abstract) -> Abstract:
    return index


def _index_tuple(frame: Frame, index: Abstract) -> Abstract:
    return index_parts(index)


def _rows(frame: Frame, index: Abstract) -> Abstract:
    """`np.r_[...]`: pieces one after the other along the first axis."""
    emit = frame.session.emit
    pieces = [_piece(frame, x, "r_") for x in _index_tuple(frame, index)]
    return _joined(frame, [emit(np.atleast_1d, (x,)) for x in pieces], pieces, 0)


def _columns(frame: Frame, index: Abstract) -> Abstract:
    """`np.c_[...]`: pieces side by side, those with one axis as columns."""
    emit = frame.session.emit
    pieces = [_piece(frame, x, "c_") for x in _index_tuple(frame, index)]
    columns = [
        x if (rank_of(type_of(x)) or 0) > 1 else emit(np.reshape, (x, (-1, 1))) for x in pieces
    ]
    return _joined(frame, columns, pieces, -1)


def _piece(frame: Frame, x: Abstract, name: str) -> Abstract:
    if isinstance(x, slice):
        return _range(frame, x)
    if isinstance(x, str):
        fix = "use np.concatenate, np.stack or np.column_stack"
        raise error("E132", None, what=f"`np.{name}` with a string", fix=fix)
    return frame.session.emit(np.array, (x,)) if isinstance(x, ListObj | tuple) else x


def _joined(frame: Frame, arrays: list[Any], pieces: list[Any], axis: int) -> Abstract:
    """The pieces in one array; Python numbers take the dtype that the arrays have."""
    emit = frame.session.emit
    types = [type_of(x) for x in pieces]
    strong = [t.dtype for t in types if isinstance(t, ArrayType)]
    weak = [t.kind(0) for t in types if isinstance(t, NumberType)]
    dtype = np.result_type(*strong, *weak)
    cast = [x if dtype_of(type_of(x)) == dtype else emit(np.astype, (x, dtype)) for x in arrays]
    return emit(np.concatenate, (tuple(cast),), {"axis": axis} if axis else {})


def _range(frame: Frame, x: slice) -> Abstract:
    """What a slice means: `a:b:0.5` an `arange`, `a:b:5j` a `linspace` of five."""
    start = 0 if x.start is None else x.start
    step = 1 if x.step is None else x.step
    if isinstance(step, complex):
        return frame.session.emit(np.linspace, (start, x.stop, int(abs(step))))
    return frame.session.emit(np.arange, (start, x.stop, step))


def _check_count(frame: Frame, x: Any) -> None:
    """Raise what NumPy raises of a grid with fewer points than none along an axis."""
    if not isinstance(x, slice) or isinstance(x.step, complex):
        return
    start, step = 0 if x.start is None else x.start, 1 if x.step is None else x.step
    problem = "negative dimensions are not allowed"
    if not any(isinstance(end, Value) for end in (start, x.stop, step)):
        if (x.stop - start) / step <= -1:
            raise fails(frame, ValueError(problem))
        return
    t = type_of(x.stop)
    extent = t.extent if isinstance(t, NumberType) else None
    if (start, step) == (0, 1) and isinstance(extent, Dim) and not extent.minus:
        return
    emit = frame.session.emit
    count = emit(operator.truediv, (emit(operator.sub, (x.stop, start)), step))
    raise_unless(frame, emit(operator.gt, (count, -1)), ValueError, problem)


def _grid(is_open: bool) -> Callable[[Frame, Abstract], Abstract]:
    def made(frame: Frame, index: Abstract) -> Abstract:
        emit = frame.session.emit
        if isinstance(index, slice):
            return _range(frame, index)
        is_list = isinstance(index, ListObj)  # `np.mgrid[[slice(n) for n in shape]]`
        slices = items_of(frame, index, "the ranges") if is_list else _index_tuple(frame, index)
        ranges = [_range(frame, x) for x in slices]
        for x in () if is_open else slices:
            _check_count(frame, x)
        shapes = [(1,) * i + (-1,) + (1,) * (len(ranges) - i - 1) for i in range(len(ranges))]
        parts = [emit(np.reshape, (x, n)) for x, n in zip(ranges, shapes, strict=True)]
        if is_open:
            return tuple(parts)
        return emit(np.stack, (emit(np.broadcast_arrays, tuple(parts)),))

    return made


_TRICKS: dict[int, Callable[[Frame, Abstract], Abstract]] = {
    id(np.s_): _index,
    id(np.index_exp): _index_tuple,
    id(np.r_): _rows,
    id(np.c_): _columns,
    id(np.mgrid): _grid(False),
    id(np.ogrid): _grid(True),
}
TRICKS = (np.s_, np.index_exp, np.r_, np.c_, np.mgrid, np.ogrid)


def made_by_index(frame: Frame, owner: object, index: Abstract) -> Abstract:
    """`owner[index]` of one of these objects."""
    return _TRICKS[id(owner)](frame, index)


def is_trick(owner: object) -> bool:
    """Whether `owner` is one of these objects."""
    return id(owner) in _TRICKS


__all__ = ["TRICKS", "is_trick", "made_by_index"]

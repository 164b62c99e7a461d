"""Functions that take a function of the user's: its source is read where they call it.

np.piecewise(x, [x < 0, x >= 0], [f, g])     y[x < 0] = f(x[x < 0]); y[x >= 0] = g(x[x >= 0])
np.apply_along_axis(f, 1, x)                 np.array([f(row) for row in x])
np.apply_over_axes(f, x, (0, 2))             f(f(x, 0), 2)
np.fromfunction(f, (3, 4))                   f(*np.indices((3, 4), dtype=float))
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj, ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import fails
from srcad.frontend.library.in_place import as_array
from srcad.frontend.loops.iteration import items_of
from srcad.frontend.statements.stores import store
from srcad.frontend.written import stores as written
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of, rank_of
from srcad.rules.core.staged import type_of


def _piecewise(
    frame: Frame, x: Abstract, condlist: Abstract, funclist: Abstract, *args: Abstract,
    **kw: Abstract,
) -> Abstract:  # fmt: skip
    emit = frame.session.emit
    x = as_array(frame, x)
    functions = items_of(frame, funclist, "the functions")
    rank = rank_of(type_of(x))
    conditions = _conditions(frame, condlist, rank)
    flat = emit(np.reshape, (x, (-1,))) if rank == 0 else x
    y = emit(np.zeros_like, (flat,))
    if len(functions) == len(conditions) + 1:
        some = conditions[0]
        for other in conditions[1:]:
            some = emit(np.logical_or, (some, other))
        conditions.append(emit(np.logical_not, (some,)))
    if len(functions) != len(conditions):
        raise error("E132", None, what="`np.piecewise` with that many functions")
    for condition, function in zip(conditions, functions, strict=True):
        mask = emit(np.reshape, (condition, (-1,))) if rank == 0 else condition
        value = function
        if not isinstance(function, Value | int | float | complex):
            value = call(frame, function, (emit(operator.getitem, (flat, mask)), *args), kw)
        store(frame, y, mask, value, "`np.piecewise(...)`")
    return emit(np.reshape, (y, ())) if rank == 0 else y


def _conditions(frame: Frame, condlist: Abstract, rank: int | None) -> list[Any]:
    """The conditions: to NumPy one alone need not stand in a list, and numbers are not several,
    but for one number.
    """
    given = condlist
    if not isinstance(given, ListObj | tuple):
        given = as_array(frame, given)
    axes = None if isinstance(given, ListObj | tuple) else rank_of(type_of(given))
    if axes == 0:
        return [_as_mask(frame, given)]
    if axes == 1 and rank != 0:
        return [_as_mask(frame, given)]
    items = items_of(frame, given, "the conditions")
    if not items:
        raise fails(frame, IndexError("list index out of range"))
    if axes is None and rank != 0 and not _is_mask(items[0]):
        return [_as_mask(frame, given)]
    return [_as_mask(frame, each) for each in items]


def _is_mask(x: Abstract) -> bool:
    """Whether NumPy takes what comes first in a list for a condition: a list, or an array."""
    return isinstance(x, ListObj | np.ndarray) or is_array(x)


def _as_mask(frame: Frame, x: Abstract) -> Any:
    made = as_array(frame, x)
    is_truth = dtype_of(type_of(made)) == np.dtype(bool)
    return made if is_truth else frame.session.emit(np.asarray, (made,), {"dtype": np.dtype(bool)})


def _apply_along_axis(
    frame: Frame, func1d: Abstract, axis: Abstract, arr: Abstract, *args: Abstract,
    **kwargs: Abstract,
) -> Abstract:  # fmt: skip
    x = as_array(frame, arr)
    at = frame.session.static(axis, "`axis`")
    rank = rank_of(type_of(x))
    if rank is None or not -rank <= at < rank:
        raise error("E403", None, what=f"{at} is out of range for an array with {rank} axes")
    given = (func1d, at % rank, x, tuple(args), DictObj(dict(kwargs)))
    return call_python(frame, Ref(written.apply_along_axis, ""), given, {}, None)


def _apply_over_axes(frame: Frame, func: Abstract, a: Abstract, axes: Abstract) -> Abstract:
    emit = frame.session.emit
    x: Any = as_array(frame, a)
    rank = rank_of(type_of(x))
    chosen = frame.session.static(axes, "`axes`")
    for axis in chosen if isinstance(chosen, tuple | list) else (chosen,):
        if rank is None or not -rank <= axis < rank:
            raise error("E403", None, what=f"{axis} is out of range for an array with {rank} axes")
        at = axis % rank
        made: Any = call(frame, func, (x, at))
        x = made if rank_of(type_of(made)) == rank else emit(np.expand_dims, (made, at))
    return x


def _fromfunction(
    frame: Frame,
    function: Abstract,
    shape: Abstract,
    *,
    dtype: Abstract = float,
    **kwargs: Abstract,
) -> Abstract:
    emit = frame.session.emit
    grids = emit(np.indices, (shape,), {"dtype": dtype})
    rank = rank_of(type_of(grids))
    assert rank is not None
    parts = tuple(emit(operator.getitem, (grids, k)) for k in range(rank - 1))
    return call(frame, function, parts, kwargs)


MAPPED_CALLS: dict[Any, Callable[..., Abstract]] = {
    np.piecewise: _piecewise,
    np.apply_along_axis: _apply_along_axis,
    np.apply_over_axes: _apply_over_axes,
    np.fromfunction: _fromfunction,
}

__all__ = ["MAPPED_CALLS"]

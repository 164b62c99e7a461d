"""What `reduce` and `accumulate` of ufuncs are made of.

np.add.reduce(x, axis=1)             np.sum(x, axis=1)
np.add.reduce(i, dtype=np.int8)      np.sum(i.astype(np.int8)).astype(np.int8)
np.maximum.reduce(x, initial=0.0)    np.max(np.concatenate((x, [0.0])))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import NumberType, dtype_of, shape_of
from srcad.rules.core.axes import one_axis
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.compose import known
from srcad.rules.core.facts import UncoveredError, as_type
from srcad.rules.core.staged import Staged, as_array, call, rank_or_none, shape_of_value, type_of
from srcad.rules.core.table import name_of

# The function that a reduction is, and what an entry left out counts as.
_REDUCTIONS: dict[Any, tuple[Callable[..., Any], Any]] = {
    np.add: (np.sum, 0),
    np.multiply: (np.prod, 1),
    np.logical_and: (np.all, True),
    np.logical_or: (np.any, False),
    np.maximum: (np.max, None),
    np.minimum: (np.min, None),
    np.fmax: (np.nanmax, None),
    np.fmin: (np.nanmin, None),
}
_ACCUMULATIONS: dict[Any, Callable[..., Any]] = {np.add: np.cumsum, np.multiply: np.cumprod}


def uncovered(ufunc: np.ufunc, method: str, fix: str) -> Exception:
    """The refusal of a method of a ufunc."""
    return error("E203", None, what=f"`{name_of(ufunc)}.{method}`", fix=fix)


def reduce(
    ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None, *, keepdims: Any = False,
    initial: Any = None, where: Any = True,
) -> Any:  # fmt: skip
    """What `ufunc.reduce` is made of."""
    if ufunc not in _REDUCTIONS:
        raise uncovered(ufunc, "reduce", "write the loop: `for row in x: y = ufunc(y, row)`")
    fn, neutral = _REDUCTIONS[ufunc]
    array = as_array(array)
    if dtype is not None:
        array = array.astype(known(dtype))
    if neutral is None and initial is not None:
        initial = _start(initial, array)
    if where is not True:
        if neutral is None and initial is None:
            raise TypeError("it has no identity, so to use `where=` one has to give `initial=`")
        array = _chosen(where, array, initial if neutral is None else neutral)
    axis, keepdims = known(axis), known(keepdims)
    if rank_or_none(array) == 0 and axis == 0:
        axis = None
    single = isinstance(axis, int) or (axis is None and not keepdims)
    if neutral is None and initial is not None and single:
        return fn(_with_one_more(array, initial, axis), axis=axis, keepdims=keepdims)
    total = narrowed(ufunc, fn(array, axis=axis, keepdims=keepdims), dtype)
    if initial is None:
        return total
    return ufunc(total, initial if neutral is None else _start(initial, total))


def narrowed(ufunc: np.ufunc, y: Any, dtype: Any) -> Any:
    """A sum or product in the dtype that was asked for: NumPy's are in a wider one of integers, and
    what both hold of it is the same.
    """
    wanted = None if dtype is None else np.dtype(known(dtype))
    if wanted is None or ufunc not in _ACCUMULATIONS or dtype_of(type_of(y)) == wanted:
        return y
    return y.astype(wanted)


def _start(initial: Any, like: Any) -> Any:
    """`initial` in the dtype in which NumPy reduces: of integers it is cut to one."""
    own, t = dtype_of(type_of(like)), as_type(type_of(initial))
    if own is None or shape_of(t) != ():
        raise UncoveredError("`initial=` that is no number")
    if not isinstance(initial, Staged):
        cell = np.zeros((), own)
        cell[()] = initial
        is_weak = type(initial) in (int, float) and own.kind in "fc"
        return initial if is_weak else cell[()]
    given = dtype_of(t)
    if given == own or (own.kind in "fc" and isinstance(t, NumberType) and t.kind is not complex):
        return initial
    if isinstance(t, NumberType) or given is None or own.kind not in "fc" or given.kind == "c":
        raise UncoveredError("`initial=` of another kind than the array")
    return initial.astype(own)


def _chosen(where: Any, array: Any, other: Any) -> Any:
    """The entries of `array` where the mask is true, which does not make it larger."""
    chosen = np.where(where, array, other)
    if rank_or_none(chosen) != rank_or_none(array):
        raise TypeError("the mask has more axes than the array")
    return chosen


def _with_one_more(array: Any, initial: Any, axis: int | None) -> Any:
    """`array` with one more entry to choose from: it may have none of its own."""
    extents = [*shape_of_value(array)]
    if axis is None:
        array, axis, extents = np.reshape(array, (-1,)), 0, [1]
    extents[axis] = 1
    more = cast_like(call(np.broadcast_to, initial, tuple(extents)), array)
    return np.concatenate((array, more), axis=axis)


def accumulate(ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None) -> Any:
    """What `ufunc.accumulate` is made of."""
    if ufunc not in _ACCUMULATIONS:
        raise uncovered(ufunc, "accumulate", "write the loop, and keep each `y`")
    array = as_array(array)
    if rank_or_none(array) == 0:
        raise TypeError("it has no axis to accumulate along")
    axis = one_axis(known(axis))
    if axis is None and rank_or_none(array) != 1:
        raise UncoveredError("axis=None")
    if dtype is not None:
        array = array.astype(known(dtype))
    return narrowed(ufunc, _ACCUMULATIONS[ufunc](array, axis=axis), dtype)


__all__ = ["accumulate", "narrowed", "reduce", "uncovered"]

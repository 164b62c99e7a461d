"""Functions of more axes, or of axes in another order, as those of vectors and matrices.

np.flip(a, (0, 2))                np.flip(np.flip(a, 0), 2)
np.nanmax(a, axis=(0, 2))         np.nanmax(rows, axis=1), each row of them what is reduced to one
np.sort(a, axis=None)             np.sort(np.ravel(a))
np.reshape(a, s, order="F")       np.transpose(np.reshape(np.transpose(a), s[::-1]))
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op, Value
from srcad.ir.types import TupleType
from srcad.native.scalarize.forms.calls import (
    FLOAT,
    INT,
    KINDS,
    RANKS,
    Choice,
    Chosen,
    Formula,
    is_any,
    is_array,
    must,
    must_agree,
    options,
    rank,
)
from srcad.rules.core.staged import call

_Axes = tuple[int, ...]


def by_columns(a: Any) -> Any:
    """`np.ravel(a, order="F")`."""
    return np.ravel(np.transpose(a))


def reshaped_by_columns(a: Any, shape: Any, n: int) -> Any:
    """`np.reshape(a, shape, order="F")` to so many axes."""
    return np.transpose(np.reshape(np.transpose(a), tuple(shape[k] for k in reversed(range(n)))))


def one_after_the_other(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of several axes by that of one."""

    def along(a: Any, axes: _Axes) -> Any:
        for axis in axes:
            a = fn(a, axis)
        return a

    return along


def without_axis(a: Any, axis: int) -> Any:
    """`np.squeeze(a, axis)`."""
    must_agree(a.shape[axis], 1)
    return np.squeeze(a, axis)


def rolled(a: Any, shifts: Sequence[int], axes: Sequence[int]) -> Any:
    """`np.roll(a, shifts, axes)`."""
    for shift, axis in zip(shifts, axes, strict=True):
        a = np.roll(a, shift, axis=axis)
    return a


def turned(a: Any, k: int, axes: _Axes) -> Any:
    """`np.rot90(a, k, axes)`."""
    first, second = axes
    if k % 4 == 0:
        return a
    if k % 4 == 2:
        return np.flip(np.flip(a, first), second)
    if k % 4 == 1:
        return np.swapaxes(np.flip(a, second), first, second)
    return np.flip(np.swapaxes(a, first, second), second)


def repeated(a: Any, count: int, axis: int | None) -> Any:
    """`np.repeat(a, count, axis)`."""
    must(call(operator.ge, count, 0))
    a = np.ravel(a) if axis is None and a.ndim > 1 else a
    axis = axis or 0
    count = int(count) if type(count) is bool else count
    places = call(np.arange, a.shape[axis] * count) // count
    return a[(*(slice(None),) * axis, places)]


def differences(a: Any, n: int, axis: int) -> Any:
    """`np.diff(a, n, axis)`."""
    for _ in range(n):
        a = np.diff(a, axis=axis)
    return a


def of_all(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of all entries, as a vector."""
    return lambda a, *others: fn(np.ravel(a), *others)


def distinct(flags: dict[str, bool], ranks: list[int], a: Any) -> Any:
    """`np.unique(a)` with results of so many axes."""
    if len(ranks) == 1:
        return np.unique(np.ravel(a))
    found = call(np.unique, np.ravel(a), **flags)
    pairs = zip(found, ranks, strict=True)
    return tuple(x if n == 1 else np.reshape(x, a.shape) for x, n in pairs)


def entry_by_entry(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the entries of an array, by that of a vector."""
    return lambda a, *others: np.reshape(fn(np.ravel(a), *others), np.shape(a))


def row_by_row(fn: Callable[..., Any], axis: int, *arrays: Any) -> Any:
    """A function of the rows of matrices, along an axis of what has more."""
    first, n = arrays[0], arrays[0].ndim
    order = (*(k for k in range(n) if k != axis), axis)
    back = tuple(order.index(k) for k in range(n))
    extents = tuple(first.shape[k] for k in order)
    counts = (math.prod(extents[:-1]), extents[-1])
    found = fn(*(np.reshape(np.transpose(a, order), counts) for a in arrays), axis=1)
    return np.transpose(np.reshape(found, extents), back)


def reduced(fn: Callable[..., Any], a: Any, axes: _Axes, keepdims: bool) -> Any:
    """What reduces a vector, or the rows of a matrix, over any axes."""
    kept = tuple(k for k in range(a.ndim) if k not in axes)
    extents = [1 if k in axes else a.shape[k] for k in range(a.ndim) if keepdims or k in kept]
    moved = a if kept + axes == (*range(a.ndim),) else np.transpose(a, kept + axes)
    if not kept:
        found = fn(np.ravel(moved) if a.ndim > 1 else moved)
        return np.reshape(found, tuple(extents)) if keepdims else found
    if a.ndim == 2:
        found = fn(moved, axis=1)
    else:
        counts = [math.prod([a.shape[k] for k in group], start=1) for group in (kept, axes)]
        found = fn(np.reshape(moved, tuple(counts)), axis=1)
    return found if len(extents) == 1 else np.reshape(found, tuple(extents))


# Which form a call has ---------------------------------------------------------------------------


def axes_of(axis: Any, n: int) -> _Axes | None:
    """The axes that an argument names, of so many; None if it is not known, or names one twice."""
    given = range(n) if axis is None else (axis,) if type(axis) is int else axis
    if not isinstance(given, tuple | list | range) or any(type(k) is not int for k in given):
        return None
    axes = tuple(sorted(k % n for k in given if -n <= k < n))
    return axes if len({*axes}) == len(given) else None


def _in_columns(op: Op) -> Chosen | None:
    found = options(op, 1, order="C")
    is_fit = found == ("F",) and is_any(op.args[0], KINDS, *RANKS)
    return (Formula(by_columns), op.args[:1]) if is_fit else None


def _reshaped_in_columns(op: Op) -> Chosen | None:
    found = options(op, 1, shape=None, order="C", copy=None)
    if found is None or found[1:] != ("F", None) or not is_any(op.args[0], KINDS, *RANKS):
        return None
    shape, n = found[0], rank(op.out)
    is_single = n == 1 and not isinstance(shape, tuple | list) and not _is_tuple(shape)
    return Formula(reshaped_by_columns), (op.args[0], (shape,) if is_single else shape, n)


def _several_axes(fn: Callable[..., Any], adds: bool = False) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found, n = options(op, 1, axis=()), rank(op.args[0])
        if found is None or not is_any(op.args[0], KINDS, *RANKS):
            return None
        count = len(found[0]) if isinstance(found[0], tuple | list) else 1
        axes = axes_of(found[0], n + adds * count)
        if axes is None or len(axes) < 2:
            return None
        return Formula(one_after_the_other(fn)), (op.args[0], axes if adds else axes[::-1])

    return choose


def _rolled(op: Op) -> Chosen | None:
    found = options(op, 1, shift=None, axis=None)
    if found is None or not is_any(op.args[0], KINDS, *RANKS):
        return None
    shifts, axes = found
    is_fit = isinstance(shifts, tuple) and isinstance(axes, tuple) and len(shifts) == len(axes)
    return (Formula(rolled), (op.args[0], shifts, axes)) if is_fit else None


def _turned(op: Op) -> Chosen | None:
    found, n = options(op, 1, k=1, axes=(0, 1)), rank(op.args[0])
    if found is None or type(found[0]) is not int or not is_any(op.args[0], KINDS, 2, 3, 4):
        return None
    axes = tuple(k % n for k in found[1])
    return Formula(turned), (op.args[0], found[0], axes)


def _rolled_axis(op: Op) -> Chosen | None:
    found, n = options(op, 1, axis=0, start=0), rank(op.args[0])
    if found is None or any(type(k) is not int for k in found) or not is_any(op.args[0], KINDS, n):
        return None
    axis, start = found[0] % n, found[1] + n * (found[1] < 0)
    order = [k for k in range(n) if k != axis]
    order.insert(start - (axis < start), axis)
    return Formula(np.transpose), (op.args[0], tuple(order))


def _repeated(op: Op) -> Chosen | None:
    found, n = options(op, 1, repeats=None, axis=None), rank(op.args[0])
    if found is None or not is_any(op.args[0], KINDS, *RANKS):
        return None
    count, axis = found[0], found[1] if found[1] is None else found[1] % n
    is_fit = type(count) in (int, bool) or is_array(count, INT, 0)
    return (Formula(repeated), (op.args[0], count, axis)) if is_fit else None


def _differences(op: Op) -> Chosen | None:
    found = options(op, 1, n=1, axis=-1)
    is_fit = found is not None and all(type(k) is int for k in found) and found[0] > 1
    is_fit = is_fit and is_any(op.args[0], KINDS, *RANKS)
    return (Formula(differences), (op.args[0], *(found or ()))) if is_fit else None


def _without_axis(fn: Callable[..., Any], *before: str, default: Any = None) -> Choice:
    """A function of all entries, where its axis is None."""

    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, **dict.fromkeys(before), axis=default)
        if found is None or found[-1] is not None or not is_any(op.args[0], KINDS, 2, 3):
            return None
        return Formula(of_all(fn)), (op.args[0], *found[:-1])

    return choose


def _distinct(op: Op) -> Chosen | None:
    """Of all entries, by those of a vector; the inverse has the shape that NumPy gives it."""
    flags = ("return_index", "return_inverse", "return_counts")
    found = options(op, 1, **dict.fromkeys(flags, False), axis=None)
    if found is None or found[3] is not None or not is_any(op.args[0], KINDS, 2, 3):
        return None
    given = dict(zip(flags, found[:3], strict=True))
    if any(type(x) is not bool for x in found[:3]):
        return None
    ranks = [rank(out) for out in op.outs]
    return Formula(partial(distinct, given, ranks)), op.args[:1]


def _of_vectors(fn: Callable[..., Any], count: int, at: int = 0) -> Choice:
    """A function of the entries of one of its arguments, where this is no vector."""

    def choose(op: Op) -> Chosen | None:
        x = op.args[at] if len(op.args) == count else None
        if _has_values(op.kwargs) or not is_any(x, (FLOAT,), 2, 3):
            return None
        others = [a for k, a in enumerate(op.args) if k != at]
        given = partial(fn, **op.kwargs)
        form = given if at == 0 else lambda x, *before: given(*before, x)
        return Formula(entry_by_entry(form)), (x, *others)

    return choose


def _row_by_row(fn: Callable[..., Any], count: int, axis: int) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, count, axis=axis)
        is_fit = found is not None and type(found[0]) is int
        if not is_fit or not all(is_any(x, (FLOAT,), 3) for x in op.args[:count]):
            return None
        assert found is not None
        return Formula(partial(row_by_row, fn)), (found[0] % 3, *op.args[:count])

    return choose


def _reduced(fn: Callable[..., Any], axis: Any = None, **more: Any) -> Choice:
    """A reduction over axes that are not those of a vector or of the rows of a matrix."""

    def choose(op: Op) -> Chosen | None:
        found, n = options(op, 1, axis=axis, **more, keepdims=False), rank(op.args[0])
        if found is None or not is_any(op.args[0], (FLOAT,), 1, 2, 3):
            return None
        axes, keepdims = axes_of(found[0], n), found[-1]
        passed = dict(zip(more, found[1:-1], strict=True))
        is_plain = (n == 1 or axes == (1,)) and n < 3 and not keepdims
        if axes is None or type(keepdims) is not bool or is_plain or _has_values(passed):
            return None
        kept = {name: x for name, x in passed.items() if x != more[name]}
        return Formula(partial(reduced, partial(fn, **kept))), (op.args[0], axes, keepdims)

    return choose


def _of_samples(fn: Callable[..., Any]) -> Choice:
    """A variance of fewer degrees of freedom; others have a form of any axes."""
    choose = _reduced(fn, dtype=None, out=None, ddof=0)
    return lambda op: choose(op) if op.kwargs.get("ddof", 0) != 0 else None


def _is_tuple(x: Any) -> bool:
    return isinstance(x, Value) and isinstance(x.type, TupleType)


def _has_values(given: dict[str, Any]) -> bool:
    return any(isinstance(x, Value) for x in given.values())


def _call(fn: Any) -> Callable[..., Any]:
    return partial(call, fn)


OTHER_AXES: Final[dict[Any, Choice]] = {
    np.ravel: _in_columns, np.reshape: _reshaped_in_columns, np.roll: _rolled,
    np.flip: _several_axes(np.flip), np.squeeze: _several_axes(without_axis),
    np.expand_dims: _several_axes(np.expand_dims, adds=True),
    np.rot90: _turned, np.rollaxis: _rolled_axis, np.repeat: _repeated, np.diff: _differences,
    np.cumsum: _without_axis(np.cumsum), np.cumprod: _without_axis(np.cumprod),
    runtime.recurrence: _row_by_row(_call(runtime.recurrence), 2, -1),
    np.sort: _without_axis(np.sort, default=-1), np.argsort: _without_axis(np.argsort, default=-1),
    np.take: _without_axis(np.take, "indices"), np.unique: _distinct,
    runtime.first_places: _without_axis(_call(runtime.first_places)),
    np.interp: _of_vectors(np.interp, 3), np.polyval: _of_vectors(np.polyval, 2, 1),
    np.searchsorted: _of_vectors(np.searchsorted, 2, 1),
    np.ptp: _reduced(np.ptp, out=None),
    **{fn: _reduced(fn, out=None) for fn in (np.nanmax, np.nanmin, np.nansum, np.nanmean)},
    **{fn: _reduced(fn, dtype=None, out=None, ddof=0) for fn in (np.nanvar, np.nanstd)},
    np.var: _of_samples(np.var), np.std: _of_samples(np.std),
    **{fn.reduce: _reduced(_call(fn.reduce), axis=0) 
       for fn in (np.logaddexp, np.logaddexp2, np.hypot)},
}  # fmt: skip

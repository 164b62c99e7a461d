"""Methods of ufuncs, and ufuncs called with options: `np.add.outer(a, b)`, `np.sin(x, dtype=...)`.

np.multiply.outer(a, b)         a[..., None] * b
np.add.reduce(x, axis=1)        np.sum(x, axis=1)
np.add.accumulate(x)            np.cumsum(x, axis=0)
np.add(a, b, dtype="f4")        a.astype("f4") + b.astype("f4")

One statement for each method serves every ufunc with a rule. What is not a composition has a rule
here: sums of exponentials, running extrema and sums of slices. Other reductions are refused.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import Type, dtype_of, shape_of
from srcad.rules.core.axes import restore
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.compose import composed_type, known
from srcad.rules.core.facts import (
    UncoveredError,
    array_or_scalar,
    as_type,
    normalize_axes,
    reduced_shape,
    unknown_extent,
)
from srcad.rules.core.kinks import nonzero
from srcad.rules.core.product import spread, times
from srcad.rules.core.registry import linear, rule
from srcad.rules.core.staged import as_array, call, rank_or_none, shape_of_value, type_of
from srcad.rules.core.table import FORMS, RULES, Case, Rule, name_of
from srcad.rules.pointwise.ufunc_reductions import accumulate, reduce, uncovered


def composed_form(fn: Any, options: Any) -> Rule | None:
    """What a ufunc's method, or a ufunc called with options, is made of; None for other calls."""
    if isinstance(fn, np.ufunc):
        return _with_options(fn) if options and fn.signature is None and fn in RULES else None
    owner = getattr(fn, "__self__", None)
    if not isinstance(owner, np.ufunc) or fn in RULES or fn.__name__ not in _BODIES:
        return None
    return _method(owner, fn.__name__)


@functools.cache
def _method(ufunc: np.ufunc, name: str) -> Rule:
    return _composed(getattr(ufunc, name), functools.partial(_BODIES[name], ufunc))


@functools.cache
def _with_options(ufunc: np.ufunc) -> Rule:
    return _composed(ufunc, functools.partial(_called, ufunc))


def _composed(fn: Any, body: Any) -> Rule:
    signature = inspect.signature(body)
    return Rule(fn, "composed", signature, None, {}, composed_type(body), body=body)


# Methods


def _outer(ufunc: np.ufunc, a: Any, b: Any, **options: Any) -> Any:
    if ufunc.nin != 2:
        raise TypeError("it takes ufuncs of two arguments")
    a, b = as_array(a), as_array(b)
    axes = rank_or_none(b)
    if axes is None:
        raise error("E123", None, what="the number of axes")
    if axes and rank_or_none(a) != 0:
        a = a[(Ellipsis, *[None] * axes)]
    return call(ufunc, a, b, **options)  # of numbers, too, it is NumPy's


def _reduceat(ufunc: np.ufunc, array: Any, indices: Any, axis: Any = 0) -> Any:
    raise uncovered(ufunc, "reduceat", "reduce each slice: `ufunc.reduce(x[i:j])`")


_BODIES: dict[str, Any] = {
    "outer": _outer,
    "reduce": reduce,
    "accumulate": accumulate,
    "reduceat": _reduceat,
}


# Options


def _called(
    ufunc: np.ufunc, *xs: Any, dtype: Any = None, casting: Any = "same_kind", order: Any = "K",
    subok: Any = True, where: Any = True, **others: Any,
) -> Any:  # fmt: skip
    """The ufunc on arguments cast to the types of its loop; how results lie in memory is free."""
    if others:
        raise UncoveredError(f"`{next(iter(others))}=`")
    if where is not True:
        what = f"`{name_of(ufunc)}` with `where=` and without `out=`"
        fix = "use `np.where(mask, y, other)`, or say in `out=` what other entries are"
        raise error("E203", None, what=what, fix=fix, notes=("other entries would be arbitrary",))
    if dtype is None and casting == "same_kind":
        return ufunc(*xs)
    result = None if dtype is None else np.dtype(known(dtype))
    wanted = (*[None] * ufunc.nin, *[result] * ufunc.nout)
    options: dict[str, Any] = {} if dtype is None else {"signature": wanted}
    given = [_loop_dtype(x) for x in xs]
    loop = (*given, *[None] * ufunc.nout)
    found = ufunc.resolve_dtypes(loop, casting=known(casting), **options)
    return ufunc(*(_cast(x, d) for x, d in zip(xs, found, strict=False)))


def _loop_dtype(x: Any) -> Any:
    t = as_type(type_of(x))
    kind = getattr(t, "kind", None)
    return dtype_of(t) if kind is None or kind is bool else kind


def _cast(x: Any, dtype: np.dtype) -> Any:
    t = type_of(x)
    if dtype_of(t) == dtype:
        return x
    return dtype.type(x) if rank_or_none(x) == 0 and not hasattr(x, "astype") else x.astype(dtype)


FORMS.append(composed_form)

# Rules: reductions with a partial of their own


def _reduce_type(array: object, axis: object = 0, *, keepdims: object = False) -> Type:
    t = as_type(array)
    dtype = np.result_type(dtype_of(t) or float, np.float16)
    return array_or_scalar(dtype, reduced_shape(shape_of(t), axis, keepdims))


def _reduced(ufunc: np.ufunc, partial: Callable[[Any, Any], Any], note: str = "") -> None:
    """The rule of a reduction with the partial `partial(y, x)` in each entry `x`."""

    def jvp(ts: Any, y: Any, array: Any, axis: Any = 0, *, keepdims: Any = False) -> Any:
        share = partial(restore(y, axis, keepdims, array), array)
        return cast_like(np.sum(times(ts[0], share), axis=axis, keepdims=keepdims), y)

    def vjp(g: Any, y: Any, array: Any, axis: Any = 0, *, keepdims: Any = False) -> Any:
        share = partial(restore(y, axis, keepdims, array), array)
        return cast_like(spread(times(restore(g, axis, keepdims, array), share), array), array)

    rule(
        ufunc.reduce,
        jvp=jvp,
        array=vjp,
        type_of=_reduce_type,
        cases=(
            Case((5,)),
            Case((3, 4)),
            Case((3, 4), axis=1),
            Case((3, 4), axis=-1, keepdims=True),
        ),
        note=note,
    )


_reduced(np.logaddexp, lambda y, x: np.where(x == y, 1, np.exp(x - y)))
_reduced(np.logaddexp2, lambda y, x: np.where(x == y, 1, np.exp2(x - y)))
_reduced(np.hypot, lambda y, x: x / nonzero(y), note="0 at 0")


# Rules: running extrema


def _last_winner(array: Any, y: Any, axis: int | None) -> Any:
    """Where along the axis the running extremum stands."""
    rank = rank_or_none(array)
    axis = 0 if axis is None else axis  # the only one
    shape = [1] * (rank or 0)
    shape[axis] = -1
    places = np.reshape(call(np.arange, shape_of_value(array)[axis]), shape)
    return np.maximum.accumulate(np.where(array == y, places, 0), axis=axis)


def _running_type(array: object, axis: object = 0) -> Type:
    t = as_type(array)
    if isinstance(axis, tuple):
        raise UncoveredError(f"axis={axis}")
    shape = shape_of(t)
    if shape == ():
        raise TypeError("it has no axis to accumulate along")
    if axis is None and (shape is None or len(shape) > 1):
        raise UncoveredError("axis=None")
    if shape is not None and axis is not None:
        normalize_axes(axis, len(shape))
    return array_or_scalar(dtype_of(t) or np.dtype(float), shape)


def _running_jvp(ts: Any, y: Any, array: Any, axis: Any = 0) -> Any:
    return np.take_along_axis(ts[0], _last_winner(array, y, axis), axis=axis)


def _running_vjp(g: Any, y: Any, array: Any, axis: Any = 0) -> Any:
    at = _last_winner(array, y, axis)
    return RULES[np.take_along_axis].vjps[0](g, None, array, at, axis=axis)


for _running in (np.maximum, np.minimum, np.fmax, np.fmin):
    rule(
        _running.accumulate,
        jvp=_running_jvp,
        array=_running_vjp,
        type_of=_running_type,
        cases=(Case((5,)), Case((3, 4)), Case((3, 4), axis=1), Case((2, 3, 4), axis=-2)),
        note="at ties the last entry counts",
    )


# Rules: sums of slices


def _pieces(array: Any, indices: Any, axis: int) -> tuple[Any, Any]:
    """For each summand its slice, and its place along the axis."""
    n = call(np.array, [shape_of_value(array)[axis]])
    stop = np.concatenate((indices[1:], n))
    lengths = np.where(stop > indices, stop - indices, 1)
    first = np.cumsum(lengths) - lengths
    owner = call(np.repeat, call(np.arange, shape_of_value(indices)[0]), lengths)
    return owner, call(np.arange, np.size(owner)) - call(np.repeat, first - indices, lengths)


def _slices_vjp(g: Any, y: Any, array: Any, indices: Any, axis: Any = 0) -> Any:
    owner, place = _pieces(array, call(np.asarray, indices), axis)
    taken = np.take(g, owner, axis=axis)
    return cast_like(RULES[np.take].vjps[0](taken, None, array, place, axis=axis), array)


def _slices_type(array: object, indices: object, axis: Any = 0) -> Type:
    t, at = as_type(array), shape_of(as_type(indices))
    shape = shape_of(t)
    dtype = np.add.reduceat(np.ones(1, dtype_of(t)), [0]).dtype
    if shape is None:
        return array_or_scalar(dtype, None)
    extents = list(shape)
    extents[axis] = at[0] if at else unknown_extent()
    return array_or_scalar(dtype, tuple(extents))


linear(
    np.add.reduceat,
    array=_slices_vjp,
    type_of=_slices_type,
    cases=(
        Case((6,), [0, 2, 5]),
        Case((6,), [3, 1, 1, 4]),
        Case((3, 5), np.array([0, 3]), axis=1),
        Case((5, 2), np.array([1, 2, 2]), axis=-2),
    ),
)

__all__ = ["composed_form"]

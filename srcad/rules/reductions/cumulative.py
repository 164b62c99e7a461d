"""Products and cumulative sums and products, exact where entries are zero.

The cotangent of `np.prod` multiplies each entry's left and right neighbours, and never divides.
That of `np.cumprod` is a linear recurrence (`srcad.runtime.recurrence`), whose own derivatives are
recurrences again.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import Type, dtype_of, shape_of
from srcad.rules.arrays.shaping import call_beside
from srcad.rules.core.axes import one_axis, restore
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.compose import known
from srcad.rules.core.facts import array_or_scalar, as_type, normalize_axes, promote, size_of_shape
from srcad.rules.core.product import times, without_missing
from srcad.rules.core.registry import composed, linear, rule
from srcad.rules.core.staged import as_array, call, rank_or_none, shape_of_value, type_of
from srcad.rules.core.table import Case
from srcad.rules.reductions.reductions import AXES, EMPTY, reduces, with_nan


def at(axis: int, part: slice | int) -> tuple[Any, ...]:
    """The index that takes `part` along `axis`."""
    return (
        (slice(None),) * axis + (part,) if axis >= 0 else (Ellipsis, part, *[slice(None)] * ~axis)
    )


def _shifted(x: Any, axis: int, fill: int) -> Any:
    """`x` moved by one along `axis`, with `fill` as its first entry."""
    first = x[at(axis, slice(None, 1))]
    edge = np.zeros_like(first) if fill == 0 else np.ones_like(first)
    return np.concatenate((edge, x[at(axis, slice(None, -1))]), axis=axis)


# Sums


def _flat(a: Any, axis: Any) -> tuple[Any, int]:
    """The array and axis along which a cumulative function runs: flattened for `axis=None`."""
    return (np.reshape(a, -1), 0) if axis is None or rank_or_none(a) == 0 else (a, axis)


def _cumsum_vjp(g: Any, y: Any, a: Any, axis: Any = None) -> Any:
    along = 0 if axis is None else axis
    total = np.flip(np.cumsum(np.flip(g, axis=along), axis=along), axis=along)
    flat = axis is None or rank_or_none(a) == 0
    return cast_like(np.reshape(total, shape_of_value(a)) if flat else total, a)


def _cumulative_type(fn: Any) -> Any:
    dtype_for = reduces(fn)

    def type_of(a: object, axis: Any = None) -> Type:
        t = as_type(a)
        shape = shape_of(t)
        found = dtype_of(dtype_for(a)) or np.dtype(float)
        if axis is None:
            return array_or_scalar(found, None if shape is None else (size_of_shape(shape),))
        if shape:
            normalize_axes(operator.index(axis), len(shape))
        return array_or_scalar(found, (1,) if shape == () else shape)

    return type_of


CUMULATIVE = (
    Case((3, 4)),
    Case((3, 4), axis=0),
    Case((3, 4), axis=-1),
    Case((2, 3, 4), axis=1),
    Case((2, 3, 4), axis=-2),
    Case((5,)),
    Case((1,)),
    Case((0, 3), axis=0),
    Case(lambda rng: np.array([[1.5, 0.0, 2.0], [0.0, 0.0, -1.0]]), axis=1),
)
linear(np.cumsum, a=_cumsum_vjp, type_of=_cumulative_type(np.cumsum), cases=CUMULATIVE)

# The recurrence r[k] = a[k] r[k - 1] + b[k]


def _recurrence_back(g: Any, a: Any, axis: int) -> Any:
    """The cotangent of `b`: the recurrence that runs from the end."""
    back = _shifted(np.flip(a, axis=axis), axis, 0)
    return np.flip(call(runtime.recurrence, back, np.flip(g, axis=axis), axis=axis), axis=axis)


def _recurrence_jvp(ts: Any, y: Any, a: Any, b: Any, axis: int = -1) -> Any:
    moved = ts[1] + ts[0] * _shifted(y, axis, 0)
    return cast_like(call(runtime.recurrence, a, moved, axis=axis), y)


@without_missing
def _recurrence_a(g: Any, y: Any, a: Any, b: Any, axis: int = -1) -> Any:
    return cast_like(_recurrence_back(g, a, axis) * _shifted(y, axis, 0), a)


@without_missing
def _recurrence_b(g: Any, y: Any, a: Any, b: Any, axis: int = -1) -> Any:
    return cast_like(_recurrence_back(g, a, axis), b)


rule(
    runtime.recurrence,
    jvp=_recurrence_jvp,
    a=_recurrence_a,
    b=_recurrence_b,
    type_of=lambda a, b, axis=-1: array_or_scalar(
        promote(as_type(a), as_type(b)), shape_of(as_type(b))
    ),
    cases=(
        Case((4,), (4,)),
        Case((3, 4), (3, 4)),
        Case((3, 4), (3, 4), axis=0),
        Case((2, 3, 4), (2, 3, 4), axis=-2),
        Case((0,), (0,)),
    ),
)

# Products


@without_missing
def _cumprod_vjp(g: Any, y: Any, a: Any, axis: Any = None) -> Any:
    x, along = _flat(a, axis)
    x_bar = _recurrence_back(g, x, along) * _shifted(y, along, 1)
    flat = axis is None or rank_or_none(a) == 0
    return cast_like(np.reshape(x_bar, shape_of_value(a)) if flat else x_bar, a)


def _cumprod_jvp(ts: Any, y: Any, a: Any, axis: Any = None) -> Any:
    x, along = _flat(a, axis)
    t, _ = _flat(ts[0], axis)
    moved = t * _shifted(y, along, 1)
    return cast_like(call(runtime.recurrence, x, moved, axis=along), y)


rule(
    np.cumprod,
    jvp=_cumprod_jvp,
    a=_cumprod_vjp,
    type_of=_cumulative_type(np.cumprod),
    cases=CUMULATIVE,
)


def _product_of_others(x: Any, axis: int) -> Any:
    """For each entry the product of the others along `axis`."""
    left = np.cumprod(_shifted(x, axis, 1), axis=axis)
    right = np.flip(np.cumprod(_shifted(np.flip(x, axis=axis), axis, 1), axis=axis), axis=axis)
    return left * right


def _others(a: Any, axis: Any) -> Any:
    """The partials of a product over `axis`, one axis after the other."""
    shape = shape_of_value(a)
    if axis is None:
        return np.reshape(_product_of_others(np.reshape(a, -1), 0), shape)
    partial: Any = 1
    for along in normalize_axes(axis, a.ndim)[::-1] if a.ndim else ():
        partial = partial * _product_of_others(a, along)
        a = np.prod(a, axis=along, keepdims=True)
    return partial


def _prod_vjp(g: Any, y: Any, a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return cast_like(times(restore(g, axis, keepdims, a), _others(a, axis)), a)


def _prod_jvp(ts: Any, y: Any, a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return cast_like(np.sum(ts[0] * _others(a, axis), axis=axis, keepdims=keepdims), y)


_ZEROS = (
    Case(lambda rng: np.array([[1.5, 0.0, 2.0], [0.5, 3.0, -1.0]])),
    Case(lambda rng: np.array([[1.5, 0.0, 2.0], [0.0, 0.0, -1.0]]), axis=1),
    Case(lambda rng: np.array([[1.5, 0.0, 2.0], [0.0, 0.0, -1.0]]), axis=(0, 1)),
)
rule(
    np.prod,
    jvp=_prod_jvp,
    a=_prod_vjp,
    type_of=reduces(np.prod),
    cases=(*AXES, *EMPTY, *_ZEROS),
)


# ---- those that leave NaN out, and those of the array API


def _without_nan(a: Any, fill: float) -> Any:
    dtype = dtype_of(type_of(a))
    if dtype is None or dtype.kind not in "fc":
        return a
    kept = np.where(np.isnan(a), fill, a)
    return kept[()] if a.ndim == 0 else kept


def _nancumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumsum(_without_nan(as_array(a), 0), axis=axis, **_given(dtype=dtype))


def _nancumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumprod(_without_nan(as_array(a), 1), axis=axis, **_given(dtype=dtype))


def _nanprod(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False) -> Any:
    kept = _without_nan(as_array(a), 1)
    return np.prod(kept, axis=axis, keepdims=keepdims, **_given(dtype=dtype))


def _given(**options: Any) -> dict[str, Any]:
    return {key: value for key, value in options.items() if value is not None}


def _cumulative(fn: Any, first: int) -> Any:
    def body(
        x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
    ) -> Any:
        x = as_array(x)
        if axis is None and x.ndim > 1:
            raise TypeError("`axis` must be given for an array with more than one axis")
        along = 0 if axis is None else one_axis(known(axis, "`axis=`"))
        y = fn(x, axis=along, **_given(dtype=dtype))
        if not include_initial:
            return y
        shape = [*shape_of_value(y)]
        shape[along] = 1
        edge = call_beside(
            y, np.ones if first else np.zeros, tuple(shape), dtype=dtype_of(type_of(y))
        )
        return np.concatenate((edge, y), axis=along)

    return body


_ALONG = (
    Case((5,)),
    Case((3, 4), axis=0),
    Case((3, 4), axis=(1,)),
    Case((3, 4), axis=-1, include_initial=True),
    Case((5,), include_initial=True),
    Case((0, 3), axis=0, include_initial=True),
)
if hasattr(np, "cumulative_sum"):  # since NumPy 2.1
    composed(np.cumulative_sum, _cumulative(np.cumsum, 0), cases=_ALONG)
    composed(np.cumulative_prod, _cumulative(np.cumprod, 1), cases=_ALONG)
composed(np.nancumsum, _nancumsum, cases=(*CUMULATIVE, Case(with_nan), Case(with_nan, axis=0)))
composed(np.nancumprod, _nancumprod, cases=(*CUMULATIVE, Case(with_nan), Case(with_nan, axis=1)))
composed(np.nanprod, _nanprod, cases=(*AXES, Case(with_nan), Case(with_nan, axis=0)))

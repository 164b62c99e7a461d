"""Functions that rearrange entries: reshape, transpose, broadcast, flip, roll, repeat, pad, and their like.

Each is linear and its transpose is the rearrangement back, or a sum where entries were repeated. `np.shape`,
`np.size` and `np.ndim` are here too: their results cannot be varied.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import (
    ArrayType,
    Dim,
    Extent,
    NumberType,
    ObjectType,
    Shape,
    TupleType,
    Type,
    dtype_of,
    shape_of,
)
from srcad.rules.broadcast import unbroadcast
from srcad.rules.facts import (
    as_type,
    normalize_axes,
    shape_from,
    size_of_shape,
    unknown_extent,
)
from srcad.rules.registry import linear, nondiff
from srcad.rules.staged import Staged

# ---- helpers of rule bodies


def extents(x: Any) -> Any:
    """The shape of anything in a rule body: a tuple of ints where known, else a staged tuple."""
    return x.shape if isinstance(x, Staged | np.ndarray) else np.shape(x)


def like(t: Type, shape: Shape | None) -> ArrayType:
    """An array type with the dtype of `t`."""
    dtype = dtype_of(t)
    if dtype is None:
        raise TypeError(f"{t} is no array")
    return ArrayType(dtype, shape)


def inverse_permutation(axes: Any, rank: int) -> tuple[int, ...]:
    """The permutation that undoes `axes`."""
    order = [a % rank for a in axes]
    return tuple(order.index(i) for i in range(rank))


# ---- shape, size, ndim


def _shape_type(a: object) -> Type:
    shape = shape_of(as_type(a))
    if shape is None:
        return ObjectType("shape")
    return TupleType(tuple(NumberType(int, e) for e in shape))


def _size_type(a: object, axis: object = None) -> Type:
    shape = shape_of(as_type(a))
    if shape is None or isinstance(axis, NumberType | tuple):
        return NumberType(int)
    return NumberType(int, size_of_shape(shape) if axis is None else shape[operator.index(axis)])  # type: ignore[arg-type]


def _ndim_type(a: object) -> Type:
    shape = shape_of(as_type(a))
    return NumberType(int, None if shape is None else len(shape))


nondiff(np.shape, type_of=_shape_type)
nondiff(np.size, type_of=_size_type)
nondiff(np.ndim, type_of=_ndim_type)


# ---- reshape


def reshaped(shape: Shape | None, target: object) -> Shape | None:
    """The shape after a reshape to `target`, in which one extent may be -1."""
    wanted = shape_from(target)
    if wanted is None or -1 not in wanted:
        _check_sizes(shape, wanted)
        return wanted
    rest = None if shape is None else _quotient(shape, [e for e in wanted if e != -1])
    filled = unknown_extent() if rest is None else rest
    return tuple(filled if e == -1 else e for e in wanted)


def _check_sizes(shape: Shape | None, wanted: Shape | None) -> None:
    if shape is None or wanted is None:
        return
    have, want = size_of_shape(shape), size_of_shape(wanted)
    if isinstance(have, int) and isinstance(want, int) and have != want:
        raise error("E404", None, what=f"{have} entries to {wanted}")


def _quotient(shape: Shape, divisors: list[Extent]) -> Extent | None:
    """The product of `shape` over that of `divisors`, None where it cannot be told."""
    dims: list[Extent] = [e for e in shape if isinstance(e, Dim)]
    number = size_of_shape([e for e in shape if isinstance(e, int)])
    for divisor in divisors:
        if isinstance(divisor, int) and isinstance(number, int) and divisor:
            if number % divisor:
                return None
            number //= divisor
        elif divisor in dims:
            dims.remove(divisor)
        else:
            return None
    return size_of_shape([number, *dims])


linear(
    np.reshape,
    a=lambda g, y, a, shape, order="C": (
        np.reshape(g, extents(a)) if order == "C" else np.reshape(g, extents(a), order=order)
    ),
    type_of=lambda a, shape, order="C": like(as_type(a), reshaped(shape_of(as_type(a)), shape)),
)


# ---- transpose, expand_dims, squeeze, broadcast_to


def _transpose_type(a: object, axes: Any = None) -> Type:
    t = as_type(a)
    shape = shape_of(t)
    if not shape:
        return t
    order = range(len(shape))[::-1] if axes is None else [operator.index(i) for i in axes]
    if sorted(i % len(shape) for i in order) != list(range(len(shape))):
        raise error("E403", None, what=f"order {axes} does not fit an array with {len(shape)} axes")
    return like(t, tuple(shape[i] for i in order))


def _transpose_vjp(g: Any, y: Any, a: Any, axes: Any = None) -> Any:
    return np.transpose(g) if axes is None else np.transpose(g, inverse_permutation(axes, g.ndim))


def _expand_dims_type(a: object, axis: Any) -> Type:
    t = as_type(a)
    shape = shape_of(t)
    if shape is None:
        return like(t, None)
    count = len(axis) if isinstance(axis, tuple | list) else 1
    new = normalize_axes(axis, len(shape) + count)
    rest = iter(shape)
    return like(t, tuple(1 if i in new else next(rest) for i in range(len(shape) + count)))


def _squeeze_type(a: object, axis: Any = None) -> Type:
    t = as_type(a)
    shape = shape_of(t)
    if shape is None or not shape:
        return t
    if axis is not None:
        gone = normalize_axes(axis, len(shape))
        return like(t, tuple(e for i, e in enumerate(shape) if i not in gone))
    if any(isinstance(e, Dim) and not e.never_one for e in shape):
        return like(t, None)
    return like(t, tuple(e for e in shape if e != 1))


linear(np.transpose, a=_transpose_vjp, type_of=_transpose_type)
linear(
    np.expand_dims,
    a=lambda g, y, a, axis: np.squeeze(g, axis=axis),
    type_of=_expand_dims_type,
)
linear(
    np.squeeze,
    a=lambda g, y, a, axis=None: (
        np.reshape(g, extents(a)) if axis is None else np.expand_dims(g, axis)
    ),
    type_of=_squeeze_type,
)
linear(
    np.broadcast_to,
    array=lambda g, y, array, shape: unbroadcast(g, array),
    type_of=lambda array, shape: like(as_type(array), shape_from(shape)),
)

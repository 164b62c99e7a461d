"""The axes in another order: transpose, swapaxes, matrix_transpose, moveaxis, rollaxis.

Each is linear, and its transpose is the way back. The order of the axes is seen on an array whose
extents name them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import ArrayType, Type, shape_of
from srcad.rules.arrays.shaping import like, rank_of
from srcad.rules.core.facts import as_type
from srcad.rules.core.registry import linear
from srcad.rules.core.table import Case

# ---- the order of the axes


def permutation(fn: Any, rank: int, *args: Any, **options: Any) -> tuple[int, ...]:
    """How `fn` (np.moveaxis, ...) orders the axes, seen on an array whose extents name them."""
    try:
        order: tuple[int, ...] = fn(np.empty(tuple(range(rank))), *args, **options).shape
    except (ValueError, TypeError) as reason:
        raise error("E403", None, what=f"order does not fit: {reason}") from None
    return order


def permuted_type(fn: Any) -> Any:
    """The type function of `fn`, which only reorders the axes."""

    def type_of(a: object, *args: Any, **options: Any) -> Type:
        t = as_type(a)
        shape = shape_of(t)
        if shape is None:
            return like(t, None)
        order = permutation(fn, len(shape), *args, **options)
        if not shape:  # views of 0-d arrays are arrays
            return ArrayType(like(t, None).dtype, (), isinstance(t, ArrayType) and t.scalar)
        return like(t, tuple(shape[i] for i in order))

    return type_of


def _transpose_vjp(g: Any, y: Any, a: Any, axes: Any = None) -> Any:
    if axes is None:
        return np.transpose(g)
    order = [i % rank_of(g) for i in (axes if isinstance(axes, tuple | list) else (axes,))]
    return np.transpose(g, tuple(order.index(i) for i in range(len(order))))


def _rollaxis_vjp(g: Any, y: Any, a: Any, axis: int, start: int = 0) -> Any:
    n = rank_of(g)
    axis, start = axis % n, start + n if start < 0 else start
    return np.moveaxis(g, start - 1 if axis < start else start, axis)


linear(
    np.transpose,
    a=_transpose_vjp,
    type_of=permuted_type(np.transpose),
    cases=[
        *(Case((3, 4)), Case((2, 3, 4), axes=(2, 0, 1)), Case((2, 3), axes=(0, -1))),
        *(Case((3,)), Case((3,), -1)),
    ],
)
linear(
    np.swapaxes,
    a=lambda g, y, a, axis1, axis2: np.swapaxes(g, axis1, axis2),
    type_of=permuted_type(np.swapaxes),
    cases=[Case((2, 3, 4), 0, -1)],
)
linear(
    np.matrix_transpose,
    x=lambda g, y, x: np.matrix_transpose(g),
    type_of=permuted_type(np.matrix_transpose),
    cases=[Case((2, 3, 4))],
)
linear(
    np.moveaxis,
    a=lambda g, y, a, source, destination: np.moveaxis(g, destination, source),
    type_of=permuted_type(np.moveaxis),
    cases=[Case((2, 3, 4), 0, -1), Case((2, 3, 4), (0, 1), (-1, 0))],
)
linear(
    np.rollaxis,
    a=_rollaxis_vjp,
    type_of=permuted_type(np.rollaxis),
    cases=[Case((2, 3, 4), 2), Case((2, 3, 4), 0, start=2), Case((2, 3, 4), -1, start=-2)],
)

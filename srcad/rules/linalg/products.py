"""Products of vectors and matrices: matmul, dot, inner, outer, vdot, tensordot, kron, cross.

Each is linear in each operand alone. After Giles (2008), "Collected matrix derivative results for
forward and reverse mode algorithmic differentiation", section 2.2.2. No conjugates but in `vdot`: a
cotangent g of y means the real part of sum(g * y_dot).
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.kinds import is_integer
from srcad.ir.types import ArrayType, Extent, Shape, Type, shape_of
from srcad.rules.arrays.shaping import dtype_of_arrays, extents, rank_of
from srcad.rules.core.broadcast import cast_like, unbroadcast
from srcad.rules.core.facts import (
    array_or_scalar,
    as_type,
    broadcast_shapes,
    show_shape,
    size_of_shape,
)
from srcad.rules.core.masks import holds_masked_zeros
from srcad.rules.core.product import times, without_missing
from srcad.rules.core.registry import linear, same
from srcad.rules.core.staged import type_of
from srcad.rules.core.table import Case
from srcad.rules.linalg.matrices import mT


def _for(name: str, body: Any) -> Any:
    """`body` with its result in the dtype of the operand of this name: f32 @ f64 is f64."""

    @functools.wraps(body)
    def vjp(g: Any, y: Any, a: Any, b: Any, **options: Any) -> Any:
        return cast_like(body(g, y, a, b, **options), {"a": a, "b": b}[name])

    return without_missing(vjp)


# ---- matmul


def _check_inner(a: Shape, b: Shape, a_inner: Extent, b_inner: Extent) -> None:
    if isinstance(a_inner, int) and isinstance(b_inner, int) and a_inner != b_inner:
        raise error("E402", None, what=f"{show_shape(a)} and {show_shape(b)}")


def _matmul_type(a: object, b: object) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of(ta), shape_of(tb)
    dtype = dtype_of_arrays(ta, tb)
    if sa is None or sb is None:
        return array_or_scalar(dtype, None)
    if not sa or not sb:
        raise error("E132", None, what="`@` of a number", fix="multiply numbers by `*`")
    _check_inner(sa, sb, sa[-1], sb[-2] if len(sb) > 1 else sb[-1])
    batch = broadcast_shapes(sa[:-2], sb[:-2])
    assert batch is not None
    return array_or_scalar(dtype, (*batch, *sa[-2:-1], *(sb[-1:] if len(sb) > 1 else ())))


def _same_batch(a: Any, b: Any) -> bool:
    sa, sb = shape_of(type_of(a)), shape_of(type_of(b))
    return sa is not None and sb is not None and sa[:-2] == sb[:-2]


def _outer(a: Any, b: Any) -> Any:
    """The outer product of two vectors as a matrix product, which BLAS does twice as fast."""
    return np.dot(a[:, None], b[None, :])


def _matmul_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    match min(rank_of(a), 2), min(rank_of(b), 2):
        case 1, 1:
            return g * b
        case 1, 2:
            return b @ g if rank_of(b) == 2 else unbroadcast((b @ g[..., None])[..., 0], a)
        case _, 1:
            return g[..., None] * b if rank_of(a) > 2 else _outer(g, b)
        case _:
            if rank_of(a) == 2 and rank_of(b) > 2:
                rest = (*range(rank_of(b) - 2), rank_of(b) - 1)
                return np.tensordot(g, b, axes=(rest, rest))
            a_bar = g @ mT(b)
            return a_bar if _same_batch(a, b) else unbroadcast(a_bar, a)


def _matmul_b(g: Any, y: Any, a: Any, b: Any) -> Any:
    match min(rank_of(a), 2), min(rank_of(b), 2):
        case 1, 1:
            return g * a
        case 1, 2:
            return _outer(a, g) if rank_of(b) == 2 else a[:, None] * g[..., None, :]
        case _, 1:
            return a.T @ g if rank_of(a) == 2 else np.tensordot(g, a, axes=rank_of(g))
        case _:
            if rank_of(b) == 2 and rank_of(a) > 2:
                rows = tuple(range(rank_of(a) - 1))
                return np.tensordot(a, g, axes=(rows, rows))
            b_bar = mT(a) @ g
            return b_bar if _same_batch(a, b) else unbroadcast(b_bar, b)


_MATMULS = [
    Case((3,), (3,)),
    Case((2, 3), (3,)),
    Case((3,), (3, 4)),
    Case((2, 3), (3, 4)),
    Case((5, 2, 3), (3,)),
    Case((3,), (5, 3, 4)),
    Case((5, 2, 3), (3, 4)),
    Case((2, 3), (5, 3, 4)),
    Case((5, 2, 3), (5, 3, 4)),
    Case((1, 2, 3), (5, 3, 4)),
    Case((6, 1, 2, 3), (5, 3, 4)),
    Case((6, 5, 2, 3), (3,)),
    Case((2, 0), (0, 3)),
    Case((0, 3), (3, 4)),
    Case((1, 3), (3, 1)),
]

for _fn in (operator.matmul, np.matmul):
    linear(
        _fn, a=_for("a", _matmul_a), b=_for("b", _matmul_b), type_of=_matmul_type, cases=_MATMULS
    )


# ---- dot: as matmul, but a product with a number, and an outer product of the leading axes


def _product_type(axis: int) -> Any:
    """Of sums over the last axis of `a` and that axis of `b`; of products with a number."""

    def type_of(a: object, b: object) -> Type:
        ta, tb = as_type(a), as_type(b)
        sa, sb = shape_of(ta), shape_of(tb)
        dtype = dtype_of_arrays(ta, tb)
        if sa is None or sb is None:
            return array_or_scalar(dtype, None)
        if not sa or not sb:
            return array_or_scalar(dtype, sa or sb)
        summed = len(sb) + axis if len(sb) > 1 else 0
        _check_inner(sa, sb, sa[-1], sb[summed])
        return array_or_scalar(dtype, (*sa[:-1], *sb[:summed], *sb[summed + 1 :]))

    return type_of


def _as_matmul(a: Any, b: Any) -> bool:
    return rank_of(b) <= 2 or rank_of(a) == 1


def _dot_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    if rank_of(a) == 0 or rank_of(b) == 0:
        return unbroadcast(g * b, a)
    if _as_matmul(a, b):
        return _matmul_a(g, y, a, b)
    n, m = rank_of(a), rank_of(b)
    of_g = tuple(range(n - 1, n + m - 2))
    of_b = (*range(m - 2), m - 1)
    return np.tensordot(g, b, axes=(of_g, of_b))


def _dot_b(g: Any, y: Any, a: Any, b: Any) -> Any:
    if rank_of(a) == 0 or rank_of(b) == 0:
        return unbroadcast(g * a, b)
    if _as_matmul(a, b):
        return _matmul_b(g, y, a, b)
    rows = tuple(range(rank_of(a) - 1))
    return np.moveaxis(np.tensordot(a, g, axes=(rows, rows)), 0, -2)


linear(
    np.dot,
    a=_for("a", _dot_a),
    b=_for("b", _dot_b),
    type_of=_product_type(-2),
    cases=[
        *(_MATMULS[k] for k in (0, 1, 2, 3, 4, 5, 6)),
        Case((), (3,)),
        Case((2, 3), float),
        Case((), ()),
        Case((2, 3), (5, 3, 4)),
        Case((2, 1, 3), (5, 2, 3, 4)),
    ],
)


# ---- outer


def flat(x: Any) -> Any:
    """The entries in a row."""
    return x if rank_of(x) == 1 else np.reshape(x, -1)


def _outer_type(a: object, b: object) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of(ta), shape_of(tb)
    if sa is None or sb is None:
        raise error("E123", None, what="the number of axes")
    return array_or_scalar(dtype_of_arrays(ta, tb), (size_of_shape(sa), size_of_shape(sb)))


def _shaped_as(g: Any, x: Any) -> Any:
    return g if rank_of(x) == 1 else np.reshape(g, extents(x))


def _outer_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    by_rows = times(g, flat(b)).sum(axis=1) if holds_masked_zeros(g) else g @ flat(b)
    return _shaped_as(by_rows, a)


def _outer_b(g: Any, y: Any, a: Any, b: Any) -> Any:
    by_columns = times(g, flat(a)[:, None]).sum(axis=0) if holds_masked_zeros(g) else flat(a) @ g
    return _shaped_as(by_columns, b)


linear(
    np.outer,
    a=_for("a", _outer_a),
    b=_for("b", _outer_b),
    type_of=_outer_type,
    cases=[Case((3,), (4,)), Case((2, 3), (4,)), Case((3,), (2, 2)), Case((), (3,))],
)


# ---- tensordot, inner: sums over pairs of axes


def _pairs(a_rank: int, b_rank: int, axes: Any) -> tuple[list[int], list[int]]:
    """The summed axes of both operands, none negative."""
    if is_integer(axes):
        return [*range(a_rank - int(axes), a_rank)], [*range(int(axes))]
    of_a, of_b = (x if isinstance(x, tuple | list) else (x,) for x in axes)
    return [operator.index(i) % a_rank for i in of_a], [operator.index(i) % b_rank for i in of_b]


def _others(rank: int, axes: list[int]) -> list[int]:
    return [i for i in range(rank) if i not in axes]


def _tensordot_type(a: object, b: object, axes: Any = 2) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of(ta), shape_of(tb)
    if sa is None or sb is None:
        return array_or_scalar(dtype_of_arrays(ta, tb), None)
    of_a, of_b = _pairs(len(sa), len(sb), axes)
    for i, j in zip(of_a, of_b, strict=True):
        _check_inner(sa, sb, sa[i], sb[j])
    shape = [*(sa[i] for i in _others(len(sa), of_a)), *(sb[j] for j in _others(len(sb), of_b))]
    return ArrayType(dtype_of_arrays(ta, tb), tuple(shape))


def _ordered(x: Any, order: list[int]) -> Any:
    """`x`, whose axes are those numbered in `order`, with its axes in their places."""
    if order == sorted(order):
        return x
    return np.transpose(x, tuple(order.index(i) for i in range(len(order))))


def _tensordot_a(g: Any, y: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    of_a, of_b = _pairs(rank_of(a), rank_of(b), axes)
    rest_a, rest_b = _others(rank_of(a), of_a), _others(rank_of(b), of_b)
    of_g = tuple(range(len(rest_a), len(rest_a) + len(rest_b)))
    a_bar = np.tensordot(g, b, axes=(of_g, tuple(rest_b)))
    summed = [of_a[of_b.index(j)] for j in sorted(of_b)]
    return _ordered(a_bar, [*rest_a, *summed])


def _tensordot_b(g: Any, y: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    of_a, of_b = _pairs(rank_of(a), rank_of(b), axes)
    rest_a, rest_b = _others(rank_of(a), of_a), _others(rank_of(b), of_b)
    b_bar = np.tensordot(a, g, axes=(tuple(rest_a), tuple(range(len(rest_a)))))
    summed = [of_b[of_a.index(i)] for i in sorted(of_a)]
    return _ordered(b_bar, [*summed, *rest_b])


linear(
    np.tensordot,
    a=_for("a", _tensordot_a),
    b=_for("b", _tensordot_b),
    type_of=_tensordot_type,
    cases=[
        Case((2, 3, 4), (3, 4, 5)),
        Case((2, 3), (3, 4), axes=1),
        Case((2, 3), (4,), axes=0),
        Case((2, 3, 4), (4, 5, 3), axes=((1, 2), (2, 0))),
        Case((3, 2, 4), (4, 3), axes=((2, 0), (0, 1))),
        Case((3, 2), (2, 4), axes=(-1, 0)),
    ],
)


def _inner_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    if rank_of(a) == 0 or rank_of(b) == 0:
        return unbroadcast(g * b, a)
    if rank_of(b) == 1:
        return g * b if rank_of(a) == 1 else g[..., None] * b
    return np.tensordot(g, b, axes=rank_of(b) - 1)


def _inner_b(g: Any, y: Any, a: Any, b: Any) -> Any:
    if rank_of(a) == 0 or rank_of(b) == 0:
        return unbroadcast(g * a, b)
    if rank_of(a) == 1:
        return g * a if rank_of(b) == 1 else g[..., None] * a
    rows = tuple(range(rank_of(a) - 1))
    return np.tensordot(g, a, axes=(rows, rows))


linear(
    np.inner,
    a=_for("a", _inner_a),
    b=_for("b", _inner_b),
    type_of=_product_type(-1),
    cases=[
        Case((3,), (3,)),
        Case((2, 3), (3,)),
        Case((3,), (2, 3)),
        Case((2, 3), (4, 3)),
        Case((5, 2, 3), (4, 3)),
        Case((), (3,)),
        Case((2, 3), float),
    ],
)

same(np.linalg.matmul, operator.matmul)
same(np.linalg.tensordot, np.tensordot)

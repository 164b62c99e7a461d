"""Functions of `np.linalg` that are others in another form.

matrix_transpose, diagonal, trace: of the last two axes. outer: of two vectors. tensorsolve and
tensorinv: solve and inv of tensors taken as matrices. cond: a product or quotient of norms.
matrix_rank: cannot be varied.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, Extent, Type, shape_of
from srcad.rules.arrays.shaping import dims, dtype_of_arrays, extents, rank_of
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import array_or_scalar, as_type
from srcad.rules.core.registry import linear, nondiff, rule, same
from srcad.rules.core.staged import call
from srcad.rules.core.table import RULES, Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import (
    columns,
    conj,
    inexact,
    known_options,
    mT,
    real,
    real_dtype,
    regular,
    stack_type,
)
from srcad.rules.linalg.norms import norm_jvp, norm_vjp
from srcad.rules.linalg.products import flat
from srcad.rules.linalg.singular_values import thin_svd

# ---- views of the last two axes, outer products of vectors


same(np.linalg.matrix_transpose, np.matrix_transpose)


def _of_last_two(fn: Any) -> dict[str, Any]:
    """The transpose and the type of `fn` with the last two axes."""
    known = RULES[fn]

    def x_bar(g: Any, y: Any, x: Any, offset: Any = 0) -> Any:
        return known.vjps[0](g, y, x, offset=offset, axis1=-2, axis2=-1)

    def type_of(x: object, offset: Any = 0) -> Any:
        return known.type_of(x, offset=offset, axis1=-2, axis2=-1)

    return {"x": x_bar, "type_of": type_of}


_STACKS = [Case((3, 3)), Case((2, 3, 4), offset=1), Case((2, 3, 3), offset=-1)]

linear(np.linalg.diagonal, **_of_last_two(np.diagonal), cases=_STACKS)
linear(np.linalg.trace, **_of_last_two(np.trace), cases=_STACKS)


def _outer_type(a: object, b: object) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of(ta), shape_of(tb)
    if any(shape is not None and len(shape) != 1 for shape in (sa, sb)):
        raise ValueError("Input arrays must be one-dimensional")
    shape = None if sa is None or sb is None else (*sa, *sb)
    return array_or_scalar(dtype_of_arrays(ta, tb), shape)


linear(
    np.linalg.outer,
    a=lambda g, y, a, b: cast_like(g @ b, a),
    b=lambda g, y, a, b: cast_like(a @ g, b),
    type_of=_outer_type,
    cases=[Case((3,), (4,))],
)


# ---- tensors as matrices


def _moved(rank: int, axes: Any) -> tuple[int, ...]:
    """The axes of `a` in the order in which `tensorsolve` takes them."""
    last = [] if axes is None else [operator.index(k) % rank for k in _sequence(axes)]
    return (*(k for k in range(rank) if k not in last), *last)


def _sequence(axes: Any) -> Sequence[Any]:
    return axes if isinstance(axes, tuple | list) else (axes,)


def _ordered(a: Any, order: tuple[int, ...]) -> Any:
    return a if order == tuple(range(len(order))) else np.transpose(a, order)


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(k) for k in range(len(order)))


def _tensorsolve_type(a: object, b: object, axes: Any = None) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of(ta), shape_of(tb)
    dtype = np.result_type(inexact(ta), inexact(tb))
    if sa is None or sb is None:
        return ArrayType(dtype, None)
    order = _moved(len(sa), axes)
    shape: tuple[Extent, ...] = tuple(sa[k] for k in order[len(sb) :])
    return ArrayType(dtype, shape)


def _as_matrix(a: Any, b: Any, axes: Any) -> Any:
    n = math.prod(dims(b))
    return np.reshape(_ordered(a, _moved(rank_of(a), axes)), (n, n))


def _tensorsolve_jvp(ts: Any, y: Any, a: Any, b: Any, axes: Any = None) -> Any:
    a_dot, b_dot = ts
    right = b_dot if b_dot is ZERO else flat(b_dot)
    if a_dot is not ZERO:
        right = right - _as_matrix(a_dot, b, axes) @ flat(y)
    x_dot = call(np.linalg.solve, _as_matrix(a, b, axes), right)
    return cast_like(np.reshape(x_dot, extents(y)), y)


def _flat_b(g: Any, a: Any, b: Any, axes: Any) -> Any:
    return call(np.linalg.solve, mT(_as_matrix(a, b, axes)), flat(g))


def _tensorsolve_b(g: Any, y: Any, a: Any, b: Any, axes: Any = None) -> Any:
    return cast_like(np.reshape(_flat_b(g, a, b, axes), extents(b)), b)


def _tensorsolve_a(g: Any, y: Any, a: Any, b: Any, axes: Any = None) -> Any:
    order = _moved(rank_of(a), axes)
    a_bar = np.reshape(-np.outer(_flat_b(g, a, b, axes), y), tuple(dims(a)[k] for k in order))
    return cast_like(_ordered(a_bar, _inverse(order)), a)


rule(
    np.linalg.tensorsolve,
    jvp=_tensorsolve_jvp,
    a=_tensorsolve_a,
    b=_tensorsolve_b,
    type_of=known_options(_tensorsolve_type),
    cases=[
        Case(lambda rng: regular(6, 6)(rng).reshape(2, 3, 6), (2, 3)),
        Case(lambda rng: regular(6, 6)(rng).reshape(6, 3, 2), (6,)),
        Case(lambda rng: regular(6, 6)(rng).reshape(3, 2, 6), (6,), axes=(1, 0)),
    ],
)


def _tensorinv_type(a: object, ind: Any = 2) -> Type:
    t = as_type(a)
    shape = shape_of(t)
    return ArrayType(inexact(t), None if shape is None else (*shape[ind:], *shape[:ind]))


def _tensorinv_jvp(ts: Any, y: Any, a: Any, ind: Any = 2) -> Any:
    half = np.tensordot(y, ts[0], axes=ind)
    return -np.tensordot(half, y, axes=rank_of(a) - ind)


def _tensorinv_vjp(g: Any, y: Any, a: Any, ind: Any = 2) -> Any:
    rest = rank_of(a) - ind
    first, last = tuple(range(rest)), tuple(range(rest, rank_of(a)))
    half = np.tensordot(y, g, axes=(first, first))
    return -np.tensordot(half, y, axes=(tuple(range(ind, 2 * ind)), last))


rule(
    np.linalg.tensorinv,
    jvp=_tensorinv_jvp,
    a=_tensorinv_vjp,
    type_of=known_options(_tensorinv_type),
    cases=[
        Case(lambda rng: regular(6, 6)(rng).reshape(2, 3, 6)),
        Case(lambda rng: regular(6, 6)(rng).reshape(6, 3, 2), ind=1),
    ],
)


# ---- cond, matrix_rank


def _cond_type(x: object, p: object = None) -> Type:
    t = as_type(x)
    return stack_type(t, real_dtype(inexact(t)))


def _extremes(x: Any, p: Any) -> tuple[Any, Any, Any]:
    """The condition number as a quotient of singular values: its derivative in each, u and vh."""
    u, s, vh = thin_svd(x)
    largest, least = s[..., 0, None], s[..., -1, None]
    top, bottom = (largest, least) if p != -2 else (least, largest)
    at_top = (s == top) / np.sum(s == top, axis=-1, keepdims=True, dtype=s.dtype)
    at_bottom = (s == bottom) / np.sum(s == bottom, axis=-1, keepdims=True, dtype=s.dtype)
    return (at_top - at_bottom * (top / bottom)) / bottom, u, vh


def _cond_jvp(ts: Any, y: Any, x: Any, p: Any = None) -> Any:
    if p in (None, 2, -2):
        slopes, u, vh = _extremes(x, p)
        s_dot = real(np.sum((mT(conj(u)) @ ts[0]) * conj(vh), axis=-1))
        return np.sum(slopes * s_dot, axis=-1)
    inverse, axes = call(np.linalg.inv, x), (-2, -1)
    of_x, of_inverse = (call(np.linalg.norm, m, p, axes) for m in (x, inverse))
    inverse_dot = -(inverse @ ts[0] @ inverse)
    moved = norm_jvp((ts[0],), of_x, x, p, axes) * of_inverse
    return moved + of_x * norm_jvp((inverse_dot,), of_inverse, inverse, p, axes)


def _cond_vjp(g: Any, y: Any, x: Any, p: Any = None) -> Any:
    if p in (None, 2, -2):
        slopes, u, vh = _extremes(x, p)
        g = g if rank_of(x) == 2 else g[..., None]
        return cast_like((conj(u) * columns(g * slopes)) @ conj(vh), x)
    inverse, axes = call(np.linalg.inv, x), (-2, -1)
    of_x, of_inverse = (call(np.linalg.norm, m, p, axes) for m in (x, inverse))
    inverse_bar = norm_vjp(g * of_x, of_inverse, inverse, p, axes)
    turned = mT(inverse) @ inverse_bar @ mT(inverse)
    return cast_like(norm_vjp(g * of_inverse, of_x, x, p, axes) - turned, x)


rule(
    np.linalg.cond,
    jvp=_cond_jvp,
    x=_cond_vjp,
    type_of=known_options(_cond_type),
    cases=[
        Case(regular(3, 3)),
        Case((4, 3)),
        Case(regular(2, 3, 3), p=-2),
        *(Case(regular(3, 3), p=p) for p in (2, 1, -1, np.inf, "fro")),
        Case(regular(2, 3, 3), p=1),
    ],
)


def _rank_type(A: object, *_: object, **__: object) -> Type:  # noqa: N803 - NumPy's name
    t = as_type(A)
    shape = shape_of(t)
    return array_or_scalar(np.dtype(np.intp), () if shape is None else shape[:-2])


nondiff(
    np.linalg.matrix_rank,
    type_of=_rank_type,
    cases=[Case((3, 3)), Case((2, 3, 4)), Case((3, 3), tol=0.1)],
)

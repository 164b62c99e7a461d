"""Products of vectors and matrices: matmul, dot, inner, outer, tensordot, einsum, kron, cross.

Each is linear in each operand alone. Matrix calculus after Giles (2008), "Collected matrix derivative results
for forward and reverse mode algorithmic differentiation", section 2.2.2. No conjugate anywhere but in `vdot`:
a cotangent g of y means the real part of sum(g * y_dot).
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import Extent, Shape, Type, rank_of, shape_of
from srcad.rules.broadcast import unbroadcast
from srcad.rules.facts import (
    array_or_scalar,
    as_type,
    broadcast_shapes,
    promote,
)
from srcad.rules.registry import linear
from srcad.rules.shaping import extents
from srcad.rules.staged import type_of


def rank(x: Any) -> int:
    """The number of axes of anything in a rule body; refused where it is not known."""
    found = rank_of(type_of(x)) if not isinstance(x, list) else np.ndim(x)
    if found is None:
        raise error("E123", None, what="the number of axes")
    return found


def mT(x: Any) -> Any:  # noqa: N802 - NumPy's name
    """The transposed matrix, or the stack of them."""
    return x.T if rank(x) == 2 else np.swapaxes(x, -1, -2)


# ---- matmul


def _check_inner(a: Shape, b: Shape, a_inner: Extent, b_inner: Extent) -> None:
    if isinstance(a_inner, int) and isinstance(b_inner, int) and a_inner != b_inner:
        raise error("E402", None, what=f"{_text(a)} and {_text(b)}")


def _text(shape: Shape) -> str:
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _matmul_type(a: object, b: object) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of(ta), shape_of(tb)
    dtype = promote(ta, tb)
    if sa is None or sb is None:
        return array_or_scalar(dtype, None)
    if not sa or not sb:
        raise error("E402", None, what=f"{_text(sa)} and {_text(sb)}")
    _check_inner(sa, sb, sa[-1], sb[-2] if len(sb) > 1 else sb[-1])
    batch = broadcast_shapes(sa[:-2], sb[:-2])
    assert batch is not None
    return array_or_scalar(dtype, (*batch, *sa[-2:-1], *(sb[-1:] if len(sb) > 1 else ())))


def _matmul_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    match min(rank(a), 2), min(rank(b), 2):
        case 1, 1:
            return g * b
        case 1, 2:
            return b @ g if rank(b) == 2 else unbroadcast((b @ g[..., None])[..., 0], a)
        case _, 1:
            return g[..., None] * b if rank(a) > 2 else g[:, None] * b
        case _:
            return unbroadcast(g @ mT(b), a)


def _matmul_b(g: Any, y: Any, a: Any, b: Any) -> Any:
    match min(rank(a), 2), min(rank(b), 2):
        case 1, 1:
            return g * a
        case 1, 2:
            return a[:, None] * (g if rank(b) == 2 else g[..., None, :])
        case _, 1:
            return a.T @ g if rank(a) == 2 else np.tensordot(g, a, axes=rank(g))
        case _:
            if rank(b) == 2 and rank(a) > 2:
                rows = tuple(range(rank(a) - 1))
                return np.tensordot(a, g, axes=(rows, rows))
            return unbroadcast(mT(a) @ g, b)


for _fn in (operator.matmul, np.matmul):
    linear(_fn, a=_matmul_a, b=_matmul_b, type_of=_matmul_type)


# ---- dot: as matmul, but a product with a number, and an outer product of the leading axes


def _dot_type(a: object, b: object) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of(ta), shape_of(tb)
    dtype = promote(ta, tb)
    if sa is None or sb is None:
        return array_or_scalar(dtype, None)
    if not sa or not sb:
        return array_or_scalar(dtype, sa or sb)
    _check_inner(sa, sb, sa[-1], sb[-2] if len(sb) > 1 else sb[-1])
    last = (*sb[:-2], sb[-1]) if len(sb) > 1 else ()
    return array_or_scalar(dtype, (*sa[:-1], *last))


def _as_matmul(a: Any, b: Any) -> bool:
    return rank(b) <= 2 or rank(a) == 1


def _dot_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    if rank(a) == 0 or rank(b) == 0:
        return unbroadcast(g * b, a)
    if _as_matmul(a, b):
        return _matmul_a(g, y, a, b)
    n, m = rank(a), rank(b)
    of_g = tuple(range(n - 1, n + m - 2))
    of_b = (*range(m - 2), m - 1)
    return np.tensordot(g, b, axes=(of_g, of_b))


def _dot_b(g: Any, y: Any, a: Any, b: Any) -> Any:
    if rank(a) == 0 or rank(b) == 0:
        return unbroadcast(g * a, b)
    if _as_matmul(a, b):
        return _matmul_b(g, y, a, b)
    rows = tuple(range(rank(a) - 1))
    return np.moveaxis(np.tensordot(a, g, axes=(rows, rows)), 0, -2)


linear(np.dot, a=_dot_a, b=_dot_b, type_of=_dot_type)


# ---- outer


def _flat(x: Any) -> Any:
    return x if rank(x) == 1 else np.reshape(x, -1)


def _outer_type(a: object, b: object) -> Type:
    from srcad.rules.facts import size_of_shape

    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of(ta), shape_of(tb)
    if sa is None or sb is None:
        raise error("E123", None, what="the number of axes")
    return array_or_scalar(promote(ta, tb), (size_of_shape(sa), size_of_shape(sb)))


def _shaped_as(g: Any, x: Any) -> Any:
    return g if rank(x) == 1 else np.reshape(g, extents(x))


linear(
    np.outer,
    a=lambda g, y, a, b: _shaped_as(g @ _flat(b), a),
    b=lambda g, y, a, b: _shaped_as(_flat(a) @ g, b),
    type_of=_outer_type,
)

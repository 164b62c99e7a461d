"""Linear equations: solve, inv, pinv, lstsq, of stacks of matrices too, real and complex.

After Giles (2008), "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation", section 2.2; pinv and lstsq after Golub and Pereyra (1973), "The differentiation
of pseudo-inverses and nonlinear least squares problems whose variables separate", equation 4.12,
which holds for matrices of any rank, as long as the rank does not change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, Type, shape_of
from srcad.rules.arrays.shaping import dims, dtype_of_arrays, rank_of
from srcad.rules.core.broadcast import as_floats, cast_like, unbroadcast
from srcad.rules.core.call_facts import SQUARE
from srcad.rules.core.facts import array_or_scalar, as_type, broadcast_shapes, unknown_extent
from srcad.rules.core.masks import holds_missing
from srcad.rules.core.product import without_missing
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import (
    columns,
    conj,
    inexact,
    mH,
    mT,
    real,
    real_dtype,
    regular,
    shape_of_matrices,
    smaller,
)

SQUARE.update((np.linalg.solve, np.linalg.inv))

# ---- solve


def _solve_type(a: object, b: object) -> Type:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of_matrices(ta), shape_of(tb)
    dtype = dtype_of_arrays(ta, tb)
    dtype = dtype if dtype.kind in "fc" else np.dtype(float)
    if sa is None or sb is None:
        return ArrayType(dtype, None)
    if len(sb) == 1:
        return ArrayType(dtype, (*sa[:-2], sb[0]))
    batch = broadcast_shapes(sa[:-2], sb[:-2])
    return ArrayType(dtype, (*(batch or ()), *sb[-2:]))


def _solve(a: Any, b: Any, vectors: bool) -> Any:
    """`np.linalg.solve`, of a stack of vectors if told so (NumPy takes one vector only)."""
    if vectors and (rank_of(a) > 2 or rank_of(b) > 1):
        return call(np.linalg.solve, a, b[..., None])[..., 0]
    return call(np.linalg.solve, a, b)


def _applied(a: Any, x: Any, vectors: bool) -> Any:
    return (a @ x[..., None])[..., 0] if vectors and rank_of(x) > 1 else a @ x


def _solve_jvp(ts: Any, y: Any, a: Any, b: Any) -> Any:
    a_dot, b_dot = ts
    vectors = rank_of(b) == 1
    moved = ZERO if a_dot is ZERO else _applied(a_dot, y, vectors)
    return cast_like(_solve(a, b_dot - moved, vectors), y)


def _solved_back(g: Any, a: Any, b: Any) -> Any:
    found = _solve(mT(a), g, rank_of(b) == 1)
    return np.where(np.isnan(found), 0, found) if holds_missing(g) else found


def _solve_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    vectors = rank_of(b) == 1
    return _products_of(_solved_back(g, a, b), y, a, vectors)


@without_missing
def _products_of(b_bar: Any, y: Any, a: Any, vectors: bool) -> Any:
    if vectors and rank_of(a) == 2 and rank_of(y) == 1:
        return cast_like(-np.outer(b_bar, y), a)
    if vectors:
        return cast_like(-(b_bar[..., :, None] * y[..., None, :]), a)
    return unbroadcast(-(b_bar @ mT(y)), a)


rule(
    np.linalg.solve,
    jvp=_solve_jvp,
    a=_solve_a,
    b=lambda g, y, a, b: unbroadcast(_solved_back(g, a, b), b),
    type_of=_solve_type,
    cases=[
        Case(regular(3, 3), (3,)),
        Case(regular(3, 3), (3, 2)),
        Case(regular(2, 3, 3), (3,)),
        Case(regular(2, 3, 3), (2, 3, 4)),
        Case(regular(2, 3, 3), (3, 4)),
        Case(regular(3, 3), (2, 3, 4)),
    ],
)


# ---- inv, pinv


def _inverse_type(a: object, *_: object, **__: object) -> Type:
    t = as_type(a)
    shape = shape_of_matrices(t)
    swapped = None if shape is None else (*shape[:-2], shape[-1], shape[-2])
    return ArrayType(inexact(t), swapped)


rule(
    np.linalg.inv,
    jvp=lambda ts, y, a: -(y @ ts[0] @ y),
    a=without_missing(lambda g, y, a: -(mT(y) @ g @ mT(y))),
    type_of=_inverse_type,
    cases=[Case(regular(3, 3)), Case(regular(2, 3, 3))],
)


def _pinv_jvp(ts: Any, y: Any, a: Any, rcond: Any = None, rtol: Any = np._NoValue) -> Any:
    t = mH(ts[0])
    rows, columns = y @ mH(y) @ t, t @ mH(y) @ y
    return -(y @ ts[0] @ y) + (rows - rows @ a @ y) + (columns - y @ (a @ columns))


def _pinv_vjp(g: Any, y: Any, a: Any, rcond: Any = None, rtol: Any = np._NoValue) -> Any:
    t, y_conj, a_conj = mH(g), conj(y), conj(a)
    rows, columns = t @ y_conj @ mT(y), mT(y) @ y_conj @ t
    within = mT(y) @ g @ mT(y)
    return -within + (rows - a_conj @ (y_conj @ rows)) + (columns - columns @ y_conj @ a_conj)


rule(
    np.linalg.pinv,
    jvp=_pinv_jvp,
    a=_pinv_vjp,
    type_of=_inverse_type,
    cases=[
        Case((3, 4)),
        Case((4, 2)),
        Case(regular(3, 3)),
        Case((2, 4, 2)),
        Case((4, 3), rcond=1e-12),
        Case((4, 3), rtol=1e-12),
    ],
    note="at constant rank; where the rank changes, pinv jumps and has no derivative",
)


# ---- lstsq: the solution by the pseudoinverse, the residuals, the singular values


def _lstsq_type(a: object, b: object, rcond: object = None) -> tuple[Type, ...]:
    ta, tb = as_type(a), as_type(b)
    sa, sb = shape_of_matrices(ta), shape_of(tb)
    dtype = dtype_of_arrays(ta, tb)
    dtype = dtype if dtype.kind in "fc" else np.dtype(float)
    x = None if sa is None or sb is None else (sa[1], *sb[1:])
    s = None if sa is None else (smaller(*sa),)
    residuals = ArrayType(real_dtype(dtype), (unknown_extent(),))
    rank = array_or_scalar(np.dtype(np.int32), ())
    return ArrayType(dtype, x), residuals, rank, ArrayType(real_dtype(dtype), s)


def _pseudoinverse(a: Any, rcond: Any) -> Any:
    # From the dtype of a matrix of ints, NumPy makes no `rcond`.
    return call(np.linalg.pinv, as_floats(a), rtol=rcond)


def _matrix(b: Any) -> Any:
    return b if rank_of(b) == 2 else b[:, None]


def _vector(x: Any, b: Any) -> Any:
    return x if rank_of(b) == 2 else x[:, 0]


def _lstsq_jvp(ts: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    (a_dot, b_dot), (x, residuals, *_) = ts, y
    p, x = _pseudoinverse(a, rcond), _matrix(x)
    b_dot = b_dot if b_dot is ZERO else _matrix(b_dot)
    off = _matrix(b) - a @ x
    change = b_dot if a_dot is ZERO else b_dot - a_dot @ x
    x_dot = p @ change
    s_dot: Any = ZERO
    if a_dot is not ZERO:
        outside = mH(a_dot) @ (mH(p) @ x)
        x_dot = x_dot + p @ (mH(p) @ (mH(a_dot) @ off)) + (outside - p @ (a @ outside))
        u, _, vh = call(np.linalg.svd, a, full_matrices=False)
        s_dot = real(np.sum((mH(u) @ a_dot) * conj(vh), axis=-1))
    moved = np.sum(real(conj(off) * change), axis=0)
    residuals_dot = 2 * moved[: dims(residuals)[0]]
    return cast_like(_vector(x_dot, b), y[0]), residuals_dot, ZERO, s_dot


def _lstsq_parts(g: Any, y: Any, a: Any, b: Any, rcond: Any) -> tuple[Any, Any]:
    """The cotangents of `a` (without that from the singular values) and of `b`, as matrices."""
    x_bar, residuals_bar, _, _ = g
    x, a_bar, b_bar = _matrix(y[0]), ZERO, ZERO
    off = conj(_matrix(b) - a @ x)
    if x_bar is not ZERO:
        p, x_bar = _pseudoinverse(a, rcond), _matrix(x_bar)
        b_bar = mT(p) @ x_bar
        inner = x_bar - mT(a) @ b_bar
        a_bar = off @ (mH(b_bar) @ mT(p)) - b_bar @ mT(x)
        a_bar = a_bar + mT(p) @ conj(x) @ mH(inner)
    if residuals_bar is not ZERO:
        count = dims(off)[1]
        given = call(runtime.scatter, residuals_bar, (count,), slice(dims(residuals_bar)[0]))
        weighted = 2 * off * given
        b_bar, a_bar = b_bar + weighted, a_bar - weighted @ mT(x)
    return a_bar, b_bar


def _lstsq_a(g: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    a_bar, _ = _lstsq_parts(g, y, a, b, rcond)
    if g[3] is not ZERO:
        u, _, vh = call(np.linalg.svd, a, full_matrices=False)
        a_bar = a_bar + (conj(u) * columns(g[3])) @ conj(vh)
    return cast_like(a_bar, a)


def _lstsq_b(g: Any, y: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    _, b_bar = _lstsq_parts(g, y, a, b, rcond)
    return ZERO if b_bar is ZERO else cast_like(_vector(b_bar, b), b)


rule(
    np.linalg.lstsq,
    jvp=_lstsq_jvp,
    a=_lstsq_a,
    b=_lstsq_b,
    type_of=_lstsq_type,
    cases=[
        Case((5, 3), (5,)),
        Case((5, 3), (5, 2)),
        Case((3, 5), (3,)),
        Case((3, 5), (3, 2)),
        Case((5, 3), (5, 2), rcond=1e-10),
    ],
    note="as of pinv",
)

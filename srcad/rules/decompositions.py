"""Decompositions of symmetric matrices: cholesky, eigh, eigvalsh. Real; stacks of matrices too.

They read one triangle of the matrix only, the lower unless told otherwise, and so do the
derivatives: a cotangent is triangular, a tangent counts by that triangle. Where the matrix was made
symmetric before (`b @ b.T`), this gives what the symmetric convention gives. After Murray (2016),
"Differentiation of the Cholesky decomposition", and Giles (2008), section 3.1.

Eigenvectors of equal eigenvalues have no derivative: asking for it raises `LinAlgError` at run
time. The equal eigenvalues themselves have one each, along the eigenvectors that NumPy finds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, Type, shape_of
from srcad.rules.facts import as_type
from srcad.rules.linalg import inexact, matrices_shape, real_only, regular
from srcad.rules.products import mT
from srcad.rules.registry import rule
from srcad.rules.shaping import like, rank_of
from srcad.rules.staged import call
from srcad.rules.table import Case
from srcad.rules.zero import ZERO


def _symmetric(*shape: int) -> Any:
    """For cases: symmetric matrices with distinct eigenvalues, positive."""

    def make(rng: Any) -> Any:
        a = regular(*shape)(rng) + np.diag(np.arange(shape[-1]))
        return (a + np.swapaxes(a, -1, -2)) / 2

    return make


def _strict(m: Any, lower: bool) -> Any:
    return np.tril(m, k=-1) if lower else np.triu(m, k=1)


def _mirrored(t: Any, lower: bool = True) -> Any:
    """The symmetric matrix of which `t` has one triangle."""
    half = np.tril(t) if lower else np.triu(t)
    return half + mT(_strict(t, lower))


def _folded(s: Any, lower: bool = True) -> Any:
    """The transpose of `_mirrored`."""
    half = np.tril(s) if lower else np.triu(s)
    return half + _strict(mT(s), lower)


def _half_triangle(m: Any) -> Any:
    """The lower triangle with half the diagonal."""
    return (np.tril(m) + np.tril(m, k=-1)) / 2


# ---- cholesky


def _cholesky_jvp(ts: Any, y: Any, a: Any) -> Any:
    real_only(a, "cholesky")
    left = call(np.linalg.solve, y, _mirrored(ts[0]))
    return y @ _half_triangle(mT(call(np.linalg.solve, y, mT(left))))


def _cholesky_vjp(g: Any, y: Any, a: Any) -> Any:
    real_only(a, "cholesky")
    half = _half_triangle(mT(y) @ g)
    left = call(np.linalg.solve, mT(y), half)
    return _folded(mT(call(np.linalg.solve, mT(y), mT(left))))


def _square_type(a: object) -> ArrayType:
    t = as_type(a)
    return ArrayType(inexact(t), matrices_shape(t))


rule(
    np.linalg.cholesky,
    jvp=_cholesky_jvp,
    a=_cholesky_vjp,
    type_of=_square_type,
    cases=[Case(_symmetric(3, 3)), Case(_symmetric(2, 3, 3))],
    note="of the lower triangle of the matrix, which is all that it reads",
)


# ---- eigh


def _eigh_type(a: object, UPLO: object = "L") -> tuple[Type, Type]:  # noqa: N803 - NumPy's name
    vectors = _square_type(a)
    return _eigvalsh_type(a), vectors


def _eigvalsh_type(a: object, UPLO: object = "L") -> Type:  # noqa: N803 - NumPy's name
    vectors = _square_type(a)
    return ArrayType(vectors.dtype, None if vectors.shape is None else vectors.shape[:-1])


def _gaps_change(F: Any, w_dot: Any) -> Any:  # noqa: N803 - the usual letter
    return -F * F * (w_dot[..., None, :] - w_dot[..., :, None])


def _gaps_vjp(g: Any, y: Any, w: Any) -> Any:
    weighted = g * y * y
    return np.sum(weighted, axis=-1) - np.sum(weighted, axis=-2)


def _gaps_type(w: object) -> Type:
    t = as_type(w)
    shape = shape_of(t)
    return like(t, None if shape is None else (*shape, shape[-1]))


rule(
    runtime.inverse_gaps,
    jvp=lambda ts, y, w: _gaps_change(y, ts[0]),
    w=_gaps_vjp,
    type_of=_gaps_type,
    cases=[
        Case(lambda rng: np.arange(3) + 0.1 * rng.random(3)),
        Case(lambda rng: np.arange(6).reshape(2, 3) + 0.1 * rng.random((2, 3))),
    ],
)


def _diagonals(m: Any) -> Any:
    return np.diagonal(m) if rank_of(m) == 2 else np.diagonal(m, axis1=-2, axis2=-1)


def _eigh_jvp(ts: Any, y: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    real_only(a, "eigh")
    w, v = y
    rotated = mT(v) @ _mirrored(ts[0], UPLO == "L") @ v
    return _diagonals(rotated), v @ (call(runtime.inverse_gaps, w) * rotated)


def _eigh_vjp(g: Any, y: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    real_only(a, "eigh")
    (w, v), (w_bar, v_bar) = y, g
    total = ZERO if v_bar is ZERO else _of_vectors(v_bar, w, v)
    if w_bar is not ZERO:
        total = total + _of_values(w_bar, v)
    return ZERO if total is ZERO else _folded(total, UPLO == "L")


def _of_vectors(v_bar: Any, w: Any, v: Any) -> Any:
    return v @ (call(runtime.inverse_gaps, w) * (mT(v) @ v_bar)) @ mT(v)


def _of_values(w_bar: Any, v: Any) -> Any:
    return (v * (w_bar if rank_of(v) == 2 else w_bar[..., None, :])) @ mT(v)


rule(
    np.linalg.eigh,
    jvp=_eigh_jvp,
    a=_eigh_vjp,
    type_of=_eigh_type,
    cases=[Case(_symmetric(3, 3)), Case(_symmetric(2, 3, 3)), Case(_symmetric(3, 3), UPLO="U")],
    note="refused at run time where eigenvectors with equal eigenvalues are differentiated",
)


def _eigvalsh_jvp(ts: Any, y: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    real_only(a, "eigvalsh")
    _, v = call(np.linalg.eigh, a, UPLO=UPLO)
    return _diagonals(mT(v) @ _mirrored(ts[0], UPLO == "L") @ v)


def _eigvalsh_vjp(g: Any, y: Any, a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    real_only(a, "eigvalsh")
    _, v = call(np.linalg.eigh, a, UPLO=UPLO)
    return _folded(_of_values(g, v), UPLO == "L")


rule(
    np.linalg.eigvalsh,
    jvp=_eigvalsh_jvp,
    a=_eigvalsh_vjp,
    type_of=_eigvalsh_type,
    cases=[Case(_symmetric(3, 3)), Case(_symmetric(2, 3, 3)), Case(_symmetric(3, 3), UPLO="U")],
)

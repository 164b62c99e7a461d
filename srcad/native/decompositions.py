"""Decompositions and complex products in `srcad.native.functions.lapack`, as twins: names only,
without Numba.

    EIGEN["f"]      eigen_into(a, w, with_vectors)
    EIGEN["c"]      hermitian_eigen_into(a, w, with_vectors)

By the kind of the dtype. Called, they compute by NumPy; what LAPACK leaves undefined is NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.native.vectorised import Twin

# LAPACK's letters for the singular vectors that are wanted.
NONE, REDUCED, FULL = map(ord, "NSA")


def _plain(*arrays: Any) -> list[np.ndarray]:
    return [array.view(np.ndarray) for array in arrays]


def _eigen_into(a: Any, w: Any, with_vectors: bool) -> None:
    a, w = _plain(a, w)
    w[:], vectors = np.linalg.eigh(a.T)
    a[:] = vectors.T if with_vectors else np.nan


def _singular_into(a: Any, u: Any, s: Any, v: Any, job: int) -> None:
    a, u, s, v = _plain(a, u, s, v)
    left, s[:], right = np.linalg.svd(a.T, full_matrices=job == FULL)
    a[:] = np.nan
    if job != NONE:
        u[:], v[:] = left.T, right.T


def _reflectors_into(a: Any, scales: Any) -> None:
    a, scales = _plain(a, scales)
    a[:], scales[:] = np.linalg.qr(a.T, mode="raw")


def _orthogonal_into(q: Any, scales: Any) -> None:
    q, scales = _plain(q, scales)
    columns = np.eye(q.shape[1], q.shape[0], dtype=q.dtype)
    for k in reversed(range(len(scales))):
        v = np.concatenate((np.zeros(k), [1.0], q[k, k + 1 :]))
        columns -= scales[k] * np.outer(v, np.conj(v) @ columns)
    q[:] = columns.T


def _least_squares_into(a: Any, b: Any, s: Any, rank: Any, least: float) -> None:
    a, b, s, rank = _plain(a, b, s, rank)
    n, m = a.shape
    x, _, rank[0], s[:] = np.linalg.lstsq(a.T, b[:, :m].T, rcond=least)
    a[:] = b[:] = np.nan
    b[:, :n] = x.T


def _cholesky_into(a: Any) -> None:
    (a,) = _plain(a)
    np.copyto(a.T, np.linalg.cholesky(a.T), where=np.tri(len(a), dtype=bool))


def _solved_into(a: Any, b: Any) -> None:
    a, b = _plain(a, b)
    b[:] = np.linalg.solve(a.T, b.T).T
    a[:] = np.nan


def _complex_product_into(out: Any, x: Any, y: Any) -> None:
    out, x, y = _plain(out, x, y)
    np.matmul(x, y, out=out)


EIGEN = {
    "f": Twin("eigen_into", _eigen_into, writes=2),
    "c": Twin("hermitian_eigen_into", _eigen_into, writes=2),
}
SINGULAR = {
    "f": Twin("singular_into", _singular_into, writes=4),
    "c": Twin("complex_singular_into", _singular_into, writes=4),
}
REFLECTORS = {
    "f": Twin("reflectors_into", _reflectors_into, writes=2),
    "c": Twin("complex_reflectors_into", _reflectors_into, writes=2),
}
ORTHOGONAL = {
    "f": Twin("orthogonal_into", _orthogonal_into, writes=1),
    "c": Twin("unitary_into", _orthogonal_into, writes=1),
}
LEAST_SQUARES = Twin("least_squares_into", _least_squares_into, writes=4)
CHOLESKY = {
    "f": Twin("cholesky_into", _cholesky_into, writes=1),
    "c": Twin("complex_cholesky_into", _cholesky_into, writes=1),
}
SOLVED = {
    "f": Twin("solved_into", _solved_into, writes=2),
    "c": Twin("complex_solved_into", _solved_into, writes=2),
}
COMPLEX_PRODUCT = Twin("complex_product_into", _complex_product_into, writes=1)

DECOMPOSITIONS = (
    *EIGEN.values(), *SINGULAR.values(), *REFLECTORS.values(), *ORTHOGONAL.values(),
    *CHOLESKY.values(), *SOLVED.values(), LEAST_SQUARES, COMPLEX_PRODUCT,
)  # fmt: skip

__all__ = [
    "CHOLESKY",
    "COMPLEX_PRODUCT",
    "DECOMPOSITIONS",
    "EIGEN",
    "FULL",
    "LEAST_SQUARES",
    "NONE",
    "ORTHOGONAL",
    "REDUCED",
    "REFLECTORS",
    "SINGULAR",
    "SOLVED",
]

"""Products with sparse matrices, and systems of them, by SciPy.

A matrix is given by its compressed rows, or columns (`by_columns`): `data`, `indices`, `indptr` of
`scipy.sparse.csr_matrix` (`csc_matrix`).
"""

from __future__ import annotations

from typing import Any

import numpy as np


def sparse_product(
    data: Any, indices: Any, indptr: Any, x: Any, shape: tuple[int, int], by_columns: bool
) -> Any:
    """The matrix times a vector, or a dense matrix."""
    from scipy import sparse

    form = sparse.csc_matrix if by_columns else sparse.csr_matrix
    return form((data, indices, indptr), shape=shape) @ x


def sparse_outer(indices: Any, indptr: Any, g: Any, x: Any, by_columns: bool) -> Any:
    """The entries of the outer product g x^T where the matrix has entries.

    Of dense matrices g and x: of g @ x.T.
    """
    major = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    rows, columns = (indices, major) if by_columns else (major, indices)
    entries = g[rows] * x[columns]
    return np.sum(entries, axis=1) if np.ndim(entries) == 2 else entries


def sparse_solve(
    data: Any, indices: Any, indptr: Any, b: Any, shape: tuple[int, int], by_columns: bool,
    factored: bool = False,
) -> Any:  # fmt: skip
    """The solution of a system of the matrix and a vector, or a dense matrix.

    By `scipy.sparse.linalg.spsolve`, or as the object that `splu` makes solves it (`factored`).
    """
    from scipy import sparse
    from scipy.sparse import linalg

    form = sparse.csc_matrix if by_columns else sparse.csr_matrix
    matrix = form((np.ascontiguousarray(data), indices, indptr), shape=shape)
    return linalg.splu(matrix.tocsc()).solve(b) if factored else linalg.spsolve(matrix, b)


def factored_solve(factors: Any, b: Any, trans: str) -> Any:
    """The solution of a system of which `scipy.sparse.linalg.splu` has made the factors."""
    return factors.solve(b, trans).astype(b.dtype, copy=False)


def sparse_places(rows: Any, columns: Any, shape: tuple[int, int], by_columns: bool) -> Any:
    """Where the entries of a matrix, given by row and column, come to lie in its compressed form.

    Returns:
        The place of each entry in `data`, which entries at one row and column share; `indices`;
        `indptr`.
    """
    major, minor = (columns, rows) if by_columns else (rows, columns)
    n_major, n_minor = shape[::-1] if by_columns else shape
    for index, n, name in ((major, n_major, "major"), (minor, n_minor, "minor")):
        if np.size(index) and not 0 <= np.min(index) <= np.max(index) < n:
            raise ValueError(f"an index along the {name} axis lies outside of the matrix")
    keys, place = np.unique(np.int64(major) * n_minor + minor, return_inverse=True)
    counts = np.bincount(keys // n_minor, minlength=n_major) if n_minor else np.zeros(n_major, int)
    return np.ravel(place), keys % max(n_minor, 1), np.concatenate(([0], np.cumsum(counts)))

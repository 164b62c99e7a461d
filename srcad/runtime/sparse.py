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


def sparse_form(dense: Any, by_columns: bool) -> tuple[Any, Any, Any]:
    """`data`, `indices` and `indptr` of a dense matrix: its entries that are not 0."""
    from scipy import sparse

    made = (sparse.csc_matrix if by_columns else sparse.csr_matrix)(dense)
    return made.data, made.indices, made.indptr


def entries_of_fixed(data: Any, dense: Any) -> Any:
    """`data`, what `sparse_form` gives of a dense matrix; which must not vary."""
    return data


def solve_triangular(
    data: Any, indices: Any, indptr: Any, b: Any, shape: tuple[int, int], by_columns: bool,
    lower: bool, unit: bool,
) -> Any:  # fmt: skip
    """The solution of a system of a triangular matrix, by `spsolve_triangular`."""
    from scipy.sparse import linalg

    matrix = _matrix(data, indices, indptr, shape, by_columns)
    return linalg.spsolve_triangular(matrix, b, lower, unit_diagonal=unit)


def in_triangle(indices: Any, indptr: Any, by_columns: bool, lower: bool, unit: bool) -> Any:
    """Which entries `solve_triangular` reads."""
    major = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    rows, columns = (indices, major) if by_columns else (major, indices)
    inside = columns < rows if lower else columns > rows
    return inside if unit else inside | (columns == rows)


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


def regular(x: Any, data: Any, b: Any) -> Any:
    """`x`, which a derivative solved for, once the system is seen to have had a solution.

    Raises:
        numpy.linalg.LinAlgError: `x` is not finite, though the matrix and the right-hand side are.
    """
    if not np.all(np.isfinite(x)) and np.all(np.isfinite(data)) and np.all(np.isfinite(b)):
        raise np.linalg.LinAlgError(
            "the derivative was asked for of a solution of a sparse system whose matrix is singular"
        )
    return x


def _matrix(data: Any, indices: Any, indptr: Any, shape: tuple[int, int], by_columns: bool) -> Any:
    """A sparse matrix; a dense one has no `indices`."""
    if indices is None:
        return data
    from scipy import sparse

    form = sparse.csc_matrix if by_columns else sparse.csr_matrix
    return form((np.ascontiguousarray(data), indices, indptr), shape=shape)


def iterated(
    data: Any, indices: Any, indptr: Any, b: Any, start: Any, near: tuple[Any, ...],
    shape: tuple[int, int], by_columns: bool, solver: str, **options: Any,
) -> tuple[Any, int]:  # fmt: skip
    """The solution of a system by an iteration of SciPy's, such as `cg`, and how that ended.

    Args:
        data: of a sparse matrix; a dense one, whose `indices` and `indptr` are None.
        start: where the iteration starts, or None.
        near: `data`, `indices`, `indptr` and `by_columns` of a matrix near the inverse, or nothing.
    """
    from scipy.sparse import linalg

    if near:
        options["M"] = _matrix(near[0], near[1], near[2], shape, near[3])
    matrix = _matrix(data, indices, indptr, shape, by_columns)
    x, info = getattr(linalg, solver)(matrix, b, start, **options)
    return x, int(info)


def iterated_further(
    data: Any, indices: Any, indptr: Any, b: Any, info: int, near: tuple[Any, ...],
    shape: tuple[int, int], by_columns: bool, solver: str, **options: Any,
) -> Any:  # fmt: skip
    """The solution of another system by the same iteration, for the derivative of the first.

    Raises:
        numpy.linalg.LinAlgError: one of the two has not converged.
    """
    found = np.zeros(np.shape(b), np.result_type(data, b, np.float32))
    if info == 0 and np.any(b):
        found, info = iterated(
            data, indices, indptr, b, None, near, shape, by_columns, solver, **options
        )
    if info != 0:
        raise np.linalg.LinAlgError(
            f"the derivative was asked for of a solution that {solver} has not found (info={info}):"
            " give it a larger tolerance, more iterations or a better preconditioner"
        )
    return found


# How `lsqr` and `lsmr` end where they have found a solution, and where the residual is zero.
_FOUND, _EXACT = (0, 1, 2, 4, 5), (0, 1, 4)


def fitted_by_iteration(
    data: Any, indices: Any, indptr: Any, b: Any, damp: Any, start: Any, shape: tuple[int, int],
    by_columns: bool, solver: str, **options: Any,
) -> tuple[Any, int, int]:  # fmt: skip
    """What `lsqr` or `lsmr` of SciPy's finds, how it ended, and after how many iterations.

    Args:
        data: of a sparse matrix; a dense one, whose `indices` and `indptr` are None.
        start: where the iteration starts, or None.
    """
    from scipy.sparse import linalg

    matrix = _matrix(data, indices, indptr, shape, by_columns)
    x, ended, count, *_ = getattr(linalg, solver)(matrix, b, damp, x0=start, **options)
    return x, int(ended), int(count)


def normal_solve(
    data: Any, indices: Any, indptr: Any, v: Any, damp: Any, ended: int, shape: tuple[int, int],
    by_columns: bool, solver: str, **options: Any,
) -> Any:  # fmt: skip
    """`(A.T @ A + damp**2) z = v` by the same iteration: `A.T @ y = v`, then `A @ z = y`, in the
    matrix `A` with `damp` on the diagonal below it.

    Raises:
        numpy.linalg.LinAlgError: an iteration has not converged, or columns of `A` depend on one
            another: then there are several solutions.
    """
    from scipy import sparse

    matrix: Any = sparse.csr_array(_matrix(data, indices, indptr, shape, by_columns), dtype=float)
    n = shape[1]
    if damp:
        matrix = sparse.vstack([matrix, float(damp) * sparse.eye_array(n)]).tocsr()

    def solved(a: Any, right: Any, ends: tuple[int, ...]) -> Any:
        from scipy.sparse import linalg

        x, end = getattr(linalg, solver)(a, right.astype(float), **options)[:2]
        if end not in ends or ended not in _FOUND:
            raise np.linalg.LinAlgError(
                f"the derivative was asked for of a solution that {solver} has not found, or that"
                " is not the only one: give it more iterations, or columns that are independent"
            )
        return x

    solved(matrix.T, np.cos(np.arange(1.0, n + 1)), _EXACT)  # where no vector goes to zero
    return solved(matrix, solved(matrix.T, v, _EXACT), _FOUND)


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

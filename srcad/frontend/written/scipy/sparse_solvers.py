"""Solvers of `scipy.sparse.linalg`: systems of sparse matrices, read in place of SciPy's.

spsolve(A, b)        sparse_solve(A.data, A.indices, A.indptr, b, A.shape, False, False)
cg(A, b, M=P)        iterated(A.data, A.indices, A.indptr, b, None, P, A.shape, False, "cg")
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.frontend.written.scipy.sparse import Matrix


def _solved(A: Any, b: Any, factored: bool) -> Any:
    x = np.asarray(b)
    return runtime.sparse_solve(A._data, A._indices, A._indptr, x, A.shape, A._by_columns, factored)


def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    return _solved(A, b.ravel() if np.ndim(b) == 2 and b.shape[1] == 1 else b, False)


def spsolve_triangular(
    A: Any, b: Any, lower: bool = True, overwrite_A: bool = False, overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Any:  # fmt: skip
    x = np.asarray(b)
    return runtime.solve_triangular(
        A._data, A._indices, A._indptr, x, A.shape, A._by_columns, lower, unit_diagonal
    )


def _near(M: Any) -> Any:
    if M is None:
        return ()
    if isinstance(M, Matrix):
        return (M._data, M._indices, M._indptr, M._by_columns)
    return (np.asarray(M), None, None, False)


def _iterated(solver: str, A: Any, b: Any, x0: Any, M: Any, options: Any) -> Any:
    """The solution, and how the iteration ended."""
    right = np.asarray(b)
    right = right if right.ndim == 1 else right.ravel()
    start = None if x0 is None else runtime.stop_gradient(np.asarray(x0))
    if isinstance(A, Matrix):
        return runtime.iterated(
            A._data, A._indices, A._indptr, right, start, _near(M), A.shape, A._by_columns, solver,
            **options,
        )  # fmt: skip
    dense = np.asarray(A)
    shape = dense.shape
    return runtime.iterated(
        dense, None, None, right, start, _near(M), shape, False, solver, **options
    )


def bicg(A: Any, b: Any, x0: Any = None, *, M: Any = None, **options: Any) -> Any:
    return _iterated("bicg", A, b, x0, M, options)


def bicgstab(A: Any, b: Any, x0: Any = None, *, M: Any = None, **options: Any) -> Any:
    return _iterated("bicgstab", A, b, x0, M, options)


def cg(A: Any, b: Any, x0: Any = None, *, M: Any = None, **options: Any) -> Any:
    return _iterated("cg", A, b, x0, M, options)


def cgs(A: Any, b: Any, x0: Any = None, *, M: Any = None, **options: Any) -> Any:
    return _iterated("cgs", A, b, x0, M, options)


def gcrotmk(A: Any, b: Any, x0: Any = None, *, M: Any = None, **options: Any) -> Any:
    return _iterated("gcrotmk", A, b, x0, M, options)


def gmres(A: Any, b: Any, x0: Any = None, *, M: Any = None, **options: Any) -> Any:
    return _iterated("gmres", A, b, x0, M, options)


def lgmres(A: Any, b: Any, x0: Any = None, *, M: Any = None, **options: Any) -> Any:
    return _iterated("lgmres", A, b, x0, M, options)


def minres(A: Any, b: Any, x0: Any = None, *, M: Any = None, **options: Any) -> Any:
    return _iterated("minres", A, b, x0, M, options)


def qmr(A: Any, b: Any, x0: Any = None, **options: Any) -> Any:
    return _iterated("qmr", A, b, x0, None, options)


def tfqmr(A: Any, b: Any, x0: Any = None, *, M: Any = None, **options: Any) -> Any:
    return _iterated("tfqmr", A, b, x0, M, options)


class NormEstimate:
    """A number that `lsqr` and `lsmr` estimate, of a kind that depends on the data."""


def _fitted(solver: str, A: Any, b: Any, damp: Any, x0: Any, n_estimates: int, options: Any) -> Any:
    right = np.asarray(b)
    right = right if right.ndim == 1 else right.ravel()
    start = None if x0 is None else np.asarray(x0)
    if isinstance(A, Matrix):
        matrix = (A._data, A._indices, A._indptr)
        found = runtime.fitted_by_iteration(
            *matrix, right, damp, start, A.shape, A._by_columns, solver, **options
        )
    else:
        dense = np.asarray(A)
        found = runtime.fitted_by_iteration(
            dense, None, None, right, damp, start, dense.shape, False, solver, **options
        )
    return (*found, *((NormEstimate(),) * n_estimates))


def _given(**options: Any) -> Any:
    return {name: x for name, x in options.items() if x is not None}


def lsqr(
    A: Any, b: Any, damp: Any = 0.0, atol: Any = None, btol: Any = None, conlim: Any = None,
    iter_lim: Any = None, *, show: bool = False, calc_var: bool = False, x0: Any = None,
) -> Any:  # fmt: skip
    options = _given(atol=atol, btol=btol, conlim=conlim, iter_lim=iter_lim)
    return _fitted("lsqr", A, b, damp, x0, 7, options)


def lsmr(
    A: Any, b: Any, damp: Any = 0.0, atol: Any = None, btol: Any = None, conlim: Any = None,
    maxiter: Any = None, *, show: bool = False, x0: Any = None,
) -> Any:  # fmt: skip
    options = _given(atol=atol, btol=btol, conlim=conlim, maxiter=maxiter)
    return _fitted("lsmr", A, b, damp, x0, 5, options)


class Factors:
    """`splu(A)` and the like, made inside: what solves systems of one matrix."""

    def __init__(self, matrix: Any) -> None:
        self.matrix = matrix

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        return _solved(self.matrix.transpose() if trans == "T" else self.matrix, rhs, True)

    def __call__(self, rhs: Any) -> Any:
        return self.solve(rhs)


def factorized(A: Any) -> Any:
    return Factors(A)


class Factorized:
    """What `splu` made outside: its factors are used again."""

    def __init__(self, factors: Any, shape: Any) -> None:
        self._factors = factors
        self.shape = shape

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        return runtime.factored_solve(self._factors, np.asarray(rhs, dtype=float), trans)

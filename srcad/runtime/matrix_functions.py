"""Helpers of emitted code for functions of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np


def square_root(a: Any) -> Any:
    """`scipy.linalg.sqrtm` in the dtype of `a`; a real matrix with a complex root is refused."""
    from scipy import linalg

    return in_dtype_of(a, linalg.sqrtm(in_double(a)), "square root")


def logarithm(a: Any) -> Any:
    """`scipy.linalg.logm` in the dtype of `a`; a real matrix with a complex one is refused."""
    from scipy import linalg

    return in_dtype_of(a, linalg.logm(in_double(a)), "logarithm")


def in_double(a: Any) -> Any:
    """`a` in double precision: SciPy warns of functions in single precision."""
    return a.astype(np.result_type(a.dtype, np.float64))


def in_dtype_of(a: Any, y: Any, what: str) -> Any:
    """`y` in the dtype of the matrix of which it is a function."""
    if np.iscomplexobj(y) and not np.iscomplexobj(a):
        if np.max(np.abs(y.imag)) > 1e3 * np.finfo(y.dtype).eps * np.max(np.abs(y)):
            # No error of SciPy's, for which the program may have an `except`.
            raise NotImplementedError(f"this real matrix has no real {what}: pass a complex one")
        y = y.real
    return y.astype(a.dtype)


def expm_change(a: Any, t: Any) -> Any:
    """The derivative of `scipy.linalg.expm` at `a` along `t`; NaN where SciPy finds none."""
    from scipy import linalg

    if np.isfinite(a).all() and np.isfinite(t).all():
        return linalg.expm_frechet(a, t, compute_expm=False)
    return np.full_like(t, np.nan, dtype=np.result_type(a, t))


def substitute(
    a: Any, b: Any, trans: int = 0, lower: bool = False, unit_diagonal: bool = False
) -> Any:
    """`scipy.linalg.solve_triangular` without its checks: what is divided by zero is infinite."""
    from scipy.linalg import get_blas_funcs

    (solve,) = get_blas_funcs(("trsm",), (a, b))
    columns = b if b.ndim == 2 else b[:, None]
    if not b.size:
        return np.empty(b.shape, solve.dtype)
    x = solve(1, a, columns, lower=lower, trans_a=trans, diag=unit_diagonal)
    return x if b.ndim == 2 else x[:, 0]


def only_residual(residuals: Any) -> Any:
    """The residual of one right-hand side, where SciPy gives it as a number."""
    if not residuals.size:
        raise NotImplementedError(
            "the matrix has not full rank: then the residual of `scipy.linalg.lstsq` is an array"
        )
    return residuals[0]


def order_of_pivots(piv: Any) -> Any:
    """The order of rows that exchanging row i with row piv[i], one after the other, gives."""
    order = np.arange(len(piv))
    for i, k in enumerate(piv):
        order[[i, k]] = order[[k, i]]
    return order

"""Helpers of emitted code for functions of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np


def square_root(a: Any) -> Any:
    """`scipy.linalg.sqrtm` in the dtype of `a`; raises where the root of a real matrix is not."""
    from scipy import linalg

    return in_dtype_of(a, linalg.sqrtm(in_double(a)), "square root")


def logarithm(a: Any) -> Any:
    """`scipy.linalg.logm` in the dtype of `a`; raises where that of a real matrix is not real."""
    from scipy import linalg

    return in_dtype_of(a, linalg.logm(in_double(a)), "logarithm")


def in_double(a: Any) -> Any:
    """`a` in double precision: SciPy warns of functions in single precision."""
    return a.astype(np.result_type(a.dtype, np.float64))


def in_dtype_of(a: Any, y: Any, what: str) -> Any:
    """`y` in the dtype of the matrix of which it is a function."""
    if np.iscomplexobj(y) and not np.iscomplexobj(a):
        if np.max(np.abs(y.imag)) > 1e3 * np.finfo(y.dtype).eps * np.max(np.abs(y)):
            raise np.linalg.LinAlgError(f"this real matrix has no real {what}: pass a complex one")
        y = y.real
    return y.astype(a.dtype)


def order_of_pivots(piv: Any) -> Any:
    """The order of rows that exchanging row i with row piv[i], one after the other, gives."""
    order = np.arange(len(piv))
    for i, k in enumerate(piv):
        order[[i, k]] = order[[k, i]]
    return order

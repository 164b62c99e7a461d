"""Functions of NumPy's as the loops that they are: what stands for their calls in compiled loops.

np.searchsorted(grid, v)            the bisection of `found_left`
np.linalg.solve(a, b), a 3 by 3     the elimination of `solve_vector`

Plain functions, which the frontend reads as it reads a user's. Where NumPy raises they do, too,
or refuse what is rare: compiled code then leaves the call to NumPy, whose exception it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.kernels.lapack import find_lapack


def cross(a: Any, b: Any) -> Any:
    """`np.cross` of two vectors of three numbers."""
    if len(a) != 3 or len(b) != 3:
        raise ValueError("vectors of other lengths")
    out = np.empty(3)
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    return out


def cross_of_rows(a: Any, b: Any) -> Any:
    """`np.cross` of the rows of two matrices."""
    if a.shape[0] != b.shape[0]:
        raise ValueError("other rows")
    out = np.empty((a.shape[0], 3))
    for i in range(a.shape[0]):
        out[i] = cross(a[i], b[i])
    return out


def cross_of_rows_and_one(a: Any, v: Any) -> Any:
    """`np.cross` of each row of a matrix and a vector."""
    out = np.empty((a.shape[0], 3))
    for i in range(a.shape[0]):
        out[i] = cross(a[i], v)
    return out


def cross_of_one_and_rows(v: Any, a: Any) -> Any:
    """`np.cross` of a vector and each row of a matrix."""
    return -cross_of_rows_and_one(a, v)


def found_left(a: Any, v: Any) -> Any:
    """`np.searchsorted(a, v)` of a number; NaN comes last."""
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < v or (v != v and a[middle] == a[middle]):
            low = middle + 1
        else:
            high = middle
    return np.int64(low)


def found_right(a: Any, v: Any) -> Any:
    """`np.searchsorted(a, v, side="right")` of a number."""
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if v < a[middle] or (v == v and a[middle] != a[middle]):
            high = middle
        else:
            low = middle + 1
    return np.int64(low)


def interpolated(x: Any, xs: Any, ys: Any) -> Any:
    """`np.interp` of a number."""
    n = len(xs)
    if n < 2 or len(ys) != n:
        raise ValueError("no table")
    if x != x:
        return np.float64(x)
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if x < xs[middle]:
            high = middle
        else:
            low = middle + 1
    if low == 0:
        return ys[0]
    if low == n or xs[low - 1] == x:
        return ys[low - 1]
    slope = (ys[low] - ys[low - 1]) / (xs[low] - xs[low - 1])
    value = slope * (x - xs[low - 1]) + ys[low - 1]
    if value != value:
        raise ValueError("infinite numbers in a table")
    return value


def counts(x: Any, length: int) -> Any:
    """`np.bincount(x, minlength=length)` where nothing is beyond that."""
    out = np.zeros(length, dtype=np.int64)
    for i in range(len(x)):
        if x[i] < 0 or x[i] >= length:
            raise ValueError("a bin beyond the least number of bins")
        out[x[i]] += 1
    return out


def sums(x: Any, weights: Any, length: int) -> Any:
    """`np.bincount(x, weights, length)` where nothing is beyond that."""
    if len(weights) != len(x):
        raise ValueError("other weights")
    out = np.zeros(length)
    for i in range(len(x)):
        if x[i] < 0 or x[i] >= length:
            raise ValueError("a bin beyond the least number of bins")
        out[x[i]] += weights[i]
    return out


# Matrices ----------------------------------------------------------------------------------------

LARGEST = 128  # rows; of more, NumPy's call of LAPACK is faster
SMALL = 40  # rows; of more, a call of LAPACK from compiled code is faster


def most_by_loops() -> int | None:
    """The rows of which more are LAPACK's; None where compiled code cannot call it."""
    return SMALL if find_lapack() else None


def check_square(a: Any, rows: int) -> None:
    """Refuse what NumPy raises for, and what is better left to LAPACK."""
    if a.shape[0] != rows or a.shape[1] != rows or rows > LARGEST:
        raise ValueError("a matrix of another size")


def _swap_rows(a: Any, i: int, k: int, start: int) -> None:
    """Exchange two rows of a matrix, from a column on."""
    for j in range(start, a.shape[1]):
        held = a[k, j]
        a[k, j] = a[i, j]
        a[i, j] = held


def _eliminate(a: Any, b: Any) -> Any:
    """Make `a` upper triangular by row operations with partial pivoting, which `b` undergoes too;
    the sign that the determinant takes by them.
    """
    n, m = b.shape
    sign = np.float64(1.0)
    for k in range(n):
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[k, k]):
                _swap_rows(a, i, k, k)
                _swap_rows(b, i, k, 0)
                sign = -sign
        if not abs(a[k, k]) > 0.0:
            raise ValueError("a singular matrix")
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
            for j in range(m):
                b[i, j] -= factor * b[k, j]
    return sign


def solve_matrix(a: Any, b: Any, most: int | None) -> Any:
    """`np.linalg.solve(a, b)` of a matrix: each of its columns. Systems of more than `most`
    equations are LAPACK's, if that can be called.
    """
    n, m = b.shape
    if most is not None and n > most:
        return np.linalg.solve(a, b)
    check_square(a, n)
    upper, x = a.copy(), b.copy()
    _eliminate(upper, x)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            for c in range(m):
                x[i, c] -= upper[i, j] * x[j, c]
        for c in range(m):
            x[i, c] = x[i, c] / upper[i, i]
    return x


def solve_vector(a: Any, b: Any, most: int | None) -> Any:
    """`np.linalg.solve(a, b)` of a vector."""
    return solve_matrix(a, b[:, None], most)[:, 0]


def inverse(a: Any, most: int | None) -> Any:
    """`np.linalg.inv(a)`."""
    return solve_matrix(a, np.eye(len(a)), most)


def determinant(a: Any) -> Any:
    """`np.linalg.det(a)` where it is not zero."""
    n = len(a)
    check_square(a, n)
    upper = a.copy()
    total = _eliminate(upper, np.empty((n, 0)))
    for k in range(n):
        total = total * upper[k, k]
    return total


def sign_and_logarithm(a: Any) -> Any:
    """`np.linalg.slogdet(a)` where it is not zero."""
    n = len(a)
    check_square(a, n)
    upper = a.copy()
    sign = _eliminate(upper, np.empty((n, 0)))
    total = np.float64(0.0)
    for k in range(n):
        sign = sign * np.sign(upper[k, k])
        total = total + np.log(abs(upper[k, k]))
    return sign, total


def cofactors(a: Any) -> Any:
    """The cotangent of a determinant that is not zero."""
    return determinant(a) * inverse(a, None).T


def range_of(a: Any) -> Any:
    """`np.ptp(a)`."""
    return np.max(a) - np.min(a)

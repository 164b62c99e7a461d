"""Linear algebra by loops: LU and Cholesky factors, forward substitution."""

from __future__ import annotations

import numpy as np


def lu(a):
    """Overwrite `a` with its factors L (unit diagonal, not stored) and U."""
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def cholesky(a):
    """Overwrite the lower triangle of `a` with its Cholesky factor."""
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return a


def triangular_solve(lower, b):
    """Solve `lower @ x = b` from the first row down, entry by entry."""
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= lower[i, j] * x[j]
        x[i] = s / lower[i, i]
    return x

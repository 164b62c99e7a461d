"""Products of matrices and vectors: dense, symmetric, sparse."""

from __future__ import annotations

import numpy as np


def syrk(alpha, beta, c, a):
    """Overwrite the lower triangle of `c` with that of `beta * c + alpha * a @ a.T`, by rows."""
    n, m = a.shape
    for i in range(n):
        c[i, : i + 1] *= beta
        for k in range(m):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]
    return c


def covariance(data):
    """Return the covariance matrix of the columns; `data` is centred in place."""
    n, m = data.shape
    data -= np.mean(data, axis=0)
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i:m, i] = data[:, i] @ data[:, i:m] / (n - 1.0)
        cov[i, i:m] = cov[i:m, i]
    return cov


def two_products(alpha, beta, a, b, c, d):
    """Chain two matrix products."""
    return alpha * a @ b @ c + beta * d


def gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    """Update a matrix by two outer products, then multiply vectors by it, in place."""
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ a + z
    w += alpha * a @ x
    return a, x, w


def sparse_product(start, column, value, x):
    """Multiply a sparse matrix, compressed by rows, by a vector."""
    y = np.empty(len(start) - 1)
    for i in range(len(start) - 1):
        columns = column[start[i] : start[i + 1]]
        y[i] = value[start[i] : start[i + 1]] @ x[columns]
    return y

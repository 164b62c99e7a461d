"""Loops that store under a condition into an array that they read: eliminations and rotations."""

import math

import numpy as np
from corpus.program import Theme, array, number, positive

program = Theme("guarded_stores")


def dominant(n):
    """A maker of matrices that need no pivoting."""
    return lambda rng: rng.standard_normal((n, n)) + 4.0 * np.eye(n)


@program(dominant(4), again=[(dominant(2),)])
def gauss_jordan(x):
    n = len(x)
    a = np.hstack([x, np.eye(n)])
    for k in range(n):
        a[k] /= a[k, k]
        for i in range(n):
            if i != k:
                a[i] -= a[i, k] * a[k]
    return np.sum(a[:, n:] ** 2)


@program(dominant(3), again=[(dominant(4),)])
def gauss_jordan_by_entries(x):
    n = len(x)
    a = x.copy()
    for k in range(n):
        for i in range(n):
            if i == k:
                continue
            f = a[i, k] / a[k, k]
            for j in range(n):
                a[i, j] -= f * a[k, j]
    return np.sum(np.diag(a) ** 2)


@program(array(4, 4), again=[(array(3, 3),)])
def products_off_the_diagonal(x):
    a = x.copy()
    for k in range(len(a)):
        for i in range(len(a)):
            for j in range(len(a)):
                if i != k:
                    a[i, j] = a[i, j] * a[k, j]
    return np.sum(a)


@program(array(4, 3), again=[(array(2, 2),), (lambda rng: np.eye(3),)])
def givens_rotations(x):
    a = x.copy()
    for j in range(a.shape[1]):
        for i in range(j + 1, a.shape[0]):
            h = math.hypot(a[j, j], a[i, j])
            if h == 0:
                continue
            c, s = a[j, j] / h, a[i, j] / h
            for k in range(j, a.shape[1]):
                t = c * a[j, k] + s * a[i, k]
                a[i, k] = -s * a[j, k] + c * a[i, k]
                a[j, k] = t
    return np.sum(np.abs(np.diag(a))) + np.sum(a**2)


@program(array(3, 3), 2, again=[(array(2, 2), 1)])
def jacobi_rotations(x, sweeps):
    a = x + x.T
    n = len(a)
    for _ in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) > 1e-12:
                    theta = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                    c, s = np.cos(theta), np.sin(theta)
                    for k in range(n):
                        u, v = a[k, p], a[k, q]
                        a[k, p], a[k, q] = c * u - s * v, s * u + c * v
                    for k in range(n):
                        u, v = a[p, k], a[q, k]
                        a[p, k], a[q, k] = c * u - s * v, s * u + c * v
    return np.sum(np.diag(a) ** 3)


@program(array(4, 5), 2, again=[(array(3, 3), 0)])
def red_and_black(u, sweeps):
    u = u.copy()
    for _ in range(sweeps):
        for colour in (0, 1):
            for i in range(1, u.shape[0] - 1):
                for j in range(1, u.shape[1] - 1):
                    if (i + j) % 2 == colour:
                        around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                        u[i, j] = 0.25 * around + 0.1 * np.sin(u[i, j])
    return np.sum(u**2)


@program(positive(4, 4), number, again=[(positive(3, 3), number)])
def soft_shortest_paths(x, w):
    d = x * w**2 + 0.1
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if i != j and i != k and j != k:
                    one, other = d[i, j], d[i, k] + d[k, j]
                    least = min(one, other)
                    d[i, j] = least - np.log(np.exp(least - one) + np.exp(least - other))
    return np.sum(d)


@program(array(6), 3, again=[(array(3), 2)])
def entries_beside_rows(x, n):
    a = np.outer(x, x)
    for k in range(n):
        if a[k, k] > 0.1:
            row = a[k] * 2.0
            if k:
                row = row + a[k - 1]
            a[k] = row * a[k, k]
        else:
            a[k, k] = np.sin(a[k, k - 1])
    return np.sum(a**2)


@program(array(3))
def stores_of_a_while_loop(x):
    b = x * 1.0
    total = 0.0
    for _ in range(2):
        s = 0.0
        i = 0
        while i < 3:
            i = i + 1
            s = s + b[0]
            b[1] = b[0] * s
            b[0] *= 0.5
        if x[1] > 0.2:
            total = total + np.sin(b[0] * b[1]) * s
    return total + np.sum(b**2)

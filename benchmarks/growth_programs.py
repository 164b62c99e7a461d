"""Programs of loops that change matrices in place, each at any size, for `growth.py`.

Those over vectors are in `growth_series.py`.
"""

# ruff: noqa: B007, D103 - they are as their authors write them

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

PROGRAMS: list[Program] = []


@dataclass(frozen=True)
class Program:
    """A function of an array that `draw` makes of a size; its work is as that size to a `power`."""

    function: Callable[..., object]
    size: int
    power: int
    draw: Callable[[int], np.ndarray]

    def argument(self, work: int) -> np.ndarray:
        """Return what makes the function do so many times the work of the first size."""
        return self.draw(round(self.size * work ** (1 / self.power)))


def program(size, power, draw):
    def note(function):
        PROGRAMS.append(Program(function, size, power, draw))
        return function

    return note


def vector(n):
    return np.random.default_rng(0).normal(size=n)


def matrix(n):
    return np.random.default_rng(0).normal(size=(n, n)) * 0.3


@program(12, 3, matrix)
def gauss_jordan(x):
    """Eliminate all entries beside the pivots, one by one."""
    n = len(x)
    a = x + n * np.eye(n)
    for k in range(n):
        for i in range(n):
            if i != k:
                f = a[i, k] / a[k, k]
                for j in range(n):
                    a[i, j] = a[i, j] - f * a[k, j]
    return np.sum(a)


@program(12, 3, matrix)
def gram_schmidt_by_entries(x):
    """Make the columns orthogonal by loops over entries."""
    n = len(x)
    a = x.copy()
    r = np.zeros((n, n))
    for k in range(n):
        s = 0.0
        for i in range(n):
            s += a[i, k] * a[i, k]
        r[k, k] = np.sqrt(s)
        for i in range(n):
            a[i, k] = a[i, k] / r[k, k]
        for j in range(k + 1, n):
            d = 0.0
            for i in range(n):
                d += a[i, k] * a[i, j]
            r[k, j] = d
            for i in range(n):
                a[i, j] -= d * a[i, k]
    return np.sum(r)


@program(12, 3, matrix)
def gram_schmidt_by_blocks(x):
    """Make the columns orthogonal, all to the right at once."""
    n = len(x)
    a = x.copy()
    r = np.zeros((n, n))
    for k in range(n):
        r[k, k] = np.linalg.norm(a[:, k])
        a[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = a[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(a[:, k], r[k, k + 1 :])
    return np.sum(r)


@program(12, 3, matrix)
def elimination(x):
    """Eliminate below the diagonal; the logarithm of the determinant."""
    n = len(x)
    a = x.copy()
    for k in range(n - 1):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    s = 0.0
    for i in range(n):
        s += np.log(np.abs(a[i, i]))
    return s


@program(12, 3, matrix)
def doolittle(x):
    """Factor into triangles by sums of products."""
    n = len(x)
    L = np.eye(n)
    U = np.zeros((n, n))
    for i in range(n):
        for k in range(i, n):
            s = 0.0
            for j in range(i):
                s += L[i, j] * U[j, k]
            U[i, k] = x[i, k] - s
        for k in range(i + 1, n):
            s = 0.0
            for j in range(i):
                s += L[k, j] * U[j, i]
            L[k, i] = (x[k, i] - s) / U[i, i]
    return np.sum(U)


@program(12, 3, matrix)
def elimination_with_pivots(x):
    """Eliminate by rows, the largest entry first."""
    n = len(x)
    a = x.copy()
    for k in range(n):
        p = k + np.argmax(np.abs(a[k:, k]))
        if p != k:
            a[[k, p]] = a[[p, k]]
        for i in range(k + 1, n):
            a[i, k:] -= a[i, k] / a[k, k] * a[k, k:]
    return np.sum(np.log(np.abs(np.diag(a))))


@program(6, 3, matrix)
def jacobi_rotations(x):
    """Rotate each pair of rows and columns."""
    n = len(x)
    a = x + x.T
    for sweep in range(3):
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) > 1e-12:
                    th = 0.5 * np.arctan2(2 * a[p, q], a[q, q] - a[p, p])
                    c, s = np.cos(th), np.sin(th)
                    for k in range(n):
                        u, v = a[k, p], a[k, q]
                        a[k, p] = c * u - s * v
                        a[k, q] = s * u + c * v
                    for k in range(n):
                        u, v = a[p, k], a[q, k]
                        a[p, k] = c * u - s * v
                        a[q, k] = s * u + c * v
    s = 0.0
    for i in range(n):
        s += a[i, i] ** 2
    return s


@program(12, 3, matrix)
def givens_rotations(x):
    """Triangulate by rotations of pairs of rows."""
    n = len(x)
    a = x.copy()
    for j in range(n):
        for i in range(j + 1, n):
            h = np.hypot(a[j, j], a[i, j])
            if h == 0:
                continue
            c, s = a[j, j] / h, a[i, j] / h
            for k in range(j, n):
                t = c * a[j, k] + s * a[i, k]
                a[i, k] = -s * a[j, k] + c * a[i, k]
                a[j, k] = t
    return np.sum(np.abs(np.diag(a)))


@program(12, 3, matrix)
def householder(x):
    """Triangulate by reflections, column by column."""
    n = len(x)
    a = x.copy()
    for k in range(n - 1):
        v = a[k:, k].copy()
        v[0] += np.copysign(np.sqrt(v @ v), v[0])
        v = v / np.sqrt(v @ v)
        for j in range(k, n):
            a[k:, j] -= 2 * v * (v @ a[k:, j])
    return np.sum(np.abs(np.diag(a)))


@program(6, 3, matrix)
def soft_shortest_paths(x):
    """Shortest paths with a smooth minimum."""
    n = len(x)
    d = np.abs(x) + 0.1
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if i != j and i != k and j != k:
                    a, b = d[i, j], d[i, k] + d[k, j]
                    m = min(a, b)
                    d[i, j] = m - np.log(np.exp(m - a) + np.exp(m - b))
    return np.sum(d)


@program(12, 3, matrix)
def shortest_paths(x):
    """Shortest paths between all pairs."""
    n = len(x)
    d = np.abs(x).copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return np.sum(d)


@program(12, 2, matrix)
def gauss_seidel_with_edges(x):
    """Sweep over a grid, with a rule of its own at the edges."""
    n = len(x)
    u = x.copy()
    for it in range(4):
        for i in range(n):
            for j in range(n):
                if 0 < i < n - 1 and 0 < j < n - 1:
                    u[i, j] = 0.25 * (
                        u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                    ) + 0.1 * np.sin(u[i, j])
                else:
                    u[i, j] = 0.5 * u[i, j]
    return np.sum(u**2)


@program(12, 2, matrix)
def red_and_black(x):
    """Sweep over the squares of one colour, then of the other."""
    n = len(x)
    u = x.copy()
    for it in range(4):
        for color in (0, 1):
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    if (i + j) % 2 == color:
                        u[i, j] = 0.25 * (
                            u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                        ) + 0.1 * np.sin(u[i, j])
    return np.sum(u**2)


@program(12, 2, matrix)
def sandpile(x):
    """Let entries that are too high fall onto their neighbours."""
    n = len(x)
    z = np.abs(x) * 4
    for it in range(4):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                if z[i, j] > 0.5:
                    e = z[i, j] - 0.5
                    z[i, j] -= e
                    z[i - 1, j] += e / 4
                    z[i + 1, j] += e / 4
                    z[i, j - 1] += e / 4
                    z[i, j + 1] += e / 4 * z[i, j]
    return np.sum(z**2)


@program(8, 3, matrix)
def nussinov(x):
    """The best pairing of a chain, over all intervals."""
    n = len(x)
    s = np.zeros((n, n))
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            best = max(s[i + 1, j], s[i, j - 1])
            if j - i > 2:
                best = max(best, s[i + 1, j - 1] + x[i, j])
            for k in range(i + 1, j):
                best = max(best, s[i, k] + s[k + 1, j])
            s[i, j] = best
    return s[0, n - 1]

"""Arrays that loops fill and read: which entries are there in the end, and which are not."""

import numpy as np
from corpus.program import Theme, array, positive, vector

program = Theme("lasting")


@program(array(4, 4))
def elimination(a):
    a = a + 5.0 * np.eye(4)
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return np.sum(a * a)


@program(array(4, 4))
def cholesky_by_entries(b):
    a = b @ b.T + 4.0 * np.eye(4)
    n = len(a)
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, j] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    return np.sum(low * low * np.arange(4.0))


@program(array(4, 4), positive(4))
def substitution_back(u, b):
    x = b.copy()
    n = len(b)
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= u[i, k] * x[k]
        x[i] = x[i] / (u[i, i] + 5.0)
    return np.sum(x**2)


@program(vector)
def reads_what_is_stored_later(x):
    y = x.copy()
    for i in range(len(x) - 1):
        y[i] = y[i + 1] * y[i]
        y[i + 1] = np.sin(y[i + 1])
    return np.sum(y * x)


@program(vector)
def reads_around_the_end(x):
    y = x.copy()
    for i in range(len(x)):
        y[i] = y[i - 1] * y[i] + 0.5
    return np.sum(y)


@program(vector)
def twice_through(x):
    y = x.copy()
    for t in range(2):
        for i in range(1, len(x)):
            y[i] = y[i] * y[i - 1] + t
    return np.sum(y)


@program(array(6), np.array([2, 1, 1, 0, 3]))
def places_from_data(x, places):
    y = x.copy()
    for i in range(len(places)):
        p = places[i]
        y[p + 1] = y[p + 1] * y[p]
    return np.sum(y)


@program(array(5, 3))
def rows_from_rows_before(x):
    y = x.copy()
    for i in range(1, len(x)):
        for j in range(3):
            y[i, j] = y[i, j] * y[i - 1, j] + y[i - 1, 2 - j]
    return np.sum(y * y)


@program(array(3, 5))
def columns_from_columns_after(x):
    y = x.copy()
    for i in range(3):
        for j in range(3, -1, -1):
            y[i, j] = np.tanh(y[i, j] * y[i, j + 1])
    return np.sum(y * x)


@program(array(4, 4))
def below_the_diagonal_from_above(x):
    y = x.copy()
    for i in range(4):
        for j in range(4):
            if j < i:
                y[i, j] = y[j, i] * y[i, j]
            else:
                y[i, j] = y[i, j] ** 2
    return np.sum(y)


@program(array(6))
def halves_swapped(x):
    y = x.copy()
    for t in range(3):
        for i in range(3):
            y[i] = y[i + 3] * y[i]
        for i in range(3):
            y[i + 3] = y[i] + t
    return np.sum(y * y)


@program(array(5))
def sums_before(x):
    y = x.copy()
    for i in range(len(x)):
        for k in range(i):
            y[i] += y[k] * y[i]
    return np.sum(y * y)


@program(positive(6))
def stored_on_one_path(x):
    u = 0.7 * x
    for i in range(1, len(u)):
        v = np.tanh(u[i - 1])
        if v > 0.5:
            u[i] = v
    return np.sum(u * u)


@program(positive(6))
def stored_on_each_path_otherwise(x):
    u = 0.7 * x
    s = 0.0
    for i in range(1, len(u)):
        v = np.tanh(u[i - 1])
        if v > 0.5:
            u[i] = v
        else:
            u[i] = 2.0 * v
        s += v * v * u[i]
    return s + np.sum(u)


@program(positive(6))
def skipped_by_continue(x):
    u = 0.7 * x
    s = 0.0
    for i in range(1, len(u)):
        v = np.sin(u[i - 1])
        s += v * v
        if v < 0.5:
            continue
        u[i] = v
    return s + np.sum(u * u)


@program(positive(6))
def stored_by_a_loop_that_may_not_run(x):
    u = x.copy()
    s = 0.0
    for i in range(1, len(u)):
        v = np.sin(u[i - 1])
        s += v * v * v
        for _ in range(i % 2):
            u[i] = v
    return s + np.sum(u * u)


@program(array(4, 4))
def rows_stored_on_one_path(a):
    b = a * 1.0
    s = 0.0
    for i in range(1, len(b)):
        row = np.tanh(b[i - 1])
        s += np.sum(row * row)
        if np.sum(row) > 0.1:
            b[i] = row
        for j in range(len(row)):
            if row[j] > 0.2:
                b[i, j] = row[j] * row[j]
    return s + np.sum(b * b)

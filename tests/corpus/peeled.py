"""Loops whose first iteration makes another thing of what they carry than was there."""

import numpy as np
from corpus.program import Theme, array, number, positive

program = Theme("peeled")


@program(array(4, 3), again=[(array(2, 3),), (array(6, 2),)])
def sum_of_rows_in_place(x):
    total = 0
    for row in x:
        total += row
    return np.sum(total**2)


@program(array(4, 3), again=[(array(2, 3),)])
def sum_of_rows(x):
    total = 0.0
    for i in range(len(x)):
        total = total + np.sin(x[i]) * i
    return np.sum(total**2)


@program(positive(4, 3), array(3), again=[(positive(5, 3), array(3))])
def product_of_rows(x, w):
    p = 1
    for row in x:
        p *= row + w**2
    return p @ w


@program(array(4, 3), again=[(array(2, 3),)])
def counted_by_hand(x):
    k = 0
    total = 0
    while k < len(x):
        total += x[k] * k
        total *= 0.5
        k += 1
    return np.sum(total * total)


@program(array(4, 3), again=[(array(2, 3),)])
def begun_in_the_first(x):
    for i in range(len(x)):
        if i == 0:
            h = np.tanh(x[i])
        else:
            h = np.tanh(h + x[i])
    return np.sum(h**2)


@program(array(4, 3), again=[(array(2, 3),)])
def nothing_before(x):
    total = np.nan
    for i in range(len(x)):
        if i > 0:
            total += np.outer(x[i], x[i])
        else:
            total = np.outer(x[i], x[0])
    return np.sum(total**2)


@program(array(5, 3), number)
def kept_by_key(x, rate):
    state = {"mean": 0, "last": None}
    for row in x:
        state["mean"] = rate * state["mean"] + row
        state["last"] = row if state["last"] is None else state["last"] * 0.3 + row
    return np.sum(state["mean"] * state["last"])


@program(array(3, 3), again=[(array(3, 3),)], smooth=False)
def power_iteration(a):
    v = np.array([1, 2, 3])
    before, error = 0, 1.0
    while True:
        w = a @ v + v
        v = w / np.linalg.norm(w)
        value = v @ a @ v
        error = abs(value - before)
        if error < 1e-3 or value > 50:
            break
        before = value * 0.5 + before * 0.5
    return value * v[0]


@program(array(4, 3), again=[(array(2, 4),)])
def two_deep(x):
    total = 0
    for i in range(x.shape[0]):
        part = 0
        for j in range(x.shape[1]):
            part += x[i, j] * x[:, j]
        total += part * np.cos(part)
    return np.sum(total)


@program(array(4, 3), again=[(array(5, 3),)])
def counts_become_floats(x):
    level = np.zeros(3, dtype=int)
    for row in x:
        level = level * 0.5 + row
    return np.sum(level**2)


@program(array(4, 3), again=[(array(3, 3),)])
def rows_with_the_sum_so_far(x):
    total = 0
    sums = []
    for row in x:
        total = total + row**2
        sums.append(total)
    return np.sum(np.array(sums) ** 2)


@program(array(5, 3), again=[(array(4, 3),)])
def neighbours(x):
    total = 0
    for k, a in enumerate(x[:-1]):
        total += a * x[k + 1]
    return np.sum(total**2)


@program(array(5, 3), again=[(array(4, 3),)])
def between_the_ends(x):
    total = 0
    for i in range(1, len(x) - 1):
        total += x[i + 1] - 2 * x[i] + x[i - 1] ** 2
    return np.sum(total**2)


@program(array(3), 0)
def number_without_iterations(x, n):
    total = 0
    for i in range(n):
        total = total + x * i
    return np.sum(total * 2.0) + x[0]


@program(1.5, 0)
def counts_without_iterations(x, n):
    w = np.full(3, 2)
    for _ in range(n):
        w = w + 0.5
    return np.sum(w * x) + w[0]


@program(array(3, 4), 0.5, again=[(array(3, 4), -9.0), (array(3, 4), 9.0)])
def skipped_until_it_is_an_array(rows, k):
    total = 0
    for r in rows:
        if r[0] < k:
            continue
        total += r
    return np.sum(total)


@program(array(3, 4), 0.5, again=[(array(3, 4), -9.0), (array(3, 4), 9.0)])
def left_before_it_is_an_array(rows, k):
    total = 1.0
    for r in rows:
        if r[0] > k:
            break
        total *= r
    return np.sum(total)

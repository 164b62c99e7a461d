"""Which of several arrays a name stands for is data, and what it stands for is written."""

import numpy as np
from corpus.program import Theme

program = Theme("chosen_arrays")


def rising(rng):
    return np.sort(rng.uniform(0.3, 0.9, 3))


def of_both_signs(rng):
    return np.array([-0.2, 0.5, -0.7]) * rng.uniform(0.8, 1.2, 3)


OTHER = [(of_both_signs,)]


@program(rising, again=OTHER)
def array_or_copy(x):
    a = x * 2.0
    y = a if x[0] > 0.1 else a.copy()
    y[0] = x[1] ** 2
    a[1] *= x[2]
    return np.sum(a * x) + np.sum(y**2)


@program(rising, again=OTHER)
def views_of_one_array(x):
    m = np.outer(x, x)
    t = m.T[1:] if x[0] > 0.1 else m[:2]
    t[0, 1] = x[2]
    t[1] += x
    return np.sum(m**2 * np.arange(3.0)) + np.sum(t[0])


def line_of(m, s):
    if s > 0.25:
        return m[0]
    i = int(s > -10.0)
    return m[:, i]


@program(rising, again=OTHER)
def line_that_a_helper_returns(x):
    m = np.outer(x, x)
    r = line_of(m, x[0])
    r[:] = r * x + 1.0
    other = line_of(m, x[1])
    other += r
    return np.sum(m**2) + np.sum(r)


@program(rising, again=OTHER)
def buffer_of_a_list(x):
    buffers = [np.zeros(3), np.zeros(3)]
    for k in range(3):
        buffer = buffers[int(x[k] > 0.25)]
        buffer += x * x[k]
    buffers[int(x[0] > 0.1)] += x**2
    buffers[-int(x[2] > 0.1)][1] = x[0]
    return np.sum(buffers[0] ** 2) + np.sum(buffers[1] * x)


@program(rising, again=OTHER)
def source_and_target(x):
    u, v = x * 1.0, x * 2.0
    source, target = (u, v) if x[0] > 0.1 else (v, u)
    for k in range(2):
        target[k + 1] = source[k] * x[k]
        source[0] += target[1]
    return np.sum(u * x) + np.sum(v**2)


@program(rising, again=OTHER)
def one_of_three(x):
    a, b = x * 1.0, x**2
    if x[0] > 0.1:
        y = a
    elif x[1] > 0.1:
        y = b[::-1]
    else:
        y = np.zeros(3)
    y[1:] = y[:-1] + x[1:]
    z = y if x[2] > 0.0 else a
    z *= 2.0
    return np.sum(a * x) + np.sum(b**2) + np.sum(y * z)


@program(rising, again=OTHER)
def array_under_a_key(x):
    arrays = {"a": x * 1.0, "b": x**2}
    key = "a" if x[0] > 0.1 else "b"
    arrays[key] += x
    arrays[key][0] = x[2]
    return np.sum(arrays["a"] ** 2) + np.sum(arrays["b"])


@program(rising, again=OTHER)
def entry_by_entry(x):
    a, b = x * 2.0, np.zeros(3)
    y = a if x[0] > 0.1 else b
    for k in range(3):
        y[k] += x[k] * a[k]
    return np.sum(a * x) + np.sum(b**2)


@program(rising, again=OTHER)
def best_of_a_loop(x):
    best = x
    least = 1e9
    for k in range(4):
        step = best - 0.1 * (k + 1) * best * x
        e = np.sum((step - 0.5) ** 2) * (1.0 + 0.3 * k)
        if e < least:
            best = step
            least = e
    best[0] = 3.0 * least
    return np.sum(best * best) + best[1] * least


@program(rising, again=OTHER)
def written_behind_a_loop(x):
    start = x * 1.0
    y = start
    while np.sum(y) > 1.0:
        y = y * 0.8
    y[0] = 2.0 * x[1]
    return np.sum(y * start)


@program(rising, again=OTHER)
def halves_that_change_roles(x):
    z = np.concatenate([x, 2.0 * x])
    a, b = z[:3], z[3:]
    for k in range(3):
        if np.sum(a) > 1.1 * np.sum(b) - k:
            a, b = b, a
        a[k] += 0.5 * b[0] * x[1]
    return np.sum(a * b) + np.sum(z**3)


@program(rising, again=OTHER)
def halved_in_place(x):
    start = x * 1.0
    a = start
    for k in range(3):
        if a[0] > 0.1:
            a = a * 0.5
        a[1] = a[0] * 2 + start[2]
    return np.sum(a) + np.sum(start * x)


@program(rising, again=OTHER)
def largest_step(x):
    best = step = x * 0.5
    for k in range(3):
        step *= 1.0 + x[k]
        if np.sum(step) > 0.9 * np.sum(best):
            best = step
            step = step + x
    return np.sum(best**2) + np.sum(step)


@program(rising, again=OTHER)
def row_of_an_iteration(x):
    m = np.outer(x, np.cos(x))
    row = m[0]
    for k in range(3):
        if np.sum(m[k]) > 0.9 * np.sum(row):
            row = m[k]
        row[k] += x[k] * row[0]
    row[0] = x[1]
    return np.sum(m**2 * x)


@program(rising, again=OTHER)
def row_that_an_iteration_finds(x):
    m = np.outer(x, x) + 0.1
    row = None
    for k in range(len(x)):
        if m[k, 0] > 0.2 * m[0, 0]:
            row = m[k]
        if row is not None:
            row[1] += 0.5 * x[k]
    row[2] = row[0] ** 2
    return np.sum(m**2 * np.arange(3.0))


@program(rising, again=OTHER)
def two_ends_of_a_search(x):
    m = np.outer(x, np.cos(x))
    low = high = None
    for row in m:
        if row[0] > 0.2:
            high = row
        else:
            low = row
        last = row
    if low is not None and high is not None:
        low += high
        high -= low * low
    last[0] = 0.25 * x[1]
    return np.sum(m**2 * np.arange(3.0))


@program(rising, again=OTHER)
def last_step_may_be_the_best(x):
    best = None
    for k in range(4):
        step = x * k - x[1] * 1.5
        if best is None or np.sum(step**2) < np.sum(best**2):
            best = step
    best[0] = 1.0
    return np.sum(best * x) + np.sum(step**2)


@program(rising, again=OTHER)
def numbers_or_ints(x):
    a, counts = x * 2.0, np.arange(3)
    y = a if x[0] > 0.1 else counts
    y[0] = 7.5 * x[1]
    y[1:] *= 3
    z = y[::2]
    z[1] = x[2] ** 2
    return np.sum(a**2 * x) + np.sum(counts) * x[1]

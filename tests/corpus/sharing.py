"""Arrays under several names, written in place: swaps, rotations, helpers, objects."""

from types import SimpleNamespace

import numpy as np
from corpus.program import Theme, array

program = Theme("sharing")


@program(array(4), 1.0, again=[(array(4), -1.0)])
def name_of_one_of_two_arrays(x, flag):
    a, b = x * 2.0, x * 3.0
    c = a if flag > 0 else b
    c = c * 1.0
    c[0] = x[1]
    return np.sum(a * b * c)


@program(array(4), 1.0, again=[(array(4), -1.0)])
def name_moved_in_one_branch(x, flag):
    y = x * 2.0
    z = y
    if flag > 0:
        y = y * 2.0
    y[0] = 5.0 * x[1]
    return np.sum(y**2)


@program(array(4), 4, again=[(array(4), 0), (array(4), 1)])
def arrays_swapped_in_loop(x, n):
    u, v = x * 1.0, x * 2.0
    for i in range(n):
        u[0] = v[1] + i
        u, v = v, u
        v *= 0.5
    return np.sum(u**2) + 10.0 * np.sum(v**2)


@program(array(4), 4, again=[(array(4), 0), (array(4), 1)])
def three_arrays_rotated(x, n):
    a, b, c = x * 1.0, x * 2.0, np.zeros(4)
    for _ in range(n):
        c[:] = a + np.sin(b)
        a, b, c = b, c, a
    return np.sum(a) + 2.0 * np.sum(b**2) + 3.0 * np.sum(c**3)


@program(array(4), 3, again=[(array(4), 0)])
def old_content_kept_by_copy(x, n):
    y = x * 1.0
    for _ in range(n):
        old = y.copy()
        y[1:] = old[:-1] * 1.5
        y[0] = old[-1]
    return np.sum(y**2)


@program(array(4), 3, again=[(array(4), 0)])
def same_array_in_every_place(x, n):
    row = x * 1.0
    rows = []
    for k in range(3):
        row[k] += 1.0
        rows.append(row)
    return np.sum(rows[0] * rows[1]) + np.sum(rows[2])


@program(array(4))
def rows_of_a_list_of_lists(x):
    grid = [[x[0], x[1]], [x[2], x[3]]]
    first = grid[0]
    first[1] = grid[1][0] * 2.0
    grid[1] = first
    grid[1][0] *= x[3]
    return grid[0][0] * grid[0][1] + grid[1][1]


@program(array(4))
def array_reached_by_two_objects(x):
    shared = x * 2.0
    a, b = SimpleNamespace(w=shared), SimpleNamespace(w=shared)
    a.w[0] = x[3]
    b.w *= 2.0
    b.w = b.w + 1.0
    b.w[1] = 7.0
    return np.sum(a.w * b.w)


@program(array(4))
def attribute_rebound_after_write(x):
    box = SimpleNamespace(w=x * 2.0)
    w = box.w
    box.w[0] = x[1]
    box.w = x * 3.0
    box.w[0] = x[2]
    return np.sum(w * box.w)


@program(array(4))
def dict_entries_that_are_one_array(x):
    y = x * 1.0
    d = {"a": y, "b": y[1:]}
    d["a"][2] = x[0]
    d["b"] += 1.0
    d["a"] = d["a"] + 0.0
    d["a"][0] = 9.0
    return np.sum(y * d["a"])


def scale_in_place(v, s=2.0):
    v *= s


def maybe_copy(v, copied):
    return v.copy() if copied else v


@program(array(4), True)
def helper_that_may_copy(x, copied):
    y = x * 1.0
    z = maybe_copy(y, True)
    scale_in_place(z)
    w = maybe_copy(y, False)
    scale_in_place(w, s=x[0])
    return np.sum(y * z) + copied


@program(array(4))
def helper_given_the_same_array_twice(x):
    def step(u, v):
        u[1:] = v[:-1] * 2.0
        v[0] = u[-1]

    y = x * 1.0
    step(y, y)
    step(y[1:], y[:-1])
    return np.sum(y**2)


@program(array(4), 2, again=[(array(4), 0)])
def array_carried_under_two_names(x, n):
    y = x * 1.0
    z = y
    for _ in range(n):
        y += z
        z[0] = 0.5
    return np.sum(y * z)


@program(array(4), 2, again=[(array(4), 0)])
def view_carried_with_its_base(x, n):
    y = x * 1.0
    tail = y[1:]
    for _ in range(n):
        y[0] = tail[0] * 2.0
        tail[-1] += y[0]
    return np.sum(y**2) + np.sum(tail)


@program(array(4), 3, again=[(array(4), 0), (array(4), 1)])
def array_replaced_by_a_new_one_each_turn(x, n):
    y = x * 1.0
    for k in range(n):
        y = y * 0.5
        y[k] += x[0]
    return np.sum(y**2)


@program(array(4), 3)
def while_with_two_arrays(x, n):
    best, trial = x * 1.0, x * 0.5
    k = 0
    while k < n:
        trial[:] = best * 0.8
        trial[k] += 0.3
        if np.sum(trial**2) < np.sum(best**2):
            best, trial = trial, best
        k += 1
    return np.sum(best * np.arange(4.0)) + np.sum(trial)

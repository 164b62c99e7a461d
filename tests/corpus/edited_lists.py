"""Lists that loops or branches have made and statements change: items set, taken out, put first."""

import numpy as np
from corpus.program import Theme, array

program = Theme("edited_lists")
LONG = {"again": [(0.4, 20), (0.6, 1), (0.6, 2)]}
ALSO_NONE = {"again": [(0.4, 20), (0.6, 1), (0.6, 0)]}


@program(array(3), array(20))
def servers_of_a_queue(p, x):
    free = [0.0] * 3
    wait = 0.0
    for i in range(len(x)):
        k = 0
        for j in range(1, 3):
            if free[j] < free[k]:
                k = j
        start = max(x[i] * i, free[k])
        wait += start - x[i] * i
        free[k] = start + p[0] ** 2 + p[1] * x[i]
    return wait


@program(array(6))
def sorted_by_exchange(x):
    a = [v * v for v in x]
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return sum((k + 1) * v for k, v in enumerate(a))


@program(array(3), array(20))
def ring(p, x):
    ws = [p[0], p[1], p[2]]
    same, other = ws, ws[:]
    for i in range(len(x)):
        same[-1 - i % 3] = ws[i % 3] * 0.9 + x[i] * 0.1
        other[(2 * i) % 3] -= ws[i % 3] * p[1]
    return ws[-1] * ws[0] + other[1] * len(ws)


@program(array(3), array(20))
def rows_of_a_loop(p, x):
    total = 0.0
    for i in range(len(x)):
        row = [x[i], p[0], 2.0]
        for j in range(20):
            row[j % 3] = row[(j + 1) % 3] * 0.5 + row[j % 3] / 4
        total += row[0] + row[1] * row[2]
    return total


@program(array(20))
def queue_beside_a_list(x):
    delayed, seen = [0.0, 0.0], []
    for i in range(20):
        last = delayed.pop(0)
        for k in range(3):
            last = 0.5 * last + x[i] ** (k + 1)
        delayed.append(last)
        seen.append(last * x[i])
    return np.sum(np.array(seen) ** 2) + delayed[0]


@program(0.7, 30, **ALSO_NONE)
def sum_of_two_lists(x, n):
    p, q = [], []
    for i in range(n):
        p.append(x * i)
    for i in range(n):
        q.append(x**2 + i)
    both = p + q + [x]
    p.append(x)
    return np.sum(np.array(both) ** 2) + len(both) * sum(p)


@program(0.7, 30, **ALSO_NONE)
def ends_are_set(x, n):
    out = [x]
    for _ in range(n):
        out.append(out[-1] * 0.9)
    same = out
    out[0] = 2 * x
    out[-1] = 3 * same[-1]
    return sum(v * v for v in same)


@program(0.7, 30, **ALSO_NONE)
def taken_from_the_ends(x, n):
    out = [x, x * x, 3.0]
    for i in range(n):
        out.append(x * i)
    last, first = out.pop(), out.pop(0)
    del out[0]
    return sum(out) + 3 * last * first + len(out)


@program(0.7, 30, **ALSO_NONE)
def put_first(x, n):
    out = [x]
    for i in range(n):
        out.append(x * (i + 1))
    out.insert(0, x**2)
    del out[1]
    return sum(k * v for k, v in enumerate(out)) + out[0]


@program(0.7, 30, **ALSO_NONE)
def backwards(x, n):
    out = []
    v = x
    for i in reversed(range(n)):
        v = 0.9 * v + i
        out.append(v)
    out.reverse()
    return sum(i * o for i, o in enumerate(out)) + v


@program(0.7, 30, **ALSO_NONE)
def copies(x, n):
    out = [x]
    for k in range(n):
        out.append(x * k)
    a, b, c = out[:], list(out), out.copy()
    out.append(x**3)
    c.clear()
    return sum(a) + 2 * sum(b) + 4 * sum(out) + len(a) + len(c)


@program(0.7, 30, **ALSO_NONE)
def extended_by_a_list_that_grew(x, n):
    log = {"all": []}
    for k in range(n):
        part = [x * j for j in range(k)]
        log["all"].extend(part)
        log["all"] += [x, float(k)]
    return sum(log["all"]) * len(log["all"]) + x


@program(0.7, 30, **LONG)
def rows_of_two_loops(x, n):
    rows = []
    for i in range(n - 1):
        rows.append(np.array([x, x * i]))
    for i in range(n):
        rows.append(np.array([x**2, 1.0]))
    return np.sum(np.array(rows) ** 2) + x


@program(0.7, 30, **LONG)
def rows_of_a_sum(x, n):
    a, b = [], []
    for k in range(n):
        a.append(np.array([x, x * k]))
        b.append(np.array([1.0, x**2]))
    both = a + b
    a.append(np.array([5.0 * x, 1.0]))
    return np.sum(np.array(a) ** 2) + np.sum(np.stack(both))


@program(0.7, 20)
def rows_that_are_written_between(x, n):
    rows = []
    for i in range(n):
        rows.append(np.array([x, x * i]))
    rows[0][1] = 5.0 * x
    for i in range(n):
        rows.append(np.array([x**2, 1.0]))
    rows[-1] *= 3.0
    return np.sum(np.array(rows) ** 2)


@program(0.7, again=[(0.1,), (-0.3,)])
def longer_on_one_path(x):
    out = [x]
    same = out
    if x > 0.05:
        out.append(x**2)
        out.append(x**3)
    return sum(same) * len(same)


@program(0.7, again=[(0.15,), (-0.3,)])
def of_another_length_on_each_path(x):
    out = []
    if x > 0.1:
        out.append(x**2)
    if x > 0.2:
        out.append(x**3)
    else:
        out.append(x)
        out.append(2 * x)
    return sum(out) * len(out) + out[-1]


@program(0.7, 30, again=[(0.4, 20), (-0.6, 7), (0.6, 0)])
def a_loop_on_one_path(x, n):
    out = [x]
    if x > 0:
        for k in range(n):
            out.append(x * k)
    return sum(out) * len(out)


@program(0.7, 30, **ALSO_NONE)
def rows_of_several_lengths(x, n):
    total = x * 1.0
    for k in range(n):
        row = []
        for j in range(3):
            v = np.cos(x * j * k)
            if v > 0.3:
                row.append(v)
        total = total + sum(row) * len(row)
    return total


@program(0.7, 30, **ALSO_NONE)
def sorted_in_place(x, n):
    out = []
    for k in range(n):
        out.append(np.sin(x * k * 7))
    same = out
    out.sort()
    first = sum(k * v for k, v in enumerate(same))
    same.sort(key=abs, reverse=True)
    return first + sum(k * v for k, v in enumerate(out)) + x

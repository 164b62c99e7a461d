"""Lists that loops or branches have made and statements change: items set, taken out, put first."""

import math

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


@program(array(5))
def least_taken_out_first(x):
    left, total, k = list(range(len(x))), 0.0, 0
    while left:
        best = left[0]
        for i in left:
            if x[i] < x[best]:
                best = i
        left.remove(best)
        k += 1
        total += k * x[best] ** 2
    return total


@program(np.array([0.1, 0.15, 0.2, 0.25, 0.31]))
def two_least_merged(p):
    nodes, cost = list(p), 0.0
    while len(nodes) > 1:
        a = min(nodes)
        nodes.remove(a)
        b = min(nodes)
        nodes.remove(b)
        cost += a + b
        nodes.append(a + b)
    return cost**2


def _roots(a, b, c):
    d = b * b - 4 * a * c
    if d < 0:
        return []
    if d == 0:
        return [-b / (2 * a)]
    return [(-b - math.sqrt(d)) / (2 * a), (-b + math.sqrt(d)) / (2 * a)]


@program(1.0, -3.0, 1.2, again=[(1.0, -3.0, 4.2), (0.9, 3.0, -1.2)])
def roots_that_there_are(a, b, c):
    roots = _roots(a, b, c)
    return sum(r**3 for r in roots) + len(roots) * a


@program(0.0, 2.0, again=[(0.1, 1.0)])
def middles_of_parts(a, b):
    def split(low, high, depth):
        middle = 0.5 * (low + high)
        if depth == 0 or abs(math.sin(high) - math.sin(low)) < 0.3:
            return [middle]
        return split(low, middle, depth - 1) + split(middle, high, depth - 1)

    return sum(m**2 for m in split(a, b, 3))


@program(array(4), 0.7, again=[(array(4), -0.7)])
def lists_of_other_lengths(x, k):
    if k > 0:
        near, rows = [x[0] * x[1], x[2]], [x, x * 2]
    else:
        near, rows = [x[3]], [x * 3]
    near.append(k * x[0])
    total = sum(v**2 for v in near) * len(near)
    return total + sum(np.sum(r**2) for r in rows)


@program(np.array([0.3, 1.5, 0.7, 2.0]))
def chosen_by_a_condition(x):
    indices, pairs = [0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)]
    large = [i for i in indices if x[i] > 0.5]
    near = [(i, j) for i, j in pairs if abs(x[i] - x[j]) < 1.25]
    weights = [k * v for k, v in zip([1, 2, 3, 4], x) if v < 1.7]
    total = sum(x[i] ** 2 for i in large) / len(large) + sum(weights)
    return total + sum((x[i] - x[j]) ** 2 for i, j in near)


@program(np.array([0.3, 1.5, 0.7, 2.0]), 0.6, again=[(np.array([1.4, 0.2]), 0.8)])
def floats_of_either_kind(x, k):
    at = int(x[0] > 1.0)
    kept, logs = [0.5], []
    for v in x:
        kept.append(v * k)
        if v > 1.0:
            logs.append(np.log(v))
        else:
            logs.append(0.0)
    kept[at] = 0.25
    if x[1] > 1.0:
        kept.insert(0, k)
    kept.reverse()
    total = kept[at] ** 1.5 + k / kept[at + 1] + logs[at] * logs[1 - at]
    return total + max(logs) * min(kept) + sum(kept)


ARRIVALS = np.array(
    [0.4, 1.1, 1.3, 2.9, 3.0, 3.2, 4.8, 5.1, 6.6, 7.0, 7.7, 8.1, 8.2, 9.5, 9.9, 10.4, 11.0]
)


@program(array(2))
def servers_found_by_index(p):
    free, wait = [0.0] * 3, 0.0
    for k, t in enumerate(ARRIVALS):
        server = free.index(min(free))
        start = max(t, free[server])
        free[server] = start + 2.0 + p[0] * np.sin(k) * 0.1
        wait += (start - t) * p[1]
    return wait


@program(array(2))
def seen_and_counted(p):
    kinds, total = [], 0.0
    for t in ARRIVALS:
        if int(t) % 5 not in kinds:
            total += p[0] ** 2 * t
        kinds.append(int(t) % 5)
    for kind in range(5):
        total += kinds.count(kind) * p[1] ** kind
    return total


@program(array(2))
def place_of_the_largest(p):
    column = []
    for t in ARRIVALS:
        column.append(np.sin(t) * p[0])
    place = column.index(max(column))
    return column[place] ** 2 + place * p[1]

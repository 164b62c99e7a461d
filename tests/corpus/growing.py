"""Lists that loops and comprehensions make, of lengths that are known when they run."""

import math

import numpy as np
from corpus.program import Theme, array, positive_number

program = Theme("growing")

rows = array(40, 3)
few = array(20, 3)
line = array(40)
weights = array(3, 3)


@program(weights, rows, again=[(weights, array(25, 3))])
def hidden_states(w, x):
    h, hs = np.zeros(3), []
    for t in range(x.shape[0]):
        h = np.tanh(w @ h / 3 + x[t])
        hs.append(h)
    return np.sum(np.stack(hs) ** 2) + np.sum(hs[-1]) + len(hs) * 0.1 * np.sum(hs[3])


@program(1.0, 40, again=[(1.0, 3), (1.0, 60)])
def euler_numbers(x, n):
    xs = []
    for _ in range(n):
        x = x + 0.1 * math.sin(x)
        xs.append(x)
    return np.sum(np.array(xs) ** 2) + xs[-1] * xs[1]


@program(positive_number, 4.95, again=[(1.5, 2.05)])
def euler_until(x, end):
    t, xs = 0.0, []
    while t < end:
        x = x + 0.1 * math.sin(x)
        t += 0.1
        xs.append(x)
    return np.sum(np.array(xs) ** 2) + xs[-1]


@program(array(2), 4.95, again=[(array(2), 1.05)])
def trajectory_from_start(y, end):
    t = 0.0
    ys, ts = [y], [t]
    while t < end:
        y = y + 0.1 * np.array([y[1], -np.sin(y[0])])
        t = t + 0.1
        ys.append(y)
        ts.append(t)
    path = np.array(ys)
    return np.sum(path[:, 0] * np.array(ts)) + np.sum(ys[-1]) + ys[0][1]


@program(rows)
def tuples(x):
    out = []
    for i in range(len(x)):
        out.append((x[i].sum(), x[i] * 2))
    s = 0.0
    for a, b in out:
        s = s + a * b.sum()
    return s


@program(line, again=[(array(18),)])
def numbers(x):
    ys = []
    for v in x:
        ys.append(v * v)
    total = sum(ys) + sum(y * k for k, y in enumerate(ys))
    return total + np.mean(ys) + max(ys[0], ys[1] * 3)


@program(rows)
def two_lists(x):
    a, b = [], []
    for i in range(x.shape[0]):
        a.append(x[i, 0] * 2)
        b.append(np.sin(x[i]))
    return np.dot(np.array(a), np.array(b)[:, 1]) + sum(p * q.sum() for p, q in zip(a, b))


@program(rows)
def joined_lists(x):
    a = []
    for r in x:
        a.append(r * r)
    s = 0.0
    for p, r in zip(a, x):
        s = s + p @ r
    s = s + np.vstack(a).sum() * np.concatenate(a)[4]
    return s + np.stack(a, axis=1)[1, 2] * np.column_stack(a)[0, 3]


@program(rows)
def list_from_list(x):
    hs = []
    for r in x:
        hs.append(np.tanh(r))
    out = []
    for i in range(1, len(hs)):
        out.append(hs[i] * hs[i - 1])
    return np.sum(np.array(out) * np.array(hs)[1:])


@program(few)
def returned(x):
    hs = []
    for r in x:
        hs.append(np.tanh(r))
    return hs


@program(rows)
def sliced(x):
    hs = []
    for r in x:
        hs.append(np.tanh(r))
    return sum(h.sum() for h in hs[5:]) + np.sum(hs[::-1][0])


@program(rows, 20, again=[(rows, 100)])
def left_early(x, n):
    hs, h = [], np.zeros(3)
    for i in range(len(x)):
        h = np.tanh(h + x[i])
        hs.append(h)
        if i > n:
            break
    return np.sum(np.array(hs) ** 2) + hs[-1].sum()


@program(few)
def one_array_many_times(x):
    h, hs = np.zeros(3), []
    for r in x:
        h += r * 0.1
        hs.append(h)
    return np.sum(np.array(hs) ** 2)


@program(rows)
def copies_of_one_array(x):
    h, hs = np.zeros(3), []
    for r in x:
        h += r * 0.1
        hs.append(h.copy())
    return np.sum(np.array(hs) ** 2)


@program(few)
def last_written_after(x):
    h, hs = np.zeros(3), []
    for r in x:
        h = h + r * 0.1
        hs.append(h)
    h += 1.0
    return np.sum(np.array(hs) ** 2)


@program(few)
def items_written(x):
    hs = []
    for r in x:
        hs.append(r * 0.1)
    hs[3] += 1.0
    hs[-1][0] = 5.0
    return np.sum(np.array(hs) ** 2)


@program(few)
def appended_after(x):
    hs = []
    for r in x:
        hs.append(r * 0.1)
    hs.append(np.ones(3))
    return np.sum(np.array(hs) ** 2)


@program(array(17, 4))
def inside_of_a_loop(x):
    s = 0.0
    for r in x:
        ys = []
        for v in r:
            ys.append(v * v)
        s = s + np.sum(np.array(ys)) * ys[0]
    return s


@program(few)
def reads_what_it_appended(x):
    ys = [x[0]]
    for r in x:
        ys.append(ys[-1] * 0.5 + r)
    return np.sum(np.array(ys) ** 2)


@program(few, 0, again=[(few, 18)])
def no_turns(x, n):
    ys = []
    for i in range(n):
        ys.append(x[i])
    return sum(y.sum() for y in ys) + np.sum(np.array(ys)) + x[0, 0]


@program(few)
def other_name(x):
    ys = []
    zs = ys
    for r in x:
        ys.append(r * 2)
    return np.sum(np.array(zs) ** 2)


@program(rows)
def of_helper(x):
    def run(x):
        out = []
        for r in x:
            out.append(np.exp(r / 4))
        return out

    return np.sum(run(x)[2]) + np.sum(np.array(run(x * 2)))


@program(array(20, 3, dtype=np.float32))
def single(x):
    ys = []
    for r in x:
        ys.append(r * 2.0)
    return np.sum(np.array(ys) * ys[0])


@program(few)
def asked_about(x):
    ys = []
    for r in x:
        ys.append(r * 2.0)
    return np.sum(ys[0] ** 2) if ys and isinstance(ys, list) else x[0, 0]


@program(rows)
def comprehension_of_rows(x):
    return np.sum(np.array([np.sum(r * r) for r in x]) ** 2)


@program(line, 40, again=[(line, 20)])
def comprehension_of_range(x, n):
    return sum([x[i] * i for i in range(n)]) + np.array([x[i] ** 2 for i in range(n)]) @ x[:n]


@program(array(300))
def comprehension_of_many(x):
    return np.sum([math.sin(v) for v in x])


@program(rows)
def comprehension_of_tuples(x):
    ps = [(r[0], r[1:]) for r in x]
    return sum(a * b.sum() for a, b in ps)


@program(rows)
def comprehension_of_zip(x):
    ps = [a @ b for a, b in zip(x, x[::-1])]
    return ps[0] * ps[-1] + np.sum(ps) + np.stack([r * i for i, r in enumerate(x)])[1, 2]


@program(few)
def comprehension_returned(x):
    return {"rows": [r * 2 for r in x]}


@program(array(3), 4, again=[(array(3), 2)])
def first_item_written_before(x, n):
    for i in range(n):
        x[i % 3] *= 1.5
    rows = [x]
    for i in range(n):
        rows.append(np.full((3,), 0.5 * i))
    return np.sum(np.array(rows) ** 2)


@program(array(3), 4)
def first_item_written_in_the_loop(x, n):
    x = np.sin(x)
    rows = [x]
    for i in range(n):
        rows.append(np.full((3,), 0.5 * i))
        x[1] *= 1.5
    return np.sum(np.array(rows) ** 2) + x[1]


@program(array(3), 4)
def first_item_written_after(x, n):
    x = np.sin(x)
    rows = [x]
    for i in range(n):
        rows.append(np.full((3,), 0.5 * i))
    x[0] = x[1] * 2
    return np.sum(np.array(rows) ** 2)


@program(array(3), 4)
def first_item_written_through_the_list(x, n):
    x = np.sin(x)
    rows = [x]
    for i in range(n):
        rows.append(np.full((3,), 0.5 * i))
    rows[0][1] = 7.0
    return np.sum(np.array(rows)) * x[1] + x[0]


@program(array(3), 4)
def first_view_written_after(x, n):
    x = np.sin(x)
    rows = [(x[:], 0.3)]
    for i in range(n):
        rows.append((np.full((3,), 0.5 * i), 0.1))
    for i in range(n):
        x[i % 3] += 0.5
    return sum([np.sum(a**2) * b for a, b in rows]) + x[1]


@program(array(3), 4)
def one_array_many_times_then_written(x, n):
    x = np.sin(x)
    rows = []
    for _ in range(n):
        rows.append(x)
    rows[0][0] = 3.0
    return np.sum(np.array(rows) ** 2)


@program(array(4, 3), 4)
def overlapping_views(x, n):
    x = np.sin(x)
    rows = [x[i // 2] for i in range(n)]
    rows[1] *= 2.0
    return np.sum(np.array(rows) ** 2)

"""Lists that are read while they grow: histories of simulations, multistep methods, iterates."""

import math

import numpy as np
from corpus.program import Theme, array, positive, positive_number

program = Theme("histories")

line = positive(20)
state = positive(2)


@program(0.5, 2.7, 20, again=[(0.5, 2.7, 45), (0.5, 2.7, 0)])
def logistic_map(x, r, n):
    xs = [x]
    for _ in range(n):
        xs.append(r * xs[-1] * (1 - xs[-1]))
    return xs[-1] + sum(xs)


@program(state, 20, again=[(state, 33), (state, 0)])
def pendulum(y, n):
    ys = [y]
    for _ in range(n):
        theta, omega = ys[-1]
        ys.append(ys[-1] + 0.05 * np.array([omega, -np.sin(theta)]))
    return np.sum(np.array(ys) ** 2)


@program(positive_number, 0.01, 30, again=[(positive_number, 0.01, 18)])
def adams_bashforth(y, h, n):
    def slope(y):
        return math.sin(y) - y

    ys = [y]
    slopes = [slope(y)]
    ys.append(y + h * slopes[0])
    for _ in range(1, n):
        slopes.append(slope(ys[-1]))
        ys.append(ys[-1] + h * (1.5 * slopes[-1] - 0.5 * slopes[-2]))
    return ys[-1]


@program(state, 2.03, again=[(state, 1.07), (state, -1.0)])
def until_the_end(y, end):
    ts, ys = [0.0], [y]
    while ts[-1] < end:
        y = ys[-1]
        ys.append(y + 0.1 * np.array([y[1], -y[0]]))
        ts.append(ts[-1] + 0.1)
    return np.sum(np.array(ys)[:, 0]) * (1 + ts[-1])


@program(positive(3), 2.0, again=[(positive(3), 1.5)])
def newton_iterates(c, x):
    xs = [x]
    while True:
        x = xs[-1]
        xs.append(x - (x**3 - 0.3 * c[0] * x - c[1]) / (3 * x**2 - 0.3 * c[0]))
        if abs(xs[-1] - xs[-2]) < 1e-12:
            break
    return xs[-1]


@program(0.5, 30, again=[(0.5, 18)])
def by_index(y, n):
    ys = [y]
    for i in range(n):
        ys.append(ys[i] + 0.1 * math.cos(ys[i]))
    return sum(ys) * ys[-1]


@program(line, 3.0, again=[(positive(31), 3.0)])
def first_of_its_own(x, a):
    out = []
    for i in range(len(x)):
        if i == 0:
            out.append(a * x[0])
        else:
            out.append(out[i - 1] * 0.9 + x[i])
    return np.sum(np.array(out))


@program(line, again=[(positive(31),)])
def by_its_length(x):
    ys = [x[0]]
    for v in x[1:]:
        ys.append(ys[len(ys) - 1] * 0.5 + v / len(ys))
    return ys[-1] * ys[2]


@program(0.5, 20, again=[(0.5, 3), (0.5, 0)])
def empty_at_first(a, n):
    s = []
    for _ in range(n):
        s.append(s[-1] * 0.5 + a if s else a * a)
    return sum(s) + a


@program(positive(3, 20), again=[(positive(3, 27),)])
def delays(x):
    ys = [x[0, 0], x[1, 0], x[2, 0]]
    for t in range(x.shape[1]):
        a, b, c = ys[-3:]
        ys.append(0.3 * c - 0.2 * b + 0.1 * a + ys[0] * x[0, t])
    return np.sum(np.array(ys) ** 2)


@program(positive(2, 25), again=[(positive(2, 18),)])
def two_items_each_time(x):
    s = [x[0, 0]]
    for v in x[1]:
        s.append(s[-1] * 0.5 + v)
        s.append(s[-2] * 0.5 + v * v)
    return s[-1] * s[2] + np.sum(np.array(s) ** 2)


@program(array(25, 3), again=[(array(40, 3),)])
def two_rows_on_some_paths(x):
    rows = []
    for r in x:
        if r[0] > 0:
            rows.extend([r, r * r])
        elif r[1] > 0:
            rows.append(np.sin(r))
    return np.sum(np.array(rows)[:, 1] ** 2)


@program(state, 20, again=[(state, 33)])
def pairs(y, n):
    ys = [[y[0], y[1]]]
    for _ in range(n):
        a, b = ys[-1]
        ys.append([a * 0.9, b + a * 0.1])
    return sum(p[0] * p[1] for p in ys)


@program(line, again=[(positive(31),)])
def an_int_first(x):
    total = [0]
    for v in x:
        total.append(total[-1] + v * v)
    return total[-1] * total[2] + total[0] + np.sum(np.array(total))


@program(line, 0.3, again=[(positive(31), 0.3)])
def left_between_two_lists(x, a):
    s, q = [a], [a]
    for v in x:
        s.append(s[-1] + v)
        if s[-1] > 4:
            break
        q.append(s[-1] * q[-1])
    return s[-1] * len(s) + q[-1]


@program(line, 0.3, again=[(positive(31), 0.3)])
def accepted_steps(x, a):
    ts, ys = [0.0], [a]
    for v in x:
        y = ys[-1] + 0.1 * v * math.cos(ys[-1])
        if v > 0.7:
            ys.append(y)
            ts.append(ts[-1] + v)
    return sum(y * t for y, t in zip(ys, ts))


@program(state, 20)
def the_last_is_written(y, n):
    ys = [y * 1.0]
    for _ in range(n):
        ys[-1][0] = 0.5
        ys.append(ys[-1] * 0.9)
    return np.sum(np.array(ys) ** 2)


@program(state, 20)
def an_earlier_one_is_written(y, n):
    ys = [y * 1.0]
    kept = ys[0]
    for i in range(n):
        if i == 3:
            kept = ys[-1]
        if i == 10:
            kept[0] = 7.0
        ys.append(ys[-1] * 0.9)
    return np.sum(np.array(ys) ** 2)


@program(state, 20, again=[(state, 33)])
def results_beside(y, n):
    out, ys = np.zeros(n), [y]
    for i in range(n):
        ys.append(ys[-1] * 0.9 + 0.1)
        out[i] = np.sum(ys[-1])
    return np.sum(np.array(ys) ** 2) + np.sum(out**2)


@program(state, 20, again=[(state, 33)])
def written_after_it_was_appended(y, n):
    ys = [y * 1.0]
    for _ in range(n):
        z = ys[-1] * 0.9
        ys.append(z)
        z += 1.0
    return np.sum(np.array(ys) ** 2)


@program(state, 20)
def one_array_again(y, n):
    ys = [y * 1.0]
    for _ in range(n):
        ys.append(ys[-1])
    ys[3][0] = 5.0
    return np.sum(np.array(ys) ** 2)


@program(line, 2.0, again=[(positive(31), 2.0)])
def one_more_after_the_loop(x, a):
    out = []
    for v in x:
        if v > 0.7:
            out.append(v * a)
    out.append(a)
    out.extend([a * a, x[0]])
    return sum(out) * out[-2] + len(out) * out[0]


@program(1.5, 3.03, again=[(1.5, 2.07), (1.5, -1.0)])
def end_point(x, end):
    t, ts = 0.0, []
    while t < end:
        ts.append(t * x)
        t += 0.1
    ts.append(end * x)
    return np.sum(np.array(ts) ** 2)


@program(positive(20, 3), 20)
def a_row_after_the_loop(x, n):
    rows = [x[1]]
    for i in range(n):
        rows.append(x[i] * rows[-1])
    rows.append(x[0] * x[1])
    return np.sum(np.array(rows) ** 2)


@program(array(2), 6, again=[(array(2), 11), (array(2), 0)])
def polynomial_of_roots(p, n):
    coefficients = [1.0]
    for k in range(n):
        longer = [0.0] * (len(coefficients) + 1)
        for i in range(len(coefficients)):
            longer[i] += coefficients[i] * p[0] / (k + 1)
            longer[i + 1] -= coefficients[i] * p[1]
        coefficients = longer
    return sum(coefficients)


@program(state, 7, again=[(state, 12), (state, 1)])
def tree_of_options(p, n):
    values = []
    for j in range(n + 1):
        values.append(max(p[0] * 1.1**j * 0.9 ** (n - j) - 0.8, 0.0))
    for _ in range(n):
        earlier = []
        for j in range(len(values) - 1):
            earlier.append(0.5 * p[1] * (values[j + 1] + values[j]))
        values = earlier
    return values[0]


@program(state)
def tree_in_place(p):
    n = 24
    values = [0.0] * (n + 1)
    for j in range(n + 1):
        values[j] = max(p[0] * 1.1**j * 0.9 ** (n - j) - 0.8, 0.0)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            values[j] = 0.5 * p[1] * (values[j + 1] + values[j])
    return values[0]


@program(state)
def smoothed_weights(p):
    weights, total = [1.0] * 20, 0.0
    for _ in range(3):
        for j in range(19):
            total += weights[j] * p[0]
            weights[j] = weights[j + 1] * p[1] + p[0] / (j + 1)
    return total + weights[3]

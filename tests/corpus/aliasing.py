"""Containers and arrays under several names, changed in branches and loops."""

import numpy as np
from corpus.program import Theme, array, number

program = Theme("aliasing")

BOTH = [(1.5,), (-1.5,)]
TURNS = [(0.7, 0), (0.7, 1), (0.7, 4)]


@program(1.5, again=BOTH)
def fresh_in_each_branch(x):
    if x > 0:
        d = [x, 1.0]
    else:
        d = [2 * x, 3.0]
    d[0] = d[0] * 2
    return d[0] + d[1]


@program(1.5, again=BOTH)
def two_names_in_each_branch(x):
    if x > 0:
        d = [x]
        e = d
    else:
        d = [x * 2]
        e = d
    d[0] = d[0] + 1
    return e[0]


@program(0.7, 3, again=TURNS)
def swapped_in_loop(x, n):
    a, b = [x, 1.0], [2.0, x]
    for _ in range(n):
        a, b = b, a
    return a[0] + 10 * b[0] + 100 * a[1]


@program(0.7, 3, again=TURNS)
def swapped_then_changed(x, n):
    a, b = [x, 1.0], [2.0, x]
    for _ in range(n):
        a, b = b, a
    a[0] = 5.0
    return a[0] + 10 * b[0] + 100 * a[1]


@program(0.7, 3, again=TURNS)
def replaced_in_loop(x, n):
    a = [x, 1.0]
    for i in range(n):
        a = [a[1], a[0] + i]
        a[0] = a[0] * 2
    a[1] = 7.0
    return a[0] + a[1]


@program(0.7, 3, again=TURNS)
def closure_made_in_loop(x, n):
    s = 0.0
    for i in range(n):
        f = lambda v: v * i
        s = s + f(x)
    return s


@program(array(3))
def in_place_on_own(x):
    h = np.zeros_like(x)
    for i in range(4):
        h = h * 0.5
        h += x
        h *= 2
        h -= i
    return h


@program(array(3), again=[(array(5),)])
def in_place_seen_by_closure(x):
    y = x * 2
    f = lambda: y
    y += 1
    return f() * y


@program(array(3))
def in_place_in_list(x):
    ys = [x * 2, x * 3]
    ys[0] += 1
    ys[1] *= ys[0]
    return ys[0] * ys[1]


@program(array(3))
def scalars_are_values(x):
    s = x.sum()
    t = s
    s += 1
    return s * t


@program(array(3))
def single_precision_kept(x):
    y = np.zeros(3, np.float32)
    y += np.float32(2.0)
    return y * x


@program(number)
def list_grows_while_iterated(x):
    xs = [x]
    for v in xs:
        if len(xs) < 4:
            xs.append(v * 2)
    return sum(xs) * len(xs)


@program(number)
def dict_changed_while_iterated(x):
    d = {"a": x, "b": 2.0}
    for k in d:
        d[k] = d[k] * x
    return d["a"] * d["b"]


@program(number)
def generator_is_late(x):
    k = 2.0
    xs = [x, 1.0]
    g = (v * k for v in xs)
    k = 5.0
    xs = [0.0]
    return sum(g) + len(xs)


@program(number)
def identity(x):
    a = [x]
    b = a
    c = [x]
    return x * (a is b) + 2 * (a is c) + 4 * (a == c)


@program(array(4), again=[(array(4),)])
def list_grown_over_array(x):
    ys = []
    for i in range(x.shape[0]):
        ys.append(x[i] * i)
    return np.array(ys)


@program(0.7, 3)
def list_grown_over_range(x, n):
    ys = []
    for i in range(n):
        ys.append(x * i)
    return sum(ys) * len(ys)


@program(2.0, again=[(3.0,)])
def while_over_list(x):
    ys = [x]
    i = 0
    while len(ys) < 4:
        ys.append(x * i)
        i += 1
    s = 0.0
    k = 0
    while k < len(ys):
        s += ys[k]
        k += 1
    return s * i


@program(array(4))
def counter_selects(x):
    ps = [x[0], 2.0, x[1], 5.0]
    k = 0
    s = 0.0
    for v in x:
        s += v * ps[k]
        k += 1
    return s


@program(1.7, 5, again=[(0.3, 2), (0.3, 0)])
def continue_in_range(x, n):
    s = 0.0
    for i in range(n):
        if x > i:
            continue
        s += x * i
    return s


@program(
    lambda r: np.array([0.5, -0.5, 2.0, -3.0, 0.1]), again=[(lambda r: np.array([-3.0, 0.5]),)]
)
def continue_in_branches(x):
    s = 0.0
    for v in x:
        if v < 0:
            if v < -1:
                continue
            s += 1
        else:
            s += v
            if v > 1:
                s *= 2
                continue
        s += 10 * v
    return s


@program(2.0, again=[(60.0,)])
def continue_in_while(x):
    n = 0
    while x < 50:
        n += 1
        x = x * 1.5
        if n % 2:
            continue
        x = x + 1
    return x * n


@program(1.5)
def break_decided_by_indices(x):
    s = 0.0
    for i in range(3):
        for j in range(5):
            if j > i:
                break
            s += x * i * j
        else:
            s += 100
    return s


# Writes that others see ----------------------------------------------------------------------


@program(array(3))
def view_is_written(x):
    y = x * 2
    z = y[1:]
    z += 1
    return y**2


@program(array(3))
def base_of_a_view_is_written(x):
    y = x * 2
    z = y[1:]
    y *= x
    return z


@program(array(3))
def written_in_a_tuple(x):
    y = x * 2
    t = (y,)
    y *= x
    return t[0]


@program(array(3))
def written_in_a_default(x):
    y = x * 2
    f = lambda v=y: v
    y *= x
    return f()


@program(array(3))
def one_array_twice_in_a_list(x):
    ys = [x * 2] * 2
    ys[0] *= x
    return ys[1]


@program(3, array(3), again=[(0, array(3))])
def shared_since_the_turn_before(n, x):
    y, z = x * 2, x * 3
    for _ in range(n):
        y *= 2
        t = x * x
        y = t
        z = t
    return y * z


@program(array(4), 3, again=[(array(4), 0), (array(4), 1)])
def three_buffers_in_turn(x, n):
    a, b, c = x * 1.0, x * 2.0, np.zeros(4)
    for _ in range(n):
        c[:] = a * b
        c[0] = np.sin(c[1])
        a, b, c = b, c, a
    return a * b + c


@program(array(4), 0.5, again=[(array(4), -0.5)])
def joined_of_two_new_ones(x, c):
    y = np.zeros(4) if c > 0 else x * c
    y[0] = x[1] * x[2]
    return y * y


@program(array(4), number)
def joined_then_another_is_written(x, c):
    z = x * 1.0
    y = z if c > 0 else x * 2
    w = x * 3.0
    w[0] = c
    return np.sum(y * y) + np.sum(w * y)


@program(1.5, 2, again=[(1.5, 0), (1.5, 1), (1.5, 3)])
def swapped_and_changed_in_the_loop(x, n):
    a, b = [x], [2.0 * x]
    for _ in range(n):
        a, b = b, a
        a[0] = a[0] * x
    return b[0] + 3.0 * a[0]

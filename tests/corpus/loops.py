"""`for` loops: over ranges, arrays and containers; what they carry; zero iterations."""

import numpy as np
from corpus.program import Theme, array, integers, number, positive, vector

program = Theme("loops")

TURNS = [(0.7, 0), (0.7, 1), (0.7, 6)]


@program(0.7, 3, again=TURNS)
def power(x, n):
    y = 1.0
    for i in range(n):
        y = y * x
    return y


@program(0.7, 3, again=TURNS)
def power_from_int(x, n):
    y = 1
    for _ in range(n):
        y = y * x
    return y


@program(0.7, 3, again=TURNS)
def uses_index(x, n):
    total = 0.0
    for i in range(n):
        total = total + x * i / (i + 1)
    return total


@program(0.7, 3, again=[(0.7, 1), (0.7, 6)])
def index_after_loop(x, n):
    for i in range(n):
        x = x * 1.5
    return x * i


@program(vector, again=[(array(0),), (array(9),)])
def over_array(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total


@program(array(3, 4), again=[(array(6, 2),)])
def over_rows(m):
    total = 0.0
    for row in m:
        total = total + np.prod(np.cos(row))
    return total


@program(vector, again=[(array(7),)])
def by_index(x):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] ** 2 * i
    return s


@program(vector, again=[(array(7),), (array(2),)])
def neighbours(x):
    s = 0.0
    for i in range(1, x.shape[0]):
        s = s + (x[i] - x[i - 1]) ** 2
    return s


@program(array(5, 3), array(4, 3), array(4, 4), again=[(array(9, 3), array(4, 3), array(4, 4))])
def rnn(xs, w, u):
    h = np.zeros(4)
    for x in xs:
        h = np.tanh(w @ x + u @ h)
    return np.sum(h * h)


@program(vector, again=[(array(3),)])
def downwards(x):
    y = 1.0
    for i in range(len(x) - 1, -1, -1):
        y = y * x[i] + 1
    return y


@program(vector, again=[(array(9),)])
def steps(x):
    s = 0.0
    for i in range(0, len(x), 2):
        s += x[i]
    return s


@program(vector, again=[(array(9),)])
def enumerated(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + i * v * v
    return s


@program(vector, vector, again=[(array(6), array(6)), (array(6), array(3))])
def zipped(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s = s + a * b
    return s


@program(vector, vector, again=[(array(6), array(6))])
def enumerated_zip(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s = s + a * b * (i + 1)
    return s


@program(vector, again=[(array(6),)])
def reversed_array(x):
    y = 0.0
    for v in reversed(x):
        y = 0.5 * y + v * v
    return y


@program(array(3, 3))
def constant_range(a):
    s = 0.0
    for i in range(3):
        s = s + a[i, i] * a[0, i]
    return s


@program(array(3, 4), again=[(array(5, 2),)])
def double_loop(a):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s = s + np.sin(a[i, j]) * (i + j)
    return s


@program(vector, again=[(array(6),)])
def triangular(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s = s + x[i] * x[j]
    return s


@program(lambda r: [r.random(3), r.random(3), r.random(3)])
def over_list(xs):
    s = 0.0
    for x in xs:
        s = s + np.sum(x * x)
    return s


@program(lambda r: {"w": r.random((2, 3)), "b": r.random(2)}, array(3))
def over_dict(params, x):
    s = 0.0
    for name in params:
        s = s + np.sum(params[name] ** 2)
    for key, value in params.items():
        s = s + np.sum(value) * len(key)
    for value in params.values():
        s = s * np.sum(value)
    return s + np.sum(params["w"] @ x + params["b"])


@program(lambda r: [(r.random((4, 3)), r.random(4)), (r.random((2, 4)), r.random(2))], array(3))
def layers(params, x):
    for w, b in params:
        x = np.tanh(w @ x + b)
    return np.sum(x)


@program(lambda r: [r.random(3), r.random(3)])
def list_by_index(xs):
    s = 0.0
    for i in range(len(xs)):
        s = s + np.sum(xs[i]) * i
    return s


@program(vector, 3, again=[(vector, 0), (array(6), 5)])
def branch_in_loop(x, n):
    y = np.sum(x)
    for i in range(n):
        if y > 1:
            y = y * 0.5
        else:
            y = y + i
    return y


@program(vector, again=[(array(6),)])
def branch_on_entry(x):
    s = 0.0
    for v in x:
        if v > 0:
            s = s + v * v
        else:
            s = s - v
    return s


@program(0.7, 3, again=TURNS)
def two_carried(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = a * b, a + b
    return a - b


@program(0.7, 3, again=TURNS)
def fibonacci(x, n):
    a, b = 0, x
    for _ in range(n):
        a, b = b, a + b
    return a


@program(vector, 3, again=[(vector, 0), (array(6), 2)])
def carried_array(x, n):
    y = x
    for _ in range(n):
        y = np.sin(y) * x
    return y


@program(vector, 3, again=[(vector, 0)])
def carried_tuple(x, n):
    state = (np.sum(x), 1.0)
    for _ in range(n):
        state = (state[0] * state[1], state[1] + 0.5)
    return state[0]


@program(0.5, 3, again=[(0.5, 0)])
def carried_list(x, n):
    xs = [x, 1.0, 2.0]
    for i in range(n):
        xs[1] = xs[1] * xs[0]
        xs[2] = xs[1] + i
    return xs[0] + xs[1] * xs[2]


@program(0.5, 3, again=[(0.5, 0)])
def carried_alias(x, n):
    xs = [x, 1.0]
    ys = xs
    for _ in range(n):
        ys[1] = xs[1] * x + 1
    return xs[1] * ys[1]


@program(0.5, 3, again=[(0.5, 0)])
def carried_dict(x, n):
    s = {"a": x, "n": 0}
    for _ in range(n):
        s["a"] = s["a"] * x
        s["n"] += 1
    return s["a"] * s["n"]


@program(0.5, 3, again=[(0.5, 1)])
def bound_in_loop_only(x, n):
    for i in range(n):
        y = x * (i + 1)
    return y


@program(0.5, 3, again=[(0.5, 0)])
def invariant(x, n):
    s = 0.0
    for _ in range(n):
        k = x * x
        s = s + k
    return s


@program(lambda r: [1.5, 2.5, -1.0], 0.5)
def break_unrolled(xs, y):
    for i, k in enumerate((1, 2, 3)):
        if k == 3:
            break
        if k == 1:
            continue
        y = y * xs[i]
    return y


@program(vector)
def return_unrolled(x):
    for name in ("a", "b", "c"):
        if name == "b":
            return np.sum(x) * 2
        x = x * x
    return x


@program(0.5)
def for_else(x):
    for k in (1, 2):
        x = x * k
    else:
        x = x + 1
    return x


@program(0.5, 3, again=[(0.5, 0)])
def widening_twice(x, n):
    a = 0
    b = 0
    for _ in range(n):
        b = a + b
        a = a + x
    return a + b


@program(array(3), 2, again=[(array(5), 1), (array(5), 4)])
def int_to_array(x, n):
    s = 0
    for i in range(n):
        s = s + x * i
    return np.sum(s * 2.0)


@program(array(4, 3), again=[(array(2, 3),)])
def carried_matrix_vector(a):
    v = np.ones(3)
    for row in a:
        v = v + row * np.dot(row, v)
        v = v / np.sqrt(np.sum(v * v))
    return v


@program(array(5), integers(3, below=5), again=[(array(8), integers(6, below=8))])
def over_indices(x, idx):
    s = 0.0
    for i in idx:
        s = s + x[i] ** 2
    return s


@program(positive(4))
def newton(a):
    x = a
    for _ in range(5):
        x = 0.5 * (x + a / x)
    return x


@program(array(2, 3, 4))
def loop_over_three_axes(a):
    s = 0.0
    for m in a:
        for r in m:
            for v in r:
                s = s + v**2
    return s


@program(vector, 2, 3, again=[(vector, 0, 3), (vector, 3, 0), (vector, 1, 1)])
def nested_carried(x, n, m):
    y = x
    for i in range(n):
        z = y
        for j in range(m):
            z = z * 0.5 + np.sin(y) * j
        y = y + z
    return np.sum(y)


@program(0.7, 2, 5, again=[(0.7, 5, 2), (0.7, -3, 4)])
def range_bounds(x, a, b):
    s = x
    for i in range(a, b):
        s = s * 1.1 + i
    return s


@program(number, 3)
def tuple_target(x, n):
    pairs = [(1, 2.0), (3, 4.0)]
    for i, (a, b) in enumerate(pairs):
        x = x * b + a * i
    return x


@program(array(3), 4, again=[(array(2), 0)])
def loop_variable_shadows(x, i):
    s = np.sum(x)
    for i in range(i):
        s = s * 0.5 + i
    return s + i


@program(
    1.5,
    5,
    again=[
        (
            1.5,
            0,
        ),
        (
            3.0,
            2,
        ),
    ],
)
def if_loop_mix(x, n):
    out = x
    for i in range(n):
        if i % 2 == 0:
            out = out + x
        elif out > 3:
            out = out * 0.5
        else:
            continue
        out = out * 1.1
    return out


@program(
    1.5,
    3,
    again=[
        (
            0.5,
            3,
        )
    ],
)
def return_around_loop(x, n):
    if n == 0:
        return x
    s = 0.0
    for i in range(n):
        s += x
    if s > 3:
        return s * 2
    return s


@program(lambda r: np.arange(4.0), again=[(lambda r: np.arange(12.0),)])
def zip_range(x):
    return sum(a * i for a, i in zip(x, range(10)))


@program(lambda r: np.arange(4.0))
def zip_list_arr(x):
    return sum(a * b for a, b in zip([1.0, 2.0], x))


@program(array(3), array(2, 3), 3, again=[(array(3), array(2, 3), 1)])
def entry_of_a_sum_carried(y, p, n):
    u, v = y, y
    for _ in range(n):
        u, v = np.sin(v), np.sum(p, axis=0)[1]
    return np.sum(u)


@program(0.7, 4, again=[(0.7, 1), (1.5, 3)])
def integers_that_become_floats(x, n):
    w = np.full(n, 2)
    for _ in range(int(x * 3)):
        w = x * w
        w = w + 0.5
    return np.sum(w) + x


@program(array(3), 4)
def integers_scaled_for_each_entry(x, n):
    w = np.full(n, 2)
    for v in x:
        w = 0.5 * w
    return np.sum(w) * v


@program(0.5, array(3), again=[(-1.5, array(3))])
def row_before_or_none(b, y):
    last, total = None, 0.0
    for row in np.broadcast_to(y, (4, 3)) * b:
        last = row if last is None else 0.5 * last + row
        total = total + np.sum(last)
    return total

"""Loops that are left early, by `break`, `continue`, `return` and `else`, as numerical code has
them.

The further arguments of a program leave it in the first iteration, in the middle, never, and make
no iteration at all.
"""

import math

import numpy as np
from corpus.program import Theme, array, number, positive, vector

program = Theme("exits")


def ordered(*values):
    """A maker of an array with these entries."""
    return lambda rng: np.array(values)


# Search ------------------------------------------------------------------------------------------

SEARCHED = [
    (ordered(1.5, 0.2),),
    (ordered(0.3, 0.2, 1.7, 2.0, 0.1),),
    (ordered(0.3, 0.4),),
    (ordered(),),
]


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED)
def sum_until_large(xs):
    s = 0.0
    for x in xs:
        if x > 1.0:
            break
        s = s + x * x
    return s


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED)
def first_large(xs):
    for x in xs:
        if x > 1.0:
            return x * x
    return np.sum(xs)


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED)
def first_large_or_else(xs):
    found = 0.5
    for i, x in enumerate(xs):
        if x > 1.0:
            found = x**3 + i
            break
    else:
        found = np.sum(xs * xs) + found
    return found * 2


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED)
def skips_small(xs):
    s = 1.0
    for x in xs:
        if x < 0.25:
            continue
        s = s * (1.0 + x)
        if s > 4.0:
            break
        s = s + x * x
    return s


@program(ordered(0.3, 0.4, 1.2, 0.7), again=[*SEARCHED[:3]])
def bound_in_the_loop(xs):
    for x in xs:
        y = x * x
        if y > 1.0:
            z = y * 2
            break
        z = y + x
    return y * z


@program(number, 3, again=[(number, 1), (number, 0)])
def number_of_two_kinds_or_none(a, n):
    if n > 0:
        for _ in range(1, n):
            return 1.0
        h = a
    else:
        h = np.float64(0.7)
    return a * h


@program(ordered(0.3, 0.4, 1.2, 0.7), ordered(0.1, 0.9, 0.5, 0.3))
def first_pair(xs, ys):
    for x, y in zip(xs, ys):
        if x + y > 1.5:
            return x * y
    return 0.0


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED[:3])
def returns_a_tuple(xs):
    for i, x in enumerate(xs):
        if x > 1.0:
            return x * x, i
    return np.sum(np.sin(xs)), -1


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED[:3])
def returns_a_dict(xs):
    best = {"value": 0.0, "turns": 0}
    for x in xs:
        best["value"] = best["value"] + x * x
        best["turns"] += 1
        if best["value"] > 1.0:
            return best
    return best


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED)
def from_the_end(xs):
    s = 0.0
    for i in reversed(range(len(xs))):
        s = s + xs[i] * i
        if xs[i] > 1.0:
            break
    return s


@program(0.5, 9, again=[(0.5, 2), (2.5, 20), (0.1, 10), (0.5, 1)])
def every_third_down(x, n):
    s = 0.0
    for i in reversed(range(1, n, 3)):
        s = s + math.sin(x * i)
        if s < -0.5:
            break
    return s


@program(0.7, 10, again=[(0.7, 0), (5.0, 3), (0.1, 4)])
def every_second_up(x, n):
    s = x
    for i in range(10, 10 - n, -2):
        if i * x > 8.0:
            continue
        s = s + x * i
        if s > 9.0:
            break
    return s


@program(
    ordered(0.3, 0.4, 1.2, 0.7),
    0.5,
    again=[
        (ordered(0.9, 0.1), 0.5),
        (
            ordered(0.1, 0.2),
            0.5,
        ),
    ],
)
def insertion(xs, x):
    """Where `x` belongs among ordered numbers, as weights of its neighbours."""
    low = 0.0
    for each in xs:
        if each > x:
            high = each
            break
        low = each
    else:
        return low * x
    return (x - low) / (high - low)


@program(array(3, 4), again=[(lambda r: r.standard_normal((3, 4)) * 0.01,)])
def first_long_row(m):
    for row in m:
        if np.linalg.norm(row) > 1.5:
            return np.sum(row**3)
    return np.sum(m) * 2


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED[:3])
def always_in_the_first_turn(xs):
    for x in xs:
        return x * x
    return 0.0


# Roots and minima --------------------------------------------------------------------------------


@program(3.0, again=[(2.0,), (50.0,), (1.0,)])
def newton(a):
    x = a
    for _ in range(50):
        step = (x * x - a) / (2 * x)
        x = x - step
        if abs(step) < 1e-3:
            return x
    return x


@program(3.0, again=[(50.0,), (1.0,)])
def newton_endless(a):
    x = a
    while True:
        y = 0.5 * (x + a / x)
        if abs(y - x) < 1e-2:
            return y
        x = y


@program(3.0, again=[(50.0,), (1.2,)])
def newton_walrus(a):
    x = a
    while (error := x * x - a) > 1e-3 or error < -1e-3:
        x = x - error / (2 * x)
    return x + error


@program(3.0, 5, again=[(50.0, 2), (1.2, 0)])
def walrus_else(a, n):
    x = a
    while (n := n - 1) >= 0:
        x = 0.5 * (x + a / x)
        if abs(x * x - a) < 1e-2:
            break
    else:
        x = x * 1.01
    return x


@program(2.0, 0.7, again=[(5.0, 0.9), (1.0, 1.3)])
def bisection(a, scale):
    low, high = 0.0, a + 1.0
    for _ in range(30):
        mid = 0.5 * (low + high)
        value = mid * mid - a * scale
        if abs(value) < 1e-2:
            break
        if value > 0:
            high = mid
        else:
            low = mid
    return mid * scale + high - low


@program(array(3), again=[(lambda r: r.standard_normal(3) * 5,)])
def line_search(x):
    value = np.sum(x * x)
    direction = -2 * x
    step = 2.0
    for _ in range(10):
        trial = x + step * direction
        if np.sum(trial * trial) < value - 0.1 * step * np.sum(direction * direction):
            break
        step = step * 0.5
    else:
        trial = x
    return np.sum(np.sin(trial)) * step


@program(
    lambda r: np.eye(3) + r.random((3, 3)),
    20,
    again=[
        (lambda r: np.eye(3), 20),
        (lambda r: r.random((4, 4)), 3),
        (lambda r: r.random((2, 2)), 0),
    ],
)
def power_iteration(a, n):
    v = np.ones(len(a)) / len(a)
    size = 0.0
    for _ in range(n):
        w = a @ v
        new = np.linalg.norm(w)
        v = w / new
        if abs(new - size) < 1e-2:
            return new
        size = new
    return size + np.sum(v)


@program(lambda r: np.diag([4.0, 3.0, 5.0]) + r.random((3, 3)), array(3), 30)
def jacobi(a, b, n):
    x = np.zeros(len(b))
    d = np.diag(a)
    for _ in range(n):
        new = x + (b - a @ x) / d
        if np.max(np.abs(new - x)) < 1e-3:
            break
        x = new
    return np.sum(x * x)


@program(lambda r: np.diag([4.0, 3.0, 5.0]), array(3))
def conjugate_gradient(a, b):
    x = np.zeros(3)
    r = b - a @ x
    p = r
    old = r @ r
    k = 0
    while k < 10:
        ap = a @ p
        alpha = old / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        if new < 1e-3:
            break
        p = r + (new / old) * p
        old = new
        k += 1
    return np.sum(x * x) + old


@program(2.0, 1.0, again=[(0.5, 1.0), (30.0, 2.0)])
def golden_section(a, b):
    low, high = 0.0, a + b
    ratio = (math.sqrt(5) - 1) / 2
    while True:
        c = high - ratio * (high - low)
        d = low + ratio * (high - low)
        if (c - a) ** 2 < (d - a) ** 2:
            high = d
        else:
            low = c
        if high - low < 0.3:
            break
    return (low + high) / 2


@program(1.5, again=[(0.2,), (4.0,)])
def fixed_point(x):
    y = x
    converged = False
    n = 0
    while not converged and n < 20:
        new = math.cos(y) * x * 0.5
        converged = abs(new - y) < 1e-3
        y = new
        n += 1
    return y


@program(0.5, 200, again=[(0.15, 200), (0.9, 2), (0.9, 0)])
def geometric_series(x, n):
    total = 0.0
    term = 1.0
    for _ in range(n):
        if term < 1e-3:
            break
        total += term
        term *= x
    return total


# Simulation --------------------------------------------------------------------------------------


@program(1.0, 0.5, again=[(0.2, 3.0), (2.0, 0.0)])
def bouncing(height, speed):
    x, v, t = height, speed, 0.0
    while t < 1.0:
        x, v = x + 0.05 * v, v - 0.05 * 9.81
        if x < 0:
            x, v = -0.8 * x, -0.8 * v
            if abs(v) < 1.0:
                return x
        t += 0.05
    return x + 0.1 * v


@program(1.0, 1.0, again=[(3.0, 0.2), (0.1, 0.1)])
def adaptive_step(y, rate):
    t, h = 0.0, 0.5
    for _ in range(100):
        if t >= 1.0:
            break
        k = -rate * y * y
        middle = y + 0.5 * h * k
        error = abs(h * (-rate * middle * middle - k))
        if error > 0.1:
            h = 0.5 * h
            continue
        y = y - h * rate * middle * middle
        t = t + h
        if error < 0.02:
            h = h * 1.5
    return y


@program(0.2, 0.1, again=[(0.5, 0.6), (0.0, 2.0), (-3.0, 0.1)])
def ray_march(x, y):
    """The distance along a ray to a circle around (3, 0); zero where it misses."""
    far = 0.0
    for _ in range(40):
        px, py = x + far * 0.95, y + far * 0.05
        distance = math.sqrt((px - 3.0) ** 2 + py * py) - 1.0
        if distance < 1e-2:
            return far
        far = far + 0.9 * distance
        if far > 10.0:
            break
    return 0.0 * x


@program(0.4, 0.3, again=[(0.0, 0.1), (2.0, 2.0), (-1.0, 0.2)])
def escape_time(a, b):
    x, y = 0.0, 0.0
    n = 0
    for i in range(12):
        x, y = x * x - y * y + a, 2 * x * y + b
        n = i
        if x * x + y * y > 4.0:
            break
    return math.log(1.0 + x * x + y * y) + n


@program(2.0, 0.3, again=[(0.1, 0.9), (5.0, 0.01)])
def investment(start, rate):
    balance = start
    year = 0
    while balance < 4.0:
        balance = balance * (1 + rate) - 0.05
        year += 1
        if year >= 8:
            break
        if balance < 0.5:
            return balance
    return balance / (1 + year)


@program(positive(3), positive(3), 8, again=[(positive(3), lambda r: -positive(3)(r), 8)])
def swapped_while_running(x, y, n):
    a, b = x, y
    for i in range(n):
        a, b = b, a + 0.1 * np.sin(b)
        if np.sum(a) > 6.0:
            a, b = b, a
            break
    return np.sum(a * a) - np.sum(b)


# Nested loops ------------------------------------------------------------------------------------


@program(0.7, 5, again=[(0.1, 4), (0.7, 0), (3.1, 6), (0.7, 1)])
def inner_break(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            if x * i * j > 3.0:
                break
            s = s + x * j + math.sin(s)
        s = s + x
    return s


@program(0.7, 5, again=[(0.1, 4), (0.7, 0), (3.1, 6)])
def inner_else(x, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            if x * i * j > 3.0:
                break
            s = s + x * j
        else:
            s = s * 1.1 + x
            continue
        s = s - x * x
        break
    return s


@program(0.7, 5, again=[(0.1, 4), (0.7, 0), (3.1, 6)])
def return_from_the_innermost(x, n):
    s = 1.0
    for i in range(n):
        for j in range(n):
            for k in range(2):
                s = s + x * j * math.cos(x) + k
                if s > 12.0:
                    return s * x + i
            if j > i:
                break
        s = s * 0.9
    return s


@program(array(3, 4), 1.0, again=[(array(5, 2), 1.0), (lambda r: r.random((2, 3)), 10.0)])
def row_and_column(m, limit):
    s = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if m[i, j] > limit:
                return s * m[i, j]
            s = s + m[i, j] * m[i, j]
    return s


@program(4.2, again=[(1.7,), (9.3,)])
def while_in_while(x):
    total = 0.0
    while x > 1.0:
        y = x
        while True:
            y = y * 0.6
            if y < 1.0:
                break
            total = total + y * y
            if total > 30.0:
                return total * x
        x = x - 1.0
    return total + x


@program(positive(4), 0.5, again=[(positive(6), 5.0), (ordered(0.3, 0.1), 0.5)])
def bubble(xs, weight):
    """A pass of exchanges at a time, until one makes none."""
    a, b, c = xs[0], xs[len(xs) // 2], xs[-1]
    for _ in range(3):
        swapped = False
        if a > b:
            a, b = b, a
            swapped = True
        if b > c:
            b, c = c, b
            swapped = True
        if not swapped:
            break
    return a + weight * b * c


# Helpers -----------------------------------------------------------------------------------------


def root(a, x):
    """A square root, found from `x`."""
    for _ in range(20):
        y = 0.5 * (x + a / x)
        if abs(y - x) < 1e-3:
            return y
        x = y
    return x


@program(ordered(0.3, 2.0, 9.0), again=[(ordered(),), (ordered(1.0, 7.0),)])
def helper_in_a_loop(xs):
    s = 0.0
    for x in xs:
        s = s + root(x, 1.0)
        if s > 3.0:
            break
    return s


@program(2.0, 3, again=[(0.4, 2), (2.0, 0)])
def recursion_with_loops(x, n):
    def visit(y, depth):
        for i in range(2):
            if depth == 0 or y * (i + 1) > 6.0:
                return y
            y = y + 0.3 * visit(y * 0.8, depth - 1)
        return y

    return visit(x, n)


@program(2.0, 1e-2, again=[(0.005, 1e-2), (100.0, 1e-2)])
def recursion_left_by_values(x, tol):
    def halve(y):
        for k in range(3):
            if y < tol:
                return y * k
            y = y * 0.5
        return halve(y) + 0.1 * y

    return halve(x)


@program(3.0, 0.5, again=[(0.1, 0.5), (-2.0, 0.5)])
def returns_early(x, y):
    if x > 0:
        if x * y > 1.0:
            return x * y
        x = x * 3
    z = x + y
    if z > 1.0:
        return z * z
    return z * x


@program(3.0, again=[(0.1,), (-2.0,), (12.0,)])
def nested_conditions(x):
    y = 0.0
    for i in range(6):
        if x > 1.0:
            if x > 10.0:
                break
            if i == 2:
                continue
            x = x * 1.3
        elif x < 0.0:
            return y - x * x
        else:
            x = x + 0.4
        y = y + x * i
    return y


# Unrolled ----------------------------------------------------------------------------------------


@program(
    [0.5, 0.7, 0.3],
    vector,
    again=[([0.5, 0.01, 0.3], lambda r: r.random(3)), ([0.001, 1.0, 2.0], array(2))],
)
def layers_until_small(weights, x):
    for w in weights:
        x = np.tanh(w * x)
        if np.sum(x * x) < 0.1:
            break
    return np.sum(x)


@program([0.5, 0.7, 0.3], 2.0, again=[([0.5, 5.0, 0.3], 2.0), ([9.0, 1.0, 2.0], 2.0)])
def unrolled_else(weights, x):
    for i, w in enumerate(weights):
        if w * x > 4.0:
            x = x + i
            break
        x = x * w + 1.0
    else:
        return x * x
    return x * 3


@program(
    {"a": 0.3, "b": 0.9}, 1.5, again=[({"a": 3.0, "b": 0.9}, 1.5), ({"a": 0.1, "b": 0.1}, 1.5)]
)
def first_item(params, x):
    for name, p in params.items():
        if p * x > 1.0:
            return p * x * len(name)
    return x


@program(
    (0.5, 0.7),
    (2.0, 0.1, 0.4),
    again=[((0.15, 8.0), (2.0, 0.1, 0.4)), ((0.13, 0.22), (0.2, 0.1, 0.4))],
)
def unrolled_nested(xs, ys):
    s = 0.0
    for x in xs:
        for y in ys:
            if x * y > 0.9:
                return s + x
            if y < x:
                continue
            s = s + x * y
        s = s * 1.5
    return s


@program([1.0, 2.0, 3.0], 0.4, again=[([1.0, 2.0, 3.0], 5.0)])
def known_exit_among_others(ws, x):
    for i, w in enumerate(ws):
        if i == 2:
            break
        if w * x > 4.0:
            return w
        x = x * w
    return x * x


# State -------------------------------------------------------------------------------------------


@program(0.6, 10, again=[(0.1, 3), (0.6, 0), (9.0, 2)])
def list_item_before_a_break(x, n):
    state = [x, 0.0]
    for _ in range(n):
        state[0] = state[0] * 1.5
        state[1] += state[0]
        if state[1] > 5.0:
            state[0] = -state[0]
            break
    return state[0] * state[1]


@program(0.6, 10, again=[(0.1, 3), (0.6, 0)])
def dict_after_continue(x, n):
    stats = {"sum": 0.0, "last": x}
    for i in range(n):
        stats["last"] = stats["last"] * 1.2
        if stats["last"] < 0.8:
            continue
        stats["sum"] = stats["sum"] + stats["last"] * i
        if stats["sum"] > 8.0:
            break
    return stats["sum"] + stats["last"]


@program(positive(5), 2.0, again=[(positive(5), 0.1), (positive(5), 50.0), (ordered(), 1.0)])
def array_written_until(x, limit):
    y = np.zeros_like(x)
    s = 0.0
    for i in range(len(x)):
        y[i] = x[i] ** 2
        s = s + y[i]
        if s > limit:
            break
    return np.sum(y * np.sin(y)) + s


@program(0.6, 10, again=[(0.1, 3), (0.1, 0)])
def best_so_far(x, n):
    best, at = -1.0, 0
    for i in range(n):
        value = math.sin(x * i)
        if value > best:
            best, at = value, i
        elif best > 0.9:
            break
    return best + at


@program(0.6, 6, again=[(1.5, 3), (0.6, 1)])
def kept_from_an_earlier_turn(x, n):
    for i in range(n):
        if i % 3 == 0:
            y = x * (i + 1)
        x = x * 0.9 + 0.1 * y
        if x > 4.0:
            break
    return x * y


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED[:3])
def with_inside(xs):
    s = 0.0
    for x in xs:
        with np.errstate(all="ignore"):
            if x > 1.0:
                break
            s = s + np.log(x)
    return s


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED[:3])
def returns_from_with(xs):
    for x in xs:
        with np.errstate(all="ignore"):
            y = np.log(x)
            if y > 0:
                return y * x
    return np.sum(xs)


@program(3.0, again=[(0.1,), (-2.0,)])
def returns_from_try(x):
    total = 0.0
    for i in range(4):
        try:
            if x < 0:
                raise ValueError("negative")
            total = total + math.sqrt(x)
            if total > 2.5:
                return total * x
        except ValueError:
            return x * x + i
        x = x + 0.1
    return total


# Bound by an earlier iteration
# ------------------------------------------------------------------------


@program(0.7, 5, again=[(0.7, 2), (2.7, 8)])
def read_since_the_second_turn(x, n):
    s = 0.0
    for i in range(n):
        y = x * i + math.sin(s)
        if i > 0:
            s = s + y * previous  # noqa: F821 - bound by then
            if s > 3.0:
                return s
        previous = y
    return s + previous


@program(array(2), 5, again=[(array(2), 2), (array(3), 8)])
def array_of_an_earlier_turn(x, n):
    for i in range(n):
        if i % 2 == 0:
            y = x * i + 1.0
        x = x * 0.9 + 0.01 * y
        if x[0] > 3.0:
            break
    return np.sum(x * y)


@program(0.7, 4, again=[(0.7, 1), (2.5, 9)])
def tested_since_the_second_turn(x, n):
    i = 0
    while i == 0 or (abs(x - last) > 1e-2 and i < n):  # noqa: F821 - bound by then
        last = x
        x = 0.5 * (x + 2.0 / x)
        i += 1
    return x * last


# Generator expressions ---------------------------------------------------------------------------


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED)
def any_of_them(xs):
    if any(x > 1.0 for x in xs):
        return np.sum(xs * xs)
    return np.sum(xs) * 2


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED)
def all_of_them(xs):
    return np.sum(xs**3) if all(x > 0.25 and x < 1.1 for x in xs) else 2 * np.sum(xs)


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED)
def next_large(xs):
    return next((x * x for x in xs if x > 1.0), 0.5) * np.sum(xs)


@program([0.3, 0.4, 1.2, 0.7], again=[([1.3, 0.4, 1.2, 0.7],), ([0.3, 0.4, 0.2, 0.7],)])
def next_large_of_a_list(xs):
    return next((x * x for x in xs if x > 1.0), 0.5) + xs[0]


@program(ordered(0.3, 0.4, 1.2, 0.7), again=SEARCHED)
def sum_of_some(xs):
    return sum(x * x for x in xs if x > 0.35)


@program(array(3, 4), again=[(array(2, 2),)])
def sum_of_some_entries(m):
    return sum(x * x for row in m if row[0] > 0 for x in row if x < 0.5)


@program(positive(5), positive(5), again=[(positive(2), positive(2))])
def any_pair(xs, ys):
    close = any(abs(x - y) < 0.1 for x in xs for y in ys)
    return xs @ ys if close else np.sum(xs) - np.sum(ys)


# Around loops that save --------------------------------------------------------------------------


@program(positive(5), positive(5), again=[(positive(2), positive(2)), (array(0), array(0))])
def skipped_turns_around_a_loop(x, w):
    s = 0.2
    for k in range(7):
        if k % 3 == 1:
            continue
        for i in range(len(x)):
            s = np.tanh(s * w[i] + x[i])
            if s > 0.95:
                break
    return s


@program(positive(5), positive(5), again=[(positive(2), positive(2))])
def return_after_a_loop_inside(x, w):
    y = x.copy()
    n = 0
    while n < 6:
        for i in range(1, len(x)):
            y[i] = np.sin(y[i] * w[i] + y[i - 1])
        n += 1
        if np.sum(y * y) < 1.0:
            return np.sum(y)
        y *= 0.9
    return np.sum(y * y)


@program(positive(6), 2.0, again=[(positive(6), 0.01), (positive(6), 50.0)])
def break_around_a_loop_in_a_branch(x, limit):
    s = 0.0
    for k in range(5):
        if k > 0:
            for i in range(len(x)):
                s = s + np.sin(s * x[i]) + x[i] * x[i]
        if s > limit:
            break
        s = 1.5 * s + x[k]
    return s


@program(positive(3), 1.5, again=[(positive(3), 1e9)])
def left_among_many_numbers(x, bound):
    total = 0.0
    for k in [1.0 + 0.1 * j for j in range(60)]:
        total = total * 0.9 + x[0] * k
        if total * x[1] > bound:
            break
    else:
        total = total * 2.0
    for i in (*range(45),):
        total = total + x[i % 3] * i
        if total > 30.0 * bound:
            return total * i
    return total


@program(0.3, again=[(2.5,), (5.0,)])
def table_of_lists_left_early(x):
    places = [0.0, 0.5, 1.0, 1.5, 2.0]
    table = []
    for i in range(5):
        row = [np.sin(places[i] * x)]
        for j in range(1, i + 1):
            a, b = 0.7 - places[i - j], 0.7 - places[i]
            row.append((a * row[j - 1] - b * table[i - 1][j - 1]) / (a - b))
        table.append(row)
        if i > 1 and abs(row[-1] - row[-2]) < 1e-2:
            return row[-1] * x
    return table[-1][-1] + sum(table[2])


@program(0.5, again=[(1.6,), (4.0,)])
def powers_by_name_left_early(x):
    powers = {}
    for k in range(4):
        powers[k] = x**k
        if powers[k] > 3:
            return powers[k] * len(powers)
    return sum(powers.values())


# Arrays that only a loop that is left binds ------------------------------------------------------

LEFT_OR_NOT = [(ordered(0.3, 0.2),), (ordered(1.5, 0.2),), (ordered(0.3, 0.2, 1.7, 2.0),)]


@program(ordered(0.3, 1.2, 0.7), again=LEFT_OR_NOT)
def array_bound_before_break(xs):
    for v in xs:
        if v > 1.0:
            y = xs * v
            break
    else:
        return np.sum(xs * xs)
    return np.sum(y * y)


@program(ordered(0.3, 1.2, 0.7), again=LEFT_OR_NOT)
def slice_bound_before_break(xs):
    for i in range(len(xs)):
        if xs[i] > 1.0:
            y = xs[i:] * xs[i]
            break
    else:
        return np.sum(xs * xs)
    return np.sum(y * y)


def _scaled_from(xs, bound):
    for i in range(len(xs)):
        if xs[i] > bound:
            return xs[i:] * xs[i]
    return None


@program(ordered(0.3, 1.2, 0.7), again=LEFT_OR_NOT)
def helper_returning_a_slice_or_none(xs):
    y = _scaled_from(xs, 1.0)
    return np.sum(xs * xs) if y is None else np.sum(y * y)


@program(ordered(0.3, 1.2, 0.7), again=LEFT_OR_NOT)
def slices_of_inner_loops(xs):
    s = 0.0
    for i in range(len(xs)):
        for j in range(len(xs)):
            if xs[j] > xs[i] + 0.25:
                y = xs[j:] * xs[i]
                break
        else:
            continue
        s = s + np.sum(y * y)
    return s

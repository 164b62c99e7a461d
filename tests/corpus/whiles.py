"""`while` loops."""

import math

import numpy as np
from corpus.program import Theme, array, positive, vector

program = Theme("while")


@program(2.0, again=[(200.0,), (1.1,)])
def grow(x):
    while x < 100.0:
        x = x * x + 1
    return x


@program(0.5, 3, again=[(0.5, 0), (0.5, 7)])
def counted(x, n):
    i = 0
    y = 1.0
    while i < n:
        y = y * x + i
        i += 1
    return y + i


@program(3.0, again=[(20.0,)])
def newton(a):
    x = a
    while abs(x * x - a) > 1e-3:
        x = 0.5 * (x + a / x)
    return x


@program(positive(3), again=[(lambda r: r.random(5) * 20,)])
def array_state(x):
    while np.sum(x) > 2.0:
        x = x * 0.5
    return np.sum(np.sin(x))


@program(2.0, again=[(0.1,)])
def two_conditions(x):
    n = 0
    while x < 50 and n < 4:
        x = x * 2
        n = n + 1
    return x * n


@program(0.5, 2, again=[(0.5, 0), (0.5, 3)])
def nested_whiles(x, n):
    s = 0.0
    i = 0
    while i < n:
        j = 0
        while j < i:
            s = s + x * j + math.sin(s)
            j += 1
        i += 1
        s = s + x
    return s


@program(2.3, again=[(50.0,)], edges=[(2.0,)])
def branch_inside(x):
    y = 1.0
    while y < 30.0:
        if y < x:
            y = y * x
        else:
            y = y + x
    return y


@program(array(4), again=[(array(6),)])
def for_inside(x):
    y = np.sum(x * x)
    while y > 0.5:
        for v in x:
            y = y * (0.5 + 0.1 * np.tanh(v))
    return y


@program(0.7, 5, again=[(0.7, 0)])
def int_countdown(x, n):
    y = x
    while n:
        y = y * x
        n -= 1
    return y


@program(0.7, 5, again=[(0.7, 1)])
def bound_inside(x, n):
    while n > 0:
        z = x * n
        n = n - 1
    return z


@program(2.0)
def while_false(x):
    while False:
        x = x * 100
    return x


@program(array(3), vector)
def bisection(a, b):
    lo, hi = 0.0, 10.0 + np.sum(a * a)
    while hi - lo > 1.0:
        mid = (lo + hi) / 2
        if mid * mid > 3:
            hi = mid
        else:
            lo = mid
    return lo + hi


@program(1.5)
def while_static_true(x):
    n = 0
    while True:
        n += 1
        if n > 3:
            break
        x = x * 2
    return x


@program(1.5)
def while_pop(x):
    xs = [x, 2.0, 3.0]
    s = 0.0
    while xs:
        s = s * x + xs.pop()
    return s


@program(1.5)
def explicit_stack(x):
    st = [(x, 2)]
    s = 0.0
    while st:
        v, n = st.pop()
        if n == 0:
            s += v
        else:
            st.append((v * 2, n - 1))
            st.append((v + 1, n - 1))
    return s


@program(1.0, vector, 2, 4, again=[(1.0, vector, 0, 4)])
def the_same_saved_twice_in_a_loop_inside(a, y, n, m):
    """Both factors of the product are saved by both loops."""
    i = 0
    while i < 4:
        j = 0
        while j < n:
            a = np.linalg.norm(
                (1.0 + np.broadcast_to(y, (m, m)) ** 2) @ (1.0 + np.broadcast_to(y, (m, m)) ** 2)
            )
            j += 1
        i += 1
    return a


# Inside other loops, and in branches -------------------------------------------------------------


@program(positive(4), positive(4), again=[(positive(2), positive(2)), (array(0), array(0))])
def roots_of_each(a, guess):
    """Newton's iteration, as often as each entry needs it."""
    s = 0.0
    for i in range(len(a)):
        y = guess[i]
        while abs(y * y - a[i]) > 1e-3:
            y = 0.5 * (y + a[i] / y)
        s += y * (i + 1)
    return s


@program(array(5, 3), positive(3), again=[(array(2, 3), positive(3)), (array(0, 3), positive(3))])
def rows_until_small(x, w):
    s = 0.0
    for i in range(len(x)):
        v = x[i].copy()
        n = 0
        while np.sum(v * v) > 0.1 and n < 40:
            v = np.sin(v) * w * 0.6
            n += 1
        s += np.sum(v * v)
    return s


@program(positive(3, 4), positive(3), again=[(positive(2, 2), positive(3))])
def loops_around_and_inside(x, w):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y = x[i, j]
            while y > 0.3:
                for k in range(3):
                    y = np.sin(y) * w[k] / (1 + w[k])
            s += y * w[0]
    return s


@program(positive(6), positive(1), again=[(positive(0), positive(1))])
def as_long_as_in_some_turns(x, w):
    s = 0.0
    for i in range(len(x)):
        y = x[i]
        if y > 0.7:
            while y > 0.3:
                y = np.sin(y) * w[0] / (1 + w[0])
        s += y
    return s


@program(positive(6), positive(1), again=[(positive(0), positive(1))])
def as_long_as_within_another(x, w):
    s = 0.0
    i = 0
    while i < len(x):
        y = x[i]
        while y > 0.3:
            y = np.sin(y) * w[0] / (1 + w[0])
        s += y * y
        i += 1
    return s


@program(1.2, 0.7, again=[(0.1, 0.7)])
def as_long_as_in_a_branch(y, w):
    if y > 0.2:
        while y > 0.3:
            y = np.sin(y * w)
    return y * w


@program(positive(5), positive(2), again=[(positive(2), positive(2))])
def two_in_each_turn(x, w):
    """Iterations of both are left early, and the last of all before the second begins."""
    s = 0.0
    for t in range(3):
        for i in range(len(x)):
            y = x[i]
            while y > 0.1:
                y = np.sin(y) * w[0] / (1 + w[0])
                if y < 0.2:
                    break
            if t == 2 and i == 1:
                return s * y
            while y < 5.0:
                y = y * (1.2 + w[1])
            s += y
    return s


@program(positive(4), 3, again=[(positive(2), 0), (positive(2), 90)])
def many_turns(x, n):
    """Tapes that grow more than once."""
    s = 0.0
    for i in range(len(x)):
        y = x[i]
        k = 0
        while k < n * (i + 1):
            y = np.sin(y) * 1.05
            k += 1
        s += y * y
    return s


@program(positive(4), 3, again=[(positive(2), 0)])
def collected_in_a_branch(x, n):
    """A list that a branch fills, with a loop inside that saves."""
    y = x * 1.0
    if n > 1:
        ys = []
        for _ in range(n):
            for i in range(1, len(x)):
                y[i] = np.sin(y[i] * y[i - 1])
            ys.append(np.sum(y * y))
        return np.sum(np.array(ys) ** 2)
    return np.sum(y)

"""`nonlocal`, `global`, local imports, defaults of lambdas, decorated functions inside, `del`."""

import functools
import itertools

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("closures")

RATE = 0.5


@program(number)
def counter(x):
    total = x

    def add(y):
        nonlocal total
        total = total + y
        return total

    add(x * x)
    return add(2.0) * total


@program(1.5, again=[(-1.5,)])
def nonlocal_in_branch(x):
    total = x

    def double():
        nonlocal total
        total *= 2

    if x > 0:
        double()
    return total * x


@program(0.5, 3, again=[(0.5, 0)])
def nonlocal_in_loop(x, n):
    total, calls = 1.0, 0

    def step(y):
        nonlocal total, calls
        total = total * y + y
        calls += 1

    for _ in range(n):
        step(x)
    return total * (calls + 1)


@program(0.5)
def nonlocal_in_while(x):
    total = x

    def grow():
        nonlocal total
        total = total * 2 + x

    while total < 10.0:
        grow()
    return total


def apply_if(flag, f):
    if flag:
        f()


@program(1.5, again=[(-1.5,)])
def nonlocal_through_a_helper(x):
    y = x

    def square():
        nonlocal y
        y = y * y

    apply_if(x > 0, square)
    return y


def make_counter(start):
    total = start

    def add(y):
        nonlocal total
        total = total + y
        return total

    return add


@program(1.5, again=[(-1.5,)])
def counter_of_another_function(x):
    add = make_counter(x)
    other = make_counter(2.0)
    if x > 0:
        add(x * x)
    other(x)
    return add(1.0) * other(x)


@program(number)
def two_levels(x):
    a = x

    def outer():
        b = 1.0

        def inner():
            nonlocal a, b
            a = a * 2
            b = b + a

        inner()
        inner()
        return b

    return outer() * a


@program(number)
def nonlocal_array(x):
    h = np.zeros(3)

    def step(v):
        nonlocal h
        h = np.tanh(h + v)

    step(x)
    step(x * 2)
    return np.sum(h)


@program(number)
def reads_global(x):
    global RATE
    return x * RATE


class rate_of:
    def __init__(self, rate):
        self.rate, self.before = rate, RATE

    def __enter__(self):
        self.set(self.rate)

    def __exit__(self, *about):
        self.set(self.before)

    def set(self, rate):
        global RATE
        RATE = rate


@program(array(3), again=[(array(5),)])
def sets_global(x):
    before = reads_global(np.sum(x))
    with rate_of(0.25):
        inside = reads_global(np.sum(x**2))
        for k in range(3):
            with rate_of(1.5 + k):
                inside = inside + reads_global(x[k] ** 3)
    return before * inside + reads_global(x[0])


@program(number)
def global_behind_local(x):
    RATE = x

    def inner(y):
        global RATE
        return y * RATE

    return inner(x) + RATE


@program(number)
def local_imports(x):
    import math
    from math import exp as e
    from math import sin

    import numpy as xp
    import numpy.linalg as la

    return math.cos(x) + e(x) * sin(x) + la.norm(xp.array([x, 2.0]))


@program(number)
def imports_inside_inner(x):
    def f(y):
        from functools import reduce
        from operator import mul

        return reduce(mul, [y, y, 2.0])

    return f(x) + f(2 * x)


@program(number)
def lambda_defaults(x):
    fs = [lambda y, k=k, s=x: y * k + s for k in range(3)]
    g = lambda y, *rest, scale=x, **more: y * scale + sum(rest) + more.get("bias", 0.0)
    return sum(f(x) for f in fs) + g(x, x, 2.0) + g(x, scale=3.0, bias=x)


def twice(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2 * f(*args, **kwargs)

    return wrapper


def scaled(k):
    def decorate(f):
        def wrapper(x):
            return k * f(x)

        return wrapper

    return decorate


@program(number)
def decorated_inside(x):
    @twice
    @scaled(x)
    def f(y):
        return y * y

    return f(x) + f(2.0)


@program(number)
def deletes(x):
    y = x * x
    z = y
    del y
    y = z + 1
    xs = [x, y, z, x]
    del xs[0], xs[-1]
    d = {"a": x, "b": y}
    del d["a"]
    return xs[0] * xs[1] + d["b"] * len(d)


@program(vector)
def memo(x):
    seen = {}

    def f(n):
        if n not in seen:
            seen[n] = np.sum(x**n)
        return seen[n]

    return f(2) * f(3) + f(2)


@program(array(3))
def accumulates_in_closure(x):
    history = []

    def record(v):
        history.append(v)
        return v

    for v in x:
        pass
    record(x * 2)
    record(np.sin(x))
    return sum(np.sum(h) for h in history) * len(history)


@program(number)
def closures_of_two_calls(x):
    def make():
        n = x

        def double():
            nonlocal n
            n = n * 2

        return double, lambda: n

    (double, value), (other, other_value) = make(), make()
    double()
    double()
    other()
    return value() * other_value()


@program(number)
def recursion_with_nonlocal(x):
    total = 0.0

    def visit(k):
        nonlocal total
        if k == 0:
            return
        total = total + x * k
        visit(k - 1)

    visit(4)
    return total * x


@program(number)
def lazy_where_python_is(x):
    k, xs, d = [1.0], [x, 2.0], {"a": x}
    scaled = map(lambda v: v * k[0], [x, x])
    chained, shown = itertools.chain(xs, [1.0]), d.values()
    k[0] = x
    xs.append(x * x)
    d["b"] = x * x
    return sum(scaled) + sum(chained) * sum(shown)


@program(array(3))
def local_import_of_copy(x):
    import copy

    rows = [x * 1.0]
    again, same = copy.deepcopy(rows), copy.copy(rows)
    again[0][0] = 3.0
    same[0][1] = 4.0
    return np.sum(rows[0] * again[0])

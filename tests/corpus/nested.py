"""Functions defined inside, lambdas, partials."""

import functools
import math
import operator

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("nested")


@program(number)
def inner_function(x):
    def square(v):
        return v * v

    return square(x) + square(x + 1)


@program(number, number)
def inner_reads_outer(x, y):
    def f(v):
        return v * y

    return f(x) + f(y)


@program(number)
def lambdas(x):
    f = lambda v: v * v
    g = lambda v, w=2.0, *rest: v * w + len(rest)
    return f(x) + g(x) + g(x, x) + g(x, 1.0, 2.0)


@program(number)
def immediately_called(x):
    return (lambda v: v * 3)(x)


@program(number)
def partials(x):
    f = functools.partial(power, n=3)
    g = functools.partial(operator.mul, 2.0)
    return f(x) + g(x)


def power(x, n):
    return x**n


@program(number)
def returned_function(x):
    def make(k):
        def times(v):
            return v * k

        return times

    return make(2.0)(x) + make(x)(x)


@program(number)
def composed(x):
    def compose(f, g):
        return lambda v: f(g(v))

    return compose(math.sin, lambda v: v * 2)(x) + compose(np.cos, math.sin)(x)


@program(number)
def inner_recursion(x):
    def fact(n):
        if n == 0:
            return 1
        return n * fact(n - 1)

    return x * fact(4)


@program(vector, again=[(array(6),)])
def inner_in_loop(x):
    w = np.sum(x)

    def step(s, v):
        return s * 0.5 + v * w

    s = 0.0
    for v in x:
        s = step(s, v)
    return s


@program(number, again=[(-1.0,)])
def inner_with_branch(x):
    def relu(v):
        if v > 0:
            return v
        return 0.1 * v

    return relu(x) * relu(-x) + relu(x)


@program(number)
def star_inner(x):
    def f(a, *args, k=1.0, **kw):
        return a + sum(args) * k + kw.get("z", 0.0)

    return f(x) + f(x, x, 2.0) + f(x, k=x) + f(x, 1.0, z=x)


@program(number)
def docstring_inner(x):
    def f(v):
        """Double."""
        return 2 * v

    return f(x)


@program(number)
def operators_handed_around(x):
    ops = {"+": operator.add, "*": operator.mul, "neg": operator.neg}
    s = x
    for name in ("+", "*"):
        s = ops[name](s, x)
    return ops["neg"](s)


@program(0.5, 3, again=[(0.5, 0)])
def lambda_changes_list(x, n):
    log = [0.0]

    def add(v):
        log[0] = log[0] + v

    for i in range(n):
        add(x * i)
    return log[0]


@program(number)
def decorated_inner(x):
    def double(f):
        return lambda v: 2 * f(v)

    @double
    def square(v):
        return v * v

    return square(x)


@program(
    1.5,
    4,
    again=[
        (
            0.1,
            3,
        ),
        (
            0.1,
            0,
        ),
    ],
)
def inner_with_returns_in_loop(x, n):
    def step(s, i):
        if s > 2:
            return s * 0.5
        return s + i * x

    s = x
    for i in range(n):
        s = step(s, i)
    return s

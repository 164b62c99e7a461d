"""Functions with `yield`: their bodies and the loops over them interleave as in Python."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError


def yields_and_delegates(x):

    def g():
        yield x[0]
        yield from [x[1], x[2]]

    return sum(g())


def pairs(x):
    for i in range(x.shape[0] - 1):
        yield (x[i], x[i + 1])


def pairs_in_a_loop(x):
    s = 0.0
    for a, b in pairs(x):
        s = s + a * b
    return s


def in_a_comprehension(x):
    return np.sum(np.array([a * b for a, b in pairs(x)]))


def in_a_sum(x):
    return sum((a * b for a, b in pairs(x)))


def in_a_list(x):
    rows = list(pairs(x))
    return rows[0][0] * rows[1][1]


def one_buffer_seen_as_it_is(x):

    def buf():
        b = np.zeros(2)
        for k in range(3):
            b[0] = x[k]
            b[1] = 2 * x[k]
            yield b

    return sum(np.sum(b) for b in buf())


def one_buffer_seen_at_the_end(x):

    def buf():
        b = np.zeros(2)
        for k in range(3):
            b[0] = x[k]
            b[1] = 2 * x[k]
            yield b

    return sum(np.sum(b) for b in list(buf()))


def the_loop_changes_what_the_generator_reads(x):
    state = {"k": 1.0}

    def g():
        for k in range(3):
            yield (x[k] * state["k"])

    t = 0.0
    for v in g():
        state["k"] = state["k"] + v
        if v > 0.5:
            continue
        t = t + v * v
    return t + state["k"]


def under_a_condition_on_data(x):

    def cond():
        for k in range(3):
            if x[k] > 0.5:
                yield x[k]

    t = 0.0
    for v in cond():
        t = t + v * v
    return t


def left_early(x):

    def g():
        yield x[0]
        yield x[1]

    for v in g():
        if v > 0.5:
            break
    return v


def recursive(x):

    def tree(n):
        if n == 0:
            yield x[0]
        else:
            for v in tree(n - 1):
                yield (v * x[1])
            yield from tree(n - 1)

    return sum(tree(3))


def while_it_converges(x):

    def newton(y):
        z = y
        while abs(z * z - y) > 1e-10:
            z = 0.5 * (z + y / z)
            yield z

    last = 0.0
    for z in newton(x[0]):
        last = z
    return last


def finally_behind_the_last(x):

    def g():
        try:
            yield x[0]
            yield x[1]
        finally:
            print("done")

    t = 0.0
    for v in g():
        t = t + v * v
        print("v")
    return t


def largest(x):

    def g():
        for k in range(x.shape[0]):
            yield (x[k] * k)

    return max(g()) + min(g())


def used_twice(x):

    def g():
        for k in range(3):
            yield x[k]

    it = g()
    a = sum(it)
    return a + sum(it)


def counted(x):
    return sum((i * v for i, v in enumerate(pairs2(x))))


def pairs2(x):
    for i in range(x.shape[0]):
        yield x[i]


def object_that_yields(x):

    class Pair:
        def __init__(self, a, b):
            self.a, self.b = (a, b)

        def __iter__(self):
            yield self.a
            yield self.b

    return sum(v * v for v in Pair(x[0], x[1])) + np.sum(np.array(list(Pair(x[1], x[2]))))


def first_above(x):
    for i, (a, b) in enumerate(pairs(x)):
        if a * b > 1.0:
            return a * b + i
    return x[0]


def products(x):
    for i in range(x.shape[0]):
        for j in range(i):
            yield x[i] * x[j]
    yield from x


def left_inside_two_loops(x):
    s = 0.0
    for v in products(x):
        if v < 0.3:
            continue
        if v > 0.41:
            break
        s = s + v
    else:
        s = 2 * s
    return s


def never_left(x):
    s = 0.0
    for v in products(x):
        if v > 100.0:
            break
        s = s + v
    else:
        s = 2 * s
    return s


def returns_from_two(x):
    for a in products(x):
        for b in products(x):
            if a + b > 1.3:
                return a * b
    return x[0]


def converges(x):
    def newton(y, a):
        while True:
            y = 0.5 * (y + a / y)
            yield y

    last = 10.0
    for k, y in enumerate(newton(1.0, x[0]), 1):
        if abs(y - last) < 1e-12:
            return y * k
        last = y
    return last


def prints_until_left(x):
    def g():
        for v in x:
            print("before", v > 0.5)
            yield v
            print("after")

    s = 0.0
    for v in g():
        s = s + v
        if v > 0.5:
            break
    return s


def left_in_a_try(x):
    def g():
        try:
            yield x[0]
            yield x[1]
        finally:
            print("closed")

    for v in g():
        if v > 0.1:
            return v
    return x[2]


REFUSED = [left_in_a_try]
FUNCTIONS = [
    *(yields_and_delegates, pairs_in_a_loop, in_a_comprehension, in_a_sum, in_a_list),
    *(one_buffer_seen_as_it_is, one_buffer_seen_at_the_end, under_a_condition_on_data),
    *(the_loop_changes_what_the_generator_reads, recursive, while_it_converges, largest),
    *(finally_behind_the_last, object_that_yields, left_early, counted, used_twice),
    *(first_above, left_inside_two_loops, never_left, returns_from_two, prints_until_left),
    converges,
]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_a_generator_is_run_as_python_runs_it(fn, capsys):
    x = np.array([0.3, 0.9, 1.4])
    expected = fn(x)
    printed = capsys.readouterr().out
    value, x_bar = srcad.value_and_grad(fn)(x)
    assert capsys.readouterr().out == printed
    assert value == expected
    assert type(value) is type(expected)
    differences = [(fn(x + h) - fn(x - h)) / 2e-06 for h in np.eye(3) * 1e-06]
    np.testing.assert_allclose(x_bar, differences, rtol=1e-06, atol=1e-08)
    np.testing.assert_allclose(srcad.jvp(fn, (x,), (np.ones(3),))[1], np.sum(x_bar), rtol=1e-12)


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_what_is_left_and_not_closed_is_refused(fn):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(np.array([0.3, 0.9, 1.4]))
    assert caught.value.code == "E111"
    assert caught.value.location.function == fn.__name__


def test_a_generator_that_is_returned_is_refused_where_it_yields():

    def f(x):
        return [pairs(x)]

    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(np.array([0.3, 0.9]))
    assert caught.value.code == "E111"
    assert caught.value.location.function == "pairs"


def test_an_expression_over_a_generator_is_used_once():
    def f(x):
        squares = (v * v for v in pairs2(x))
        return sum(squares) + sum(squares)

    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(np.array([0.3, 0.9, 1.4]))
    assert caught.value.code == "E127"

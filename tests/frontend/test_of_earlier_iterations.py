"""What an earlier iteration alone has bound: functions, ranges and iterators of its numbers."""

# ruff: noqa: F821 -- names that an earlier iteration binds

import functools

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax

X = np.array([0.3, 0.7, 1.1])


class Line:
    def __init__(self, slope):
        self.slope = slope

    def at(self, t):
        return self.slope * t


def default(x, k):
    c = 2 * x[k]
    return lambda t, c=c: t * c


def partial(x, k):
    return functools.partial(np.multiply, 2 * x[k])


def method(x, k):
    return Line(1.0 * x[k]).at


@pytest.mark.parametrize("make", [default, partial, method])
def test_a_function_of_the_last_iteration(make):
    def f(x):
        s = 0.0
        for k in range(3):
            if k > 0:
                s += g(1.5)
            g = make(x, k)
        return s

    value, slope = srcad.value_and_grad(f)(X)
    assert value == pytest.approx(f(X))
    np.testing.assert_allclose(slope, [f(row) for row in np.eye(3)])  # it is linear


def functions(x):
    s, k = x[0], 0
    while s < 10.0:
        if k > 0:
            s += g(1.5)
        c = x[k % 3]
        g = lambda t, c=c: t * c
        s, k = s + 1.0, k + 1
    return s


def ranges(x):
    s, k = x[0], 0
    while s < 10.0:
        if k > 0:
            s += sum(r)
        r = range(min(k + 1, 3))
        s, k = s + 1.0, k + 1
    return s


def ranges_under_a_handler(x):
    s, k = x[0], 0
    while s < 10.0:
        try:
            s += len(r)
        except NameError:
            s += 0.1
        r = range(min(k, 3))
        s, k = s + 1.0, k + 1
    return s


def zips(x):
    s, k = x[0], 0
    while s < 10.0:
        if k > 0:
            s += sum(a * b for a, b in p)
        p = zip(x * k, x)
        s, k = s + 1.0, k + 1
    return s


@pytest.mark.parametrize("fn", [functions, ranges, ranges_under_a_handler, zips])
@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad])
def test_where_iterations_cannot_be_told_apart_it_is_refused(fn, transform):
    with pytest.raises(UnsupportedSyntax, match="from one iteration of the loop to the next"):
        transform(fn)(X)


def test_what_all_iterations_bind_alike_is_known():
    def f(x):
        s, k = x[0], 0
        while s < 10.0:
            if k > 0:
                s += g(r[1] * x[1]) + len(mode)
            g, r, mode = np.sin, range(2, 7), "abc"
            s, k = s + 1.0, k + 1
        return s * g(x[2])

    value = srcad.value_and_grad(f)(X)[0]
    assert value == pytest.approx(f(X))

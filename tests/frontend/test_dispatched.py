"""`functools.singledispatch`: the function for the class of the first argument is read in place."""

import numbers
from functools import singledispatch

import numpy as np
import pytest
from conformance.outcome import disagreement, run

import srcad
from srcad.errors import SrcadError

X = np.array([1.5, 2.25, 0.5])
RATE = 2.0
SEEN = []


@singledispatch
def scaled(x, by=1.0):
    return x * 2 * by


@scaled.register(float)
def _of_float(x, by=1.0):
    return x * 3 * by


@scaled.register(np.ndarray)
def _of_array(x):
    x[0] = 9.0
    return x.sum() * RATE


@scaled.register(list)
def _of_list(x):
    return [scaled(v) for v in x if v > 1.0]


class Held:
    def __init__(self, value):
        self.value = value


class Below(Held):
    pass


@scaled.register
def _of_held(x: Held):
    return x.value * 7.0


@singledispatch
def named(x):
    return 0.0 * x


@named.register(numbers.Real)
def _of_real(x):
    return x * 5.0


@singledispatch
def noted(x):
    SEEN.append(1)
    return x * 2.0


HELD = Below(2.0)


def numbers_of_two_classes(a):
    return scaled(float(a[0]), by=2.0) + scaled(a[1]) + scaled(3)


def written(a):
    b = a * 1.0
    total = scaled(b)
    return total * b[0] + b.sum()


def arguments_written(a):
    return scaled(a)


def a_list_by_data(a):
    return sum(scaled([a[0], a[1], a[2]]))


def objects(a):
    return scaled(Below(a[0])) * scaled(HELD)


def of_an_abstract_class(a):
    return named(a[0]) + named(2)


def mapped(a):
    return sum(map(scaled, [a[0], a[1]]))


def without_arguments(a):
    return scaled() + a[0]


CASES = [
    numbers_of_two_classes,
    written,
    arguments_written,
    a_list_by_data,
    objects,
    of_an_abstract_class,
    mapped,
    without_arguments,
]


@pytest.mark.parametrize("f", CASES)
def test_what_python_gives(f):
    want, got = (run(g, (X.copy(),)) for g in (f, srcad.compile(f, backend="numpy")))
    assert disagreement(want, got, (X,)) is None


@pytest.mark.parametrize("f", CASES[:-1])
def test_derivatives(f):
    value, slope = srcad.value_and_grad(f)(X.copy())
    assert value == f(X.copy())
    steps = [1e-6 * each for each in np.eye(3)]
    np.testing.assert_allclose(
        slope, [(f(X + h) - f(X - h)) / 2e-6 for h in steps], rtol=1e-6, atol=1e-6
    )


def test_one_that_is_differentiated_itself_or_passed():
    assert srcad.grad(scaled)(2.0) == 3.0
    assert srcad.grad(lambda x, f: f(x))(2.0, scaled) == 3.0


def test_a_new_registration_counts():
    @singledispatch
    def own(x):
        return x * 2.0

    f = srcad.compile(lambda a: own(a[0]))
    assert f(X) == 3.0
    own.register(float)(lambda x: x * 10.0)
    assert f(X) == 15.0


def test_no_function_is_tried_while_compiling():
    """It was called, and the list had an item of no call."""
    with pytest.raises(SrcadError, match="E133"):
        srcad.compile(lambda a: noted(a[0]))(X)
    assert SEEN == []


def test_a_class_by_data_is_refused():
    def f(a):
        x = a[0] if a[1] > 0 else 2
        return scaled(x)

    with pytest.raises(SrcadError, match="E123"):
        srcad.compile(f)(X)

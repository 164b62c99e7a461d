"""Numbers of lists of ints and floats are what Python has there: the sum of ints is an int."""

import math

import numpy as np
import pytest
from optional import BACKENDS

import srcad

DATA = [[0.5, 1.5, 2.5], [-0.5, -1.5, -2.5, -3.0], [-1.0, 2.0, 3.0], [1.0, -2.0], [-7.0]]


def steps(x):
    return sum([1 if v > 0 else 0.5 for v in x])


def from_two(x):
    return sum([1 if v > 0 else 0.5 for v in x], 2)


def hinge(x):
    return sum([max(0, 1 - v) for v in x])


def some(x):
    return sum([max(v, 0) for v in x if v > -2])


def all_of_them(x):
    return math.prod([v if v > 0 else 1 for v in x])


def largest(x):
    return max([v if v > 0 else 0 for v in x])


def least(x):
    return min([1 if v > 0 else 0.5 for v in x])


def appended(x):
    found = [0]
    for v in x:
        found.append(max(v, 0))
    return sum(found)


def chosen_again(x):
    found = [v if v > 0 else 0 for v in x]
    return sum([2 * w for w in found if w < 2])


def counted(x):
    total = 0
    for w in [1 if v > 0 else 0.5 for v in x]:
        total += w
    return total


def the_first(x):
    found = []
    for v in x:
        found.append(v if v > 0 else 0)
    return found[0] * 3


PROGRAMS = [
    steps, from_two, hinge, some, all_of_them, largest, least, appended, chosen_again, counted,
    the_first,
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_the_result_is_of_its_class(f, dtype, backend):
    """Those of ints were NumPy's, and those of Python's floats."""
    compiled = srcad.compile(f, backend=backend)
    for each in DATA:
        x = np.array(each).astype(dtype)
        assert repr(compiled(x)) == repr(f(x))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_the_derivative_is_that_of_the_numbers(f, backend):
    run = srcad.value_and_grad(f, backend=backend)
    for each in DATA:
        x, step = np.array(each), 1e-6
        if type(f(x)) is int or (f is hinge and 1.0 in each):
            continue  # there is no derivative of ints; a kink
        value, gradient = run(x)
        assert repr(value) == repr(f(x))
        wanted = [(f(x + h) - f(x - h)) / (2 * step) for h in step * np.eye(len(x))]
        np.testing.assert_allclose(gradient, wanted, atol=1e-6)


def test_compiled_code_has_loops():
    pytest.importorskip("numba")
    run = srcad.value_and_grad(hinge, backend="native")
    run(np.zeros(3))
    assert run.explain().compiled


def begun_by_a_float(x):
    found = [0.5]
    for v in x:
        found.append(found[-1] * 0.5 + v * v)
    return sum(found)


def of_a_generator(x):
    return sum(max(v, 0.0) for v in x)


def of_two_kinds_of_zeros(x):
    return sum(v if v > 0 else (0 if v < -1 else 0.0) for v in x)


def counted_up(x):
    total, least = 0, 1.0
    for v in x:
        least = min(least, v)
        total = total + 1 if v < 0 else total - least
    return total, least


def mean_of_squares(x):
    return sum(v * v for v in x) / len(x) if len(x) else 0.0


@pytest.mark.parametrize(
    "f", [begun_by_a_float, of_a_generator, of_two_kinds_of_zeros, counted_up, mean_of_squares]
)
def test_a_sum_of_three_kinds_is_compiled(f):
    """An int of Python's, a float of Python's, or NumPy's: one that is an int is left to NumPy."""
    pytest.importorskip("numba")
    compiled = srcad.compile(f, backend="native")
    compiled(np.array([1.5, 2.5]))
    assert compiled.explain().compiled
    assert not compiled.explain().stays
    for each in ([1.5, 2.5], [-0.5, -2.0], [-2.0], [0.0, -0.0], [-1.0, -1.0], []):
        x = np.array(each)
        assert repr(compiled(x)) == repr(f(x))


def test_a_long_list_stays_a_loop():
    compiled = srcad.compile(hinge, backend="numpy")
    compiled(np.zeros(10_000))
    assert len(compiled.source(np.zeros(10_000)).splitlines()) < 40

"""`vmap` of what has extents from an int beside the samples, and of functions of numbers."""

import cmath
import math

import numpy as np
import pytest
from optional import BACKENDS

import srcad

X = np.random.default_rng(3).uniform(0.1, 0.9, (3, 7))
COUNT = 4


def spaced(x, n):
    return np.sin(np.linspace(0, x[0], n))


def spaced_evenly_in_logarithms(x, n):
    return np.geomspace(x[0], x[1], n) * np.logspace(x[0], x[1], n)


def counted(x, n):
    return np.histogram(x, n)


def counted_in_two(x, n):
    return np.histogram2d(x[:3], x[3:6], n)


def of_a_captured_count(x, n):
    return np.geomspace(x[0], x[1], COUNT)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "f", [spaced, spaced_evenly_in_logarithms, counted, counted_in_two, of_a_captured_count]
)
def test_extents_are_those_of_an_int_for_all(f, backend):
    found = srcad.vmap(f, in_axes=(0, None), backend=backend)(X, 5)
    each = [f(x, 5) for x in X]
    if not isinstance(found, tuple):
        found, each = (found,), [(x,) for x in each]
    for k, array in enumerate(found):
        np.testing.assert_allclose(array, [x[k] for x in each], rtol=1e-14)


def test_extents_of_each_sample_raise():
    def positive(x):
        return x[x > 0.5] * 2.0

    with pytest.raises(ValueError, match="inhomogeneous"):
        srcad.vmap(positive, backend="numpy")(X)
    same = np.stack([X[0], X[0] / 3 + 0.4])
    found = srcad.vmap(lambda x: x[x > 0.45][:1] * 2.0, backend="numpy")(same)
    np.testing.assert_array_equal(found, [x[x > 0.45][:1] * 2.0 for x in same])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("fn", [math.tanh, math.erf, math.atan, math.cbrt, math.fabs, cmath.atan])
def test_functions_of_numbers(fn, backend):
    x = X[:, 0]
    found = srcad.vmap(lambda x: fn(x) * 2, backend=backend)(x)
    np.testing.assert_allclose(found, [fn(each) * 2 for each in x], rtol=1e-15)


def test_derivatives_of_functions_of_numbers():
    x = X[:, 0]
    found = srcad.vmap(srcad.grad(lambda x: math.tanh(x) * math.copysign(x, -1.0)))(x)
    np.testing.assert_allclose(found, -np.tanh(x) - x / np.cosh(x) ** 2)


def test_of_no_axes():
    x = X[:, 0]
    special = pytest.importorskip("scipy.special")
    np.testing.assert_array_equal(srcad.vmap(lambda x: np.transpose(x, -1))(X), X)

    def f(x):
        return special.logsumexp(x, axis=0, keepdims=True)

    np.testing.assert_allclose(srcad.vmap(f)(x), [f(each) for each in x])

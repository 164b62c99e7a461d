"""`vmap` of functions whose values only some samples have, or no sample on a path taken."""

import importlib.util

import numpy as np
import pytest

import srcad

X = np.array([[0.4, -0.3], [-0.8, 0.5], [1.4, 1.1]])
HAS_NUMBA = importlib.util.find_spec("numba") is not None
native = pytest.param(
    "native", marks=pytest.mark.skipif(not HAS_NUMBA, reason="Numba is not installed")
)
each_backend = pytest.mark.parametrize("backend", ["numpy", native])


def by_its_sign(x, k):
    if x[0] > 0:
        a = np.exp(x)
        s = np.sum(a * x)
    else:
        s = np.sum(x**3)
    return s * x[0] * k


def read_again(x, k):
    if x[0] > 0:
        a = np.exp(x) * k
    s = np.sum(x)
    if x[0] > 0:
        s = s + np.sum(a)
    return s


def returned_for_small_k(x, k):
    if k <= 2:
        if x[1] < 0.2:
            return x
    return np.sort(x)


def returned_twice_for_small_k(x, k):
    if k <= 2:
        if x[1] < 0.2:
            return x
        return np.sort(x) * 2
    return np.sort(x)


def shared_test(x, k):
    if k <= 2:
        y = np.exp(x)
    s = np.sum(x)
    if x[0] > 0:
        s = s * 2
    if k <= 2:
        s = s + np.sum(y) if x[1] > 0 else s - np.sum(y)
    return s


def last_of_a_shared_loop(x, k):
    for i in range(k - 1):
        y = x * i
    return np.sum(y) if k > 1 and x[0] > 0 else np.sum(x)


def left_early(x, k):
    for v in x:
        if v > 0.45:
            y = x * v
            break
    else:
        return np.sum(x) * k
    return np.sum(y)


PROGRAMS = [
    by_its_sign,
    read_again,
    returned_for_small_k,
    returned_twice_for_small_k,
    shared_test,
    last_of_a_shared_loop,
    left_early,
]


@each_backend
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("f", PROGRAMS)
def test_values(f, k, backend):
    got = srcad.vmap(f, (0, None), backend=backend)(X, k)
    np.testing.assert_allclose(got, np.array([f(x, k) for x in X]))
    assert got.dtype == np.float64


@each_backend
@pytest.mark.parametrize("f", [f for f in PROGRAMS if "returned" not in f.__name__])
def test_gradients(f, backend):
    for k in (1, 3):
        got = srcad.vmap(srcad.grad(f), (0, None), backend=backend)(X, k)
        np.testing.assert_allclose(got, np.array([srcad.grad(f)(x, k) for x in X]))


@each_backend
def test_a_result_that_a_sample_lacks(backend):
    def f(x):
        if x[0] > 0:
            y = x * 2
        return y

    with pytest.raises(UnboundLocalError):
        srcad.vmap(f, backend=backend)(X)
    np.testing.assert_allclose(srcad.vmap(f, backend=backend)(X[[0, 2]]), X[[0, 2]] * 2)

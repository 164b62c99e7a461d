"""`np.full` of a number of Python's in compiled loops, of which the kind must be certain."""

import numpy as np
import pytest
from optional import needs_numba

import srcad

X = np.arange(6.0)


def constant(x, w):
    total = 0.0
    for k in range(4):
        total = total + np.sum(np.full(3, w) * x[:3]) * k
    return total


def changing(x, w):
    total = 0.0
    for k in range(4):
        w = w * 0.5 + 1.0
        total = total + np.sum(np.full((2, 3), w) * x[:3]) * k
    return total


def of_either_kind(x, w):
    k, total = 0, 0.0
    for i in range(4):
        if x[i] > w:
            k = x[i]
        total = total + (np.full(3, k) // 2).sum() + np.full(2, min(w, 2)).sum()
    return total


def of_ints_until_then(x, w):
    n, total = 1, 0.0
    for i in range(4):
        total = total + (np.full(2, n) / 3).sum() * x[i]
        n = n * w
    return total


@needs_numba
@pytest.mark.parametrize("f", [constant, changing, of_either_kind, of_ints_until_then])
@pytest.mark.parametrize("w", [2, 1.5, 10.0])
def test_values_and_kinds(f, w):
    found = srcad.compile(f, backend="native")(X, w)
    wanted = f(X, w)
    assert type(found) is type(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


@needs_numba
@pytest.mark.parametrize("f", [constant, changing])
def test_no_loop_stays_in_python(f):
    gradient = srcad.grad(f, argnums=(0, 1), backend="native")
    dx, dw = gradient(X, 1.5)
    np.testing.assert_allclose(dw, (f(X, 1.5 + 1e-6) - f(X, 1.5 - 1e-6)) / 2e-6, rtol=1e-8)
    step = 1e-6 * np.cos(X)
    slope = (f(X + step, 1.5) - f(X - step, 1.5)) / 2e-6
    np.testing.assert_allclose(dx @ np.cos(X), slope, rtol=1e-8)
    assert "stays" not in str(gradient.explain(X, 1.5))

"""A `try` in a compiled loop: its body is compiled, and NumPy runs the calls in which it raises."""

import numpy as np
import pytest
from optional import needs_numba

import srcad

X = np.linspace(0.3, 1.7, 12)
pytestmark = needs_numba


def solutions(x, w):
    total = 0.0
    for k in range(5):
        a = np.outer(x[k : k + 2], x[k : k + 2]) + w * np.eye(2)
        try:
            total += np.sum(np.linalg.solve(a, x[:2]))
        except np.linalg.LinAlgError:
            total += 1.0
    return total


def stores(x, w):
    out = np.zeros(5)
    for k in range(5):
        out[k] = x[k] * w
        try:
            out[k] += np.sum(np.linalg.inv(np.array([[x[k], 0.1], [0.1, w]])))
        except np.linalg.LinAlgError:
            out[k] = -1.0
    return np.sum(out**2)


def with_else(x, w):
    total, count = 0.0, 0
    for k in range(4):
        try:
            low = np.linalg.cholesky(np.outer(x[:2], x[:2]) * w + x[k] * np.eye(2))
        except np.linalg.LinAlgError:
            count += 1
        else:
            total += np.sum(low)
        finally:
            count += 2
    return total * count


@pytest.mark.parametrize("f", [solutions, stores, with_else])
def test_bodies_are_compiled(f):
    gradient = srcad.value_and_grad(f, argnums=(0, 1), backend="native")
    value, (dx, dw) = gradient(X, 0.8)
    np.testing.assert_allclose(value, f(X, 0.8), rtol=1e-13)
    np.testing.assert_allclose(dw, (f(X, 0.8 + 1e-6) - f(X, 0.8 - 1e-6)) / 2e-6, rtol=1e-6)
    step = 1e-6 * np.cos(X)
    slope = (f(X + step, 0.8) - f(X - step, 0.8)) / 2e-6
    np.testing.assert_allclose(dx @ np.cos(X), slope, rtol=1e-6)
    told = str(gradient.explain(X, 0.8))
    assert "compiled code" in told
    assert "stays" not in told


@pytest.mark.parametrize(("f", "w"), [(solutions, 0.0), (stores, 0.01 / X[2]), (with_else, -5.0)])
def test_handlers_are_numpys(f, w):
    found, wanted = srcad.compile(f, backend="native")(X, w), f(X, w)
    assert type(found) is type(wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-13)
    value, dw = srcad.value_and_grad(f, argnums=1, backend="native")(X, w)
    assert value == wanted
    np.testing.assert_allclose(dw, srcad.grad(f, argnums=1, backend="numpy")(X, w), rtol=1e-12)


def raising(x, w):
    total = 0.0
    for k in range(5):
        try:
            if x[k] > 0.8:
                raise OverflowError("large")
            total += x[k] * w
        except OverflowError:
            total -= w
    return total


def quotients(x, w):
    total = 0.0
    for k in range(5):
        try:
            total += w / (k - 2)
        except ZeroDivisionError:
            total += 10 * w
    return total


@pytest.mark.parametrize("f", [raising, quotients])
def test_what_raises_in_each_call_stays_with_numpy(f):
    compiled = srcad.compile(f, backend="native")
    assert compiled(X, 0.8) == f(X, 0.8)
    assert "a `try` or `with`" in str(compiled.explain(X, 0.8))

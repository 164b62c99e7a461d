"""Axes that are arguments or captured: each has its own program, which compiled loops need."""

import numpy as np
import pytest
from optional import needs_numba

import srcad

X = np.arange(6.0).reshape(2, 3)
AXES = (0, -1)


def turned(x):
    total = 0.0
    for k in range(4):
        total = total + np.sum(np.flip(x * k, axis=AXES) * x)
    return total


def along(x, axis):
    return np.sum(np.flip(x, axis=axis) * x) + np.sum(np.cumsum(x, axis=axis) ** 2)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_an_axis_that_is_an_argument(axis):
    gradient = srcad.grad(along)
    for k in (axis, 0):
        t = np.cos(X)
        slope = (along(X + 1e-6 * t, k) - along(X - 1e-6 * t, k)) / 2e-6
        np.testing.assert_allclose(np.sum(gradient(X, k) * t), slope, rtol=1e-7)


def test_captured_axes_that_change(monkeypatch):
    compiled = srcad.compile(turned)
    assert compiled(X) == turned(X)
    monkeypatch.setitem(globals(), "AXES", (1, 1 - 2)[:1])
    assert compiled(X) == turned(X)


@needs_numba
def test_loops_with_captured_axes_are_compiled(monkeypatch):
    monkeypatch.setenv("SRCAD_NATIVE", "1")
    gradient = srcad.grad(turned, backend="native")
    np.testing.assert_allclose(gradient(X), 12 * X[::-1, ::-1])
    assert "compiled code" in str(gradient.explain(X))

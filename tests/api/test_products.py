"""`jvp` and `vjp`: against differences, against each other, and their refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import ArgumentTypeError

A = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.2]])
V = np.array([0.7, -0.4, 1.1])


def f(a: Any, v: Any) -> Any:
    y = np.tanh(a @ v)
    return {"y": y, "s": np.sum(y * y)}


def test_jvp_is_the_difference_along_the_tangents() -> None:
    a_dot, v_dot = np.ones_like(A), np.array([1.0, 2.0, -1.0])
    y, y_dot = srcad.jvp(f, (A, V), (a_dot, v_dot))
    h = 1e-6
    up, down = f(A + h * a_dot, V + h * v_dot), f(A - h * a_dot, V - h * v_dot)
    np.testing.assert_array_equal(y["y"], f(A, V)["y"])
    for key in ("y", "s"):
        np.testing.assert_allclose(y_dot[key], (up[key] - down[key]) / (2 * h), rtol=1e-7)


def test_vjp_is_the_transpose_of_jvp() -> None:
    y, pullback = srcad.vjp(f, A, V)
    y_bar = {"y": np.array([0.3, -2.0]), "s": np.float64(0.7)}
    a_dot, v_dot = np.cos(A), np.sin(V)
    _, y_dot = srcad.jvp(f, (A, V), (a_dot, v_dot))
    a_bar, v_bar = pullback(y_bar)
    left = np.vdot(y_bar["y"], y_dot["y"]) + y_bar["s"] * y_dot["s"]
    assert left == pytest.approx(np.vdot(a_bar, a_dot) + np.vdot(v_bar, v_dot))
    assert y["s"] == f(A, V)["s"]


def test_a_pullback_may_be_called_again() -> None:
    _, pullback = srcad.vjp(lambda x: np.sin(x) * x, V)
    (first,) = pullback(np.ones(3))
    (again,) = pullback(np.ones(3))
    np.testing.assert_array_equal(first, again)
    (twice,) = pullback(2 * np.ones(3))
    np.testing.assert_allclose(twice, 2 * first)


def test_arguments_without_derivative_are_held_fixed() -> None:
    y, y_dot = srcad.jvp(lambda x, n: x**n, (3.0, 2), (1.0, 0))
    assert (y, y_dot) == (9.0, 6.0)


def test_refusals() -> None:
    with pytest.raises(ArgumentTypeError, match="E310"):
        srcad.jvp(f, (A, V), (A,))
    with pytest.raises(ArgumentTypeError, match="E310"):
        srcad.jvp(f, (A, V), (A, np.ones(4)))
    _, pullback = srcad.vjp(lambda x: x * 2, V)
    with pytest.raises(ArgumentTypeError, match="E311"):
        pullback(np.ones(2))


def stored(x):
    y = np.zeros(3)
    y[0] = x[1] * 0.3
    y[1:] = x[:2] * 0.5
    return y


def test_tangents_and_cotangents_are_taken_in_the_dtype_of_their_primals():
    x = np.ones(3)
    whole = np.array([1, 2, 3])
    _, y_dot = srcad.jvp(stored, (x,), (whole,))
    np.testing.assert_allclose(y_dot, [0.6, 0.5, 1.0])
    _, pullback = srcad.vjp(stored, x)
    np.testing.assert_allclose(pullback(whole)[0], [1.0, 1.8, 0.0])
    _, pullback = srcad.vjp(stored, x.astype(np.float32))
    assert pullback(np.ones(3))[0].dtype == np.float32
    _, pullback = srcad.vjp(lambda x: np.sum(x), x)
    assert pullback(2)[0].tolist() == [2.0, 2.0, 2.0]


def test_complex_directions_of_real_values_are_refused():
    x = np.ones(3)
    with pytest.raises(ArgumentTypeError, match="E310"):
        srcad.jvp(stored, (x,), (x * 1j,))
    with pytest.raises(ArgumentTypeError, match="E311"):
        srcad.vjp(stored, x)[1](x * 1j)


class Model:
    def __init__(self) -> None:
        self.a, self.b, self.c = np.ones(2), np.ones(2), {"d": np.ones(1)}


@pytest.mark.parametrize("backend", BACKENDS)
def test_each_pullback_gives_zeros_of_its_own(backend: str) -> None:
    model = Model()
    _, pullback = srcad.vjp(lambda m, x: np.sum(m.b**2), model, np.ones(2), backend=backend)
    model.a[:] = 5
    for _ in range(2):
        found, x_bar = pullback(1.0)
        assert list(vars(found)) == ["a", "b", "c"]
        np.testing.assert_array_equal(found.b, [2.0, 2.0])
        for zero in (found.a, found.c["d"], x_bar):
            np.testing.assert_array_equal(zero, 0)
            zero[:] = 7

"""Many directions at a time: what gets an axis, and what is run one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad

X = np.array([0.3, -0.8, 1.4, 0.6])
W = np.arange(12.0).reshape(3, 4) / 10


def spread(x: Any) -> Any:
    return np.tanh(W @ x)[:, None] * x + np.sum(x)


def branched(x: Any) -> Any:
    y = x * 2.0
    if x[0] > 0:
        y = np.sin(y)
    return y


def looped(x: Any) -> Any:
    for i in range(3):
        x = x * np.roll(x, 1) + i * np.cumsum(x)
    return x


def joined(x: Any) -> Any:
    return np.concatenate([x[1:], np.stack([x[0], x[1] * x[2]]), np.zeros(2)])


def solved(x: Any) -> Any:
    return np.linalg.solve(np.eye(4) * 3 + 0.1, np.sin(x)) + np.mean(x.reshape(2, 2), axis=1)[0]


TOGETHER = [spread, branched, looped, joined, solved]


@pytest.mark.parametrize("f", TOGETHER, ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", [srcad.jacfwd, srcad.jacrev])
def test_programs_that_take_all_directions_together(mode: Any, f: Any) -> None:
    jac = mode(f)
    found = jac(X)
    assert "np.eye(" in jac.source()
    steps = 1e-6 * np.eye(4)
    wanted = np.stack([(f(X + e) - f(X - e)) / 2e-6 for e in steps], -1)
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-8)


def test_more_directions_than_are_taken_together() -> None:
    x = np.linspace(-1, 1, 150)
    jac = srcad.jacobian(lambda x: np.sin(x) * x[::-1])
    wanted = np.diag(np.cos(x) * x[::-1]) + np.diag(np.sin(x))[:, ::-1]
    np.testing.assert_allclose(jac(x), wanted, atol=1e-14)
    for n in (1, 63, 64, 65, 128):
        assert jac(x[:n]).shape == (n, n)


@pytest.mark.parametrize("mode", [srcad.jacfwd, srcad.jacrev])
def test_functions_that_take_an_axis_take_all_directions_together(mode: Any) -> None:
    def f(x: Any) -> Any:
        turned = np.cross(x[:3], np.sin(x[1:])) + np.cross(W[:, 1:], x[1:])[0]
        return np.append(np.fft.fft(x).real * x, turned)

    jac = mode(f)
    found = jac(X)
    assert "np.eye(" in jac.source()
    steps = 1e-6 * np.eye(4)
    wanted = np.stack([(f(X + e) - f(X - e)) / 2e-6 for e in steps], -1)
    np.testing.assert_allclose(found, wanted, atol=1e-8)


def test_what_has_no_form_is_run_for_each_direction() -> None:
    def f(x: Any) -> Any:
        return np.convolve(x, x[:2]) * 2.0

    jac = srcad.jacfwd(f)
    found = jac(X)
    assert "np.eye(" not in jac.source()
    steps = 1e-6 * np.eye(4)
    wanted = np.stack([(f(X + e) - f(X - e)) / 2e-6 for e in steps], -1)
    np.testing.assert_allclose(found, wanted, atol=1e-8)


def test_single_precision_stays_beside_numbers() -> None:
    jac = srcad.jacfwd(lambda p: p["x"] * p["s"])
    found = jac({"x": X.astype(np.float32), "s": 2.0})
    assert found["x"].dtype == np.float32
    np.testing.assert_allclose(found["s"], X, rtol=1e-6)

"""Activations against their definitions, number by number, and at extreme arguments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import nn
from srcad.testing import check_grads

X = np.array([[-3.0, -0.7, 0.2, 1.1], [2.5, -0.1, 0.9, -1.4]])


def _gelu(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


ELEMENTWISE: dict[str, tuple[Callable[..., Any], Callable[[float], float]]] = {
    "relu": (nn.relu, lambda x: max(x, 0.0)),
    "leaky_relu": (nn.leaky_relu, lambda x: x if x > 0 else 0.01 * x),
    "steeper": (lambda x: nn.leaky_relu(x, 0.3), lambda x: x if x > 0 else 0.3 * x),
    "gelu": (nn.gelu, _gelu),
    "sigmoid": (nn.sigmoid, lambda x: 1 / (1 + math.exp(-x))),
    "softplus": (nn.softplus, lambda x: math.log(1 + math.exp(x))),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name: str) -> None:
    f, of_number = ELEMENTWISE[name]
    expected = [[of_number(float(x)) for x in row] for row in X]
    np.testing.assert_allclose(f(X), expected, rtol=1e-12)
    check_grads(lambda x: np.sum(np.sin(f(x))), (X,), order=2)
    assert f(X.astype("f")).dtype == np.float32
    assert srcad.grad(lambda x: np.sum(f(x)))(X.astype("f")).dtype == np.float32
    assert f(np.zeros((0, 3))).shape == (0, 3)
    np.testing.assert_allclose(f(0.3), of_number(0.3), rtol=1e-12)
    check_grads(f, (0.3,), order=2)


def test_gelu_is_near_the_exact_one() -> None:
    exact = [[x * 0.5 * (1 + math.erf(x / math.sqrt(2))) for x in row] for row in X]
    np.testing.assert_allclose(nn.gelu(X), exact, atol=1e-3)


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize("size", [50.0, 1e4])
def test_large_arguments(name: str, size: float) -> None:
    f, _ = ELEMENTWISE[name]
    x = np.array([size, -size])
    with np.errstate(over="raise", invalid="raise"):
        value, gradient = srcad.value_and_grad(lambda x: np.sum(f(x)))(x)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_conventions_at_zero() -> None:
    zero = np.zeros(2)
    np.testing.assert_array_equal(srcad.grad(lambda x: np.sum(nn.relu(x)))(zero), [0, 0])
    leaky = srcad.grad(lambda x: np.sum(nn.leaky_relu(x, 0.1)))
    np.testing.assert_array_equal(leaky(zero), [0.1, 0.1])


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_softmax(axis: int) -> None:
    x = X if axis != 1 else X.reshape(2, 2, 2)
    expected = np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)
    np.testing.assert_allclose(nn.softmax(x, axis), expected, rtol=1e-12)
    np.testing.assert_allclose(nn.log_softmax(x, axis), np.log(expected), rtol=1e-12)
    np.testing.assert_allclose(nn.softmax(x, axis).sum(axis=axis), 1, rtol=1e-12)
    weights = np.cos(x)
    check_grads(lambda x: np.sum(weights * nn.softmax(x, axis)), (x,), order=2)
    check_grads(lambda x: np.sum(weights * nn.log_softmax(x, axis) ** 2), (x,), order=2)
    assert nn.softmax(x.astype("f"), axis).dtype == np.float32
    assert nn.log_softmax(x.astype("f"), axis).dtype == np.float32


@pytest.mark.parametrize("f", [nn.softmax, nn.log_softmax])
def test_softmax_of_large_arguments(f: Any) -> None:
    x = np.array([[1e4, 0.0, -1e4], [1e4, 1e4, 1e4]])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        y, back = srcad.vjp(f, x)
        (gradient,) = back(np.ones_like(y))
    np.testing.assert_allclose(np.exp(y[1]) if f is nn.log_softmax else y[1], 1 / 3, rtol=1e-10)
    assert np.isfinite(gradient).all()

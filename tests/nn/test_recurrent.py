"""Recurrent layers against step-by-step references, one sample and one unit at a time."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import nn
from srcad.testing import check_grads

RNG = np.random.default_rng(0)
T, N, D, H = 4, 3, 2, 5


def weights(gates: int, biases: int = 1) -> tuple[Any, ...]:
    shapes = [(D, gates * H), (H, gates * H), *[(gates * H,)] * biases]
    return tuple(0.5 * RNG.standard_normal(shape) for shape in shapes)


X, H0, C0 = (RNG.standard_normal(s) for s in ((T, N, D), (N, H), (N, H)))
OF_RNN, OF_LSTM, OF_GRU = weights(1), weights(4), weights(3, biases=2)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def dot(a: Any, b: Any) -> float:
    return float(sum(p * q for p, q in zip(a, b, strict=True)))


def rnn(x: Any, h0: Any, w_x: Any, w_h: Any, b: Any) -> Any:
    states = np.zeros((len(x), *h0.shape))
    for n in range(h0.shape[0]):
        h = list(h0[n])
        for t in range(len(x)):
            h = [
                math.tanh(dot(x[t, n], w_x[:, j]) + dot(h, w_h[:, j]) + b[j]) for j in range(len(h))
            ]
            states[t, n] = h
    return states


def lstm(x: Any, h0: Any, c0: Any, w_x: Any, w_h: Any, b: Any) -> Any:
    states, cells, m = np.zeros((len(x), *h0.shape)), np.zeros(c0.shape), h0.shape[1]
    for n in range(h0.shape[0]):
        h, c = list(h0[n]), list(c0[n])
        for t in range(len(x)):
            z = [dot(x[t, n], w_x[:, j]) + dot(h, w_h[:, j]) + b[j] for j in range(4 * m)]
            for j in range(m):
                i, f, o = sigmoid(z[j]), sigmoid(z[m + j]), sigmoid(z[3 * m + j])
                c[j] = f * c[j] + i * math.tanh(z[2 * m + j])
                h[j] = o * math.tanh(c[j])
            states[t, n] = h
        cells[n] = c
    return states, cells


def gru(x: Any, h0: Any, w_x: Any, w_h: Any, b_x: Any, b_h: Any) -> Any:
    states, m = np.zeros((len(x), *h0.shape)), h0.shape[1]
    for n in range(h0.shape[0]):
        h = list(h0[n])
        for t in range(len(x)):
            z = [dot(x[t, n], w_x[:, j]) + b_x[j] for j in range(3 * m)]
            s = [dot(h, w_h[:, j]) + b_h[j] for j in range(3 * m)]
            for j in range(m):
                r, u = sigmoid(z[j] + s[j]), sigmoid(z[m + j] + s[m + j])
                new = math.tanh(z[2 * m + j] + r * s[2 * m + j])
                h[j] = (1 - u) * new + u * h[j]
            states[t, n] = h
    return states


def test_rnn() -> None:
    np.testing.assert_allclose(nn.rnn(X, H0, *OF_RNN), rnn(X, H0, *OF_RNN), rtol=1e-10)


def test_lstm() -> None:
    states, cell = nn.lstm(X, H0, C0, *OF_LSTM)
    expected, last = lstm(X, H0, C0, *OF_LSTM)
    np.testing.assert_allclose(states, expected, rtol=1e-10)
    np.testing.assert_allclose(cell, last, rtol=1e-10)


def test_gru() -> None:
    np.testing.assert_allclose(nn.gru(X, H0, *OF_GRU), gru(X, H0, *OF_GRU), rtol=1e-10)


def of_lstm(*args: Any) -> Any:
    states, cell = nn.lstm(*args)
    return np.sum(np.sin(states)) + np.sum(cell**2)


LOSSES = {
    "rnn": (lambda *args: np.sum(np.sin(nn.rnn(*args))), (X, H0, *OF_RNN)),
    "lstm": (of_lstm, (X, H0, C0, *OF_LSTM)),
    "gru": (lambda *args: np.sum(np.sin(nn.gru(*args))), (X, H0, *OF_GRU)),
    "last": (lambda *args: np.sum(nn.rnn(*args)[-1] ** 2), (X, H0, *OF_RNN)),
}


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_by_all_arguments(name: str) -> None:
    f, args = LOSSES[name]
    check_grads(f, args, order=1)


@pytest.mark.parametrize("name", LOSSES)
def test_second_derivatives(name: str) -> None:
    f, args = LOSSES[name]
    small = tuple(a[:2, :1] if a.ndim == 3 else a[:1] if a.shape == (N, H) else a for a in args)
    check_grads(lambda *held: f(*small[:-2], *held), small[-2:], order=2)


@pytest.mark.parametrize("name", LOSSES)
def test_single_precision_stays(name: str) -> None:
    f, args = LOSSES[name]
    args = tuple(a.astype("f") for a in args)
    value, gradients = srcad.value_and_grad(f, argnums=tuple(range(len(args))))(*args)
    assert value.dtype == np.float32
    assert {g.dtype for g in gradients} == {np.dtype(np.float32)}


@pytest.mark.parametrize("name", ["rnn", "lstm", "gru"])
def test_one_step_and_one_sample(name: str) -> None:
    f, args = LOSSES[name]
    args = tuple(a[:1, :1] if a.ndim == 3 else a[:1] if a.shape == (N, H) else a for a in args)
    check_grads(f, args, order=1)


def matrix_products(text: str) -> tuple[list[str], list[str]]:
    """Those outside of loops, and those inside."""
    tree = ast.parse(text)
    inner = {id(n) for loop in ast.walk(tree) if isinstance(loop, ast.For) for n in ast.walk(loop)}
    every = [node for node in ast.walk(tree) if _is_product(node)]
    outside = [ast.unparse(node) for node in every if id(node) not in inner]
    return outside, [ast.unparse(node) for node in every if id(node) in inner]


def _is_product(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("np.tensordot", "np.matmul")


@pytest.mark.parametrize("name", ["rnn", "lstm", "gru"])
def test_all_inputs_go_through_one_product(name: str) -> None:
    """For all steps one product with the input weights and one for their gradient."""
    f, args = LOSSES[name]
    weights = (len(args) - len(OF_GRU if name == "gru" else OF_RNN)) + np.arange(2)
    g = srcad.grad(f, argnums=tuple(int(k) for k in weights))
    g(*args)
    outside, inside = matrix_products(g.source())
    assert len(outside) == 2  # forward, and the gradient of the input weights
    assert len(inside) == 3  # forward, the state's cotangent, the gradient of the state's weights
    assert any("w_x" in product or "args" in product for product in outside)


@pytest.mark.parametrize("name", ["rnn", "lstm", "gru"])
def test_shapes_that_do_not_fit(name: str) -> None:
    f, args = LOSSES[name]
    wrong = (args[0][..., :1], *args[1:])
    with pytest.raises(ValueError, match=r"shape|mismatch|extents"):
        f(*wrong)
    with pytest.raises(ValueError, match=r"shape|mismatch|extents"):
        srcad.grad(f)(*wrong)

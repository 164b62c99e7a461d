"""The measured programs: each loss as a user writes it, its best gradient by hand, its data.

A loss is plain NumPy that reaches NumPy through the name `np` alone, so that `peers` can run the
same text on other systems. The hand-written gradient is what an expert would write for speed: it
works in place, shares what the loss and its gradient have in common, uses the algebra, and gives
the caller fresh arrays. `check` compares it with differences of the loss, in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """A loss, what to differentiate it by, and where to measure it.

    mode: "grad" or "value_and_grad", which `hand` and all systems then compute.
    counted: whether the ratio enters the geometric mean.
    """

    name: str
    loss: Callable[..., Any]
    argnums: int | tuple[int, ...]
    args: tuple[Any, ...]
    hand: Callable[..., Any]
    mode: str = "value_and_grad"
    counted: bool = True


# ---------------------------------------------------------------------------- trace of a product


def trace_of_product(x1, x2):
    """Return the trace of a matrix product."""
    return np.trace(x1 @ x2)


def trace_grad(x1, x2):
    """By algebra: the gradients are the other factor, transposed."""
    return x2.T.copy(), x1.T.copy()


def trace_by_layers(x1, x2):
    """As the literature's baseline does it: the value, and each operation's rule in turn."""
    value, z_bar = np.trace(x1 @ x2), np.eye(len(x1))
    return value, (z_bar @ x2.T, x1.T @ z_bar)


# ---------------------------------------------------------------------------- logistic regression


def logistic_loss(w, b, x, y):
    """Return the mean cross-entropy of labels 0 and 1 under a linear model."""
    z = x @ w + b
    return np.mean(np.logaddexp(0, z) - y * z)


def logistic_grad(w, b, x, y):
    """One exponential serves the stable softplus and the sigmoid."""
    n = len(y)
    z = x @ w
    z += b
    t = np.abs(z)
    np.negative(t, out=t)
    np.exp(t, out=t)
    value = (np.maximum(z, 0).sum() + np.log1p(t).sum() - y @ z) / n
    z_bar = np.where(z >= 0, 1, t)
    t += 1
    z_bar /= t
    z_bar -= y
    z_bar /= n
    return value, (z_bar @ x, z_bar.sum())


# ---------------------------------------------------------------------------- softmax classifiers


def cross_entropy(logits, labels):
    """Return the mean cross-entropy of integer labels."""
    z = logits - np.max(logits, axis=1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def cross_entropy_by_hand(z, labels):
    """Return the value and the cotangent of the logits, which are overwritten."""
    n = len(labels)
    rows = np.arange(n)
    z -= z.max(axis=1, keepdims=True)
    picked = z[rows, labels].sum()
    np.exp(z, out=z)
    total = z.sum(axis=1, keepdims=True)
    value = (np.log(total).sum() - picked) / n
    z /= total
    z[rows, labels] -= 1
    z /= n
    return value, z


def mlp_loss(params, x, labels):
    """Return the loss of a classifier with two hidden layers."""
    w1, b1, w2, b2, w3, b3 = params
    h1 = np.maximum(x @ w1 + b1, 0)
    h2 = np.maximum(h1 @ w2 + b2, 0)
    return cross_entropy(h2 @ w3 + b3, labels)


def mlp_grad(params, x, labels):
    """In place; a ReLU's mask is read off its output."""
    w1, b1, w2, b2, w3, b3 = params
    h1 = x @ w1
    h1 += b1
    np.maximum(h1, 0, out=h1)
    h2 = h1 @ w2
    h2 += b2
    np.maximum(h2, 0, out=h2)
    z = h2 @ w3
    z += b3
    value, z_bar = cross_entropy_by_hand(z, labels)
    h2_bar = z_bar @ w3.T
    h2_bar *= h2 > 0
    h1_bar = h2_bar @ w2.T
    h1_bar *= h1 > 0
    return value, (
        x.T @ h1_bar,
        h1_bar.sum(axis=0),
        h1.T @ h2_bar,
        h2_bar.sum(axis=0),
        h2.T @ z_bar,
        z_bar.sum(axis=0),
    )


def rnn_loss(params, x, labels):
    """Return the loss of a tanh recurrence over the rows of each image."""
    w_x, w_h, b, w_y, b_y = params
    h = np.zeros((len(x), len(w_h)), x.dtype)
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ w_x + h @ w_h + b)
    return cross_entropy(h @ w_y + b_y, labels)


def rnn_grad(params, x, labels):
    """A list of states, two scratch arrays; one product over all steps at once is slower."""
    w_x, w_h, b, w_y, b_y = params
    h = np.zeros((len(x), len(w_h)), x.dtype)
    states, scratch = [h], np.empty_like(h)
    for t in range(x.shape[1]):
        z = x[:, t] @ w_x
        z += np.matmul(h, w_h, out=scratch)
        z += b
        h = np.tanh(z, out=z)
        states.append(h)
    z = h @ w_y
    z += b_y
    value, z_bar = cross_entropy_by_hand(z, labels)
    w_y_bar, b_y_bar, h_bar = h.T @ z_bar, z_bar.sum(axis=0), z_bar @ w_y.T
    w_x_bar, w_h_bar, b_bar = np.zeros_like(w_x), np.zeros_like(w_h), np.zeros_like(b)
    for t in reversed(range(x.shape[1])):
        h = states.pop()
        np.multiply(h, h, out=h)
        np.subtract(1, h, out=h)
        h *= h_bar
        w_x_bar += x[:, t].T @ h
        w_h_bar += states[-1].T @ h
        b_bar += h.sum(axis=0)
        np.matmul(h, w_h.T, out=h_bar)
    return value, (w_x_bar, w_h_bar, b_bar, w_y_bar, b_y_bar)


# ---------------------------------------------------------------------------- autoencoder


def sigmoid(z):
    """Squash `z` to (0, 1)."""
    return 1 / (1 + np.exp(-z))


def autoencoder_error(w1, w2, wd, b1, b2, x):
    """Return the squared error of the reconstruction of one image or many."""
    hidden = sigmoid(x @ w1 + b1)
    code = sigmoid(hidden @ w2 + b2)
    return np.sum((x - sigmoid(code @ wd)) ** 2)


def sigmoid_in_place(z):
    """Overwrite `z`."""
    np.negative(z, out=z)
    np.exp(z, out=z)
    z += 1
    return np.reciprocal(z, out=z)


def autoencoder_forward(w1, w2, wd, b1, b2, x):
    """Return the layers, the value and the cotangents of the three layers' sums."""
    hidden = x @ w1
    hidden += b1
    sigmoid_in_place(hidden)
    code = hidden @ w2
    code += b2
    sigmoid_in_place(code)
    drawn = sigmoid_in_place(code @ wd)
    residual = drawn - x
    value = np.vdot(residual, residual)
    residual *= drawn
    residual *= 2
    np.subtract(1, drawn, out=drawn)
    residual *= drawn
    code_bar = residual @ wd.T
    code_bar *= code
    code_bar *= 1 - code
    hidden_bar = code_bar @ w2.T
    hidden_bar *= hidden
    hidden_bar *= 1 - hidden
    return hidden, code, value, hidden_bar, code_bar, residual


def autoencoder_grad_one(w1, w2, wd, b1, b2, x):
    """Outer products by einsum, which writes them a third faster than `np.outer`."""
    hidden, code, value, hidden_bar, code_bar, drawn_bar = autoencoder_forward(
        w1, w2, wd, b1, b2, x
    )
    return value, (
        np.einsum("i,j->ij", x, hidden_bar),
        np.einsum("i,j->ij", hidden, code_bar),
        np.einsum("i,j->ij", code, drawn_bar),
        hidden_bar,
        code_bar,
    )


def autoencoder_grad_batch(w1, w2, wd, b1, b2, x):
    """In place, a matrix product for each weight."""
    hidden, code, value, hidden_bar, code_bar, drawn_bar = autoencoder_forward(
        w1, w2, wd, b1, b2, x
    )
    return value, (
        x.T @ hidden_bar,
        hidden.T @ code_bar,
        code.T @ drawn_bar,
        hidden_bar.sum(axis=0),
        code_bar.sum(axis=0),
    )


# ---------------------------------------------------------------------------- the list


def programs() -> list[Program]:
    """Return every program with its data, the same data each time."""
    rng = np.random.default_rng(0)

    def single(*shape, scale=0.1):
        return (scale * rng.standard_normal(shape)).astype(np.float32)

    square = rng.random((30, 30)), rng.random((30, 30))
    x = rng.standard_normal((1000, 50))
    linear = (0.1 * rng.standard_normal(50), 0.1, x, (rng.random(1000) < 0.5).astype(float))
    images, labels = rng.random((100, 784), np.float32), rng.integers(0, 10, 100)
    mlp = (single(784, 128), single(128), single(128, 64), single(64), single(64, 10), single(10))
    rnn = (single(28, 64), single(64, 64), single(64), single(64, 10), single(10))
    auto = (single(784, 300), single(300, 100), single(100, 784), single(300), single(100))
    five = (0, 1, 2, 3, 4)
    return [
        Program("trace(x1 @ x2) 30x30, grad", trace_of_product, (0, 1), square, trace_grad, "grad"),
        Program(
            "  value too, hand by layers",
            trace_of_product,
            (0, 1),
            square,
            trace_by_layers,
            counted=False,
        ),
        Program("logistic regression 1000x50", logistic_loss, (0, 1), linear, logistic_grad),
        Program("MLP 784-128-64-10, batch 100", mlp_loss, 0, (mlp, images, labels), mlp_grad),
        Program(
            "autoencoder, one sample",
            autoencoder_error,
            five,
            (*auto, images[0]),
            autoencoder_grad_one,
        ),
        Program(
            "autoencoder, batch 100",
            autoencoder_error,
            five,
            (*auto, images),
            autoencoder_grad_batch,
        ),
        Program(
            "tanh RNN, 28 steps, batch 100",
            rnn_loss,
            0,
            (rnn, images.reshape(100, 28, 28), labels),
            rnn_grad,
        ),
    ]


# ---------------------------------------------------------------------------- checks


def leaves(tree) -> list[np.ndarray]:
    """Return the arrays of nested tuples, in order."""
    if isinstance(tree, tuple | list):
        return [leaf for part in tree for leaf in leaves(part)]
    return [np.asarray(tree)]


def to_double(tree):
    """Return nested tuples with their float arrays as float64."""
    if isinstance(tree, tuple):
        return tuple(to_double(part) for part in tree)
    array = np.asarray(tree)
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def shifted(tree, direction, step):
    """Return `tree + step * direction`, leaf by leaf."""
    if isinstance(tree, tuple):
        return tuple(shifted(a, b, step) for a, b in zip(tree, direction, strict=True))
    return tree + step * direction


def check(program: Program, seed: int = 1) -> float:
    """Compare the hand-written gradient with differences of the loss; return the relative error.

    Raises:
        AssertionError: the gradient is off by more than differences can be.
    """
    rng = np.random.default_rng(seed)
    args = to_double(program.args)
    argnums = program.argnums if isinstance(program.argnums, tuple) else (program.argnums,)
    wrt = tuple(args[i] for i in argnums)

    def draw(tree):
        return (
            tuple(map(draw, tree)) if isinstance(tree, tuple) else rng.standard_normal(tree.shape)
        )

    def loss(moved):
        full = list(args)
        for i, value in zip(argnums, moved, strict=True):
            full[i] = value
        return program.loss(*full)

    direction, step = draw(wrt), 1e-6
    slope = (loss(shifted(wrt, direction, step)) - loss(shifted(wrt, direction, -step))) / 2 / step
    result = program.hand(*args)
    if program.mode == "value_and_grad":
        np.testing.assert_allclose(result[0], program.loss(*args), rtol=1e-9)
        result = result[1]
    product = sum(np.vdot(a, b) for a, b in zip(leaves(result), leaves(direction), strict=True))
    error = abs(product - slope) / abs(slope)
    assert error < 1e-5, f"{program.name}: gradient {product}, differences {slope}"
    return float(error)


def check_same(name: str, ours, theirs, tolerance: float) -> None:
    """Compare two gradients of one program, leaf by leaf.

    Raises:
        AssertionError: they differ by more than `tolerance` of a leaf's largest entry.
    """
    for a, b in zip(leaves(ours), leaves(theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * abs(b).max(), err_msg=name)

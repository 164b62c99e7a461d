"""The models in autograd. It has no layers: convolutions are windows and a product of tensors."""

from __future__ import annotations

import autograd
import autograd.numpy as np

from training.networks import Model, Params
from training.systems import Trainer, not_applied, pair


def cross_entropy(logits, labels):
    """The mean over the batch."""
    z = logits - np.max(logits, axis=1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(labels)), labels])


def relu(x):
    """The positive part, with derivative 0 at 0: `np.maximum` has 1/2 there."""
    return np.where(x > 0, x, 0)


def convolve(x, w, b):
    """Return the convolution of x (N, C, H, W): windows side by side, one product."""
    rows, columns = w.shape[2:]
    h, width = x.shape[2] - rows + 1, x.shape[3] - columns + 1
    windows = np.stack(
        [x[:, :, i : i + h, j : j + width] for i in range(rows) for j in range(columns)], axis=2
    )
    y = np.tensordot(windows.reshape(len(x), -1, h, width), w.reshape(len(w), -1), ((1,), (1,)))
    return np.moveaxis(y + b, 3, 1)


def max_pool(x, rows, columns):
    """The maxima of windows that lie side by side."""
    n, c, h, w = x.shape
    h, w = h // rows, w // columns
    x = x[:, :, : h * rows, : w * columns].reshape(n, c, h, rows, w, columns)
    return np.max(x, axis=(3, 5))


def cnn(p, x, y):
    """Two convolutions, each with ReLU and pooling, and two dense layers."""
    h = max_pool(relu(convolve(x, p["k1"], p["c1"])), 2, 2)
    h = max_pool(relu(convolve(h, p["k2"], p["c2"])), 2, 2)
    h = relu(h.reshape(len(x), -1) @ p["w1"] + p["b1"])
    return cross_entropy(h @ p["w2"] + p["b2"], y)


def rnn(p, x, y):
    """A product for the inputs of each step: slices of one for all cost a zero array each."""
    h = np.zeros((x.shape[1], 64), x.dtype)
    for t in range(len(x)):
        h = np.tanh(x[t] @ p["w_x"] + h @ p["w_h"] + p["b"])
    return cross_entropy(h @ p["w"] + p["c"], y)


def imdb(p, x, y):
    """The gradient of the table is an array of its size."""
    h = np.swapaxes(p["table"][x], 1, 2)[:, :, None]
    h = max_pool(relu(convolve(h, p["k"][:, :, None], p["c"])), 1, 2)
    z = (h.reshape(len(x), -1) @ p["w"] + p["b"])[:, 0]
    return np.mean(np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z))))


def sigmoid(z):
    """Squash `z` to (0, 1)."""
    return 1 / (1 + np.exp(-z))


def autoencoder(p, x, y):
    """Three layers."""
    hidden = sigmoid(np.dot(x, p["w1"]) + p["b1"])
    code = sigmoid(np.dot(hidden, p["w2"]) + p["b2"])
    return np.sum((y - sigmoid(np.dot(code, p["w3"]))) ** 2)


def trace(p, x, y):
    """The trace of a product."""
    return np.trace(np.dot(p["x1"], p["x2"]))


LOSSES = {"cnn": cnn, "rnn": rnn, "imdb": imdb, "ae": autoencoder, "aeb": autoencoder}


def trainer(model: Model, p: Params) -> Trainer:
    """Return the model in autograd, with an update in place."""
    if not model.lr:
        return not_applied(autograd.value_and_grad(trace), autograd.grad(trace), model, p)
    gradient = autograd.value_and_grad(LOSSES[model.name])

    def step(batch):
        value, g = gradient(p, *batch)
        for name, a in p.items():
            a -= model.lr * g[name]
        return value

    return Trainer(pair, step, lambda: p)

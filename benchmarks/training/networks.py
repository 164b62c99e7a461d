"""The measured models: weights to begin with, batches, and the loss as a user of srcad writes it.

The real data sets are read where `SRCAD_DATA` names their folder, else random numbers of the same
shapes stand in: the time of a step does not depend on them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from srcad import nn
from srcad.nn import data, init

Params = dict[str, np.ndarray]
WORDS, VOCABULARY, WIDTH = 130, 10_000, 50


@dataclass(frozen=True)
class Model:
    """What is trained, on what, and how fast it learns.

    draw: makes the weights, the same for the same generator.
    batches: yields `(x, y)` for so many steps, the same each time.
    epoch: steps in an epoch of the data set.
    lr: step of plain gradient descent; 0 for a gradient that is not applied.
    value: whether the loss is wanted beside the gradient.
    """

    name: str
    title: str
    loss: Callable[..., Any]
    draw: Callable[[np.random.Generator], Params]
    batches: Callable[[int], list[tuple[np.ndarray, np.ndarray]]]
    epoch: int
    lr: float
    value: bool = True


# ---------------------------------------------------------------------------- convolutional network


def cnn_loss(p, x, y):
    """Return the loss of two convolutions, each with ReLU and pooling, and two dense layers."""
    h = nn.max_pool2d(nn.relu(nn.conv2d(x, p["k1"], p["c1"])), 2)
    h = nn.max_pool2d(nn.relu(nn.conv2d(h, p["k2"], p["c2"])), 2)
    h = nn.relu(nn.dense(nn.flatten(h), p["w1"], p["b1"]))
    return nn.softmax_cross_entropy(nn.dense(h, p["w2"], p["b2"]), y)


def cnn_weights(rng):
    """He's weights, zero biases."""
    return {
        "k1": init.he_normal((6, 1, 3, 3), rng),
        "c1": init.zeros(6),
        "k2": init.he_normal((16, 6, 3, 3), rng),
        "c2": init.zeros(16),
        "w1": init.he_normal((400, 84), rng),
        "b1": init.zeros(84),
        "w2": init.he_normal((84, 10), rng),
        "b2": init.zeros(10),
    }


# ---------------------------------------------------------------------------- recurrent network


def rnn_loss(p, x, y):
    """Return the loss of a tanh recurrence over the rows of each image; x is time first."""
    h0 = np.zeros((x.shape[1], 64), np.float32)
    h = nn.rnn(x, h0, p["w_x"], p["w_h"], p["b"])[-1]
    return nn.softmax_cross_entropy(nn.dense(h, p["w"], p["c"]), y)


def rnn_weights(rng):
    """Glorot's weights, an orthogonal recurrent matrix."""
    return {
        "w_x": init.glorot_uniform((28, 64), rng),
        "w_h": init.orthogonal((64, 64), rng),
        "b": init.zeros(64),
        "w": init.glorot_uniform((64, 10), rng),
        "c": init.zeros(10),
    }


# ---------------------------------------------------------------------------- text


def imdb_loss(p, x, y):
    """Return the loss of embedding, convolution, ReLU, pooling and a dense output."""
    h = nn.embedding(p["table"], x).swapaxes(1, 2)
    h = nn.max_pool1d(nn.relu(nn.conv1d(h, p["k"], p["c"])), 2)
    return nn.binary_cross_entropy_with_logits(nn.dense(nn.flatten(h), p["w"], p["b"])[:, 0], y)


def imdb_weights(rng):
    """A small table, Glorot's weights."""
    return {
        "table": init.normal((VOCABULARY, WIDTH), rng, 0.05),
        "k": init.glorot_uniform((8, WIDTH, 3), rng),
        "c": init.zeros(8),
        "w": init.glorot_uniform((512, 1), rng),
        "b": init.zeros(1),
    }


# ---------------------------------------------------------------------------- autoencoder, trace


def sigmoid(z):
    """Squash `z` to (0, 1)."""
    return 1 / (1 + np.exp(-z))


def autoencoder_loss(p, x, y):
    """Return the squared error of the reconstruction `y` of one image or many."""
    hidden = sigmoid(x @ p["w1"] + p["b1"])
    code = sigmoid(hidden @ p["w2"] + p["b2"])
    return np.sum((y - sigmoid(code @ p["w3"])) ** 2)


def autoencoder_weights(rng):
    """Normal with deviation 0.1, zero biases."""
    return {
        "w1": init.normal((784, 300), rng, 0.1),
        "b1": init.zeros(300),
        "w2": init.normal((300, 100), rng, 0.1),
        "b2": init.zeros(100),
        "w3": init.normal((100, 784), rng, 0.1),
    }


def trace_loss(p, x, y):
    """Return the trace of a product; the weights are its factors."""
    return np.trace(p["x1"] @ p["x2"])


def trace_factors(rng):
    """Two matrices of 30 x 30."""
    return {"x1": rng.random((30, 30)), "x2": rng.random((30, 30))}


# ---------------------------------------------------------------------------- data


def digits(n: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return `n` batches of `size` images (n, size, 784) and their labels."""
    if "SRCAD_DATA" in os.environ:
        found = data.mnist()
        pick = np.random.default_rng(1).permutation(len(found.x_train))[: n * size]
        pick = np.resize(pick, n * size)
        x, y = found.x_train[pick], found.y_train[pick]
    else:
        rng = np.random.default_rng(1)
        x, y = rng.random((n * size, 784), np.float32), rng.integers(0, 10, n * size)
    return x.reshape(n, size, 784), y.reshape(n, size)


def images(n: int) -> list:
    """Return batches of 100 images (100, 1, 28, 28) with labels."""
    x, y = digits(n, 100)
    return list(zip(x.reshape(n, 100, 1, 28, 28), y, strict=True))


def rows(n: int) -> list:
    """Return batches of 100 images as 28 steps (28, 100, 28), time first, with labels."""
    x, y = digits(n, 100)
    steps = x.reshape(n, 100, 28, 28).swapaxes(1, 2)
    return list(zip(map(np.ascontiguousarray, steps), y, strict=True))


def single(n: int) -> list:
    """Return images one by one, each its own target."""
    x, _ = digits(n, 1)
    return [(image, image) for image in x[:, 0]]


def hundreds(n: int) -> list:
    """Return batches of 100 images, each its own target."""
    x, _ = digits(n, 100)
    return [(batch, batch) for batch in x]


def reviews(n: int) -> list:
    """Return batches of 64 reviews, their last 130 words (64, 130), and 1 for the positive."""
    rng = np.random.default_rng(1)
    if "SRCAD_DATA" not in os.environ:
        ids = rng.zipf(1.3, (n, 64, WORDS)) % VOCABULARY  # few words are frequent
        return list(zip(ids, rng.integers(0, 2, (n, 64)).astype(np.float32), strict=True))
    with np.load(Path(os.environ["SRCAD_DATA"]) / "imdb" / "imdb.npz") as found:
        flat, ends = found["x_train_flat"], found["x_train_offsets"]
        y = found["y_train"].astype(np.float32)
    pick = np.resize(rng.permutation(len(y)), n * 64)
    x = np.zeros((len(pick), WORDS), np.int64)
    for row, k in zip(x, pick, strict=True):
        words = flat[max(ends[k], ends[k + 1] - WORDS) : ends[k + 1]]
        row[WORDS - len(words) :] = words
    return list(zip(x.reshape(n, 64, WORDS), y[pick].reshape(n, 64), strict=True))


def nothing(n: int) -> list:
    """Return batches without data."""
    return [(np.zeros(1), np.zeros(1))] * n


MODELS = {
    model.name: model
    for model in (
        Model("cnn", "MNIST CNN", cnn_loss, cnn_weights, images, 600, 0.01),
        Model("rnn", "MNIST RNN", rnn_loss, rnn_weights, rows, 600, 0.015),
        Model("imdb", "IMDB text CNN", imdb_loss, imdb_weights, reviews, 391, 0.1),
        Model(
            "ae", "Autoencoder, one sample", autoencoder_loss, autoencoder_weights, single, 60000,
            0.02,
        ),
        Model(
            "aeb", "Autoencoder, batch 100", autoencoder_loss, autoencoder_weights, hundreds, 600,
            0.0002,
        ),
        Model(
            "tr", "trace(x1 @ x2), value and gradient", trace_loss, trace_factors, nothing, 1, 0.0
        ),
        Model(
            "tra", "the same, gradient alone", trace_loss, trace_factors, nothing, 1, 0.0,
            value=False,
        ),
    )
}  # fmt: skip

"""One training step of each model as a person writes it in NumPy: the gradient found by hand.

Vectorised, each array computed once and used in both sweeps, a new array for each result, and the
update as `p -= lr * gradient`. `by_hand_tuned` has the same steps with all that NumPy gives.
`step(p, x, y, lr)` changes the weights `p` and returns the loss (of the trace: the gradient).
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def descend(p, gradient, lr):
    """Take the step."""
    for name, g in gradient.items():
        p[name] -= lr * g


def sigmoid(z):
    """Squash `z` to (0, 1)."""
    return 1 / (1 + np.exp(-z))


def cross_entropy(z, labels):
    """Return the mean cross-entropy of logits and the logits' cotangent."""
    rows = np.arange(len(labels))
    z = z - z.max(axis=1, keepdims=True)
    e = np.exp(z)
    total = e.sum(axis=1, keepdims=True)
    z_bar = e / total
    z_bar[rows, labels] -= 1
    return np.mean(np.log(total[:, 0]) - z[rows, labels]), z_bar / len(labels)


# ---------------------------------------------------------------------------- convolutional network


def columns_of(x):
    """Return the 3 x 3 windows of images x (N, C, H, W) as rows: (N, H', W', C * 9)."""
    windows = sliding_window_view(x, (3, 3), axis=(2, 3))
    return windows.transpose(0, 2, 3, 1, 4, 5).reshape(len(x), *windows.shape[2:4], -1)


def convolve(columns, k, b):
    """Return the images (N, F, H', W') of filters k (F, C, 3, 3)."""
    return (columns @ k.reshape(len(k), -1).T + b).transpose(0, 3, 1, 2)


def filters_bar(columns, g, k):
    """Return the cotangents of filters and biases."""
    rows = g.transpose(0, 2, 3, 1).reshape(-1, len(k))
    return (rows.T @ columns.reshape(len(rows), -1)).reshape(k.shape), rows.sum(axis=0)


def images_bar(g, k, shape):
    """Return the cotangent of the images that were convolved."""
    n, f, h, w = g.shape
    shares = (g.transpose(0, 2, 3, 1) @ k.reshape(f, -1)).reshape(n, h, w, -1, 3, 3)
    shares = shares.transpose(4, 5, 0, 3, 1, 2)
    x_bar = np.zeros(shape, g.dtype)
    for i in range(3):
        for j in range(3):
            x_bar[:, :, i : i + h, j : j + w] += shares[i, j]
    return x_bar


def corners(x):
    """Return the four entries of all 2 x 2 windows of images x, each as an array."""
    h, w = x.shape[2] // 2 * 2, x.shape[3] // 2 * 2
    return [x[:, :, i:h:2, j:w:2] for i in (0, 1) for j in (0, 1)]


def pool(x):
    """Return the maxima of 2 x 2 windows."""
    a, b, c, d = corners(x)
    return np.maximum(np.maximum(a, b), np.maximum(c, d))


def pool_bar(g, x, y):
    """Return the cotangent of x: of equal entries the first one takes all."""
    x_bar = np.zeros(x.shape, x.dtype)
    free = np.ones(y.shape, bool)
    for entry, entry_bar in zip(corners(x), corners(x_bar), strict=True):
        taken = free & (entry == y)
        entry_bar[...] = g * taken
        free &= ~taken
    return x_bar


def cnn_step(p, x, y, lr):
    """Convolutions are products with the windows' entries as rows."""
    columns_1 = columns_of(x)
    h1 = np.maximum(convolve(columns_1, p["k1"], p["c1"]), 0)
    m1 = pool(h1)
    columns_2 = columns_of(m1)
    h2 = np.maximum(convolve(columns_2, p["k2"], p["c2"]), 0)
    m2 = pool(h2)
    flat = m2.reshape(len(x), -1)
    h3 = np.maximum(flat @ p["w1"] + p["b1"], 0)
    value, z_bar = cross_entropy(h3 @ p["w2"] + p["b2"], y)

    h3_bar = (z_bar @ p["w2"].T) * (h3 > 0)
    m2_bar = (h3_bar @ p["w1"].T).reshape(m2.shape)
    h2_bar = pool_bar(m2_bar, h2, m2) * (h2 > 0)
    m1_bar = images_bar(h2_bar, p["k2"], m1.shape)
    h1_bar = pool_bar(m1_bar, h1, m1) * (h1 > 0)
    k1_bar, c1_bar = filters_bar(columns_1, h1_bar, p["k1"])
    k2_bar, c2_bar = filters_bar(columns_2, h2_bar, p["k2"])
    gradient = {
        "k1": k1_bar,
        "c1": c1_bar,
        "k2": k2_bar,
        "c2": c2_bar,
        "w1": flat.T @ h3_bar,
        "b1": h3_bar.sum(axis=0),
        "w2": h3.T @ z_bar,
        "b2": z_bar.sum(axis=0),
    }
    descend(p, gradient, lr)
    return value


# ---------------------------------------------------------------------------- recurrent network


def rnn_step(p, x, y, lr):
    """One product for the inputs of all steps, and one for each weight on the way back."""
    steps, n, _ = x.shape
    inputs = x @ p["w_x"] + p["b"]
    states = np.zeros((steps + 1, n, 64), np.float32)
    for t in range(steps):
        states[t + 1] = np.tanh(inputs[t] + states[t] @ p["w_h"])
    value, z_bar = cross_entropy(states[-1] @ p["w"] + p["c"], y)

    h_bar = z_bar @ p["w"].T
    inputs_bar = np.empty_like(inputs)
    for t in reversed(range(steps)):
        inputs_bar[t] = h_bar * (1 - states[t + 1] ** 2)
        h_bar = inputs_bar[t] @ p["w_h"].T
    gradient = {
        "w_x": np.tensordot(x, inputs_bar, axes=((0, 1), (0, 1))),
        "w_h": np.tensordot(states[:-1], inputs_bar, axes=((0, 1), (0, 1))),
        "b": inputs_bar.sum(axis=(0, 1)),
        "w": states[-1].T @ z_bar,
        "c": z_bar.sum(axis=0),
    }
    descend(p, gradient, lr)
    return value


# ---------------------------------------------------------------------------- text


def imdb_step(p, x, y, lr):
    """Words stay rows (N, words, width); of the table only the rows that are named are touched."""
    n, words = x.shape
    e = p["table"][x]
    windows = sliding_window_view(e, 3, axis=1)  # (n, words - 2, width, 3)
    h = np.maximum(np.tensordot(windows, p["k"], axes=((2, 3), (1, 2))) + p["c"], 0)
    even, odd = h[:, 0::2], h[:, 1::2]
    flat = np.maximum(even, odd).transpose(0, 2, 1).reshape(n, -1)
    logits = (flat @ p["w"] + p["b"])[:, 0]
    value = np.mean(np.maximum(logits, 0) - logits * y + np.log1p(np.exp(-np.abs(logits))))

    z_bar = (sigmoid(logits) - y) / np.float32(n)
    m_bar = (z_bar[:, None] * p["w"][:, 0]).reshape(n, 8, -1).transpose(0, 2, 1)
    h_bar = np.empty_like(h)
    h_bar[:, 0::2] = m_bar * (even >= odd)
    h_bar[:, 1::2] = m_bar * (even < odd)
    h_bar *= h > 0
    e_bar = np.zeros_like(e)
    for j in range(3):
        e_bar[:, j : words - 2 + j] += h_bar @ p["k"][:, :, j]
    gradient = {
        "k": np.tensordot(h_bar, windows, axes=((0, 1), (0, 1))),
        "c": h_bar.sum(axis=(0, 1)),
        "w": flat.T @ z_bar[:, None],
        "b": z_bar.sum(keepdims=True),
    }
    descend(p, gradient, lr)
    np.subtract.at(p["table"], x, np.float32(lr) * e_bar)
    return value


# ---------------------------------------------------------------------------- autoencoder, trace


def autoencoder_bars(p, x, y):
    """Return the layers, the loss and the cotangents of the three layers' sums."""
    hidden = sigmoid(x @ p["w1"] + p["b1"])
    code = sigmoid(hidden @ p["w2"] + p["b2"])
    drawn = sigmoid(code @ p["w3"])
    value = np.sum((y - drawn) ** 2)
    drawn_bar = 2 * (drawn - y) * drawn * (1 - drawn)
    code_bar = (drawn_bar @ p["w3"].T) * code * (1 - code)
    hidden_bar = (code_bar @ p["w2"].T) * hidden * (1 - hidden)
    return hidden, code, value, hidden_bar, code_bar, drawn_bar


def ae_step(p, x, y, lr):
    """The weights' gradients are outer products."""
    hidden, code, value, hidden_bar, code_bar, drawn_bar = autoencoder_bars(p, x, y)
    gradient = {
        "w1": np.outer(x, hidden_bar),
        "b1": hidden_bar,
        "w2": np.outer(hidden, code_bar),
        "b2": code_bar,
        "w3": np.outer(code, drawn_bar),
    }
    descend(p, gradient, lr)
    return value


def aeb_step(p, x, y, lr):
    """A product for each weight."""
    hidden, code, value, hidden_bar, code_bar, drawn_bar = autoencoder_bars(p, x, y)
    gradient = {
        "w1": x.T @ hidden_bar,
        "b1": hidden_bar.sum(axis=0),
        "w2": hidden.T @ code_bar,
        "b2": code_bar.sum(axis=0),
        "w3": code.T @ drawn_bar,
    }
    descend(p, gradient, lr)
    return value


def trace_step(p, x, y, lr):
    """The gradients are the other factor, transposed."""
    return np.trace(p["x1"] @ p["x2"]), {"x1": p["x2"].T.copy(), "x2": p["x1"].T.copy()}


def gradient_step(p, x, y, lr):
    """The same without the value."""
    return {"x1": p["x2"].T.copy(), "x2": p["x1"].T.copy()}


STEPS = {
    "cnn": cnn_step,
    "rnn": rnn_step,
    "imdb": imdb_step,
    "ae": ae_step,
    "aeb": aeb_step,
    "tr": trace_step,
    "tra": gradient_step,
}

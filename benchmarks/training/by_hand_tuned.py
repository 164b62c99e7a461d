"""The steps of `by_hand`, tuned to what NumPy gives: gradient and update by hand.

In place wherever it can be; what the forward sweep made is kept for the reverse one; columns of
windows are built once and serve both; memory for what is large is kept between steps. Nobody writes
a first version like this; it says how far from the end of the road a step is.
"""

from __future__ import annotations

import numpy as np
from programs import cross_entropy_by_hand, sigmoid_in_place

_KEPT: dict[tuple, np.ndarray] = {}


def kept(name: str, shape: tuple[int, ...], dtype=np.float32) -> np.ndarray:
    """Return memory that stays from step to step."""
    if (name, shape) not in _KEPT:
        _KEPT[name, shape] = np.empty(shape, dtype)
    return _KEPT[name, shape]


def descend(p, gradient, lr):
    """Take the step, overwriting the gradient."""
    for name, g in gradient.items():
        g *= np.float32(lr)
        p[name] -= g


# ---------------------------------------------------------------------------- convolutional network


def windows(name, x, rows, columns):
    """Return each window of x (C, N, H, W) as a column: (C * rows * columns, N * H' * W')."""
    c, n, h, w = x.shape
    h, w = h - rows + 1, w - columns + 1
    made = kept(name, (c, rows, columns, n, h, w))
    for i in range(rows):
        for j in range(columns):
            made[:, i, j] = x[:, :, i : i + h, j : j + w]
    return made.reshape(c * rows * columns, n * h * w)


def pool(x):
    """Return the maxima of 2 x 2 windows of x (C, N, H, W), and their places in them."""
    h, w = x.shape[2] // 2 * 2, x.shape[3] // 2 * 2
    corners = [x[:, :, i:h:2, j:w:2] for i in (0, 1) for j in (0, 1)]
    best, place = corners[0].copy(), np.zeros(corners[0].shape, np.uint8)
    for k, corner in enumerate(corners[1:], 1):
        np.maximum(place, (corner > best).view(np.uint8) * np.uint8(k), out=place)
        np.maximum(best, corner, out=best)
    return best, place


def unpool(name, g, place, h, w):
    """Put the cotangents (C, N, H', W') where the maxima were in images of h x w."""
    x = kept(name, (*g.shape[:2], h, w))
    if h % 2:
        x[:, :, -1] = 0
    if w % 2:
        x[:, :, :, -1] = 0
    for k in range(4):
        np.multiply(g, place == k, out=x[:, :, k // 2 : h // 2 * 2 : 2, k % 2 : w // 2 * 2 : 2])
    return x


def cnn_step(p, x, y, lr):
    """Channels come first, so that a convolution is one product; pooling comes before ReLU.

    The maximum commutes with adding a bias and with ReLU: both then have a quarter of the work.
    """
    n = len(x)
    f1, f2 = p["k1"].reshape(6, 9), p["k2"].reshape(16, 54)
    columns_1 = windows("1", x.reshape(1, n, 28, 28), 3, 3)
    h1, place_1 = pool(np.matmul(f1, columns_1, out=kept("y1", (6, n * 676))).reshape(6, n, 26, 26))
    h1 += p["c1"][:, None, None, None]
    np.maximum(h1, 0, out=h1)
    columns_2 = windows("2", h1, 3, 3)
    h2, place_2 = pool(
        np.matmul(f2, columns_2, out=kept("y2", (16, n * 121))).reshape(16, n, 11, 11)
    )
    h2 += p["c2"][:, None, None, None]
    np.maximum(h2, 0, out=h2)
    flat = h2.transpose(1, 0, 2, 3).reshape(n, 400)
    h3 = flat @ p["w1"]
    h3 += p["b1"]
    np.maximum(h3, 0, out=h3)
    z = h3 @ p["w2"]
    z += p["b2"]
    value, z_bar = cross_entropy_by_hand(z, y)

    h3_bar = z_bar @ p["w2"].T
    h3_bar *= h3 > 0
    h2_bar = (h3_bar @ p["w1"].T).reshape(n, 16, 5, 5).transpose(1, 0, 2, 3) * (h2 > 0)
    y2_bar = unpool("y2_bar", h2_bar, place_2, 11, 11)
    columns_bar = np.matmul(f2.T, y2_bar.reshape(16, -1), out=kept("columns", (54, n * 121)))
    columns_bar = columns_bar.reshape(6, 3, 3, n, 11, 11)
    h1_bar = kept("h1_bar", h1.shape)
    h1_bar[...] = 0
    for i in range(3):
        for j in range(3):
            h1_bar[:, :, i : i + 11, j : j + 11] += columns_bar[:, i, j]
    h1_bar *= h1 > 0
    y1_bar = unpool("y1_bar", h1_bar, place_1, 26, 26)
    gradient = {
        "k1": (y1_bar.reshape(6, -1) @ columns_1.T).reshape(6, 1, 3, 3),
        "c1": h1_bar.sum(axis=(1, 2, 3)),
        "k2": (y2_bar.reshape(16, -1) @ columns_2.T).reshape(16, 6, 3, 3),
        "c2": h2_bar.sum(axis=(1, 2, 3)),
        "w1": flat.T @ h3_bar,
        "b1": h3_bar.sum(axis=0),
        "w2": h3.T @ z_bar,
        "b2": z_bar.sum(axis=0),
    }
    descend(p, gradient, lr)
    return value


# ---------------------------------------------------------------------------- recurrent network


def rnn_step(p, x, y, lr):
    """One product for the inputs of all steps, each way; states overwrite them."""
    steps, n, _ = x.shape
    w_h = p["w_h"]
    h = np.matmul(x.reshape(steps * n, -1), p["w_x"], out=kept("h", (steps * n, 64)))
    h += p["b"]
    h = h.reshape(steps, n, 64)
    np.tanh(h[0], out=h[0])
    scratch = kept("scratch", (n, 64))
    for t in range(1, steps):
        h[t] += np.matmul(h[t - 1], w_h, out=scratch)
        np.tanh(h[t], out=h[t])
    z = h[-1] @ p["w"]
    z += p["c"]
    value, z_bar = cross_entropy_by_hand(z, y)

    w_bar, c_bar = h[-1].T @ z_bar, z_bar.sum(axis=0)
    slope = np.multiply(h, h, out=kept("slope", h.shape))
    np.subtract(1, slope, out=slope)
    slope[-1] *= z_bar @ p["w"].T
    back = np.ascontiguousarray(w_h.T)
    for t in reversed(range(steps - 1)):
        slope[t] *= np.matmul(slope[t + 1], back, out=scratch)
    h_bar = slope.reshape(steps * n, 64)
    gradient = {
        "w_x": x.reshape(steps * n, -1).T @ h_bar,
        "w_h": h[:-1].reshape(-1, 64).T @ h_bar[n:],
        "b": h_bar.sum(axis=0),
        "w": w_bar,
        "c": c_bar,
    }
    descend(p, gradient, lr)
    return value


# ---------------------------------------------------------------------------- text


def add_rows(table, ids, values):
    """Add each value to its row of the table: sorted, the sums of equal rows by `reduceat`.

    `np.add.at` takes longer from a few hundred rows on.
    """
    order = np.argsort(ids.astype(np.uint16), kind="stable")  # two bytes are sorted by digits
    ids = ids[order]
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    table[ids[starts]] += np.add.reduceat(np.take(values, order, axis=0), starts, axis=0)


def imdb_step(p, x, y, lr):
    """Words stay rows (N, words, width), so that windows are views and nothing is transposed."""
    n, words = x.shape
    table, width = p["table"], p["table"].shape[1]
    e = np.take(table, x.reshape(-1), axis=0, out=kept("e", (n * words, width))).reshape(
        n, words, width
    )
    # The windows of three words lie one after another in memory: a view of rows that overlap.
    view = np.lib.stride_tricks.as_strided(
        e, (n, words - 2, 3 * width), (e.strides[0], e.strides[1], 4), writeable=False
    )
    filters = np.ascontiguousarray(p["k"].transpose(2, 1, 0)).reshape(3 * width, -1)
    z = view @ filters  # (n, 128, 8)
    even, odd = z[:, 0::2], z[:, 1::2]
    later = odd > even
    h = np.maximum(even, odd)
    h += p["c"]
    np.maximum(h, 0, out=h)
    flat = h.transpose(0, 2, 1).reshape(n, -1)
    logits = flat @ p["w"][:, 0]
    logits += p["b"]
    t = np.exp(-np.abs(logits))
    value = (np.maximum(logits, 0) - logits * y + np.log1p(t)).sum() / n

    z_bar = np.where(logits >= 0, 1, t) / (1 + t)
    z_bar -= y
    z_bar /= np.float32(n)
    w_bar = z_bar @ flat
    h_bar = np.multiply.outer(z_bar, p["w"][:, 0]).reshape(n, 8, -1).transpose(0, 2, 1) * (h > 0)
    conv_bar = kept("conv_bar", z.shape)
    np.multiply(h_bar, later, out=conv_bar[:, 1::2])
    np.subtract(h_bar, conv_bar[:, 1::2], out=conv_bar[:, 0::2])
    k_bar = np.zeros((3 * width, 8), np.float32)
    for window, part in zip(view, conv_bar, strict=True):
        k_bar += window.T @ part
    shares = (conv_bar.reshape(-1, 8) @ filters.T).reshape(n, words - 2, 3, width)
    e_bar = kept("e_bar", e.shape)
    e_bar[:, :-2] = shares[:, :, 0]
    e_bar[:, -2:] = 0
    e_bar[:, 1:-1] += shares[:, :, 1]
    e_bar[:, 2:] += shares[:, :, 2]
    e_bar *= np.float32(-lr)
    add_rows(table, x.reshape(-1), e_bar.reshape(-1, width))
    gradient = {
        "k": k_bar.reshape(3, width, 8).transpose(2, 1, 0),
        "c": h_bar.sum(axis=(0, 1)),
        "w": w_bar[:, None],
        "b": z_bar.sum(keepdims=True),
    }
    descend(p, gradient, lr)
    return value


# ---------------------------------------------------------------------------- autoencoder, trace


def _sweep(p, x, y):
    """Return the layers, the loss and the cotangents of the three layers' sums."""
    hidden = x @ p["w1"]
    hidden += p["b1"]
    sigmoid_in_place(hidden)
    code = hidden @ p["w2"]
    code += p["b2"]
    sigmoid_in_place(code)
    drawn = sigmoid_in_place(code @ p["w3"])
    residual = drawn - y
    value = np.vdot(residual, residual)
    residual *= drawn
    residual *= 2
    np.subtract(1, drawn, out=drawn)
    residual *= drawn
    code_bar = residual @ p["w3"].T
    code_bar *= code
    code_bar *= 1 - code
    hidden_bar = code_bar @ p["w2"].T
    hidden_bar *= hidden
    hidden_bar *= 1 - hidden
    return hidden, code, value, hidden_bar, code_bar, residual


def ae_step(p, x, y, lr):
    """Cotangents are scaled while they are vectors; the rank-one updates pass one scratch array."""
    hidden, code, value, hidden_bar, code_bar, drawn_bar = _sweep(p, x, y)
    for bar in (hidden_bar, code_bar, drawn_bar):
        bar *= np.float32(lr)
    for name, a, b in (("w1", x, hidden_bar), ("w2", hidden, code_bar), ("w3", code, drawn_bar)):
        w = p[name]
        w -= np.dot(a[:, None], b[None], out=kept(name, w.shape))  # half the time of a product
    p["b1"] -= hidden_bar
    p["b2"] -= code_bar
    return value


def aeb_step(p, x, y, lr):
    """A product for each weight."""
    hidden, code, value, hidden_bar, code_bar, drawn_bar = _sweep(p, x, y)
    for bar in (hidden_bar, code_bar, drawn_bar):
        bar *= np.float32(lr)
    for name, a, b in (("w1", x, hidden_bar), ("w2", hidden, code_bar), ("w3", code, drawn_bar)):
        w = p[name]
        w -= np.matmul(a.T, b, out=kept(name, w.shape))
    p["b1"] -= hidden_bar.sum(axis=0)
    p["b2"] -= code_bar.sum(axis=0)
    return value


def trace_step(p, x, y, lr):
    """The trace needs the diagonal of the product alone."""
    x2_transposed = p["x2"].T.copy()
    return np.vdot(p["x1"], x2_transposed), {"x1": x2_transposed, "x2": p["x1"].T.copy()}


def gradient_step(p, x, y, lr):
    """The gradients are the other factor, transposed."""
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

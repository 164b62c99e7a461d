"""Models of books and packages: losses over samples as people write them, with their arguments."""

import numpy as np

import srcad
from srcad import nn

N = 6


def mixture(p, x):
    means, log_scales, logits = p
    log_weights = logits - np.log(np.sum(np.exp(logits)))
    d = (x[:, None, :] - means[None]) / np.exp(log_scales)
    log_p = -0.5 * np.sum(d**2, axis=2) - np.sum(log_scales, axis=1) + log_weights
    m = np.max(log_p, axis=1)
    return np.sum(m + np.log(np.sum(np.exp(log_p - m[:, None]), axis=1)))


def matrix_factors(p, i, j, r):
    u, v = p
    e = r - np.sum(u[i] * v[j], axis=1)
    return np.sum(e**2) + 0.1 * (np.sum(u**2) + np.sum(v**2))


def reprojection(camera, points, seen):
    angle = np.sqrt(np.sum(camera[:3] ** 2))
    k = camera[:3] / angle
    turned = points * np.cos(angle) + np.cross(k, points) * np.sin(angle)
    p = turned + np.outer(points @ k, k) * (1 - np.cos(angle)) + camera[3:]
    uv = -p[:, :2] / (p[:, 2:] + 5)
    return 0.5 * np.sum((uv - seen) ** 2)


def kalman(p, seen):
    a, q, r = p
    m, v, total = np.zeros(len(seen)), 1.0, 0.0
    for k in range(seen.shape[1]):
        m, v = a * m, a * a * v + q * q
        s = v + r * r
        e = seen[:, k] - m
        total = total - 0.5 * np.sum(e**2 / s + np.log(2 * np.pi * s))
        m, v = m + v / s * e, (1 - v / s) * v
    return -total


def hidden_markov(p, words):
    a = np.exp(p[0]) / np.sum(np.exp(p[0]), axis=1, keepdims=True)
    b = np.exp(p[1]) / np.sum(np.exp(p[1]), axis=1, keepdims=True)
    total = 0.0
    for word in words:
        f = np.array([0.5, 0.5]) * b[:, word[0]]
        for letter in word[1:]:
            f = (f @ a) * b[:, letter]
        total += np.log(np.sum(f))
    return -total


def autoencoder(p, x, noise):
    h = x @ p[0]
    mu, log_s = h[:, :2], h[:, 2:]
    z = mu + np.exp(log_s) * noise
    misfit = np.sum((z @ p[1] - x) ** 2, axis=1)
    divergence = -0.5 * np.sum(1 + 2 * log_s - mu**2 - np.exp(2 * log_s), axis=1)
    return np.mean(misfit + divergence)


def network(layers, x, labels):
    h = x
    for w, b in layers[:-1]:
        h = np.tanh(h @ w + b)
    z = h @ layers[-1][0] + layers[-1][1]
    z = z - np.max(z, axis=1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    decay = 0.0
    for w, _ in layers:
        decay += np.sum(w**2)
    return -np.mean(log_p[np.arange(labels.size), labels]) + 1e-3 * decay


def convolutional(p, images, labels):
    h = nn.max_pool2d(nn.relu(nn.conv2d(images, p["k"], p["b"])), 2)
    return nn.softmax_cross_entropy(nn.dense(nn.flatten(h), p["w"]), labels)


def attention(p, tokens):
    x = nn.embedding(p["e"], tokens)
    h = nn.layer_norm(x, p["g"], p["b"])
    q, k, v = h @ p["q"], h @ p["k"], h @ p["v"]
    mask = np.triu(np.full((tokens.shape[1],) * 2, -1e9), 1)
    x = x + nn.softmax(q @ np.swapaxes(k, 1, 2) / 2.0 + mask) @ v
    z = (x @ p["o"])[:, :-1]
    return nn.softmax_cross_entropy(z.reshape(-1, z.shape[-1]), tokens[:, 1:].reshape(-1))


def recurrent(p, x, y):
    h, out = np.zeros((x.shape[0], 4)), []
    for t in range(x.shape[1]):
        h = np.tanh(x[:, t] @ p[0] + h @ p[1])
        out.append(h @ p[2])
    return np.mean((np.stack(out, axis=1) - y) ** 2)


def rate(x, p):
    return p[0] * x * (1 - p[1] * x)


def growth(p, x, seen):
    x = x.copy()
    for _ in range(10):
        x += 0.1 * rate(x + 0.05 * rate(x, p), p)
    return np.sum((x - seen) ** 2)


def normal(p, x, y):
    s, n = np.exp(p[-1]), len(y)
    r = (y - x @ p[:-1]) / s
    return n * np.log(s) + 0.5 * np.sum(r**2) + 0.5 * n * np.log(2 * np.pi)


def covariance(factor, x):
    s = factor @ factor.T
    inverse = np.linalg.inv(s)
    q = np.einsum("ni,ij,nj->n", x, inverse, x)
    return 0.5 * np.sum(q) + 0.5 * len(x) * np.linalg.slogdet(s)[1]


def mapped(w, x, y):
    return np.mean(srcad.vmap(lambda a, b: (a @ w - b) ** 2)(x, y))


def quantile(w, x, y):
    a = np.hstack([np.ones((x.shape[0], 1)), x[:, 1:]])
    e = y - a @ w
    return np.mean(np.maximum(0.9 * e, -0.1 * e)) + 0.5 * np.linalg.norm(w) ** 2


def made():
    """Each model with the arguments that are split, and all arguments."""
    r = np.random.default_rng(0)
    x, y, k = r.standard_normal((N, 4)), r.standard_normal(N), r.integers(3, size=N)
    w, words = r.standard_normal(4), r.integers(3, size=(N, 5))

    def some(*shape):
        return r.standard_normal(shape)

    layers = [(some(4, 5), np.zeros(5)), (some(5, 3), np.zeros(3))]
    filters = {"k": some(2, 1, 3, 3), "b": np.zeros(2), "w": some(18, 3)}
    heads = {name: some(4, 4) for name in "qkv"}
    heads |= {"e": some(7, 4), "o": some(4, 7), "g": np.ones(4), "b": np.zeros(4)}
    cells = (some(3, 4), some(4, 4), some(4))
    return [
        (mixture, "x", ((some(3, 4), np.zeros((3, 4)), np.zeros(3)), x)),
        (
            matrix_factors,
            ("i", "j", "r"),
            ((some(5, 2), some(4, 2)), r.integers(5, size=N), r.integers(4, size=N), y),
        ),
        (reprojection, ("points", "seen"), (np.full(6, 0.1), some(N, 3), some(N, 2))),
        (kalman, "seen", (np.array([0.9, 1.0, 0.5]), some(N, 5))),
        (hidden_markov, "words", ((some(2, 2), some(2, 3)), words)),
        (autoencoder, ("x", "noise"), ((some(4, 4), some(2, 4)), x, some(N, 2))),
        (network, ("x", "labels"), (layers, x, k)),
        (convolutional, ("images", "labels"), (filters, some(N, 1, 8, 8), k)),
        (attention, "tokens", (heads, r.integers(7, size=(N, 5)))),
        (recurrent, ("x", "y"), (cells, some(N, 5, 3), some(N, 5))),
        (growth, ("x", "seen"), (np.array([0.5, 0.1]), np.abs(y) + 0.5, some(N))),
        (normal, ("x", "y"), (np.append(w, 0.0), x, y)),
        (covariance, "x", (np.eye(4) + 0.1, x)),
        (mapped, ("x", "y"), (w, x, y)),
        (quantile, ("x", "y"), (w, x, y)),
    ]

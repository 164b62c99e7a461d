"""Programs that srcad, JAX and autograd are to differentiate alike: loops, branches, recurrences.

They write into no array, as the others cannot. Their inputs are those of the expressions.
"""

import numpy as np


def mlp(x, z, v, m, h, p, q):
    return np.sum(np.tanh(np.tanh(x @ m + v) @ h) ** 2)


def softmax_cross_entropy(x, z, v, m, h, p, q):
    logits = x @ m
    top = np.max(logits, axis=1, keepdims=True)
    log_sum = top + np.log(np.sum(np.exp(logits - top), axis=1, keepdims=True))
    return -np.mean((logits - log_sum) * p)


def recurrent(x, z, v, m, h, p, q):
    state = v
    for i in range(3):
        state = np.tanh(m @ state + x[i])
    return np.sum(state * v)


def power_iteration(x, z, v, m, h, p, q):
    u = v
    for _ in range(5):
        u = h @ u
        u = u / np.sqrt(np.sum(u * u))
    return u @ h @ u


def newton_root(x, z, v, m, h, p, q):
    a = np.sum(p)
    y = a
    for _ in range(6):
        y = 0.5 * (y + a / y)
    return y


def horner(x, z, v, m, h, p, q):
    total = x * 0.0
    for c in range(4):
        total = total * x + v[c]
    return np.sum(total)


def branches(x, z, v, m, h, p, q):
    total = 0.0
    for i in range(4):
        if v[i] > 0:
            total = total + v[i] * p[0, i]
        else:
            total = total - np.sin(v[i])
    return total


def leapfrog(x, z, v, m, h, p, q):
    position, speed = v, x[0]
    for _ in range(4):
        speed = speed - 0.05 * h @ position
        position = position + 0.1 * speed
        speed = speed - 0.05 * h @ position
    return np.sum(position**2) + 0.5 * np.sum(speed**2)


def gaussian_loglikelihood(x, z, v, m, h, p, q):
    root = np.linalg.cholesky(h)
    whitened = np.linalg.solve(root, x.T)
    return np.sum(whitened**2) + 2 * np.sum(np.log(np.diag(root)))


def kernel_ridge(x, z, v, m, h, p, q):
    apart = x[:, None, :] - x[None, :, :]
    kernel = np.exp(-0.5 * np.sum(apart**2, axis=-1)) + 0.1 * np.eye(3)
    return z[:, 0] @ np.linalg.solve(kernel, z[:, 0])


def attention(x, z, v, m, h, p, q):
    scores = (x @ m) @ (z @ h).T / 2.0
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return np.sum((weights / np.sum(weights, axis=1, keepdims=True)) @ p)


def layer_norm(x, z, v, m, h, p, q):
    centered = x - np.mean(x, axis=1, keepdims=True)
    scale = np.sqrt(np.mean(centered**2, axis=1, keepdims=True) + 1e-5)
    return np.sum(centered / scale * v * z)


def logistic(x, z, v, m, h, p, q):
    return np.sum(np.logaddexp(0.0, -np.sign(z[:, 0]) * (x @ v))) + 0.1 * v @ v


def huber(x, z, v, m, h, p, q):
    r = np.abs(x - z)
    return np.sum(np.where(r < 0.5, 0.5 * r * r, 0.5 * (r - 0.25)))


def entropy(x, z, v, m, h, p, q):
    shares = p / np.sum(p)
    return -np.sum(shares * np.log(shares))


def rosenbrock(x, z, v, m, h, p, q):
    return np.sum(100.0 * (v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2)


def moving_average(x, z, v, m, h, p, q):
    smooth = (x[:, :-2] + x[:, 1:-1] + x[:, 2:]) / 3.0
    return np.sum(smooth**2) + np.sum(np.abs(np.diff(x, axis=1)))


def squared_distances(x, z, v, m, h, p, q):
    apart = np.sum(x**2, axis=1)[:, None] + np.sum(z**2, axis=1)[None, :] - 2 * x @ z.T
    return np.sum(np.min(apart, axis=1))


def polynomial_fit(x, z, v, m, h, p, q):
    design = np.stack([np.ones(4), v, v**2], axis=1)
    normal = design.T @ design
    return np.sum(np.linalg.solve(normal, design.T @ x[0]) ** 2)


def while_halving(x, z, v, m, h, p, q):
    total = np.sum(p)
    steps = 0
    while total > 1.0:
        total = total * 0.5 * np.cos(0.1 * v[steps % 4])
        steps += 1
    return total * v[0]


def runge_kutta(x, z, v, m, h, p, q):
    y = v
    for _ in range(3):
        k1 = np.sin(m @ y)
        k2 = np.sin(m @ (y + 0.05 * k1))
        y = y + 0.1 * k2
    return np.sum(y * y)

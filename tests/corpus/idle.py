"""Entries without a part in the result, beside derivatives that are infinite there."""

import numpy as np
from corpus.program import Theme, array

program = Theme("idle")

MIXED = np.array([-1.3, 0.4, -0.2, 2.1])
NOISE = np.array([[0.3, -1.1, 0.8], [-2.0, 0.4, -0.6], [1.2, 0.1, -1.7], [0.2, -0.9, 0.5]])


@program(MIXED)
def root_of_the_positive_part(x):
    return np.sum(np.sqrt(np.maximum(x, 0)) + np.maximum(-x, 0.0) ** 0.3)


@program(MIXED)
def angle_of_a_clipped_cosine(x):
    return np.sum(np.arccos(np.clip(x, -1.0, 1.0)[::2]) + np.arcsin(np.clip(x, -1, None)[:1] + 0.5))


@program(MIXED)
def root_of_what_a_mask_keeps(x):
    return np.sum(np.sqrt(x * (x > 0)))


@program(MIXED, array(4))
def root_of_the_greater_of_two(x, w):
    return np.sum(np.sqrt(np.minimum(np.fmax(x, np.zeros(4)), 9.0)) * w)


@program(MIXED)
def numbers_one_by_one(x):
    total = 0.0
    for v in x:
        total += np.sqrt(max(v, 0.0)) + max(0.0, v, -9.0) ** 0.5 + np.sqrt(np.maximum(v, 0.0))
        total += np.sqrt(np.clip(-v, 0.0, 9.0))
    return total


@program(np.array([1.5, 0.04, 0.3, -0.6]))
def variance_that_is_truncated(p):
    kappa, theta, xi, rho = p
    price, variance = np.full(3, 100.0), np.full(3, 0.04)
    for z in NOISE:
        positive = np.maximum(variance, 0)
        price = price * np.exp(-0.5 * positive * 0.5 + np.sqrt(positive * 0.5) * z)
        moved = np.sqrt(positive * 0.5) * (rho * z + np.sqrt(1 - rho**2) * z[::-1])
        variance = variance + kappa * (theta - positive) * 0.5 + 4 * xi * moved
    return np.mean(price)


@program(MIXED + 2)
def zeros_beside_what_varies(x):
    joined = np.concatenate([np.zeros(1), x])
    padded = np.pad(x, 1)
    rows = np.stack([x, np.zeros(4)])
    made = np.array([x[0], 0.0, x[1]])
    return sum(np.sum(np.sqrt(each)) for each in (joined, padded, rows, made))


@program(MIXED + 2)
def zeros_of_a_matrix(x):
    lower = np.tril(np.outer(x, x))
    filled = np.zeros((2, 4))
    filled[1] = x
    return np.sum(np.sqrt(np.diag(x))) + np.sum(np.sqrt(lower)) + np.sum(np.sqrt(filled))


@program(MIXED + 2)
def zero_on_one_path(x):
    total = 0.0
    for k in range(4):
        total += np.sqrt(x[k - 1] if k else 0.0)
    return total


@program(MIXED, array(4, 3))
def layers(x, w):
    hidden = np.maximum(w.T @ x, 0)
    hidden = (hidden - np.mean(hidden)) / np.sqrt(np.var(hidden) + 1e-3)
    return np.sum(np.maximum(hidden, 0.1) ** 2)

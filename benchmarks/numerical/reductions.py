"""Sums over axes and windows: softmax, log-sum-exp, convolution, a trace."""

from __future__ import annotations

import numpy as np


def trace_of_tanh(a):
    """Add the sum of the squashed diagonal to each entry."""
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


def softmax(x):
    """Normalise the exponentials along the last axis."""
    largest = np.max(x, axis=-1, keepdims=True)
    weights = np.exp(x - largest)
    total = np.sum(weights, axis=-1, keepdims=True)
    return weights / total


def log_sum_exp(x):
    """Return the logarithm of the sum of exponentials of each row."""
    largest = np.max(x, axis=1)
    return largest + np.log(np.sum(np.exp(x - largest[:, None]), axis=1))


def convolution(images, weights, bias):
    """Slide a window over images, channels last, and sum at each place."""
    k = weights.shape[0]
    n, height, width, _ = images.shape
    height, width = height - k + 1, width - k + 1
    out = np.empty((n, height, width, weights.shape[3]))
    for i in range(height):
        for j in range(width):
            out[:, i, j, :] = np.sum(
                images[:, i : i + k, j : j + k, :, np.newaxis] * weights[np.newaxis],
                axis=(1, 2, 3),
            )
    return out + bias

"""Losses: means over all samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.runtime import stop_gradient

Array = NDArray[Any]


def mse(y: Array, target: Array) -> Any:
    """The mean of `(y - target) ** 2`.

    Args:
        y: of any shape.
        target: likewise.

    Returns:
        A number.
    """
    return np.mean((y - target) ** 2)


def softmax_cross_entropy(logits: Array, labels: Array) -> Any:
    """The mean of `-log(softmax(logits))` at the labels.

    Args:
        logits: (N, classes).
        labels: (N,), integers from 0 to classes - 1.

    Returns:
        A number.

    Raises:
        ValueError: other numbers of axes, which would be broadcast.

    >>> import numpy as np
    >>> from srcad import nn
    >>> float(nn.softmax_cross_entropy(np.zeros((5, 2)), np.array([0, 1, 1, 0, 1])).round(4))
    0.6931
    """
    if np.ndim(logits) != 2 or np.ndim(labels) != 1:
        raise ValueError(
            "softmax_cross_entropy: expected logits (N, classes) and labels (N,), "
            f"got {np.shape(logits)} and {np.shape(labels)}"
        )
    # A constant in all logits of a sample changes nothing: neither has it a derivative.
    shifted = logits - stop_gradient(np.max(logits, axis=-1, keepdims=True))
    picked = shifted[np.arange(len(labels)), labels]
    return np.mean(np.log(np.sum(np.exp(shifted), axis=-1)) - picked)


def binary_cross_entropy_with_logits(logits: Array, targets: Array) -> Any:
    """The mean of `-t log(s) - (1 - t) log(1 - s)`, `s` the sigmoid of the logits.

    Args:
        logits: of any shape.
        targets: likewise, 0 or 1 or probabilities between.

    Returns:
        A number.
    """
    return np.mean(np.maximum(logits, 0) - logits * targets + np.log1p(np.exp(-np.abs(logits))))


__all__ = ["binary_cross_entropy_with_logits", "mse", "softmax_cross_entropy"]

"""Activations, elementwise or along one axis, in forms that do not overflow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.runtime import relu, stop_gradient

Array = NDArray[Any]


def leaky_relu(x: Array, slope: float = 0.01) -> Any:
    """`x` where it is positive, else `slope * x`; the derivative at 0 is `slope`.

    Args:
        x: floats, of any shape.
        slope: the derivative where `x` is negative.

    Returns:
        An array of the shape and dtype of `x`.
    """
    return np.where(x > 0, x, slope * x)


def gelu(x: Array) -> Any:
    """`x` times the normal distribution's cdf at `x`, by the tanh that approximates it.

    After Hendrycks and Gimpel (2016), "Gaussian error linear units", section 2.

    Args:
        x: floats, of any shape.

    Returns:
        An array of the shape and dtype of `x`.
    """
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * x * (1 + 0.044715 * x**2)))


def sigmoid(x: Array) -> Any:
    """`1 / (1 + exp(-x))`.

    Args:
        x: floats, of any shape.

    Returns:
        An array of the shape and dtype of `x`.
    """
    return 0.5 * (1 + np.tanh(0.5 * x))


def softplus(x: Array) -> Any:
    """`log(1 + exp(x))`.

    Args:
        x: floats, of any shape.

    Returns:
        An array of the shape and dtype of `x`.
    """
    return np.logaddexp(x, 0)


def softmax(x: Array, axis: int = -1) -> Any:
    """`exp(x) / sum(exp(x))` along an axis.

    Args:
        x: floats, of any shape.
        axis: along which entries are compared.

    Returns:
        An array of the shape and dtype of `x`.

    >>> import numpy as np
    >>> from srcad import nn
    >>> nn.softmax(np.log([1.0, 3.0]))
    array([0.25, 0.75])
    """
    e = np.exp(x - stop_gradient(np.max(x, axis=axis, keepdims=True)))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(x: Array, axis: int = -1) -> Any:
    """The logarithm of `softmax`.

    Args:
        x: floats, of any shape.
        axis: along which entries are compared.

    Returns:
        An array of the shape and dtype of `x`.
    """
    shifted = x - stop_gradient(np.max(x, axis=axis, keepdims=True))
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


__all__ = ["gelu", "leaky_relu", "log_softmax", "relu", "sigmoid", "softmax", "softplus"]

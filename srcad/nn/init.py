"""Weights to begin with, drawn from a generator that the caller gives.

    w = init.he_normal((784, 100), rng)             dense: (inputs, outputs)
    k = init.glorot_uniform((16, 6, 3, 3), rng)     convolution: (filters, channels, rows, columns)

Glorot and Bengio (2010) keep the variance of activations and cotangents between layers; He et al.
(2015) do so after a ReLU; Saxe et al. (2014) begin with orthogonal matrices, for recurrence.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Shape = tuple[int, ...]


def fans(shape: Shape) -> tuple[int, int]:
    """How many inputs an output has, and how many outputs an input.

    Of a matrix (inputs, outputs), or of filters (filters, channels, ...).

    Args:
        shape: of a matrix (inputs, outputs), or of filters (filters, channels, ...).

    Returns:
        Two numbers.

    Raises:
        ValueError: fewer than two axes.
    """
    if len(shape) < 2:
        raise ValueError(f"init: expected a shape with two axes or more, got {shape}")
    if len(shape) == 2:
        return shape[0], shape[1]
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def glorot_uniform(shape: Shape, rng: np.random.Generator, dtype: Any = np.float32) -> Array:
    """Uniform in +-sqrt(6 / (inputs + outputs)).

    Args:
        shape: of a matrix (inputs, outputs), or of filters (filters, channels, ...).
        rng: draws the entries.
        dtype: of the result.

    Returns:
        An array of that shape and dtype.

    Raises:
        ValueError: fewer than two axes.

    >>> import numpy as np
    >>> from srcad.nn import init
    >>> init.glorot_uniform((64, 10), np.random.default_rng(0)).shape
    (64, 10)
    """
    bound = math.sqrt(6 / sum(fans(shape)))
    return rng.uniform(-bound, bound, shape).astype(dtype)


def glorot_normal(shape: Shape, rng: np.random.Generator, dtype: Any = np.float32) -> Array:
    """Normal with variance 2 / (inputs + outputs).

    Args:
        shape: of a matrix (inputs, outputs), or of filters (filters, channels, ...).
        rng: draws the entries.
        dtype: of the result.

    Returns:
        An array of that shape and dtype.

    Raises:
        ValueError: fewer than two axes.
    """
    return normal(shape, rng, math.sqrt(2 / sum(fans(shape))), dtype)


def he_uniform(shape: Shape, rng: np.random.Generator, dtype: Any = np.float32) -> Array:
    """Uniform in +-sqrt(6 / inputs).

    Args:
        shape: of a matrix (inputs, outputs), or of filters (filters, channels, ...).
        rng: draws the entries.
        dtype: of the result.

    Returns:
        An array of that shape and dtype.

    Raises:
        ValueError: fewer than two axes.
    """
    bound = math.sqrt(6 / fans(shape)[0])
    return rng.uniform(-bound, bound, shape).astype(dtype)


def he_normal(shape: Shape, rng: np.random.Generator, dtype: Any = np.float32) -> Array:
    """Normal with variance 2 / inputs.

    Args:
        shape: of a matrix (inputs, outputs), or of filters (filters, channels, ...).
        rng: draws the entries.
        dtype: of the result.

    Returns:
        An array of that shape and dtype.

    Raises:
        ValueError: fewer than two axes.
    """
    return normal(shape, rng, math.sqrt(2 / fans(shape)[0]), dtype)


def normal(
    shape: Shape, rng: np.random.Generator, scale: float = 1.0, dtype: Any = np.float32
) -> Array:
    """Normal with standard deviation `scale`.

    Args:
        shape: of any number of axes.
        rng: draws the entries.
        scale: the standard deviation.
        dtype: of the result.

    Returns:
        An array of that shape and dtype.
    """
    return (scale * rng.standard_normal(shape)).astype(dtype)


def orthogonal(
    shape: tuple[int, int], rng: np.random.Generator, scale: float = 1.0, dtype: Any = np.float32
) -> Array:
    """A matrix with orthonormal rows or columns, whichever are fewer, times `scale`.

    Uniform among them: the phases of QR are taken out (Mezzadri 2007, section 5).

    Args:
        shape: of the matrix.
        rng: draws it.
        scale: the length of the rows or columns.
        dtype: of the result.

    Returns:
        A matrix of that shape and dtype.
    """
    rows, columns = shape
    q, r = np.linalg.qr(rng.standard_normal((max(shape), min(shape))))
    q = q * np.sign(np.diagonal(r))
    w: Array = np.asarray(scale * (q if rows >= columns else q.T), dtype)
    return w


def zeros(shape: Shape | int, dtype: Any = np.float32) -> Array:
    """Zeros, for biases.

    Args:
        shape: of any number of axes.
        dtype: of the result.

    Returns:
        An array of that shape and dtype.
    """
    return np.zeros(shape, dtype)


__all__ = [
    "fans",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "normal",
    "orthogonal",
    "zeros",
]

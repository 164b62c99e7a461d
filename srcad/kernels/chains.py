"""Convolution, bias, maxima of windows and ReLU as one, and its transposes.

    y, places = conv_pool2d(x, w, b, 2)     relu(max_pool2d(conv2d(x, w) + b[:, None, None], 2))

`places` says in one byte which entry of its window each maximum is, and `OFF` where ReLU is off:
all that the derivatives need, so that nothing as large as the convolution's result has to be kept.
Here it is made of the single kernels; compiled, it is one pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.kernels.convolution import (
    Padding,
    Pair,
    conv2d,
    conv2d_input,
    conv2d_weights,
    make_plan,
    shape_of,
)
from srcad.kernels.pooling import max_pool2d, unpool2d

Array = NDArray[Any]

OFF = 255


def conv_pool2d(
    x: Array,
    w: Array,
    b: Array,
    size: Pair,
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> tuple[Array, NDArray[np.uint8]]:
    """Convolve images, add a bias, take maxima of windows and of these the positive part.

    Args:
        x: images (N, C, H, W).
        w: filters (F, C / groups, P, Q).
        b: (F,), added to each entry of a filter's result.
        size: rows and columns of the windows of which the maxima are taken, side by side; at most
            254 entries.
        stride, padding, dilation, groups: of the convolution, as of `conv2d`.

    Returns:
        y and places, both (N, F, H', W').
    """
    y = conv2d(x, w, stride, padding, dilation, groups)
    y, places = max_pool2d(y + b[:, None, None], size)
    places[~(y > 0)] = OFF
    return np.maximum(y, 0), places


def conv_pool2d_input(
    g: Array,
    places: Array,
    w: Array,
    shape: tuple[int, ...] | Array,
    size: Pair,
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Array:
    """Transpose `conv_pool2d` in `x`, images of `shape`, or as those that are given."""
    shape = shape_of(shape)
    plan = make_plan(shape, w.shape, stride, padding, dilation, groups)
    y = unpool2d(g, places, (shape[0], w.shape[0], *plan.out), size)
    return conv2d_input(y, w, shape, stride, padding, dilation, groups)


def conv_pool2d_weights(
    x: Array,
    g: Array,
    places: Array,
    shape: tuple[int, ...],
    size: Pair,
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Array:
    """Transpose `conv_pool2d` in `w`, filters of `shape`."""
    plan = make_plan(x.shape, shape, stride, padding, dilation, groups)
    y = unpool2d(g, places, (x.shape[0], shape[0], *plan.out), size)
    return conv2d_weights(x, y, shape, stride, padding, dilation, groups)


__all__ = ["OFF", "conv_pool2d", "conv_pool2d_input", "conv_pool2d_weights"]

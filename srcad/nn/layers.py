"""Layers of networks, without state: functions of arrays, to be differentiated as any other.

Images are `NCHW` (sample, channel, row, column), signals `NCW`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad import kernels

Array = NDArray[Any]
Pair = int | tuple[int, int]
Padding = str | int | tuple[Any, Any]


def dense(x: Array, w: Array, b: Array | None = None) -> Array:
    """`x @ w + b`: x (..., inputs), w (inputs, outputs), b (outputs,).

    Args:
        x: (..., inputs).
        w: (inputs, outputs).
        b: (outputs,), or left out.

    Returns:
        (..., outputs).
    """
    return x @ w if b is None else x @ w + b


def flatten(x: Array) -> Array:
    """One row for each sample: (N, ...) to (N, entries).

    Args:
        x: (N, ...).

    Returns:
        (N, entries of a sample).
    """
    return x.reshape(x.shape[0], -1)


def conv2d(
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Array:
    """Convolve images (cross-correlation, as in all of deep learning).

    Args:
        x: (N, C, H, W).
        w: filters (F, C / groups, P, Q).
        b: (F,), added to each entry of a filter's result.
        stride: step of the window, one number or (rows, columns).
        padding: zeros around each image: a number, (rows, columns), ((before, after), (before,
            after)), "valid" (none), or "same": the result has ceil(H / stride) rows.
        dilation: distance of the entries of the window.
        groups: channels and filters are split into so many groups that do not see each other.

    Returns:
        (N, F, H', W'), H' = (H + padding - dilation * (P - 1) - 1) // stride + 1.

    Raises:
        ValueError: shapes or options do not fit.

    >>> import numpy as np
    >>> from srcad import nn
    >>> nn.conv2d(np.ones((2, 1, 8, 8)), np.ones((4, 1, 3, 3)), padding="same").shape
    (2, 4, 8, 8)
    """
    y = kernels.conv2d(x, w, stride=stride, padding=padding, dilation=dilation, groups=groups)
    return y if b is None else y + b[:, None, None]


def conv1d(
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    stride: int = 1,
    padding: str | int | tuple[int, int] = 0,
    dilation: int = 1,
    groups: int = 1,
) -> Array:
    """Convolve signals: x (N, C, W), w (F, C / groups, Q), b (F,); the result is (N, F, W').

    `padding` may be a number, (before, after), "valid" or "same"; all else as of `conv2d`.

    Args:
        x: (N, C, W).
        w: (F, C / groups, Q).
        b: (F,), or left out.
        stride, dilation, groups: as of `conv2d`, one number each.
        padding: a number, (before, after), "valid" or "same".

    Returns:
        (N, F, W').

    Raises:
        ValueError: shapes that do not fit.
    """
    if x.ndim != 3 or w.ndim != 3:
        raise ValueError(f"conv1d: expected x (N, C, W) and w (F, C, Q), got {x.shape}, {w.shape}")
    y = kernels.conv2d(
        x[:, :, None],
        w[:, :, None],
        stride=(1, stride),
        padding=padding if isinstance(padding, str) else (0, padding),
        dilation=(1, dilation),
        groups=groups,
    )
    y = np.squeeze(y, axis=2)
    return y if b is None else y + b[:, None]


def max_pool2d(x: Array, size: Pair, stride: Pair | None = None) -> Array:
    """The maximum of each window of x (N, C, H, W).

    Args:
        x: images (N, C, H, W).
        size: of the window, one number or (rows, columns).
        stride: its step, by default `size`. What is left over at the end is left out.

    Returns:
        (N, C, H', W'), with as many windows as fit.

    The derivative goes to the first of equal entries.

    >>> import numpy as np
    >>> from srcad import nn
    >>> nn.max_pool2d(np.arange(16.0).reshape(1, 1, 4, 4), 2)[0, 0]
    array([[ 5.,  7.],
           [13., 15.]])
    """
    return kernels.max_pool2d(x, size, stride)[0]


def max_pool1d(x: Array, size: int, stride: int | None = None) -> Array:
    """The maximum of each window of x (N, C, W), as of `max_pool2d`.

    Args:
        x: (N, C, W).
        size: of the window.
        stride: its step, by default `size`.

    Returns:
        (N, C, W), with as many windows as fit in the place of each extent.

    Raises:
        ValueError: a window that is larger than `x`.
    """
    if x.ndim != 3:
        raise ValueError(f"max_pool1d: expected x (N, C, W), got {x.shape}")
    step = size if stride is None else stride
    return np.squeeze(kernels.max_pool2d(x[:, :, None], (1, size), (1, step))[0], axis=2)


def avg_pool2d(x: Array, size: Pair, stride: Pair | None = None) -> Array:
    """The mean of each window of x (N, C, H, W), with windows as of `max_pool2d`.

    Args:
        x: (N, C, H, W).
        size: of the window.
        stride: its step, by default `size`.

    Returns:
        (N, C, H, W), with as many windows as fit in the place of each extent.

    Raises:
        ValueError: a window that is larger than `x`.
    """
    return kernels.avg_pool2d(x, size, stride)


def avg_pool1d(x: Array, size: int, stride: int | None = None) -> Array:
    """The mean of each window of x (N, C, W), with windows as of `max_pool2d`.

    Args:
        x: (N, C, W).
        size: of the window.
        stride: its step, by default `size`.

    Returns:
        (N, C, W), with as many windows as fit in the place of each extent.

    Raises:
        ValueError: a window that is larger than `x`.
    """
    if x.ndim != 3:
        raise ValueError(f"avg_pool1d: expected x (N, C, W), got {x.shape}")
    step = size if stride is None else stride
    return np.squeeze(kernels.avg_pool2d(x[:, :, None], (1, size), (1, step)), axis=2)


def embedding(table: Array, ids: Array) -> Array:
    """The rows of a table that ids name: table (n, m), ids integers of any shape.

    The gradient of the table is zero but for these rows. Where a gradient function returns it, it
    is a `srcad.nn.SparseRows`, which optimisers apply to the rows that it names;
    `np.asarray(gradient)` gives the whole array. The result has the shape (*ids.shape, m).

    Args:
        table: (n, m).
        ids: integers from 0 to n - 1, of any shape.

    Returns:
        (*ids.shape, m), of the dtype of the table.

    Raises:
        IndexError: a number is out of range.

    >>> import numpy as np
    >>> import srcad
    >>> from srcad import nn
    >>> table, ids = np.ones((1000, 3)), np.array([7, 2])
    >>> srcad.grad(lambda table: np.sum(nn.embedding(table, ids)))(table).rows
    array([7, 2])
    """
    return kernels.embedding(table, ids)


def dropout(x: Array, rate: float, rng: np.random.Generator) -> Array:
    """Zero each entry of x with probability `rate`, and scale the others by `1 / (1 - rate)`.

    Args:
        x: of any shape.
        rate: from 0 (nothing changes) to below 1.
        rng: draws anew at each call; value and gradient see the same draws.

    Returns:
        An array of the shape and dtype of `x`.

    Raises:
        ValueError: `rate` is out of range.

    After Srivastava et al. (2014), with the scaling at training time. Leave it out, or pass a rate
    of 0, when the network is used.
    """
    if not 0 <= rate < 1:
        raise ValueError(f"dropout: rate must be from 0 to below 1, got {rate}")
    if rate == 0:
        return x
    keep = rng.random(x.shape, np.float32) >= rate
    return np.where(keep, x / (1 - rate), 0)


def layer_norm(
    x: Array, scale: Array | None = None, shift: Array | None = None, *, eps: float = 1e-5
) -> Array:
    """Normalise each row of x (..., n) to mean 0 and variance 1, then `* scale + shift`.

    After Ba, Kiros and Hinton (2016), "Layer normalization".

    Args:
        x: (..., n).
        scale, shift: (n,).
        eps: added to the variance.

    Returns:
        An array of the shape and dtype of `x`.
    """
    centred = x - np.mean(x, axis=-1, keepdims=True)
    y: Array = centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + eps)
    y = y if scale is None else y * scale
    return y if shift is None else y + shift


def batch_norm(
    x: Array,
    scale: Array | None = None,
    shift: Array | None = None,
    *,
    mean: Array | None = None,
    var: Array | None = None,
    eps: float = 1e-5,
) -> Array:
    """Normalise each channel of x (N, C, ...) over all else, then `* scale + shift`.

    Returns:
        An array of the shape and dtype of `x`.

    Raises:
        ValueError: one of `mean` and `var` without the other.

    Args:
        x: (N, C), (N, C, W) or (N, C, H, W).
        scale: (C,).
        shift: (C,).
        mean: (C,), that of the training data, to be used instead of the batch's; with `var`.
        var: (C,), likewise.
        eps: added to the variance.

    After Ioffe and Szegedy (2015), "Batch normalization". Means and variances over a training are
    the caller's to keep: `np.mean(x, axis=(0, 2, 3))`.
    """
    if (mean is None) != (var is None):
        raise ValueError("batch_norm: expected both mean and var, or none of them")
    others = (0, *range(2, x.ndim))
    ones = (-1, *(1 for _ in range(2, x.ndim)))
    centre = np.mean(x, axis=others, keepdims=True) if mean is None else mean.reshape(ones)
    centred = x - centre
    spread = np.mean(centred**2, axis=others, keepdims=True) if var is None else var.reshape(ones)
    y: Array = centred / np.sqrt(spread + eps)
    y = y if scale is None else y * scale.reshape(ones)
    return y if shift is None else y + shift.reshape(ones)


__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "conv1d",
    "conv2d",
    "dense",
    "dropout",
    "embedding",
    "flatten",
    "layer_norm",
    "max_pool1d",
    "max_pool2d",
]

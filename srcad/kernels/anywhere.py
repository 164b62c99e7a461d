"""Kernels in NumPy's functions alone: for libraries that have these for arrays of their own.

    kernels.conv2d(x, w)        on CuPy: the text of `conv2d` here, with `np` for CuPy

They are copied into the programs for such a library, with all that they call. One product of
matrices computes a whole batch, so that the columns of all images are there at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.kernels.convolution import _pads, _pair
from srcad.kernels.pooling import shifts_of


def _sizes(
    x: Any, w: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> tuple[Any, Any, tuple[int, ...]]:
    """Padding, where each entry of a window is in the padded image, and the size of the result,
    for images and filters of these shapes.
    """
    if len(x) != 4 or len(w) != 4 or groups < 1 or x[1] != w[1] * groups or w[0] % groups:
        raise ValueError(f"conv2d: x of shape {x} and w of shape {w} do not fit {groups} groups")
    steps, gaps = _pair("stride", stride), _pair("dilation", dilation)
    pads = _pads(padding, x[2:], w[2:], steps, gaps)
    out = tuple(
        (n + sum(pad) - d * (k - 1) - 1) // s + 1
        for n, k, s, d, pad in zip(x[2:], w[2:], steps, gaps, pads, strict=True)
    )
    if min(out) < 1:
        raise ValueError(f"conv2d: a window of {w[2:]} does not fit into images of {x[2:]}")
    (s, t), (d, e), (h, v) = steps, gaps, out
    shifts = [
        (slice(p * d, p * d + s * h, s), slice(q * e, q * e + t * v, t))
        for p in range(w[2])
        for q in range(w[3])
    ]
    return pads, shifts, out


def _columns(x: Any, pads: Any, shifts: Any, out: tuple[int, ...], groups: int) -> Any:
    """Each window of the images as a column: (N, groups, C / groups * P * Q, H' * W')."""
    (top, bottom), (left, right) = pads
    n, c, h, w = x.shape
    if top or bottom or left or right:
        padded = np.zeros((n, c, h + top + bottom, w + left + right), x.dtype)
        padded[:, :, top : top + h, left : left + w] = x
        x = padded
    columns = np.empty((n, c, len(shifts), *out), x.dtype)
    for k, (rows, cols) in enumerate(shifts):
        columns[:, :, k] = x[:, :, rows, cols]
    return columns.reshape(n, groups, c // groups * len(shifts), out[0] * out[1])


def conv2d(
    x: Any, w: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    """Convolve images, as `srcad.kernels.convolution` has it."""
    pads, shifts, out = _sizes(x.shape, w.shape, stride, padding, dilation, groups)
    filters = w.reshape(groups, w.shape[0] // groups, w.shape[1] * len(shifts))
    y = np.matmul(filters, _columns(x, pads, shifts, out, groups))
    return y.reshape(len(x), w.shape[0], *out)


def conv2d_input(
    g: Any,
    w: Any,
    shape: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Transpose `conv2d(x, w)` in `x`, images of `shape`, or as those that are given."""
    shape = getattr(shape, "shape", shape)
    pads, shifts, out = _sizes(shape, w.shape, stride, padding, dilation, groups)
    (top, bottom), (left, right) = pads
    n, c, h, v = shape
    filters = w.reshape(groups, w.shape[0] // groups, w.shape[1] * len(shifts)).swapaxes(1, 2)
    columns = np.matmul(filters, g.reshape(n, groups, w.shape[0] // groups, out[0] * out[1]))
    columns = columns.reshape(n, c, len(shifts), *out)
    x = np.zeros((n, c, h + top + bottom, v + left + right), columns.dtype)
    for k, (rows, cols) in enumerate(shifts):
        x[:, :, rows, cols] += columns[:, :, k]
    return x[:, :, top : top + h, left : left + v].copy()


def conv2d_weights(
    x: Any,
    g: Any,
    shape: tuple[int, ...],
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Transpose `conv2d(x, w)` in `w`, filters of `shape`."""
    pads, shifts, out = _sizes(x.shape, shape, stride, padding, dilation, groups)
    columns = _columns(x, pads, shifts, out, groups)
    g = g.reshape(len(x), groups, shape[0] // groups, out[0] * out[1])
    return np.matmul(g, columns.swapaxes(2, 3)).sum(axis=0).reshape(shape)


def max_pool2d(x: Any, size: Any, stride: Any = None) -> tuple[Any, Any]:
    """The maximum of each window, and its place in it, as `srcad.kernels.pooling` has it."""
    shifts, out = shifts_of(x.shape, size, stride)
    best = x[:, :, *shifts[0]].copy()
    places = np.zeros((*x.shape[:2], *out), np.uint8)
    for k in range(1, len(shifts)):
        entries = x[:, :, *shifts[k]]
        places = np.where(entries > best, np.uint8(k), places)
        best = np.maximum(best, entries)
    return best, places


def unpool2d(g: Any, places: Any, shape: tuple[int, ...], size: Any, stride: Any = None) -> Any:
    """Images of `shape`, zero but for `g`, which is added where the maxima were."""
    shifts, _ = shifts_of(shape, size, stride)
    x = np.zeros(shape, g.dtype)
    for k, (rows, cols) in enumerate(shifts):
        x[:, :, rows, cols] += g * (places == k)
    return x


def pick2d(x: Any, places: Any, size: Any, stride: Any = None) -> Any:
    """The entries of `x` where the maxima were, zero for no place."""
    shifts, _ = shifts_of(x.shape, size, stride)
    y = np.zeros(places.shape, x.dtype)
    for k, (rows, cols) in enumerate(shifts):
        y = np.where(places == k, x[:, :, rows, cols], y)
    return y


def avg_pool2d(x: Any, size: Any, stride: Any = None) -> Any:
    """The mean of each window."""
    shifts, _ = shifts_of(x.shape, size, stride)
    total = x[:, :, *shifts[0]].copy()
    for k in range(1, len(shifts)):
        total += x[:, :, *shifts[k]]
    total *= 1 / len(shifts)
    return total


def avg_unpool2d(g: Any, shape: tuple[int, ...], size: Any, stride: Any = None) -> Any:
    """Transpose `avg_pool2d`: each entry of `g` is spread evenly over its window."""
    shifts, _ = shifts_of(shape, size, stride)
    x = np.zeros(shape, g.dtype)
    share = g * (1 / len(shifts))
    for rows, cols in shifts:
        x[:, :, rows, cols] += share
    return x


def conv_pool2d(
    x: Any,
    w: Any,
    b: Any,
    size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> tuple[Any, Any]:
    """Convolution, bias, maxima of windows and their positive part, as in
    `srcad.kernels.chains`.
    """
    y = conv2d(x, w, stride, padding, dilation, groups)
    y, places = max_pool2d(y + b[:, None, None], size)
    return np.maximum(y, 0), np.where(y > 0, places, np.uint8(255))


def conv_pool2d_input(
    g: Any,
    places: Any,
    w: Any,
    shape: Any,
    size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Transpose `conv_pool2d` in `x`, images of `shape`, or as those that are given."""
    shape = getattr(shape, "shape", shape)
    _, _, out = _sizes(shape, w.shape, stride, padding, dilation, groups)
    y = unpool2d(g, places, (shape[0], w.shape[0], *out), size)
    return conv2d_input(y, w, shape, stride, padding, dilation, groups)


def conv_pool2d_weights(
    x: Any,
    g: Any,
    places: Any,
    shape: tuple[int, ...],
    size: Any,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Any:
    """Transpose `conv_pool2d` in `w`, filters of `shape`."""
    _, _, out = _sizes(x.shape, shape, stride, padding, dilation, groups)
    y = unpool2d(g, places, (x.shape[0], shape[0], *out), size)
    return conv2d_weights(x, y, shape, stride, padding, dilation, groups)


def scatter_rows(values: Any, shape: tuple[int, ...], rows: Any) -> Any:
    """Zeros of `shape` with `values` added at `rows`."""
    whole = np.zeros(shape, values.dtype)
    np.add.at(whole, rows, values)
    return whole


def whole_rows(rows: Any, values: Any, shape: tuple[int, ...]) -> Any:
    """What `SparseRows` of these stands for, as an array."""
    return scatter_rows(values, shape, rows)


def summed_rows(values: Any, shape: tuple[int, ...], rows: Any) -> tuple[Any, Any]:
    """Which rows there are, each once and in order, and the sums of their values."""
    flat = np.where(rows < 0, rows + shape[0], rows).reshape(-1)
    found, places = np.unique(flat, return_inverse=True)
    sums = np.zeros((len(found), *shape[1:]), values.dtype)
    np.add.at(sums, places, values.reshape(len(flat), *shape[1:]))
    return found, sums


def apart(values: Any, a: Any) -> Any:
    """What is stored in `a`; a copy, where it may lie in the memory of `a`."""
    is_view = np.ndim(values) > 0 and np.may_share_memory(values, a)
    return values.copy() if is_view else values


def as_arrays(items: Any) -> Any:
    """A list of numbers and arrays as one of arrays."""
    return [as_arrays(x) for x in items] if isinstance(items, list | tuple) else np.asarray(items)


def as_dtype(x: Any, dtype: Any) -> Any:
    """A number or an entry of an array in another dtype."""
    return x.astype(dtype) if hasattr(x, "astype") else dtype(x)


def as_held(x: Any, items: Any, index: int) -> Any:
    """An entry of the array of some items as a number of the class that this item has; what is an
    array there stays one.
    """
    cls = type(items[index])
    return cls(x.item()) if issubclass(cls, int | float | complex) else x


def added_at(a: Any, index: Any, values: Any) -> None:
    """Add `values` to `a` at `index` in place; repeated indices add up."""
    parts = index if isinstance(index, tuple) else (index,)
    if all(p is None or p is Ellipsis or isinstance(p, int | slice) for p in parts):
        a[index] += values
    elif a.size:
        np.add.at(a, index, values)


def inverse(c: Any) -> Any:
    """`1 / c` of a float; refused where that is infinite and `c` is not zero."""
    found = np.divide(1, c)
    if np.isinf(found) and c != 0:
        raise OverflowError("a divisor has no inverse")
    return found


def normal(rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
    """Draws of the normal distribution from those of the standard one."""
    return loc + scale * rng.standard_normal(size)


__all__ = [
    "added_at",
    "apart",
    "as_arrays",
    "as_dtype",
    "as_held",
    "avg_pool2d",
    "avg_unpool2d",
    "conv2d",
    "conv2d_input",
    "conv2d_weights",
    "conv_pool2d",
    "conv_pool2d_input",
    "conv_pool2d_weights",
    "inverse",
    "max_pool2d",
    "normal",
    "pick2d",
    "scatter_rows",
    "summed_rows",
    "unpool2d",
    "whole_rows",
]

"""Convolution of images, as deep learning has it (no flip), and its two transposes.

    conv2d(x, w)[n, f, i, j] = sum over c, p, q of x[n, c, i + p, j + q] * w[f, c, p, q]

It is linear in `x` and in `w`. The three functions here are closed under differentiation:
`conv2d_input` is its transpose in `x`, `conv2d_weights` that in `w`, and each one's own transposes
are the other two.

Samples are handled in runs whose columns (each window of the image as a column of a matrix) fit
into the second-level cache; a product with a matrix by BLAS does the rest. After Chellapilla, Puri
and Simard (2006), "High performance convolutional neural networks for document processing".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from srcad.kernels.threads import parallel, scratch

Array = NDArray[Any]
Pair = int | tuple[int, int]
Padding = str | int | tuple[Any, Any]

_CACHE_BYTES = 1 << 20


def conv2d(
    x: Array, w: Array, stride: Pair = 1, padding: Padding = 0, dilation: Pair = 1, groups: int = 1
) -> Array:
    """Convolve images.

    Args:
        x: images (N, C, H, W).
        w: filters (F, C / groups, P, Q).
        stride: step of the window, one number or two.
        padding: zeros around each image: a number, two numbers (rows, columns), two pairs (before,
            after), "valid" (none) or "same" (the result has ceil(H / stride) rows).
        dilation: distance of the entries of the window.
        groups: channels and filters are split into so many groups that do not see each other.

    Returns:
        (N, F, H', W'), H' = (H + padding - dilation * (P - 1) - 1) // stride + 1.

    Raises:
        ValueError: shapes or options do not fit.
    """
    plan = make_plan(x.shape, w.shape, stride, padding, dilation, groups)
    y = np.empty((len(x), w.shape[0], *plan.out), np.result_type(x, w))
    if not groups:
        return y
    filters = w.reshape(groups, w.shape[0] // groups, plan.column)
    x = _padded(x, plan)

    def part(start: int, stop: int) -> None:
        for a, b in _runs(start, stop, plan, y.itemsize):
            columns = _columns(x[a:b], plan)
            out = y[a:b].reshape(b - a, *filters.shape[:2], plan.window)
            np.matmul(filters, columns, out=out)

    parallel(part, len(x), y.size * plan.column)
    return y


def conv2d_input(
    g: Array,
    w: Array,
    shape: tuple[int, ...] | Array,
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Array:
    """Transpose `conv2d(x, w)` in `x`: from g (N, F, H', W') to images (N, C, H, W).

    shape: of the images, or images of that shape; compiled, the result lies in memory as they do.
    """
    shape = shape_of(shape)
    plan = make_plan(shape, w.shape, stride, padding, dilation, groups)
    check_result(g.shape, shape[0], w.shape[0], plan)
    (top, bottom), (left, right) = plan.pads
    n, c, h, width = shape
    x = np.zeros((n, c, h + top + bottom, width + left + right), np.result_type(g, w))
    if not groups:
        return np.zeros(shape, x.dtype)
    filters = w.reshape(groups, w.shape[0] // groups, plan.column).swapaxes(1, 2)

    def part(start: int, stop: int) -> None:
        for a, b in _runs(start, stop, plan, x.itemsize):
            columns = scratch((b - a, groups, plan.column, plan.window), x.dtype)
            out = g[a:b].reshape(b - a, groups, -1, plan.window)
            np.matmul(filters, out, out=columns)
            columns = columns.reshape(b - a, c, *plan.size, *plan.out)
            for p, q, rows, cols in plan.shifts():
                x[a:b, :, rows, cols] += columns[:, :, p, q]

    parallel(part, n, g.size * plan.column)
    return np.ascontiguousarray(x[:, :, top : top + h, left : left + width])


def conv2d_weights(
    x: Array,
    g: Array,
    shape: tuple[int, ...],
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Array:
    """Transpose `conv2d(x, w)` in `w`, filters of `shape`: from g (N, F, H', W')."""
    plan = make_plan(x.shape, shape, stride, padding, dilation, groups)
    check_result(g.shape, len(x), shape[0], plan)
    dtype = np.result_type(x, g)
    if not groups:
        return np.zeros(shape, dtype)
    x = _padded(x, plan)

    def part(start: int, stop: int) -> Array:
        total = np.zeros((groups, shape[0] // groups, plan.column), dtype)
        for a, b in _runs(start, stop, plan, dtype.itemsize):
            columns = _columns(x[a:b], plan)
            out = g[a:b].reshape(b - a, groups, -1, plan.window)
            total += np.matmul(out, columns.swapaxes(2, 3)).sum(axis=0)
        return total

    total: Array = sum(parallel(part, len(x), g.size * plan.column))
    return total.reshape(shape)


def shape_of(images: tuple[int, ...] | Array) -> tuple[int, ...]:
    """The shape of images, of which it or they themselves are given."""
    return images.shape if isinstance(images, np.ndarray) else tuple(images)


class Plan(NamedTuple):
    """A convolution in numbers."""

    size: tuple[int, int]
    out: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    pads: tuple[tuple[int, int], tuple[int, int]]
    groups: int
    column: int  # entries of a window: channels * P * Q
    window: int  # windows in an image: H' * W'

    def shifts(self) -> list[tuple[int, int, slice, slice]]:
        """For each entry of a window, where in the image it is for all windows."""
        (s, t), (d, e), (h, w) = self.stride, self.dilation, self.out
        return [
            (p, q, slice(p * d, p * d + s * h, s), slice(q * e, q * e + t * w, t))
            for p in range(self.size[0])
            for q in range(self.size[1])
        ]


def make_plan(
    x: tuple[int, ...],
    w: tuple[int, ...],
    stride: Pair,
    padding: Padding,
    dilation: Pair,
    groups: int,
) -> Plan:
    if len(x) != 4 or len(w) != 4:
        raise ValueError(f"conv2d: expected x (N, C, H, W) and w (F, C, P, Q), got {x} and {w}")
    strides, dilations = _pair("stride", stride), _pair("dilation", dilation)
    is_empty = groups == 0 == x[1] == w[0]  # as many groups as samples, of which there are none
    if not is_empty and (groups < 1 or x[1] != w[1] * groups or w[0] % groups):
        raise ValueError(
            f"conv2d: x of shape {x} has {x[1]} channels, w of shape {w} wants {w[1]} in each of "
            f"{groups} groups, of which {w[0]} filters are a multiple"
        )
    pads = _pads(padding, x[2:], w[2:], strides, dilations)
    out = tuple(
        (n + before + after - d * (k - 1) - 1) // s + 1
        for n, k, s, d, (before, after) in zip(x[2:], w[2:], strides, dilations, pads, strict=True)
    )
    if min(out) < 1:
        raise ValueError(f"conv2d: a window of {w[2:]} does not fit into images of {x[2:]}")
    column, window = w[1] * w[2] * w[3], out[0] * out[1]
    return Plan((w[2], w[3]), (out[0], out[1]), strides, dilations, pads, groups, column, window)


def check_result(g: tuple[int, ...], n: int, filters: int, plan: Plan) -> None:
    if g != (n, filters, *plan.out):
        raise ValueError(f"conv2d: expected g of shape {(n, filters, *plan.out)}, got {g}")


def _pair(name: str, value: Pair) -> tuple[int, int]:
    pair = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(pair) != 2 or not all(isinstance(n, int | np.integer) and n >= 1 for n in pair):
        raise ValueError(f"conv2d: {name} must be at least 1, or two such numbers, got {value}")
    return int(pair[0]), int(pair[1])


def _pads(
    padding: Padding, x: tuple[int, ...], w: tuple[int, ...], strides: Any, dilations: Any
) -> tuple[tuple[int, int], tuple[int, int]]:
    if padding == "valid":
        return (0, 0), (0, 0)
    if padding == "same":
        totals = [
            max(0, (-(-n // s) - 1) * s + d * (k - 1) + 1 - n)
            for n, k, s, d in zip(x, w, strides, dilations, strict=True)
        ]
        return (
            (totals[0] // 2, totals[0] - totals[0] // 2),
            (totals[1] // 2, totals[1] - totals[1] // 2),
        )
    if isinstance(padding, str):
        raise ValueError(f"conv2d: padding must be 'same', 'valid' or numbers, got {padding!r}")
    both = tuple(padding) if isinstance(padding, tuple | list) else (padding, padding)
    pads = [tuple(p) if isinstance(p, tuple | list) else (p, p) for p in both]
    numbers = [n for pad in pads for n in pad]
    is_whole = all(isinstance(n, int | np.integer) for n in numbers)
    if len(pads) != 2 or len(numbers) != 4 or not is_whole or min(numbers) < 0:
        raise ValueError(
            "conv2d: padding must not be negative: a number, (rows, columns) or two pairs (before, "
            f"after), got {padding}"
        )
    return pads[0], pads[1]


def _padded(x: Array, plan: Plan) -> Array:
    (top, bottom), (left, right) = plan.pads
    if not (top or bottom or left or right):
        return x
    n, c, h, w = x.shape
    padded = np.zeros((n, c, h + top + bottom, w + left + right), x.dtype)
    padded[:, :, top : top + h, left : left + w] = x
    return padded


def _columns(x: Array, plan: Plan) -> Array:
    """Each window of some images as a column: (n, groups, C / groups * P * Q, H' * W')."""
    n, c = x.shape[:2]
    columns = scratch((n, c, *plan.size, *plan.out), x.dtype)
    for p, q, rows, cols in plan.shifts():
        columns[:, :, p, q] = x[:, :, rows, cols]
    return columns.reshape(n, plan.groups, plan.column, plan.window)


def _runs(start: int, stop: int, plan: Plan, itemsize: int) -> list[tuple[int, int]]:
    """Runs of samples whose columns fit into the cache."""
    each = plan.groups * plan.column * plan.window * itemsize
    step = max(1, _CACHE_BYTES // max(1, each))
    return [(a, min(a + step, stop)) for a in range(start, stop, step)]


__all__ = ["conv2d", "conv2d_input", "conv2d_weights"]

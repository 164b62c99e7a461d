"""Convolution, bias, maxima and ReLU as one, compiled; as `srcad.kernels.chains` has it."""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from srcad.kernels import chains as plain
from srcad.kernels.compiled import tables
from srcad.kernels.compiled.convolution import (
    SPEED,
    chunks_of,
    empty_images,
    frozen,
    is_by_entry,
    is_large,
    is_worth,
    lanes_of,
    sum_of_chunks,
)
from srcad.kernels.compiled.correlation_of_windows import (
    correlate_maxima,
    correlate_windows,
    weigh_maxima,
)
from srcad.kernels.compiled.parts import run_parts
from srcad.kernels.convolution import Padding, Pair, Plan, make_plan, shape_of
from srcad.kernels.pooling import check_result, pair, shifts_of
from srcad.kernels.recycled import empty
from srcad.kernels.threads import scratch

Array = NDArray[Any]
Ints = NDArray[np.int64]


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
    """Convolve images and take positive maxima, as `srcad.kernels.conv_pool2d`."""
    lanes, options = lanes_of(x, w, b), (stride, padding, dilation, groups)
    if not lanes or not is_worth(len(x), lanes, w.size // max(1, len(w))) or b.shape != (len(w),):
        return plain.conv_pool2d(x, w, b, size, *options)
    c = _setup(
        False, x.shape, w.shape, lanes, is_large(x[0].size, lanes), *frozen((size, *options))
    )
    t, taps = c.tables, c.plan.column
    if c.entries >= plain.OFF:
        return plain.conv_pool2d(x, w, b, size, *options)
    y = empty((len(x), len(w), *c.out), x.dtype)
    places = empty(y.shape, np.uint8)
    flat, step, runs = tables.runs_of(x, t)
    weights = tables.in_order(w, t.order)
    bias = tables.in_order(b, t.filters)
    compiled, result = correlate_windows(x.dtype), t.rows * c.windows * lanes

    def part(k: int, start: int, stop: int) -> tuple[Any, ...]:
        inside, outside, marks = _memory(k, x.dtype, t.size, result, result)
        return (
            *(flat, runs, step, start, stop, len(x), weights, bias),
            *(t.bases, c.offsets, t.taps, c.entries, c.pieces),
            *(inside, outside, marks, y.reshape(-1), places.reshape(-1), y[0].size),
        )

    run_parts(compiled, part, -(-len(x) // lanes), len(x) * t.rows * c.offsets.size * taps // SPEED)
    return y, places


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
    """Transpose `conv_pool2d` in `x`, as `srcad.kernels.conv_pool2d_input`."""
    images, shape = shape, shape_of(shape)
    lanes, options = lanes_of(g, w), (stride, padding, dilation, groups)
    taps = w.size // max(1, groups * w.shape[1])
    if not lanes or not is_worth(len(g), lanes, taps) or places.dtype != np.uint8:
        return plain.conv_pool2d_input(g, places, w, shape, size, *options)
    c = _setup(True, shape, w.shape, lanes, False, *frozen((size, *options)))
    t = c.tables
    _check(c, g, places, (shape[0], len(w)))
    by_entry = is_by_entry(images, lanes, groups)
    x = empty_images(shape, g.dtype, by_entry)
    out = x.transpose(0, 2, 3, 1).reshape(-1) if by_entry else x.reshape(-1)
    g, places = np.ascontiguousarray(g), np.ascontiguousarray(places)
    weights = tables.in_order(w, t.order)
    compiled, result = correlate_maxima(g.dtype), t.rows * int(t.pieces[3])
    small = len(w) * c.windows * lanes

    def part(k: int, start: int, stop: int) -> tuple[Any, ...]:
        inside, outside, maxima, marks = _memory(k, g.dtype, t.size, result, small, small)
        return (
            *(g.reshape(-1), places.reshape(-1), c.channels, c.targets, c.entries, start, stop),
            *(len(g), weights, t.bases, t.offsets, t.targets, t.taps, t.phases, t.pieces),
            *(maxima, marks, inside, outside, out, x[0].size, by_entry),
        )

    run_parts(compiled, part, -(-len(g) // lanes), len(g) * t.rows * t.offsets.size * taps // SPEED)
    return x


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
    """Transpose `conv_pool2d` in `w`, as `srcad.kernels.conv_pool2d_weights`."""
    lanes, options = lanes_of(x, g), (stride, padding, dilation, groups)
    taps = math.prod(shape[1:])
    if not lanes or not is_worth(len(x), lanes, taps) or places.dtype != np.uint8:
        return plain.conv_pool2d_weights(x, g, places, shape, size, *options)
    c = _setup(False, x.shape, tuple(shape), lanes, False, *frozen((size, *options)))
    t = c.tables
    _check(c, g, places, (len(x), shape[0]))
    g, places = np.ascontiguousarray(g), np.ascontiguousarray(places)
    flat, step, runs = tables.runs_of(x, t)
    compiled, (chunks, per_chunk) = weigh_maxima(x.dtype), chunks_of(len(x), lanes)
    total = empty((chunks, groups, t.rows // groups, taps), x.dtype)
    small, result = shape[0] * c.windows * lanes, t.rows * c.offsets.size * lanes

    def part(k: int, start: int, stop: int) -> tuple[Any, ...]:
        inside, outside, maxima, marks = _memory(k, x.dtype, t.size, result, small, small)
        return (
            *(flat, runs, step, g.reshape(-1), places.reshape(-1)),
            *(c.channels, c.targets, c.entries),
            *(start, stop, per_chunk, len(x), t.bases, c.offsets, t.taps),
            *(maxima, marks, inside, outside, total.reshape(-1)),
        )

    run_parts(compiled, part, chunks, len(x) * t.rows * c.offsets.size * taps // SPEED)
    return sum_of_chunks(total, shape)


class _Chain(NamedTuple):
    """All that follows from shapes and options.

    `channels` and `targets` say where the cotangents of windows go: where in the memory of a block
    each filter's begin, and from there each entry's.
    """

    plan: Plan
    out: tuple[int, int]
    tables: tables.Tables
    windows: int
    entries: int  # of a window
    offsets: Ints  # of results, window by window
    pieces: Ints  # of results that are maxima
    channels: Ints
    targets: Ints


@functools.lru_cache(maxsize=256, typed=True)
def _setup(
    transposed: bool,
    x: tuple[int, ...],
    w: tuple[int, ...],
    lanes: int,
    by_entry: bool,
    size: Pair,
    *options: Any,
) -> _Chain:
    """What the kernels need for images and filters of these shapes."""
    plan = make_plan(x, w, *options)
    (p, q), about = pair("size", size), (*x[1:], w[0], plan, lanes, by_entry)
    order, out = _windows(plan.out, (p, q))
    if transposed:
        t = tables.of_transpose(*about, used=(out[0] * p, out[1] * q))
    else:
        t = tables.of_convolution(*about)
    n, each, rows = len(order), w[0] // plan.groups, t.rows // plan.groups
    if transposed:
        channel, row, column = t.strides
        channels = np.arange(w[0]) * channel + t.origin
        offsets, targets = t.offsets, order // plan.out[1] * row + order % plan.out[1] * column
    else:
        channels = np.flatnonzero(t.filters < w[0]) * (order.size * lanes)
        offsets, targets = t.offsets[order.ravel()], np.arange(order.size) * lanes
    pieces = np.array([plan.groups, each * n, rows * n, n * lanes])
    return _Chain(plan, out, t, n, order.shape[1], offsets, pieces, channels, targets.ravel())


def _windows(image: tuple[int, int], size: tuple[int, int]) -> tuple[Ints, tuple[int, int]]:
    """Each window's entries, as numbers of positions; how many windows there are."""
    _, (rows, columns) = shifts_of((1, 1, *image), size, None)
    (p, q), wide = size, image[1]
    first = (np.arange(rows)[:, None] * (p * wide) + np.arange(columns) * q).ravel()
    return first[:, None] + (np.arange(p)[:, None] * wide + np.arange(q)).ravel(), (rows, columns)


def _check(c: _Chain, g: Array, places: Array, batch: tuple[int, int]) -> None:
    """Cotangents and places must fit."""
    check_result(g.shape, (*batch, *c.plan.out), c.out)
    check_result(places.shape, (*batch, *c.plan.out), c.out)


def _memory(k: int, dtype: np.dtype[Any], *sizes: int) -> list[Array]:
    """Memory for a block of a part: numbers, and bytes at the end."""
    numbers = sum(sizes[:-1])
    whole = scratch((numbers * dtype.itemsize + sizes[-1],), np.uint8, k)
    flat, parts, at = whole[: numbers * dtype.itemsize].view(dtype), [], 0
    for size in sizes[:-1]:
        parts.append(flat[at : at + size])
        at += size
    return [*parts, whole[numbers * dtype.itemsize :]]


__all__ = ["conv_pool2d", "conv_pool2d_input", "conv_pool2d_weights"]

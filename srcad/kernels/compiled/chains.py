"""Convolution, bias, maxima and ReLU as one, compiled; as `srcad.kernels.chains` has it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.kernels import chains as plain
from srcad.kernels.compiled import tables
from srcad.kernels.compiled.convolution import (
    SPEED,
    chunks_of,
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
from srcad.kernels.convolution import Padding, Pair, Plan, make_plan
from srcad.kernels.pooling import check_result, pair, shifts_of
from srcad.kernels.threads import parallel, scratch

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
    lanes = lanes_of(x, w, b)
    if not lanes or not is_worth(len(x), lanes, w.size // max(1, len(w))) or b.shape != (len(w),):
        return plain.conv_pool2d(x, w, b, size, stride, padding, dilation, groups)
    plan = make_plan(x.shape, w.shape, stride, padding, dilation, groups)
    order, out = _windows(plan.out, pair("size", size))
    if order.shape[1] >= plain.OFF:
        return plain.conv_pool2d(x, w, b, size, stride, padding, dilation, groups)
    t = tables.of_convolution(*x.shape[1:], len(w), plan, lanes, is_large(x[0].size, lanes))
    offsets, pieces = _of_windows(t, order, len(w) // groups, lanes)
    y = np.empty((len(x), len(w), *out), x.dtype)
    places = np.empty(y.shape, np.uint8)
    flat, step, runs = tables.runs_of(x, t)
    weights = np.append(w, x.dtype.type(0))[t.order]
    bias = np.append(b, x.dtype.type(0))[t.filters]
    compiled, result = correlate_windows(x.dtype), t.rows * len(order) * lanes

    def part(start: int, stop: int) -> None:
        inside, outside, marks = _memory(x.dtype, t.size, result, result)
        compiled(
            *(flat, runs, step, start, stop, len(x), weights, bias),
            *(t.bases, offsets, t.taps, order.shape[1], pieces),
            *(inside, outside, marks, y.reshape(-1), places.reshape(-1), y[0].size),
        )

    parallel(part, -(-len(x) // lanes), len(x) * t.rows * offsets.size * plan.column // SPEED)
    return y, places


def conv_pool2d_input(
    g: Array,
    places: Array,
    w: Array,
    shape: tuple[int, ...],
    size: Pair,
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Array:
    """Transpose `conv_pool2d` in `x`, as `srcad.kernels.conv_pool2d_input`."""
    lanes, options = lanes_of(g, w), (stride, padding, dilation, groups)
    taps = w.size // max(1, groups * w.shape[1])
    if not lanes or not is_worth(len(g), lanes, taps) or places.dtype != np.uint8:
        return plain.conv_pool2d_input(g, places, w, shape, size, *options)
    plan = make_plan(shape, w.shape, *options)
    order = _checked(g, places, shape[0], len(w), plan, size)
    t = tables.of_transpose(*shape[1:], len(w), plan, lanes)
    channels, to = _of_maxima(t, order, plan.out, len(w))
    x = np.empty(shape, g.dtype)
    g, places = np.ascontiguousarray(g), np.ascontiguousarray(places)
    weights = np.append(w, g.dtype.type(0))[t.order]
    compiled, result = correlate_maxima(g.dtype), t.rows * int(t.pieces[3])
    small = len(w) * len(order) * lanes

    def part(start: int, stop: int) -> None:
        inside, outside, maxima, marks = _memory(g.dtype, t.size, result, small, small)
        compiled(
            *(g.reshape(-1), places.reshape(-1), channels, to, order.shape[1], start, stop),
            *(len(g), weights, t.bases, t.offsets, t.targets, t.taps, t.phases, t.pieces),
            *(maxima, marks, inside, outside, x.reshape(-1), x[0].size),
        )

    parallel(part, -(-len(g) // lanes), len(g) * t.rows * t.offsets.size * taps // SPEED)
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
    taps = int(np.prod(shape[1:]))
    if not lanes or not is_worth(len(x), lanes, taps) or places.dtype != np.uint8:
        return plain.conv_pool2d_weights(x, g, places, shape, size, *options)
    plan = make_plan(x.shape, shape, *options)
    order = _checked(g, places, len(x), shape[0], plan, size)
    t = tables.of_convolution(*x.shape[1:], shape[0], plan, lanes)
    offsets, _ = _of_windows(t, order, shape[0] // groups, lanes)
    channels = np.flatnonzero(t.filters < shape[0]) * (offsets.size * lanes)
    flat, step, runs = tables.runs_of(x, t)
    g, places = np.ascontiguousarray(g), np.ascontiguousarray(places)
    compiled, to = weigh_maxima(x.dtype), np.arange(offsets.size) * lanes
    chunks, per_chunk = chunks_of(len(x), lanes)
    total = np.empty((chunks, groups, t.rows // groups, plan.column), x.dtype)
    small = shape[0] * len(order) * lanes

    def part(start: int, stop: int) -> None:
        result = t.rows * offsets.size * lanes
        inside, outside, maxima, marks = _memory(x.dtype, t.size, result, small, small)
        compiled(
            *(flat, runs, step, g.reshape(-1), places.reshape(-1), channels, to, order.shape[1]),
            *(start, stop, per_chunk, len(x), t.bases, offsets, t.taps),
            *(maxima, marks, inside, outside, total.reshape(-1)),
        )

    parallel(part, chunks, len(x) * t.rows * offsets.size * plan.column // SPEED)
    return sum_of_chunks(total, shape)


def _checked(g: Array, places: Array, samples: int, filters: int, plan: Plan, size: Pair) -> Ints:
    """The table of windows, for cotangents and places that fit."""
    order, out = _windows(plan.out, pair("size", size))
    whole = (samples, filters, *plan.out)
    check_result(g.shape, whole, out)
    check_result(places.shape, whole, out)
    return order


@functools.lru_cache(maxsize=256)
def _windows(image: tuple[int, int], size: tuple[int, int]) -> tuple[Ints, tuple[int, int]]:
    """Each window's entries, as numbers of positions; how many windows there are."""
    _, (rows, columns) = shifts_of((1, 1, *image), size, None)
    (p, q), wide = size, image[1]
    first = (np.arange(rows)[:, None] * (p * wide) + np.arange(columns) * q).ravel()
    return first[:, None] + (np.arange(p)[:, None] * wide + np.arange(q)).ravel(), (rows, columns)


def _of_windows(t: tables.Tables, order: Ints, each: int, lanes: int) -> tuple[Ints, Ints]:
    """Offsets window by window, and the pieces of results that are maxima."""
    n = len(order)
    rows = t.rows // int(t.pieces[0])
    return t.offsets[order.ravel()], np.array([t.pieces[0], each * n, rows * n, n * lanes])


def _of_maxima(
    t: tables.Tables, order: Ints, out: tuple[int, int], filters: int
) -> tuple[Ints, Ints]:
    """Where in the memory of a block each filter's cotangents begin; from there, each entry's."""
    channel, row, column = t.strides
    to = order // out[1] * row + order % out[1] * column
    return np.arange(filters) * channel + t.origin, to.ravel()


def _memory(dtype: np.dtype[Any], *sizes: int) -> list[Array]:
    """Memory for a block: numbers, and bytes at the end."""
    numbers = sum(sizes[:-1])
    whole = scratch((numbers * dtype.itemsize + sizes[-1],), np.uint8)
    flat, parts, at = whole[: numbers * dtype.itemsize].view(dtype), [], 0
    for size in sizes[:-1]:
        parts.append(flat[at : at + size])
        at += size
    return [*parts, whole[numbers * dtype.itemsize :]]


__all__ = ["conv_pool2d", "conv_pool2d_input", "conv_pool2d_weights"]

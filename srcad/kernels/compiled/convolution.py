"""Convolution of images and its transposes, compiled; as `srcad.kernels.convolution` has them."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.kernels import convolution as plain
from srcad.kernels.compiled import tables
from srcad.kernels.compiled.correlation import correlate, weigh
from srcad.kernels.compiled.parts import run_parts
from srcad.kernels.compiled.vectors import BYTES
from srcad.kernels.convolution import Padding, Pair, Plan
from srcad.kernels.recycled import empty
from srcad.kernels.threads import scratch

Array = NDArray[Any]

_LEAST = 16  # bytes of one number of all samples: with fewer a register is mostly empty
_CHUNKS = 16  # at most: parts of a batch whose shares of the weights' cotangents are added last
_TAPS = 4096  # at most: beyond, a product with a matrix by BLAS is as fast or faster
LARGE = 1 << 19  # numbers in a block's memory
SPEED = 2  # products for which a thread that stands by pays as it does for a number moved


def lanes_of(*arrays: Array) -> int:
    """How many numbers fit into a register; 0 where the loops cannot take the arrays."""
    dtype = arrays[0].dtype
    if (
        dtype not in (np.float32, np.float64)
        or not dtype.isnative
        or any(a.dtype != dtype for a in arrays)
    ):
        return 0
    return BYTES // dtype.itemsize


def conv2d(
    x: Array, w: Array, stride: Pair = 1, padding: Padding = 0, dilation: Pair = 1, groups: int = 1
) -> Array:
    """Convolve images, as `srcad.kernels.conv2d`."""
    lanes = lanes_of(x, w)
    if not lanes or not is_worth(len(x), lanes, w.size // max(1, len(w))):
        return plain.conv2d(x, w, stride, padding, dilation, groups)
    plan = planned(x.shape, w.shape, *frozen((stride, padding, dilation, groups)))
    t = tables.of_convolution(*x.shape[1:], len(w), plan, lanes, is_large(x[0].size, lanes))
    y = empty((len(x), len(w), *plan.out), x.dtype)
    _correlate(x, w, t, y, plan)
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
    """Transpose `conv2d(x, w)` in `x`, as `srcad.kernels.conv2d_input`."""
    images, shape = shape, plain.shape_of(shape)
    lanes = lanes_of(g, w)
    if not lanes or not is_worth(len(g), lanes, w.size // max(1, groups * w.shape[1])):
        return plain.conv2d_input(g, w, shape, stride, padding, dilation, groups)
    plan = planned(tuple(shape), w.shape, *frozen((stride, padding, dilation, groups)))
    plain.check_result(g.shape, shape[0], len(w), plan)
    t = tables.of_transpose(*shape[1:], len(w), plan, lanes, is_large(g[0].size, lanes))
    by_entry = is_by_entry(images, lanes, groups)
    x = empty_images(shape, g.dtype, by_entry)
    _correlate(g, w, t, x, plan, by_entry)
    return x


def conv2d_weights(
    x: Array,
    g: Array,
    shape: tuple[int, ...],
    stride: Pair = 1,
    padding: Padding = 0,
    dilation: Pair = 1,
    groups: int = 1,
) -> Array:
    """Transpose `conv2d(x, w)` in `w`, as `srcad.kernels.conv2d_weights`."""
    lanes = lanes_of(x, g)
    if not lanes or not is_worth(len(x), lanes, math.prod(shape[1:])):
        return plain.conv2d_weights(x, g, shape, stride, padding, dilation, groups)
    plan = planned(x.shape, tuple(shape), *frozen((stride, padding, dilation, groups)))
    plain.check_result(g.shape, len(x), shape[0], plan)
    t = tables.of_convolution(*x.shape[1:], shape[0], plan, lanes)
    flat, step, runs = tables.runs_of(x, t)
    g = np.ascontiguousarray(g)
    each = shape[0] // groups
    g_runs = tables.result_runs(groups, each, t.rows // groups, plan.window, lanes)
    compiled, (chunks, per_chunk) = weigh(x.dtype), chunks_of(len(x), lanes)
    total = empty((chunks, groups, t.rows // groups, plan.column), x.dtype)
    result_size = t.rows * plan.window * lanes

    def part(k: int, start: int, stop: int) -> tuple[Any, ...]:
        memory = scratch((t.size + result_size,), x.dtype, k)
        return (
            *(flat, runs, step, g.reshape(-1), g_runs, each * groups * plan.window),
            *(start, stop, per_chunk, len(x), t.bases, t.offsets, t.taps),
            *(memory[: t.size], memory[t.size :], total.reshape(-1)),
        )

    run_parts(compiled, part, chunks, g.size * plan.column // SPEED)
    return sum_of_chunks(total, shape)


planned = functools.lru_cache(maxsize=256, typed=True)(plain.make_plan)


def frozen(option: Any) -> Any:
    """An option of numbers, with tuples for lists."""
    try:
        hash(option)
    except TypeError:
        return tuple(map(frozen, option))
    return option


def is_large(numbers: int, lanes: int) -> bool:
    """Whether a block of samples, of so many numbers each, is far larger than a cache."""
    return numbers * lanes > LARGE


def chunks_of(samples: int, lanes: int) -> tuple[int, int]:
    """Number and size, in blocks of samples, of the chunks of which each has its own sum.

    It depends on the shapes alone: so does the order of the whole sum, with any number of threads.
    """
    blocks = -(-samples // lanes)
    each = -(-blocks // _CHUNKS)
    return -(-blocks // each), each


def sum_of_chunks(total: Array, shape: tuple[int, ...]) -> Array:
    """The weights' cotangents, of sums (chunks, groups, rows, taps)."""
    each = shape[0] // total.shape[1]  # after them are rows that fill up the last block
    return np.ascontiguousarray(total[:, :, :each].sum(axis=0)).reshape(shape)


def is_worth(samples: int, lanes: int, taps: int) -> bool:
    """Whether there are enough samples, and sums are short enough."""
    return samples * BYTES >= _LEAST * lanes and 0 < taps <= _TAPS


def is_by_entry(images: tuple[int, ...] | Array, lanes: int, groups: int) -> bool:
    """Whether images have the channels of an entry side by side, and enough for registers."""
    if not isinstance(images, np.ndarray) or groups > 1 or images.shape[1] < lanes:
        return False
    is_by_channel = images.flags.c_contiguous
    return not is_by_channel and bool(images.transpose(0, 2, 3, 1).flags.c_contiguous)


def empty_images(shape: tuple[int, ...], dtype: np.dtype[Any], by_entry: bool) -> Array:
    """Memory for images, with the channels of an entry side by side or not."""
    if not by_entry:
        return empty(shape, dtype)
    n, channels, rows, columns = shape
    return empty((n, rows, columns, channels), dtype).transpose(0, 3, 1, 2)


def _correlate(
    x: Array, w: Array, t: tables.Tables, y: Array, plan: Plan, by_entry: bool = False
) -> None:
    lanes, samples = BYTES // x.itemsize, len(x)
    flat, step, runs = tables.runs_of(x, t)
    weights = tables.in_order(w, t.order)
    compiled, size = correlate(x.dtype), math.prod(y.shape[1:])
    result_size = t.rows * int(t.pieces[3])
    out = y.transpose(0, 2, 3, 1).reshape(-1) if by_entry else y.reshape(-1)

    def part(k: int, start: int, stop: int) -> tuple[Any, ...]:
        memory = scratch((t.size + result_size,), x.dtype, k)
        return (
            *(flat, runs, step, start, stop, samples, weights),
            *(t.bases, t.offsets, t.targets, t.taps, t.phases, t.pieces),
            *(memory[: t.size], memory[t.size :], out, size, by_entry),
        )

    run_parts(
        compiled,
        part,
        -(-samples // lanes),
        samples * t.rows * t.offsets.size * plan.column // SPEED,
    )


__all__ = [
    "LARGE",
    "SPEED",
    "chunks_of",
    "conv2d",
    "conv2d_input",
    "conv2d_weights",
    "empty_images",
    "frozen",
    "is_by_entry",
    "is_large",
    "is_worth",
    "lanes_of",
    "planned",
    "sum_of_chunks",
]

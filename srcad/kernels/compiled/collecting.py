"""Convolution with maxima behind it, transposed in its filters, where images have many channels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from srcad.kernels.compiled.channels import collect
from srcad.kernels.compiled.convolution import LARGE, SPEED, chunks_of, is_by_entry
from srcad.kernels.compiled.parts import run_parts
from srcad.kernels.convolution import Plan
from srcad.kernels.recycled import empty
from srcad.kernels.threads import scratch

Array = NDArray[Any]
Ints = NDArray[np.int64]

_LINE = 64  # bytes from which on registers are read at once
_FULL = 0.75  # of the lanes, at least


class Collecting(NamedTuple):
    """Where a sample's entries are in memory, with `entry` numbers for the channels of one."""

    size: int
    entry: int
    starts: Ints  # of each window's entries
    filters: Ints  # how many; windows, their entries; rows of a filter, their runs, their distance
    image: Ints  # pieces that are read, their entries, their distance, the first; channels, entry


def plan_collecting(
    shape: tuple[int, ...], filters: int, plan: Plan, order: Ints, lanes: int
) -> Collecting | None:
    """The plan for images (C, H, W); None if they have no channels for full registers.

    order: the entries of each window, as positions of the convolution's result.
    """
    channels, h, w = shape
    entry = _filled(channels, lanes)
    is_full = channels >= max(lanes, _FULL * entry)
    are_runs = plan.groups == 1 and plan.dilation[1] == 1
    if not is_full or not are_runs or order.shape[1] == 1 or entry * h * w > LARGE:
        return None
    (top, bottom), (left, right) = plan.pads
    row = (left + w + right) * entry
    i, j = np.divmod(order.ravel(), plan.out[1])
    starts = i * (plan.stride[0] * row) + j * (plan.stride[1] * entry)
    (p, q), windows = plan.size, order.shape
    numbers = [filters, *windows, p, q * entry, plan.dilation[0] * row]
    pieces = [1, h * w] if left == right == 0 else [h, w]
    image = [*pieces, row, top * row + left * entry, channels, entry]
    size = (top + h + bottom) * row
    return Collecting(size, entry, starts, np.array(numbers), np.array(image))


def collected(x: Array, g: Array, places: Array, at: Collecting, plan: Plan, lanes: int) -> Array:
    """The cotangents of filters (F, C, P, Q), of contiguous `g` and `places` (N, F, H', W')."""
    by_entry = is_by_entry(x, lanes, 1)
    flat = (x.transpose(0, 2, 3, 1) if by_entry else np.ascontiguousarray(x)).reshape(-1)
    chunks, per_chunk = chunks_of(len(x), lanes)
    each, windows, compiled = per_chunk * lanes, g[0, 0].size, collect(x.dtype)
    total = empty((chunks, g.shape[1], *plan.size, at.entry), x.dtype)
    total[...] = 0

    def part(k: int, start: int, stop: int) -> tuple[Any, ...]:
        inside, numbers, positions = _memory(k, x.dtype, at.size, windows + 1)
        return (
            *(flat, g.reshape(-1), places.reshape(-1), at.starts, at.filters, at.image),
            *(start, stop, each, len(x), numbers, positions, inside, total.reshape(-1), by_entry),
        )

    run_parts(compiled, part, chunks, g.size * plan.column // SPEED)
    channels = x.shape[1]
    return np.ascontiguousarray(total[..., :channels].sum(axis=0).transpose(0, 3, 1, 2))


def _filled(channels: int, lanes: int) -> int:
    """So many channels with those that fill up a register."""
    return -(-channels // lanes) * lanes


def _memory(k: int, dtype: np.dtype[Any], size: int, windows: int) -> tuple[Array, Array, Ints]:
    """Memory of a part: a sample, numbers and positions of windows; the first begins a line."""
    sizes = (size * dtype.itemsize, windows * dtype.itemsize, windows * 8)
    whole = scratch((_LINE + sum(sizes) + 8,), np.uint8, k)
    whole = whole[-whole.ctypes.data % _LINE :]
    inside, numbers = whole[: sizes[0]].view(dtype), whole[sizes[0] :][: sizes[1]].view(dtype)
    at = -(-sum(sizes[:2]) // 8) * 8
    return inside, numbers, whole[at : at + sizes[2]].view(np.int64)


__all__ = ["Collecting", "collected", "plan_collecting"]

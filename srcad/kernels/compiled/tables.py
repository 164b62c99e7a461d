"""Where things are: tables for the loops of `correlation.py`, once for a shape.

In the memory of a block, image entry (c, i, j) of all its samples is `lanes` numbers wide and
begins at c * channel + i * row + j * column. A convolution's tables are then

    offsets[k]      where the window of result k begins
    taps[t]         how far behind it the entry for weight t is
    targets[k]      where in the block's results result k goes

and zeros around the images are part of the memory. Transposed, a convolution is one again: of the
cotangents, with the filters turned around. With a stride s the rows of an image fall into s phases
(i % s), each with taps of its own.

Channel by channel is how images come. In large memory a window's entries would lie in as many
places as there are channels, more than the processor can foresee: there the channels of an entry
are neighbours.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from srcad.kernels.convolution import Plan
from srcad.kernels.recycled import empty

Array = NDArray[Any]
Ints = NDArray[np.int64]
FILTERS = 4  # that are held in registers at once
_MANY = 1 << 15  # weights that are laid out in the time of a fraction of the sums


class Tables(NamedTuple):
    """A convolution, or its transpose, as the loops need it."""

    size: int  # of the memory of a block's images
    origin: int  # where in it the first image begins, after the zeros
    strides: tuple[int, int, int]  # in it, of channels, rows, columns
    offsets: Ints
    targets: Ints
    taps: Ints
    phases: Ints  # four numbers each: first and last offset, first and last tap
    bases: Ints  # where the images begin that a block of four filters sees
    order: Ints  # the weights, (filters, taps) flattened and a zero after them, as they are read
    filters: Ints  # which filter each row of the results is, and one beyond where it is none
    rows: int  # of results, with those that fill up the blocks
    pieces: Ints  # groups; numbers in each one's results, and from one to the next; row's width


class _Memory(NamedTuple):
    """The memory of a block, in units of lanes."""

    size: int
    channel: int
    row: int
    column: int
    by_entry: bool  # whether the channels of an entry are neighbours

    def taps(self, channels: Any, rows: Any, columns: Any) -> Ints:
        """All sums of one of each, in the order in which they lie in memory."""
        return _sums(rows, columns, channels) if self.by_entry else _sums(channels, rows, columns)


def _memory(c: int, h: int, w: int, by_entry: bool) -> _Memory:
    if by_entry:
        return _Memory(c * h * w, 1, w * c, c, True)
    return _Memory(c * h * w, h * w, w, 1, False)


@functools.lru_cache(maxsize=256)
def of_convolution(
    c: int, h: int, w: int, f: int, plan: Plan, lanes: int, by_entry: bool = False
) -> Tables:
    """Tables for images (c, h, w) and f filters."""
    (top, bottom), (left, right) = plan.pads
    (s, t), (d, e), (p, q), (rows, columns) = plan.stride, plan.dilation, plan.size, plan.out
    memory = _memory(c, h + top + bottom, w + left + right, by_entry)
    row, column = memory.row, memory.column
    offsets = _sums(np.arange(rows) * (s * row), np.arange(columns) * (t * column))
    channels = np.arange(c // plan.groups)
    down, across = np.arange(p), np.arange(q)
    taps = memory.taps(channels * memory.channel, down * (d * row), across * (e * column))
    which = memory.taps(channels * (p * q), down * q, across)
    return _tables(
        memory, top * row + left * column, f, len(channels), offsets.size, lanes,
        [(offsets, np.arange(offsets.size), taps, which)], plan.groups,
        np.arange(f)[:, None] * plan.column + which,
    )  # fmt: skip


@functools.lru_cache(maxsize=256)
def of_transpose(
    c: int,
    h: int,
    w: int,
    f: int,
    plan: Plan,
    lanes: int,
    by_entry: bool = False,
    used: tuple[int, int] | None = None,
) -> Tables:
    """Tables for the transpose in images (c, h, w): from cotangents with f channels.

    used: rows and columns of cotangents that are not zero; all of them by default.
    """
    (top, _), (left, _) = plan.pads
    (p, q), (rows, columns), groups = plan.size, plan.out, plan.groups
    axes = [
        (
            _Axis(h, top, p, rows, plan.stride[0], plan.dilation[0], inside[0]),
            _Axis(w, left, q, columns, plan.stride[1], plan.dilation[1], inside[1]),
        )
        for inside in ((0, 0), used or plan.out)
    ]
    (down, across), exact = axes
    # Without the zeros there is less to sum up, and more weights to be laid out.
    is_less = _count(exact, "sums") < 0.9 * _count(axes[0], "sums")
    if is_less and _count(exact, "taps") * (f // groups) * (c + FILTERS * groups) < _MANY:
        down, across = exact
    memory = _memory(f, down.length, across.length, by_entry)
    row, column = memory.row, memory.column
    of_group, channels = f // groups, c // groups
    filters = np.arange(of_group)
    phases = []
    for at, i, a, back in down.phases:
        for to, j, b, aside in across.phases:
            tap = memory.taps(filters * memory.channel, -back * row, -aside * column)
            which = memory.taps(filters * plan.column, a * q, b)
            offsets = _sums((i + down.before) * row, (j + across.before) * column)
            phases.append((offsets, _sums(at * w, to), tap, which))
    # weight[group, channel, filter of the group and place], of w (f, channels, p, q)
    first = _sums(np.arange(groups) * (of_group * plan.column), np.arange(channels) * (p * q))
    order = first[:, None] + np.concatenate([which for *_, which in phases])
    return _tables(
        memory, down.before * row + across.before * column, c, of_group, h * w, lanes,
        phases, groups, order,
    )  # fmt: skip


class _Axis:
    """The transpose along one axis: entry i gets what lies at (i + pad - tap * dilation) / stride.

    Entries with the same taps are a phase: these entries, where they read, the taps, and how far
    back each tap is. What lies outside is zero: `before` and after the cotangents there are as
    many, so that entries in the same place between two windows have the same taps; or, of the
    first so many that are `inside`, each entry has only taps that are there.
    """

    def __init__(
        self, n: int, pad: int, taps: int, out: int, stride: int, dilation: int, inside: int
    ) -> None:
        places, reach = np.arange(n) + pad, np.arange(taps) * dilation
        at, rest = np.divmod(places[:, None] - reach, stride)
        is_read = rest == 0
        self.before, self.length = 0, out
        if inside:
            is_read &= (at >= 0) & (at < inside)
        else:
            self.before = int(reach[-1]) // stride
            self.length += self.before + max(0, (n - 1 + pad) // stride - (out - 1))
        self.phases: list[tuple[Ints, Ints, Ints, Ints]] = []
        kinds, kind = np.unique(is_read, axis=0, return_inverse=True)
        for k, which in enumerate(kinds):
            entries, used = np.flatnonzero(kind == k), np.flatnonzero(which)
            self.phases.append((entries, places[entries] // stride, used, reach[used] // stride))
        self.sums, self.taps = int(np.sum(is_read)), int(np.sum(kinds))


def _count(axes: tuple[_Axis, _Axis], what: str) -> int:
    """How many sums or taps there are, of both axes together."""
    down, across = axes
    return int(getattr(down, what)) * int(getattr(across, what))


def _sums(*parts: Any) -> Ints:
    """All sums of one of each, the last one running fastest."""
    total = np.zeros(1, np.int64)
    for part in parts:
        total = (total[:, None] + np.asarray(part, np.int64)).ravel()
    return total


def _tables(
    memory: _Memory,
    origin: int,
    filters: int,
    channels: int,
    positions: int,
    lanes: int,
    phases: list[tuple[Ints, Ints, Ints, Ints]],
    groups: int,
    order: Ints,
) -> Tables:
    """Tables of phases (offsets, targets, taps, which weights these are)."""
    each = filters // groups
    blocks = -(-each // FILTERS)
    bounds, k, t, read = [], 0, 0, []
    full = np.full((groups, blocks * FILTERS, order.shape[1]), -1)
    full[:, :each] = order.reshape(groups, each, -1)
    full = full.reshape(groups * blocks, FILTERS, -1)
    for offsets, _, taps, _ in phases:
        bounds += [k, k + offsets.size, t, t + taps.size]
        read.append(full[:, :, t : t + taps.size].swapaxes(1, 2).ravel())
        k, t = k + offsets.size, t + taps.size
    offsets, targets, taps = (np.concatenate([phase[i] for phase in phases]) for i in range(3))
    which = np.full((groups, blocks * FILTERS), filters)
    which[:, :each] = np.arange(filters).reshape(groups, each)
    bases = np.repeat(np.arange(groups) * (channels * memory.channel * lanes), blocks)
    pieces = [groups, each * positions, blocks * FILTERS * positions, positions * lanes]
    return Tables(
        memory.size * lanes, origin * lanes,
        (memory.channel * lanes, memory.row * lanes, memory.column * lanes),
        offsets * lanes, targets * lanes, taps * lanes, _ints(bounds), bases,
        np.concatenate(read), which.ravel(), groups * blocks * FILTERS, _ints(pieces),
    )  # fmt: skip


def _ints(values: Any) -> Ints:
    return np.array(values, np.int64)


def runs_of(x: Array, tables: Tables) -> tuple[Array, int, Ints]:
    """How a block of images x (n, c, h, w) is read: flat, its step, and the table of its runs.

    In runs along the axis that is contiguous; x is copied if there is none.
    """
    order: tuple[int, ...] = (0, 1, 2, 3)
    if not x.flags.c_contiguous:
        # Axes of one entry, which may have any stride, go first.
        order = (0, *sorted((1, 2, 3), key=lambda a: (x.shape[a] != 1, -x.strides[a])))
        if not x.transpose(order).flags.c_contiguous:
            x, order = np.ascontiguousarray(x), (0, 1, 2, 3)
    step = math.prod(x.shape[1:])
    return x.transpose(order).reshape(-1), step, _runs(x.shape[1:], order, *tables[:3])


@functools.lru_cache(maxsize=256)
def _runs(
    shape: tuple[int, ...], order: tuple[int, ...], size: int, origin: int, strides: Any
) -> Ints:
    axes = [a - 1 for a in order[1:]]
    n = [shape[a] for a in axes]
    to = [strides[a] for a in axes]
    steps = [n[1] * n[2], n[2], 1]
    if to[0] < to[1]:  # what is written stays close together
        n[:2], to[:2], steps[:2] = n[1::-1], to[1::-1], steps[1::-1]
    for _ in range(2):
        if (steps[1], to[1]) == (n[2], n[2] * to[2]):  # neighbours in both: one run
            n, to, steps = [1, n[0], n[1] * n[2]], [0, to[0], to[2]], [0, steps[0], 1]
    return _ints([n[0], steps[0], to[0], n[1], steps[1], to[1], n[2], to[2], origin, size])


@functools.lru_cache(maxsize=256)
def result_runs(groups: int, each: int, rows: int, positions: int, lanes: int) -> Ints:
    """How a block of cotangents is read whose groups' rows are filled up to `rows`."""
    n = each * positions
    to = rows * positions * lanes
    return _ints([1, 0, 0, groups, n, to, n, lanes, 0, groups * to])


__all__ = ["Tables", "of_convolution", "of_transpose", "result_runs", "runs_of"]


def in_order(x: Array, order: Ints) -> Array:
    """The entries of `x` as `order` names them; -1 and the size of `x` name a zero."""
    padded = np.append(x, x.dtype.type(0))
    # Where it is to raise, NumPy writes to memory of its own first.
    return padded.take(order, out=empty(order.shape, x.dtype), mode="wrap")

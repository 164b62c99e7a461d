"""The loops of convolution: samples side by side in registers.

Of eight samples (four in double precision) each number is put beside that of the other seven, so
that one instruction does the same for all of them, and every window, stride and border is a matter
of tables (`tables.py`):

    y[f, k] = sum over t of w[f, t] * x[offsets[k] + taps[t]]           correlate
    w[f, t] = sum over k of y[f, k] * x[offsets[k] + taps[t]]           weigh

Four filters times four positions, or times three taps, stay in registers while the sum runs:
sixteen products for eight numbers read. After Georganas et al. (2018), "Anatomy of high-performance
deep learning convolutions on SIMD architectures", with samples in the place of filters.
"""

from __future__ import annotations

from typing import Any

from srcad.kernels.compiled.jit import FLAG, INTEGER, INTEGERS, loop, part
from srcad.kernels.compiled.tables import FILTERS
from srcad.kernels.compiled.vectors import (
    fma,
    load,
    read,
    store,
    total,
    transpose,
    width,
    write,
    zeros,
)

POSITIONS, TAPS = 4, 3  # beside the filters in registers


# Samples side by side ----------------------------------------------------------------------------


@part
def gather_run(
    like: Any, x: Any, at: Any, step: Any, last: Any, n: Any, y: Any, to: Any, stride: Any
) -> None:
    """`n` numbers in a row of each sample; lanes beyond the `last` become anything."""
    lanes = width(like)
    if n < lanes:
        for i in range(last + 1):
            for k in range(n):
                write(y, to + k * stride + i, read(x, at + i * step + k))
        return
    for start in range(0, n, lanes):
        k = min(start, n - lanes)  # the last ones twice
        transpose(like, x, at + k, step, last, y, to + k * stride, stride)


@part
def gather(like: Any, x: Any, runs: Any, step: Any, sample: Any, samples: Any, y: Any) -> None:
    """Put some samples, from number `sample` on, side by side; lanes beyond the last are zero.

    As many samples as `like` has numbers in a register.
    """
    lanes = width(like)
    last = min(lanes, samples - sample) - 1
    for i in range(runs[0]):
        for j in range(runs[3]):
            at = sample * step + i * runs[1] + j * runs[4]
            to = runs[8] + i * runs[2] + j * runs[5]
            gather_run(like, x, at, step, last, runs[6], y, to, runs[7])
    for k in range(last + 1, lanes):
        for i in range(k, runs[9], lanes):
            write(y, i, 0)


@part
def _scatter(
    like: Any, x: Any, at: Any, row: Any, n: Any, y: Any, step: Any, to: Any,
    sample: Any, samples: Any,
) -> None:  # fmt: skip
    """Put `n` numbers of each sample, side by side from `at` on, `row` apart, back into rows."""
    lanes = width(like)
    to += sample * step
    if n < lanes or samples - sample < lanes:
        for i in range(min(lanes, samples - sample)):
            for k in range(n):
                write(y, to + i * step + k, read(x, at + k * row + i))
        return
    for start in range(0, n, lanes):
        k = min(start, n - lanes)
        transpose(like, x, at + k * row, row, lanes, y, to + k, step)


@part
def scatter(
    like: Any, x: Any, pieces: Any, by_entry: Any, y: Any, step: Any, sample: Any, samples: Any
) -> None:
    """Put what is side by side of some samples back into their images, channel by channel.

    by_entry: whether the channels of an entry are neighbours there; of one group alone.
    """
    lanes = width(like)
    count, n, apart, row = pieces[0], pieces[1], pieces[2] * lanes, lanes
    if by_entry:
        row = pieces[3]
        count, apart = row // lanes, lanes
        n = n // count
    for k in range(count):
        _scatter(like, x, k * apart, row, n, y, step, k * n, sample, samples)


# Sums --------------------------------------------------------------------------------------------


@part
def _tap(w: Any, at: Any, x: Any, sums: Any) -> Any:
    """The sums of four filters after one tap of a position."""
    return (
        fma(w[at], x, sums[0]),
        fma(w[at + 1], x, sums[1]),
        fma(w[at + 2], x, sums[2]),
        fma(w[at + 3], x, sums[3]),
    )


@part
def correlate_4(x: Any, w: Any, at: Any, places: Any, taps: Any, start: Any, stop: Any) -> Any:
    """The sums of four filters at four positions, over `taps[start:stop]`."""
    zero = zeros(x)
    i, j, k, m = places
    a = b = c = d = (zero, zero, zero, zero)
    for t in range(start, stop):
        tap = taps[t]
        a = _tap(w, at, load(x, i + tap), a)
        b = _tap(w, at, load(x, j + tap), b)
        c = _tap(w, at, load(x, k + tap), c)
        d = _tap(w, at, load(x, m + tap), d)
        at += 4
    return a, b, c, d


@part
def _put(y: Any, at: Any, step: Any, sums: Any) -> None:
    store(y, at, sums[0])
    store(y, at + step, sums[1])
    store(y, at + 2 * step, sums[2])
    store(y, at + 3 * step, sums[3])


@part
def phase(
    x: Any, w: Any, bases: Any, offsets: Any, targets: Any, taps: Any, bounds: Any, y: Any, row: Any
) -> None:
    """All filters at the positions of one phase."""
    last = bounds[1] - 1
    each = FILTERS * (bounds[3] - bounds[2])
    at = FILTERS * bounds[2] * bases.size
    for b in range(bases.size):
        base, to = bases[b], FILTERS * row * b
        for k in range(bounds[0], bounds[1], POSITIONS):
            i, m, n = min(k + 1, last), min(k + 2, last), min(k + 3, last)
            places = (base + offsets[k], base + offsets[i], base + offsets[m], base + offsets[n])
            sums = correlate_4(x, w, at, places, taps, bounds[2], bounds[3])
            _put(y, to + targets[k], row, sums[0])
            _put(y, to + targets[i], row, sums[1])
            _put(y, to + targets[m], row, sums[2])
            _put(y, to + targets[n], row, sums[3])
        at += each


@loop(
    lambda array, given: (
        *(given, INTEGERS, INTEGER, INTEGER, INTEGER, INTEGER, given),
        *(INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS),
        *(array, array, array, INTEGER, FLAG),
    )
)
def correlate(
    x: Any,
    runs: Any,
    step: Any,
    start: Any,
    stop: Any,
    samples: Any,
    w: Any,
    bases: Any,
    offsets: Any,
    targets: Any,
    taps: Any,
    phases: Any,
    pieces: Any,
    inside: Any,
    outside: Any,
    y: Any,
    size: Any,
    by_entry: Any,
) -> None:
    """Correlate the blocks of samples from `start` to `stop`.

    `inside` and `outside` are memory for a block's images and results, side by side.
    """
    lanes = width(x)
    for i in range(inside.size):
        inside[i] = 0
    for block in range(start, stop):
        gather(x, x, runs, step, block * lanes, samples, inside)
        for p in range(0, phases.size, 4):
            bounds = phases[p : p + 4]
            phase(inside, w, bases, offsets, targets, taps, bounds, outside, pieces[3])
        scatter(x, outside, pieces, by_entry, y, size, block * lanes, samples)


@part
def _weigh_4(x: Any, g: Any, at: Any, row: Any, base: Any, offsets: Any, taps: Any) -> Any:
    """The sums over all positions of four filters' cotangents times the images at three taps."""
    zero = zeros(x)
    lanes = width(x)
    i, j, k = taps
    a = b = c = (zero, zero, zero, zero)
    for p in range(offsets.size):
        h = (
            load(g, at),
            load(g, at + row),
            load(g, at + 2 * row),
            load(g, at + 3 * row),
        )
        place = base + offsets[p]
        a = _tap_of(h, load(x, place + i), a)
        b = _tap_of(h, load(x, place + j), b)
        c = _tap_of(h, load(x, place + k), c)
        at += lanes
    return a, b, c


@part
def _tap_of(g: Any, x: Any, sums: Any) -> Any:
    return (
        fma(g[0], x, sums[0]),
        fma(g[1], x, sums[1]),
        fma(g[2], x, sums[2]),
        fma(g[3], x, sums[3]),
    )


@part
def _add(w: Any, at: Any, step: Any, sums: Any) -> None:
    w[at] += total(sums[0])
    w[at + step] += total(sums[1])
    w[at + 2 * step] += total(sums[2])
    w[at + 3 * step] += total(sums[3])


@part
def weigh_block(x: Any, g: Any, bases: Any, offsets: Any, taps: Any, w: Any, at: Any) -> None:
    """Add a block's share to all weights, `w[at + f * taps + t]`."""
    row = offsets.size * width(x)
    last = taps.size - 1
    for b in range(bases.size):
        to = at + FILTERS * b * taps.size
        for t in range(0, taps.size, TAPS):
            places = (taps[t], taps[min(t + 1, last)], taps[min(t + 2, last)])
            sums = _weigh_4(x, g, FILTERS * b * row, row, bases[b], offsets, places)
            _add(w, to + t, taps.size, sums[0])
            if t < last:
                _add(w, to + t + 1, taps.size, sums[1])
            if t + 1 < last:
                _add(w, to + t + 2, taps.size, sums[2])


@loop(
    lambda array, given: (
        *(given, INTEGERS, INTEGER, given, INTEGERS, INTEGER, INTEGER, INTEGER, INTEGER, INTEGER),
        *(INTEGERS, INTEGERS, INTEGERS, array, array, array),
    )
)
def weigh(
    x: Any,
    runs: Any,
    step: Any,
    g: Any,
    g_runs: Any,
    g_step: Any,
    start: Any,
    stop: Any,
    each: Any,
    samples: Any,
    bases: Any,
    offsets: Any,
    taps: Any,
    inside: Any,
    outside: Any,
    w: Any,
) -> None:
    """Sum up the chunks from `start` to `stop` of `each` blocks, each chunk in its own `w`.

    Cotangents of filters that fill up the last four are zero: with what memory happens to hold sums
    take longer, where that is subnormal.
    """
    lanes = width(x)
    blocks = (samples + lanes - 1) // lanes
    size = FILTERS * bases.size * taps.size
    for i in range(inside.size):
        inside[i] = 0
    for i in range(outside.size):
        outside[i] = 0
    for chunk in range(start, stop):
        for i in range(chunk * size, (chunk + 1) * size):
            w[i] = 0
        for block in range(chunk * each, min((chunk + 1) * each, blocks)):
            gather(x, x, runs, step, block * lanes, samples, inside)
            gather(x, g, g_runs, g_step, block * lanes, samples, outside)
            weigh_block(inside, outside, bases, offsets, taps, w, chunk * size)


__all__ = [
    "POSITIONS",
    "correlate",
    "correlate_4",
    "gather",
    "gather_run",
    "phase",
    "scatter",
    "weigh",
    "weigh_block",
]

"""The loops of convolution with maxima of windows after it: one pass, of samples side by side.

The positions of a window are neighbours in the table of positions. So what `correlate_4` holds in
registers are all entries of a window of four (or of two windows of two): of these the greatest is
taken, with its place, and nothing else is written. Backwards a cotangent goes to its place in the
window while the samples are put side by side, and the loops of `correlation.py` do the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.kernels.compiled.correlation import (
    correlate_4,
    gather,
    gather_run,
    phase,
    scatter,
    weigh_block,
)
from srcad.kernels.compiled.jit import BYTES, FLAG, GIVEN_BYTES, INTEGER, INTEGERS, loop, part
from srcad.kernels.compiled.tables import FILTERS
from srcad.kernels.compiled.vectors import (
    larger,
    load,
    load_places,
    places,
    positive,
    store,
    where_at,
    width,
    write,
)

OFF = 255

# As Python's numbers they would have types of their own, for which parts are compiled once more.
FIRST, BY_CHANNEL = np.int64(0), np.bool_(False)


# Maxima ------------------------------------------------------------------------------------------


@part
def _start(sums: Any) -> Any:
    """The sums of four filters as the greatest so far."""
    first = places(sums[0], 0)
    return (sums[0], first), (sums[1], first), (sums[2], first), (sums[3], first)


@part
def _more(best: Any, sums: Any, place: Any) -> Any:
    """The greatest so far, of four filters, after one more entry of the window."""
    new = places(sums[0], place)
    return (
        larger(best[0][0], best[0][1], sums[0], new),
        larger(best[1][0], best[1][1], sums[1], new),
        larger(best[2][0], best[2][1], sums[2], new),
        larger(best[3][0], best[3][1], sums[3], new),
    )


@part
def _put_one(y: Any, marks: Any, at: Any, best: Any, bias: Any) -> None:
    value, place = positive(best[0], bias, best[1], places(best[0], OFF))
    store(y, at, value)
    store(marks, at, place)


@part
def _put(y: Any, marks: Any, at: Any, step: Any, best: Any, bias: Any, f: Any) -> None:
    """Write what is positive of four filters."""
    _put_one(y, marks, at, best[0], bias[f])
    _put_one(y, marks, at + step, best[1], bias[f + 1])
    _put_one(y, marks, at + 2 * step, best[2], bias[f + 2])
    _put_one(y, marks, at + 3 * step, best[3], bias[f + 3])


@part
def _filters(
    x: Any, w: Any, at: Any, base: Any, offsets: Any, taps: Any, entries: Any, y: Any, marks: Any,
    to: Any, step: Any, bias: Any, f: Any,
) -> None:  # fmt: skip
    """Four filters in all windows."""
    lanes, end = width(x), offsets.size - 1
    each = 4 if entries == 2 else entries  # two windows of two at once
    for first in range(0, offsets.size, each):
        window = first // entries
        last = min(first + each - 1, end)
        for k in range(first, first + each, 4):
            i, m, n = min(k + 1, last), min(k + 2, last), min(k + 3, last)
            four = (base + offsets[k], base + offsets[i], base + offsets[m], base + offsets[n])
            a, b, c, d = correlate_4(x, w, at, four, taps, FIRST, taps.size)
            if k == first:
                best = _start(a)
            else:
                best = _more(best, a, k - first)
            best = _more(best, b, k - first + 1)
            if entries == 2:
                if m > i:
                    other = _more(_start(c), d, FIRST + 1)
                    _put(y, marks, to + (window + 1) * lanes, step, other, bias, f)
            else:
                best = _more(best, c, k - first + 2)
                best = _more(best, d, k - first + 3)
        _put(y, marks, to + window * lanes, step, best, bias, f)


@loop(
    lambda array, given: (
        *(given, INTEGERS, INTEGER, INTEGER, INTEGER, INTEGER, given, given),
        *(INTEGERS, INTEGERS, INTEGERS, INTEGER, INTEGERS),
        *(array, array, BYTES, array, BYTES, INTEGER),
    )
)
def correlate_windows(
    x: Any, runs: Any, step: Any, start: Any, stop: Any, samples: Any, w: Any, bias: Any,
    bases: Any, offsets: Any, taps: Any, entries: Any, pieces: Any,
    inside: Any, outside: Any, marks: Any, y: Any, found: Any, size: Any,
) -> None:  # fmt: skip
    """Correlate blocks of samples and take the maxima: `y`, and in `found` their places.

    `inside`, `outside` and `marks` are memory for a block's images, maxima and places.
    """
    lanes, row = width(x), pieces[3]
    for i in range(inside.size):
        write(inside, i, 0)
    for block in range(start, stop):
        gather(x, x, runs, step, block * lanes, samples, inside)
        for b in range(bases.size):
            f = FILTERS * b
            _filters(
                inside, w, f * taps.size, bases[b], offsets, taps, entries,
                outside, marks, f * row, row, bias, f,
            )  # fmt: skip
        scatter(x, outside, pieces, BY_CHANNEL, y, size, block * lanes, samples)
        scatter(x, marks, pieces, BY_CHANNEL, found, size, block * lanes, samples)


# Transposes --------------------------------------------------------------------------------------


@part
def _expand(
    g: Any, found: Any, sample: Any, samples: Any, small: Any, marks: Any,
    channels: Any, targets: Any, entries: Any, y: Any,
) -> None:  # fmt: skip
    """Put the cotangents of a block of samples where the maxima were, and zeros beside."""
    lanes = width(g)
    windows = targets.size // entries
    n = channels.size * windows
    last = min(lanes, samples - sample) - 1
    gather_run(g, g, sample * n, n, last, n, small, FIRST, lanes)
    gather_run(g, found, sample * n, n, last, n, marks, FIRST, lanes)
    for k in range(last + 1, lanes):
        for i in range(k, n * lanes, lanes):
            write(small, i, 0)
    at = 0
    for f in range(channels.size):
        to, e = channels[f], 0
        for _ in range(windows):
            value = load(small, at)
            place = load_places(value, marks, at)
            for k in range(entries):
                store(y, to + targets[e], where_at(place, places(value, k), value))
                e += 1
            at += lanes


@loop(
    lambda array, given: (
        *(given, GIVEN_BYTES, INTEGERS, INTEGERS, INTEGER, INTEGER, INTEGER, INTEGER, given),
        *(INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS),
        *(array, BYTES, array, array, array, INTEGER, FLAG),
    )
)
def correlate_maxima(
    g: Any, found: Any, channels: Any, places_of: Any, entries: Any, start: Any, stop: Any,
    samples: Any, w: Any, bases: Any, offsets: Any, targets: Any, taps: Any, phases: Any,
    pieces: Any, small: Any, marks: Any, inside: Any, outside: Any, x: Any, size: Any,
    by_entry: Any,
) -> None:  # fmt: skip
    """`correlate` for cotangents of maxima."""
    lanes = width(g)
    for i in range(inside.size):
        write(inside, i, 0)
    for block in range(start, stop):
        sample = block * lanes
        _expand(g, found, sample, samples, small, marks, channels, places_of, entries, inside)
        for p in range(0, phases.size, 4):
            bounds = phases[p : p + 4]
            phase(inside, w, bases, offsets, targets, taps, bounds, outside, pieces[3])
        scatter(g, outside, pieces, by_entry, x, size, sample, samples)


@loop(
    lambda array, given: (
        *(given, INTEGERS, INTEGER, given, GIVEN_BYTES, INTEGERS, INTEGERS, INTEGER),
        *(INTEGER, INTEGER, INTEGER, INTEGER, INTEGERS, INTEGERS, INTEGERS),
        *(array, BYTES, array, array, array),
    )
)
def weigh_maxima(
    x: Any, runs: Any, step: Any, g: Any, found: Any, channels: Any, places_of: Any, entries: Any,
    start: Any, stop: Any, each: Any, samples: Any, bases: Any, offsets: Any, taps: Any,
    small: Any, marks: Any, inside: Any, outside: Any, w: Any,
) -> None:  # fmt: skip
    """`weigh` for cotangents of maxima."""
    lanes = width(x)
    blocks = (samples + lanes - 1) // lanes
    size = FILTERS * bases.size * taps.size
    for i in range(inside.size):
        write(inside, i, 0)
    for i in range(outside.size):
        write(outside, i, 0)
    for i in range(start * size, stop * size):
        write(w, i, 0)
    for chunk in range(start, stop):
        for block in range(chunk * each, min((chunk + 1) * each, blocks)):
            sample = block * lanes
            gather(x, x, runs, step, sample, samples, inside)
            _expand(g, found, sample, samples, small, marks, channels, places_of, entries, outside)
            weigh_block(inside, outside, bases, offsets, taps, w, chunk * size)


__all__ = ["correlate_maxima", "correlate_windows", "weigh_maxima"]

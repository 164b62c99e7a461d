"""Loops of convolution with maxima behind it, backwards: channels side by side.

Of a window's entries one is the maximum, and where ReLU is off none is: most of what a convolution
of cotangents sums up is zero. Where images have channels enough for registers it pays to look at
the rest alone. In a sample's memory the channels of an entry are neighbours, filled up to whole
registers, so that what a filter sees in a row of its window is one run of them, and a maximum's
cotangent g adds

    w[f, p] += g * x[at : at + run]

for each row p of the filter, `at` where that row of the maximum's window begins. (To add to images
in the same way takes longer than sums over samples side by side: windows overlap, and what was just
stored is loaded again.)
"""

from __future__ import annotations

from typing import Any

from numba import types

from srcad.kernels.compiled.jit import FLAG, GIVEN_BYTES, INTEGER, INTEGERS, loop, part
from srcad.kernels.compiled.vectors import fma, load, read, store, transpose, width, write

_PLACES = types.Array(types.int64, 1, "C")


@part
def _turn(
    like: Any, x: Any, at: Any, rows: Any, step: Any, columns: Any, y: Any, to: Any, stride: Any
) -> None:
    """Write a matrix turned: `y[to + j * stride + i] = x[at + i * step + j]`."""
    lanes = width(like)
    if rows < lanes or columns < lanes:
        for i in range(rows):
            for j in range(columns):
                write(y, to + j * stride + i, read(x, at + i * step + j))
        return
    for i in range(0, rows, lanes):
        k = min(i, rows - lanes)  # the last ones twice
        for j in range(0, columns, lanes):
            m = min(j, columns - lanes)
            transpose(like, x, at + k * step + m, step, lanes, y, to + m * stride + k, stride)


@part
def _copy(x: Any, at: Any, rows: Any, step: Any, n: Any, y: Any, to: Any, stride: Any) -> None:
    """Copy rows of `n` numbers, a register full or more."""
    lanes = width(x)
    for i in range(rows):
        for k in range(0, n, lanes):
            m = min(k, n - lanes)
            store(y, to + i * stride + m, load(x, at + i * step + m))


@part
def _find(
    g: Any, found: Any, at: Any, starts: Any, windows: Any, entries: Any, values: Any, places: Any
) -> Any:
    """List the cotangents of one filter that are not off, and where their windows begin."""
    n = 0
    for k in range(windows):
        place = read(found, at + k)
        write(values, n, read(g, at + k))
        write(places, n, read(starts, k * entries + min(place, entries - 1)))
        n += place < entries  # without a branch: half of them are off, at random
    return n


@part
def _collect_4(x: Any, w: Any, to: Any, values: Any, places: Any, n: Any, shift: Any) -> None:
    """Add to four registers of a filter what all of its cotangents have for them."""
    lanes = width(x)
    a, b = load(w, to), load(w, to + lanes)
    c, d = load(w, to + 2 * lanes), load(w, to + 3 * lanes)
    for i in range(n):
        g, at = read(values, i), read(places, i) + shift
        a = fma(g, load(x, at), a)
        b = fma(g, load(x, at + lanes), b)
        c = fma(g, load(x, at + 2 * lanes), c)
        d = fma(g, load(x, at + 3 * lanes), d)
    store(w, to, a)
    store(w, to + lanes, b)
    store(w, to + 2 * lanes, c)
    store(w, to + 3 * lanes, d)


@part
def _collect_1(x: Any, w: Any, to: Any, values: Any, places: Any, n: Any, shift: Any) -> None:
    a = load(w, to)
    for i in range(n):
        a = fma(read(values, i), load(x, read(places, i) + shift), a)
    store(w, to, a)


@part
def _collect(
    x: Any, w: Any, to: Any, values: Any, places: Any, n: Any, shift: Any, run: Any
) -> None:
    """Add to a row of a filter."""
    lanes = width(x)
    some = 4 * lanes
    whole = run - run % some
    for k in range(0, whole, some):
        _collect_4(x, w, to + k, values, places, n, shift + k)
    for k in range(whole, run, lanes):
        _collect_1(x, w, to + k, values, places, n, shift + k)


@part
def _read_sample(x: Any, sample: Any, image: Any, y: Any, by_entry: Any) -> None:
    """Put the channels of a sample's entries side by side; `by_entry`: as they are."""
    pieces, columns, row, origin = image[0], image[1], image[2], image[3]
    channels, entry = image[4], image[5]
    first = sample * pieces * columns * channels
    for i in range(pieces):
        to = origin + i * row
        if by_entry:
            at = first + i * columns * channels
            _copy(x, at, columns, channels, channels, y, to, entry)
        else:
            at = first + i * columns
            _turn(x, x, at, channels, pieces * columns, columns, y, to, entry)


@loop(
    lambda array, given: (
        *(given, given, GIVEN_BYTES, INTEGERS, INTEGERS, INTEGERS),
        *(INTEGER, INTEGER, INTEGER, INTEGER, array, _PLACES, array, array, FLAG),
    )
)
def collect(
    x: Any, g: Any, found: Any, starts: Any, filters: Any, image: Any,
    start: Any, stop: Any, each: Any, samples: Any,
    values: Any, places: Any, inside: Any, w: Any, by_entry: Any,
) -> None:  # fmt: skip
    """Transpose a convolution with maxima in its filters: chunks of `each` samples.

    Each has its own sums in `w`, which are zeros. `inside`, `values` and `places` are memory for a
    sample, and for the windows of a filter.
    """
    count, windows, entries = filters[0], filters[1], filters[2]
    rows, run, step = filters[3], filters[4], filters[5]
    for k in range(inside.size):
        write(inside, k, 0)
    for chunk in range(start, stop):
        for sample in range(chunk * each, min((chunk + 1) * each, samples)):
            _read_sample(x, sample, image, inside, by_entry)
            for f in range(count):
                at = (sample * count + f) * windows
                n = _find(g, found, at, starts, windows, entries, values, places)
                to = (chunk * count + f) * rows * run
                for p in range(rows):
                    _collect(inside, w, to + p * run, values, places, n, p * step, run)


__all__ = ["collect"]

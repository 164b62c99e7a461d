"""The loops of pooling: over flat images, a window's entries by a table of where they are.

`steps` are six numbers: rows and columns of an image, of its result, and the steps of the window.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.kernels.compiled.jit import BYTES, GIVEN_BYTES, INTEGER, INTEGERS, loop, part
from srcad.kernels.compiled.vectors import choose, read, write


@part
def _first(x: Any, at: Any, t: Any, n: Any, y: Any, to: Any, places: Any) -> None:
    for j in range(n):
        write(y, to + j, read(x, at + j * t))
        write(places, to + j, np.uint8(0))


@part
def _greater(x: Any, at: Any, t: Any, n: Any, k: Any, y: Any, to: Any, places: Any) -> None:
    """Entries `k` of a row of windows, where they are greater than those before; NaN stays."""
    for j in range(n):
        entry, best = read(x, at + j * t), read(y, to + j)
        place = read(places, to + j)
        is_greater = entry > best
        write(places, to + j, choose(is_greater, k, place))
        write(y, to + j, choose(is_greater | (entry != entry), entry, best))


@part
def _larger(a: Any, b: Any, i: Any, j: Any) -> Any:
    """The greater one with its place, the first of equal ones; NaN stays."""
    is_larger = b > a
    return choose(is_larger | (b != b), b, a), choose(is_larger, j, i)


@part
def _pool_row_of_4(x: Any, at: Any, w: Any, n: Any, y: Any, to: Any, places: Any) -> None:
    """Windows of two by two: all at once."""
    for j in range(n):
        i = at + 2 * j
        a, p = read(x, i), np.uint8(0)
        a, p = _larger(a, read(x, i + 1), p, np.uint8(1))
        a, p = _larger(a, read(x, i + w), p, np.uint8(2))
        a, p = _larger(a, read(x, i + w + 1), p, np.uint8(3))
        write(y, to + j, a)
        write(places, to + j, p)


@part
def _pool_row(x: Any, at: Any, t: Any, n: Any, where: Any, y: Any, to: Any, places: Any) -> None:
    _first(x, at, t, n, y, to, places)
    for k in range(1, where.size):
        _greater(x, at + where[k], t, n, np.uint8(k), y, to, places)


@loop(lambda array, given: (given, INTEGERS, INTEGERS, INTEGER, INTEGER, array, BYTES))
def pool(x: Any, where: Any, steps: Any, start: Any, stop: Any, y: Any, places: Any) -> None:
    """Maxima and their places, of the images from `start` to `stop`."""
    h, w, rows, columns, s, t = steps[0], steps[1], steps[2], steps[3], steps[4], steps[5]
    for image in range(start, stop):
        for i in range(rows):
            at, to = image * h * w + i * s * w, (image * rows + i) * columns
            # The step as a constant: then neighbours are done at once.
            if where.size == 4 and where[2] == w and t == 2:
                _pool_row_of_4(x, at, w, columns, y, to, places)
            elif t == 1:
                _pool_row(x, at, 1, columns, where, y, to, places)
            elif t == 2:
                _pool_row(x, at, 2, columns, where, y, to, places)
            else:
                _pool_row(x, at, t, columns, where, y, to, places)


# Transposes, means -------------------------------------------------------------------------------


@part
def _clear(x: Any, start: Any, stop: Any) -> None:
    for i in range(start, stop):
        write(x, i, 0)


@part
def _unpool_row_of_4(g: Any, places: Any, at: Any, n: Any, x: Any, to: Any, w: Any) -> None:
    """Windows of two by two, one beside the other."""
    zero = g.dtype.type(0)
    for j in range(n):
        entry, place, i = read(g, at + j), read(places, at + j), to + 2 * j
        write(x, i, choose(place == 0, entry, zero))
        write(x, i + 1, choose(place == 1, entry, zero))
        write(x, i + w, choose(place == 2, entry, zero))
        write(x, i + w + 1, choose(place == 3, entry, zero))


@loop(lambda array, given: (given, GIVEN_BYTES, INTEGERS, INTEGERS, INTEGER, INTEGER, array))
def unpool(g: Any, places: Any, where: Any, steps: Any, start: Any, stop: Any, x: Any) -> None:
    """Add each `g` where its maximum was, in images of zeros."""
    h, w, rows, columns, s, t = steps[0], steps[1], steps[2], steps[3], steps[4], steps[5]
    is_2_by_2 = where.size == 4 and where[2] == w and t == 2 and s == 2
    if not is_2_by_2 or 2 * rows < h or 2 * columns < w:
        _clear(x, start * h * w, stop * h * w)
    for image in range(start, stop):
        for i in range(rows):
            to, at = image * h * w + i * s * w, (image * rows + i) * columns
            if is_2_by_2:
                _unpool_row_of_4(g, places, at, columns, x, to, w)
                continue
            for j in range(columns):
                place = np.int64(read(places, at + j))
                if place < where.size:
                    k = to + j * t + read(where, place)
                    write(x, k, read(x, k) + read(g, at + j))


@loop(lambda array, given: (given, GIVEN_BYTES, INTEGERS, INTEGERS, INTEGER, INTEGER, array))
def pick(x: Any, places: Any, where: Any, steps: Any, start: Any, stop: Any, y: Any) -> None:
    """Read where each maximum was."""
    h, w, rows, columns, s, t = steps[0], steps[1], steps[2], steps[3], steps[4], steps[5]
    for image in range(start, stop):
        for i in range(rows):
            at, to = image * h * w + i * s * w, (image * rows + i) * columns
            for j in range(columns):
                place = np.int64(read(places, to + j))
                if place < where.size:
                    write(y, to + j, read(x, at + j * t + read(where, place)))
                else:
                    write(y, to + j, 0)


@part
def _mean_row(x: Any, at: Any, t: Any, n: Any, where: Any, y: Any, to: Any) -> None:
    for j in range(n):
        write(y, to + j, read(x, at + j * t))
    for k in range(1, where.size):
        shifted = at + where[k]
        for j in range(n):
            write(y, to + j, read(y, to + j) + read(x, shifted + j * t))
    share = y.dtype.type(1 / where.size)
    for j in range(n):
        write(y, to + j, read(y, to + j) * share)


@loop(lambda array, given: (given, INTEGERS, INTEGERS, INTEGER, INTEGER, array))
def average(x: Any, where: Any, steps: Any, start: Any, stop: Any, y: Any) -> None:
    """Means of windows."""
    h, w, rows, columns, s, t = steps[0], steps[1], steps[2], steps[3], steps[4], steps[5]
    for image in range(start, stop):
        for i in range(rows):
            at, to = image * h * w + i * s * w, (image * rows + i) * columns
            if t == 1:
                _mean_row(x, at, 1, columns, where, y, to)
            elif t == 2:
                _mean_row(x, at, 2, columns, where, y, to)
            else:
                _mean_row(x, at, t, columns, where, y, to)


@part
def _spread_row(g: Any, at: Any, n: Any, where: Any, x: Any, to: Any, t: Any) -> None:
    share = g.dtype.type(1 / where.size)
    for k in range(where.size):
        shifted = to + where[k]
        for j in range(n):
            i = shifted + j * t
            write(x, i, read(x, i) + read(g, at + j) * share)


@loop(lambda array, given: (given, INTEGERS, INTEGERS, INTEGER, INTEGER, array))
def spread(g: Any, where: Any, steps: Any, start: Any, stop: Any, x: Any) -> None:
    """Each `g` in equal shares over its window, in images of zeros."""
    h, w, rows, columns, s, t = steps[0], steps[1], steps[2], steps[3], steps[4], steps[5]
    _clear(x, start * h * w, stop * h * w)
    for image in range(start, stop):
        for i in range(rows):
            to, at = image * h * w + i * s * w, (image * rows + i) * columns
            if t == 1:
                _spread_row(g, at, columns, where, x, to, 1)
            elif t == 2:
                _spread_row(g, at, columns, where, x, to, 2)
            else:
                _spread_row(g, at, columns, where, x, to, t)


__all__ = ["average", "pick", "pool", "spread", "unpool"]

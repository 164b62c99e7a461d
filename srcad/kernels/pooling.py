"""Pooling of images, and its transposes.

`max_pool2d` also says which entry of its window each maximum is, in one byte: all that the
derivatives need. `unpool2d` puts cotangents there, `pick2d` takes tangents from there; each is the
other's transpose. Of equal entries the first is the maximum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.kernels.threads import parallel

Array = NDArray[Any]
Pair = int | tuple[int, int]


def max_pool2d(x: Array, size: Pair, stride: Pair | None = None) -> tuple[Array, NDArray[np.uint8]]:
    """The maximum of each window, and its place in it.

    Args:
        x: images (N, C, H, W).
        size: rows and columns of a window, at most 255 entries; `stride`: its step, by default
            `size`. What is left at the right and at the bottom is left out.

    Returns:
        y and places, both (N, C, H', W') with H' = (H - size) // stride + 1.

    Raises:
        ValueError: the window does not fit, or has too many entries.
    """
    shifts, out = shifts_of(x.shape, size, stride)
    if len(shifts) > 255:
        raise ValueError(f"max_pool2d: a window has at most 255 entries, got {len(shifts)}")
    y = np.empty((*x.shape[:2], *out), x.dtype)
    places = np.zeros(y.shape, np.uint8)

    def part(start: int, stop: int) -> None:
        best, place = y[start:stop], places[start:stop]
        best[...] = x[start:stop, :, *shifts[0]]
        for k, shift in enumerate(shifts[1:], 1):
            entries = x[start:stop, :, *shift]
            # A later one that is greater has the greater number: no masked store, which is slow.
            np.maximum(place, (entries > best).view(np.uint8) * np.uint8(k), out=place)
            np.maximum(best, entries, out=best)

    parallel(part, len(x), x.size)
    return y, places


def unpool2d(
    g: Array, places: Array, shape: tuple[int, ...], size: Pair, stride: Pair | None = None
) -> Array:
    """Images of `shape`, zero but for g (N, C, H', W'), which is added where the maxima were."""
    shifts, out = shifts_of(shape, size, stride)
    check_result(g.shape, shape, out)
    x = np.zeros(shape, g.dtype)
    apart = _are_apart(size, stride)

    def part(start: int, stop: int) -> None:
        for k, shift in enumerate(shifts):
            into, mask = x[start:stop, :, *shift], places[start:stop] == k
            if apart:
                np.multiply(g[start:stop], mask, out=into)
            else:
                into += g[start:stop] * mask

    parallel(part, len(x), x.size)
    return x


def pick2d(x: Array, places: Array, size: Pair, stride: Pair | None = None) -> Array:
    """The entries of x (N, C, H, W) where the maxima were: (N, C, H', W'), zero for no place."""
    shifts, out = shifts_of(x.shape, size, stride)
    check_result(places.shape, x.shape, out)
    y = np.zeros(places.shape, x.dtype)
    for k, shift in enumerate(shifts):
        np.copyto(y, x[:, :, *shift], where=places == k)
    return y


def avg_pool2d(x: Array, size: Pair, stride: Pair | None = None) -> Array:
    """The mean of each window of x (N, C, H, W), in windows as those of `max_pool2d`."""
    shifts, out = shifts_of(x.shape, size, stride)
    y = np.empty((*x.shape[:2], *out), x.dtype)

    def part(start: int, stop: int) -> None:
        total = y[start:stop]
        total[...] = x[start:stop, :, *shifts[0]]
        for shift in shifts[1:]:
            total += x[start:stop, :, *shift]
        total *= 1 / len(shifts)

    parallel(part, len(x), x.size)
    return y


def avg_unpool2d(g: Array, shape: tuple[int, ...], size: Pair, stride: Pair | None = None) -> Array:
    """Transpose `avg_pool2d`: each g (N, C, H', W') is spread evenly over its window."""
    shifts, out = shifts_of(shape, size, stride)
    check_result(g.shape, shape, out)
    x = np.zeros(shape, g.dtype)

    def part(start: int, stop: int) -> None:
        share = g[start:stop] * (1 / len(shifts))
        for shift in shifts:
            x[start:stop, :, *shift] += share

    parallel(part, len(x), x.size)
    return x


def shifts_of(
    shape: tuple[int, ...], size: Pair, stride: Pair | None
) -> tuple[list[tuple[slice, slice]], tuple[int, int]]:
    """For each entry of a window, where in the image it is for all windows; how many there are."""
    if len(shape) != 4:
        raise ValueError(f"pooling: expected x (N, C, H, W), got {shape}")
    (p, q), (s, t) = pair("size", size), pair("stride", size if stride is None else stride)
    h, w = (shape[2] - p) // s + 1, (shape[3] - q) // t + 1
    if h < 1 or w < 1:
        raise ValueError(f"pooling: windows of {p} x {q} do not fit into images of {shape[2:]}")
    shifts = [(slice(i, i + s * h, s), slice(j, j + t * w, t)) for i in range(p) for j in range(q)]
    return shifts, (h, w)


def check_result(g: tuple[int, ...], x: tuple[int, ...], out: tuple[int, int]) -> None:
    if g != (*x[:2], *out):
        raise ValueError(f"pooling: expected a result of shape {(*x[:2], *out)}, got {g}")


def _are_apart(size: Pair, stride: Pair | None) -> bool:
    """Whether no two windows have an entry in common."""
    step = size if stride is None else stride
    return all(s >= n for n, s in zip(pair("size", size), pair("stride", step), strict=True))


def pair(name: str, value: Pair) -> tuple[int, int]:
    both = tuple(value) if isinstance(value, tuple | list) else (value, value)
    if len(both) != 2 or not all(isinstance(n, int | np.integer) and n >= 1 for n in both):
        raise ValueError(f"pooling: {name} must be at least 1, or two such numbers, got {value}")
    return int(both[0]), int(both[1])


__all__ = ["avg_pool2d", "avg_unpool2d", "max_pool2d", "pick2d", "unpool2d"]

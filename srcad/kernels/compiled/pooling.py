"""Pooling of images and its transposes, compiled; as `srcad.kernels.pooling` has them."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.kernels import pooling as plain
from srcad.kernels.compiled.parts import run_parts
from srcad.kernels.compiled.windows import average, pick, pool, spread, unpool
from srcad.kernels.pooling import Pair
from srcad.kernels.recycled import empty

Array = NDArray[Any]
Ints = NDArray[np.int64]


def max_pool2d(x: Array, size: Pair, stride: Pair | None = None) -> tuple[Array, NDArray[np.uint8]]:
    """The maximum of each window, and its place in it, as `srcad.kernels.max_pool2d`."""
    shifts, out = plain.shifts_of(x.shape, size, stride)
    if not _is_taken(x) or len(shifts) > 255:
        return plain.max_pool2d(x, size, stride)
    y = empty((*x.shape[:2], *out), x.dtype)
    places = empty(y.shape, np.uint8)
    _over_images(pool, x.shape, size, stride, (x,), (y, places))
    return y, places


def unpool2d(
    g: Array, places: Array, shape: tuple[int, ...], size: Pair, stride: Pair | None = None
) -> Array:
    """Cotangents where the maxima were, as `srcad.kernels.unpool2d`."""
    _, out = plain.shifts_of(shape, size, stride)
    plain.check_result(g.shape, shape, out)
    if not _is_taken(g) or places.dtype != np.uint8 or places.shape != g.shape:
        return plain.unpool2d(g, places, shape, size, stride)
    x = empty(shape, g.dtype)
    _over_images(unpool, shape, size, stride, (g, places), (x,))
    return x


def pick2d(x: Array, places: Array, size: Pair, stride: Pair | None = None) -> Array:
    """The entries where the maxima were, as `srcad.kernels.pick2d`."""
    _, out = plain.shifts_of(x.shape, size, stride)
    plain.check_result(places.shape, x.shape, out)
    if not _is_taken(x) or places.dtype != np.uint8:
        return plain.pick2d(x, places, size, stride)
    y = empty(places.shape, x.dtype)
    _over_images(pick, x.shape, size, stride, (x, places), (y,))
    return y


def avg_pool2d(x: Array, size: Pair, stride: Pair | None = None) -> Array:
    """The mean of each window, as `srcad.kernels.avg_pool2d`."""
    _, out = plain.shifts_of(x.shape, size, stride)
    if not _is_taken(x):
        return plain.avg_pool2d(x, size, stride)
    y = empty((*x.shape[:2], *out), x.dtype)
    _over_images(average, x.shape, size, stride, (x,), (y,))
    return y


def avg_unpool2d(g: Array, shape: tuple[int, ...], size: Pair, stride: Pair | None = None) -> Array:
    """Each cotangent evenly over its window, as `srcad.kernels.avg_unpool2d`."""
    _, out = plain.shifts_of(shape, size, stride)
    plain.check_result(g.shape, shape, out)
    if not _is_taken(g):
        return plain.avg_unpool2d(g, shape, size, stride)
    x = empty(shape, g.dtype)
    _over_images(spread, shape, size, stride, (g,), (x,))
    return x


def _is_taken(x: Array) -> bool:
    return x.dtype in (np.float32, np.float64) and x.dtype.isnative


def _over_images(
    loop: Any,
    shape: tuple[int, ...],
    size: Pair,
    stride: Pair | None,
    given: tuple[Array, ...],
    made: tuple[Array, ...],
) -> None:
    """Call a loop on all images, (samples, channels) in one axis."""
    where, steps = _tables(
        shape[2:], plain.pair("size", size), plain.pair("stride", stride or size)
    )
    flat = [np.ascontiguousarray(a).reshape(-1) for a in given]
    results = [a.reshape(-1) for a in made]
    run_parts(
        loop(made[0].dtype),
        lambda _, start, stop: (*flat, where, steps, start, stop, *results),
        shape[0] * shape[1],
        math.prod(shape),
    )


@functools.lru_cache(maxsize=256)
def _tables(
    image: tuple[int, int], size: tuple[int, int], stride: tuple[int, int]
) -> tuple[Ints, Ints]:
    """Where in an image the entries of the first window are; the numbers of the loops."""
    (h, w), (p, q), (s, t) = image, size, stride
    where = (np.arange(p)[:, None] * w + np.arange(q)).ravel()
    return where, np.array([h, w, (h - p) // s + 1, (w - q) // t + 1, s, t])


__all__ = ["avg_pool2d", "avg_unpool2d", "max_pool2d", "pick2d", "unpool2d"]

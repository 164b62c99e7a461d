"""Index sets of filters and pools: those in a window.

A filter is run for each entry of its kernel alone, on the numbers of the places: what it gives is
which entries that one takes, so that what it does at the ends of lines is its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.runtime.index_sets.places import Pool


def smoothed_places(fn: Callable[..., Any], sets: Any, size: Any, **options: Any) -> Any:
    """The sets of `gaussian_filter1d` and `uniform_filter1d`, by a correlation as wide."""
    from scipy import ndimage

    kept = {name: options[name] for name in ("axis", "mode", "origin") if name in options}
    if fn.__name__ == "gaussian_filter1d":
        radius = options.get("radius")
        if radius is None:
            radius = int(options.get("truncate", 4.0) * float(size) + 0.5)
        size = 2 * radius + 1
    return stencil_places(ndimage.correlate1d, sets, np.ones(size), **kept)


def stencil_places(
    fn: Callable[..., Any], sets: Any, weights: Any, *given: Any, **options: Any
) -> Any:
    """The sets of a filter with a kernel, which is linear in `sets`: `fn(x, weights, *given)`."""
    weights = np.asarray(weights)
    kernels = [_ones_at(weights.shape, tuple(place)) for place in np.argwhere(weights)]
    if not kernels:  # nothing is read
        kernels = [np.zeros(weights.shape)]
    return _filtered(fn, sets, kernels, given, options)


def images_places(
    fn: Callable[..., Any], sets: Any, weights: Any, *given: Any, **options: Any
) -> Any:
    """The sets of a convolution of images, (N, C, H, W), with filters, (F, C / groups, P, Q)."""
    shape = np.shape(weights)
    kernels = [_ones_at(shape, (slice(None), *place)) for place in np.ndindex(shape[1:])]
    return _filtered(fn, sets, kernels, given, options)


def _ones_at(shape: tuple[int, ...], place: tuple[Any, ...]) -> Any:
    alone = np.zeros(shape)
    alone[place] = 1.0
    return alone


def _filtered(
    fn: Callable[..., Any], sets: Any, kernels: Sequence[Any], given: Any, options: dict[str, Any]
) -> Any:
    """The sets of all places that a filter takes with one of these kernels, each of ones and zeros
    of which one moves a place to an entry: it is told by its number.
    """
    pool = Pool.current()
    at = pool.numbers(sets)
    numbered = np.concatenate([[0], at.ravel()])
    numbers = 1.0 + np.arange(at.size, dtype=float).reshape(at.shape)
    made: Any = 0
    for kernel in kernels:
        taken = np.rint(np.asarray(fn(numbers, kernel, *given, **options))).astype(np.intp)
        made = pool.union(made, numbered[taken])
    return pool.of(made)


def pooled_places(sets: Any, size: Any, stride: Any = None) -> Any:
    """The sets of the windows of images, (N, C, H, W)."""
    pool = Pool.current()
    at = pool.numbers(sets)
    steps = size if stride is None else stride
    rows, columns = size if isinstance(size, tuple) else (size, size)
    down, right = steps if isinstance(steps, tuple) else (steps, steps)
    made: Any = 0
    high, wide = (at.shape[2] - rows) // down + 1, (at.shape[3] - columns) // right + 1
    for i in range(rows):
        for j in range(columns):
            part = at[:, :, i : i + down * high : down, j : j + right * wide : right]
            made = pool.union(made, part)
    return pool.of(made)


__all__ = ["images_places", "pooled_places", "smoothed_places", "stencil_places"]

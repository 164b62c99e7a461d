"""Helpers of emitted code for discrete Fourier, cosine and sine transforms."""

from __future__ import annotations

from typing import Any

import numpy as np


def fitted(x: Any, shape: tuple[int, ...]) -> Any:
    """`x` cut off, or padded by zeros, at the end of each axis, so that it has `shape`."""
    kept = tuple(slice(min(have, want)) for have, want in zip(x.shape, shape, strict=True))
    new = np.zeros(shape, x.dtype)
    new[kept] = x[kept]
    return new


def scale_pairs(x: Any, n: int, twice: bool, axis: int = -1) -> Any:
    """Half a spectrum with twice or half the entries that each stand for two of all `n` ones."""
    x = np.array(x)
    np.moveaxis(x, axis, 0)[1 : (n + 1) // 2] *= 2 if twice else 0.5
    return x


def scale_ends(x: Any, twice: bool, axes: Any, first: bool, last: bool) -> Any:
    """`x` with twice or half its first entries, its last ones, or both, along each of `axes`."""
    x = np.array(x)
    factor = 2 if twice else 0.5
    for axis in axes:
        along = np.moveaxis(x, axis, 0)
        if first:
            along[0] *= factor
        if last:
            along[-1] *= factor
    return x

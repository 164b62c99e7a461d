"""Helpers of emitted code for filters: what is transposed to a correlation with a kernel.

y[i] = sum_k w[k] x[i + k - c] of an `x` that is extended beyond its ends is linear in `x` and in
`w`. With g the cotangent of y, `filter_back` is that of x and `filter_weights` that of w.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def filter_kernel(w: Any, rank: int, axis: Any, flip: bool) -> Any:
    """The kernel with as many axes as the array, flipped where it is convolved."""
    shape = [1] * rank
    if axis is not None:
        shape[axis] = -1
        w = np.reshape(w, shape)
    return np.flip(w) if flip else w


def filter_starts(shape: Any, origin: Any, axis: Any, flip: bool) -> Any:
    """How far a kernel of `shape` reaches to the left along each axis."""
    origins = [origin] * len(shape) if np.ndim(origin) == 0 else list(origin)
    if axis is not None:
        origins = [origin if k == axis % len(shape) else 0 for k in range(len(shape))]
    if flip:
        origins = [-o - (n % 2 == 0) for o, n in zip(origins, shape, strict=True)]
    return [int(n // 2 + o) for n, o in zip(shape, origins, strict=True)]


def filter_places(n: int, before: int, after: int, mode: str) -> Any:
    """Which entry each entry of an extended axis of extent `n` is."""
    names: dict[str, Any] = {
        "reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect",
        "nearest": "edge", "wrap": "wrap", "grid-wrap": "wrap",
    }  # fmt: skip
    return np.pad(np.arange(n), (before, after), names[mode])


def filter_back(
    g: Any, w: Any, mode: str, origin: Any = 0, axis: Any = None, flip: bool = False
) -> Any:
    """The transpose of a filter, as linear in its input."""
    w = filter_kernel(w, np.ndim(g), axis, flip)
    starts = filter_starts(w.shape, origin, axis, flip)
    whole = np.zeros(
        [n + k - 1 for n, k in zip(g.shape, w.shape, strict=True)], np.result_type(g, w)
    )
    for index in np.ndindex(w.shape):
        at = tuple(slice(k, k + n) for k, n in zip(index, g.shape, strict=True))
        whole[at] += w[index] * g
    for k, (start, n) in enumerate(zip(starts, g.shape, strict=True)):
        beyond, whole = np.moveaxis(whole, k, 0), np.moveaxis(whole, k, 0)[start : start + n]
        if mode not in ("constant", "grid-constant") and n:
            whole = whole.copy()
            places = filter_places(n, start, len(beyond) - n - start, mode)
            for j in (*range(start), *range(start + n, len(beyond))):
                whole[places[j]] += beyond[j]
        whole = np.moveaxis(whole, 0, k)
    return np.array(whole, g.dtype)


def filter_weights(
    x: Any,
    g: Any,
    shape: tuple[int, ...],
    mode: str,
    origin: Any = 0,
    axis: Any = None,
    flip: bool = False,
    cval: float = 0.0,
) -> Any:
    """The transpose of a filter, as linear in its kernel, which has `shape`."""
    if not np.size(g):
        return np.zeros(shape, np.result_type(x, g))
    like = filter_kernel(np.zeros(shape), np.ndim(x), axis, flip)
    starts = filter_starts(like.shape, origin, axis, flip)
    for k, (start, n) in enumerate(zip(starts, like.shape, strict=True)):
        if mode in ("constant", "grid-constant"):
            widths = [(start, n - 1 - start) if j == k else (0, 0) for j in range(np.ndim(x))]
            x = np.pad(x, widths, constant_values=cval)
        else:
            x = np.take(x, filter_places(x.shape[k], start, n - 1 - start, mode), axis=k)
    products = np.zeros(like.shape, np.result_type(x, g))
    for index in np.ndindex(like.shape):
        at = tuple(slice(k, k + n) for k, n in zip(index, g.shape, strict=True))
        products[index] = np.sum(x[at] * g)
    return np.array(np.flip(products) if flip else products).reshape(shape)


def gaussian_weights(
    sigma: float, order: int = 0, truncate: float = 4.0, radius: Any = None
) -> Any:
    """A Gaussian, or its derivative of an order, at integers, as a kernel to correlate with."""
    reach = int(truncate * float(sigma) + 0.5) if radius is None else int(radius)
    x = np.arange(-reach, reach + 1)
    values = np.exp(-0.5 / (sigma * sigma) * x**2)
    factor = np.ones(1)
    for _ in range(order):  # (q exp)' = (q' - q x / sigma^2) exp
        factor = np.polysub(np.polyder(factor), np.polymul([1 / (sigma * sigma), 0.0], factor))
    return (np.polyval(factor, x) * values / values.sum())[::-1]


def uncropped(g: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of `shape` with `g` in their middle: transposes `cropped`."""
    whole = np.zeros(shape, g.dtype)
    starts = [(n - m) // 2 for n, m in zip(shape, g.shape, strict=True)]
    whole[tuple(slice(a, a + m) for a, m in zip(starts, g.shape, strict=True))] = g
    return whole


def cropped(x: Any, shape: tuple[int, ...]) -> Any:
    """The middle of `x`, of `shape`."""
    starts = [(n - m) // 2 for n, m in zip(x.shape, shape, strict=True)]
    return x[tuple(slice(a, a + m) for a, m in zip(starts, shape, strict=True))].copy()


def lag_products(v: Any, x: Any, count: int, axis: int = -1) -> Any:
    """The sums over n of `v[n] * x[n - k]` along `axis`, and over the other axes, for k < count."""
    v, x = np.moveaxis(v, axis, 0), np.moveaxis(x, axis, 0)
    sums = [np.sum(v[k:] * x[: max(0, len(x) - k)]) for k in range(count)]
    return np.array(sums, np.result_type(v, x))

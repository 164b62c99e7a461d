"""Convolution and pooling as their definitions have it: loops over every entry."""

from __future__ import annotations

from typing import Any

import numpy as np


def pair(value: Any) -> tuple[Any, Any]:
    return value if isinstance(value, tuple) else (value, value)


def padded(x: Any, w: Any, padding: Any, stride: Any, dilation: Any) -> Any:
    """The images with their zeros around."""
    if padding == "valid":
        return x
    pads = []
    for axis in (0, 1):
        n, k, s, d = x.shape[2 + axis], w.shape[2 + axis], pair(stride)[axis], pair(dilation)[axis]
        if padding == "same":
            total = max(0, (int(np.ceil(n / s)) - 1) * s + d * (k - 1) + 1 - n)
            pads.append((total // 2, total - total // 2))
        else:
            pads.append(pair(pair(padding)[axis]))
    return np.pad(x, ((0, 0), (0, 0), *pads))


def conv2d(
    x: Any, w: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Any:
    x = padded(x, w, padding, stride, dilation)
    (s, t), (d, e) = pair(stride), pair(dilation)
    n, f = x.shape[0], w.shape[0]
    rows = (x.shape[2] - d * (w.shape[2] - 1) - 1) // s + 1
    columns = (x.shape[3] - e * (w.shape[3] - 1) - 1) // t + 1
    y = np.zeros((n, f, rows, columns), np.result_type(x, w))
    for a, k, i, j in np.ndindex(*y.shape):
        first = k // (f // groups) * w.shape[1]
        for c, p, q in np.ndindex(*w.shape[1:]):
            y[a, k, i, j] += x[a, first + c, i * s + p * d, j * t + q * e] * w[k, c, p, q]
    return y


def windows(x: Any, size: Any, stride: Any = None) -> Any:
    """Each window of each image, its entries along the last axis."""
    (p, q), (s, t) = pair(size), pair(size if stride is None else stride)
    rows, columns = (x.shape[2] - p) // s + 1, (x.shape[3] - q) // t + 1
    y = np.zeros((*x.shape[:2], rows, columns, p * q), x.dtype)
    for a, c, i, j in np.ndindex(*y.shape[:4]):
        y[a, c, i, j] = x[a, c, i * s : i * s + p, j * t : j * t + q].ravel()
    return y

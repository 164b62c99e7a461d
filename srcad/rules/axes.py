"""Reduced axes: putting them back, counting along them.

x: f64[n, k]      y = np.sum(x, axis=1)      restore(y, 1, False, x)  ->  y[:, None]
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from srcad.rules.facts import normalize_axes
from srcad.rules.staged import rank_or_none, shape_of_value


def restore(g: Any, axis: Any, keepdims: bool, x: Any) -> Any:
    """`g`, which has the shape of a reduction of `x`, with axes that broadcast against `x`."""
    if axis is None or keepdims:
        return g
    rank = rank_or_none(x)
    if rank is None:
        return np.expand_dims(g, axis)
    axes = normalize_axes(axis, rank)
    if rank == 0 or axes == tuple(range(len(axes))):
        return g  # leading axes come back by broadcasting
    index = tuple(None if i in axes else slice(None) for i in range(axes[-1] + 1))
    return g[index]


def count(x: Any, axis: Any) -> Any:
    """The number of entries of `x` along `axis`."""
    if axis is None:
        return np.size(x)
    rank = rank_or_none(x)
    shape = shape_of_value(x)
    if rank == 0:
        return 1
    axes = normalize_axes(axis, rank) if rank is not None else _tuple(axis)
    return functools.reduce(operator.mul, [shape[i] for i in axes]) if axes else 1


def _tuple(axis: Any) -> tuple[int, ...]:
    return tuple(axis) if isinstance(axis, tuple) else (axis,)

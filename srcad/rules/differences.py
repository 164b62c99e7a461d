"""Differences along an axis and sums over them: trapezoid."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.rules.cumulative import at
from srcad.rules.registry import composed
from srcad.rules.staged import as_array, rank_or_none
from srcad.rules.table import Case


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = as_array(y)
    before, after = at(axis, slice(None, -1)), at(axis, slice(1, None))
    if x is None:
        return np.sum(dx * (y[after] + y[before]) / 2.0, axis=axis)
    x = as_array(x)
    if x.ndim == 1:
        width = np.diff(x)
        rank = rank_or_none(y)
        shape = [1] * y.ndim
        shape[axis] = -1
        width = np.reshape(width, shape) if rank != 1 else width
    else:
        width = np.diff(x, axis=axis)
    return np.sum(width * (y[after] + y[before]) / 2.0, axis=axis)


composed(
    np.trapezoid,
    _trapezoid,
    cases=(
        Case((5,)),
        Case((5,), (5,)),
        Case((3, 4), None, 0.5),
        Case((3, 4), None, float, axis=0),
        Case((3, 4), (4,)),
        Case((3, 4), (3,), axis=0),
        Case((2, 3, 4), (2, 3, 4), axis=1),
        Case((2, 3, 4), (3,), axis=-2),
    ),
)

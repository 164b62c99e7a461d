"""Splines of SciPy's at points: their values, and their derivatives of each order."""

from __future__ import annotations

from typing import Any

import numpy as np


def spline_values(spline: Any, x: Any, nu: int, extrapolate: Any, trailing: tuple[int, ...]) -> Any:
    """The derivative of order `nu` of a spline at the points `x`, in double precision.

    Args:
        spline: an object of `scipy.interpolate`.
        nu: 0 for the values themselves.
        extrapolate: what the call is told of points outside; None for nothing.
        trailing: the extents of one value.
    """
    kind = type(spline).__name__
    if kind == "interp1d":
        return spline(x) if nu == 0 else _slopes(spline, x, nu)
    if kind.endswith("UnivariateSpline") and nu > spline._eval_args[2]:  # which SciPy refuses
        return np.zeros(np.shape(x))
    return spline(x, nu) if extrapolate is None else spline(x, nu, extrapolate)


def _slopes(table: Any, x: Any, nu: int) -> Any:
    """Those of an `interp1d`: at a point of the table that on its right, 0 where it is filled."""
    points, values = table.x, table.y
    if hasattr(table, "_spline"):
        found = table._spline(x, nu).reshape(np.shape(x))
    elif table._kind == "linear" and nu == 1:
        k = np.clip(np.searchsorted(points, x, side="right") - 1, 0, len(points) - 2)
        found = (values[k + 1] - values[k]) / (points[k + 1] - points[k])
    else:
        return np.zeros(np.shape(x))
    is_inside = (x >= points[0]) & (x <= points[-1])
    return found if table._extrapolate else np.where(is_inside, found, 0.0)

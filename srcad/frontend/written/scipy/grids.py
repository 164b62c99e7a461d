"""`RegularGridInterpolator`, `interpn` and `interp1d`, read in place of SciPy's.

RegularGridInterpolator((x, y), v)(p)     i, j = searchsorted(x, p[:, 0]) - 1, ...
                                          v[i, j] * (1 - s) * (1 - t) + v[i, j + 1] * (1 - s) * t
                                          + v[i + 1, j] * s * (1 - t) + v[i + 1, j + 1] * s * t
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.scipy.basis import through
from srcad.frontend.written.scipy.reals import as_reals


class Grid:
    """Values on a grid, of which the nearest is taken, or those around are weighed."""

    def __init__(
        self,
        points: Any,
        values: Any,
        method: str = "linear",
        bounds_error: Any = True,
        fill_value: Any = np.nan,
        *,
        solver: Any = None,
        solver_args: Any = None,
    ) -> None:
        if method not in ("linear", "nearest"):
            beyond(f"a grid with the method {method!r}")
        values = np.asarray(values)
        self._is_single = values.dtype.kind == "f" and values.dtype != np.float64
        values = as_reals(values)
        if len(points) > values.ndim:
            raise ValueError(f"There are {len(points)} point arrays, but `values` has fewer axes")
        grid = []
        for axis in range(len(points)):
            p = as_reals(points[axis])
            if p.ndim != 1:
                raise ValueError(f"The points in dimension {axis} must be 1-dimensional")
            if len(p) != values.shape[axis]:
                raise ValueError(f"There are {len(p)} points and values of another length")
            if p[0] > p[-1]:
                p, values = p[::-1], np.flip(values, axis)
            if not np.all(np.diff(p) > 0):
                what = "must be strictly ascending or descending"
                raise ValueError(f"The points in dimension {axis} {what}")
            grid.append(p)
        self.grid = tuple(grid)
        self.values = values
        self.method = method
        self.bounds_error = bounds_error
        self.fill_value = fill_value

    def __call__(self, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
        method = self.method if method is None else method
        if method not in ("linear", "nearest"):
            beyond(f"a grid with the method {method!r}")
        if nu is not None:
            beyond("derivatives of a grid by `nu=`")
        count = len(self.grid)
        if isinstance(xi, tuple):
            at = np.stack(np.broadcast_arrays(*[as_reals(x) for x in xi]), axis=-1)
        else:
            at = as_reals(xi)
        if np.ndim(at) == 1:
            at = np.reshape(at, (-1, count))
        if at.shape[-1] != count:
            what = f"The requested sample points xi have dimension {at.shape[-1]}"
            raise ValueError(f"{what}, but this RegularGridInterpolator has dimension {count}")
        places, others, shares = [], [], []
        outside: Any = np.zeros(at.shape[:-1], bool)
        for k in range(count):
            p, x = self.grid[k], at[..., k]
            if self.bounds_error and not np.all((x >= p[0]) & (x <= p[-1])):
                raise ValueError(f"One of the requested xi is out of bounds in dimension {k}")
            outside = outside | (x < p[0]) | (x > p[-1])
            last = len(p) - 1
            place = np.clip(np.searchsorted(p, x, side="right") - 1, 0, max(last - 1, 0))
            other = np.minimum(place + 1, last)
            width = np.where(other > place, p[other] - p[place], 1.0)
            places.append(place)
            others.append(other)
            shares.append((x - p[place]) / width)
        more = (1,) * (self.values.ndim - count)
        found: Any = 0.0
        if method == "nearest":
            if self._is_single:
                beyond("the nearest of values in single precision")
            chosen = [np.where(shares[k] <= 0.5, places[k], others[k]) for k in range(count)]
            is_number = np.all(at == at, axis=-1)
            is_number = np.reshape(is_number, (*is_number.shape, *more))
            found = np.where(is_number, self.values[tuple(chosen)], np.nan)
        else:
            for corner in itertools.product((0, 1), repeat=count):
                weight: Any = 1.0
                for k in range(count):
                    weight = weight * (shares[k] if corner[k] else 1.0 - shares[k])
                index = tuple(others[k] if corner[k] else places[k] for k in range(count))
                found = found + self.values[index] * np.reshape(weight, (*weight.shape, *more))
        if not self.bounds_error and self.fill_value is not None:
            found = np.where(np.reshape(outside, (*outside.shape, *more)), self.fill_value, found)
        return found


def regular_grid(
    points: Any, values: Any, method: str = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan, *, solver: Any = None, solver_args: Any = None,
) -> Any:  # fmt: skip
    return Grid(points, values, method, bounds_error, fill_value)


def interpn(
    points: Any, values: Any, xi: Any, method: str = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    return Grid(points, values, method, bounds_error, fill_value)(xi)


class Table:
    """Values between which is interpolated linearly, along one axis."""

    def __init__(self, x: Any, y: Any, bounds_error: Any, fill_value: Any) -> None:
        self.x = x
        self.y = y
        self._raises = bounds_error
        self._fill = fill_value

    def _inside(self, p: Any) -> Any:
        return np.interp(p, self.x, self.y)

    def _anywhere(self, p: Any) -> Any:
        k = np.clip(np.searchsorted(self.x, p), 1, len(self.x) - 1)
        x0, x1, y0, y1 = self.x[k - 1], self.x[k], self.y[k - 1], self.y[k]
        return (y1 - y0) / (x1 - x0) * (p - x0) + y0

    def __call__(self, x: Any) -> Any:
        p = as_reals(x)
        last = len(self.x) - 1
        if isinstance(self._fill, str):
            return np.asarray(self._anywhere(p))
        below, above = p < self.x[0], p > self.x[last]
        if self._raises:
            if np.any(below):
                raise ValueError("A value in x_new is below the interpolation range.")
            if np.any(above):
                raise ValueError("A value in x_new is above the interpolation range.")
            return np.asarray(self._inside(p))
        is_pair = isinstance(self._fill, tuple)
        low, high = self._fill if is_pair else (self._fill, self._fill)
        found = np.where(above, high, self._inside(p))
        return np.where(below, low, found)


class Curve(Table):
    """Values through which a spline is laid."""

    def __init__(self, x: Any, y: Any, spline: Any, bounds_error: Any, fill_value: Any) -> None:
        super().__init__(x, y, bounds_error, fill_value)
        self._spline = spline

    def _inside(self, p: Any) -> Any:
        return self._spline(p)

    def _anywhere(self, p: Any) -> Any:
        return self._spline(p)


def interp1d(
    x: Any, y: Any, kind: Any = "linear", axis: int = -1, copy: bool = True,
    bounds_error: Any = None, fill_value: Any = np.nan, assume_sorted: bool = False,
) -> Any:  # fmt: skip
    kinds = ("linear", "slinear", "quadratic", "cubic")  # splines of degree 1, 2 and 3
    if kind not in kinds:
        beyond(f"`interp1d` of values that vary with `kind={kind!r}`")
    x, y = as_reals(x), as_reals(y)
    if x.ndim != 1:
        raise ValueError("the x array must have exactly one dimension.")
    if y.ndim != 1:
        beyond("`interp1d` of rows")
    if axis not in (0, -1):
        beyond("`interp1d` along another axis")
    if len(x) != len(y):
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")
    if not assume_sorted:
        order = np.argsort(x, kind="mergesort")
        x, y = x[order], y[order]
    is_open = isinstance(fill_value, str)
    if is_open and fill_value != "extrapolate":
        beyond(f"`interp1d` with `fill_value={fill_value!r}`")
    if is_open and bounds_error:
        raise ValueError("Cannot extrapolate and raise at the same time.")
    raises = not is_open if bounds_error is None else bounds_error
    if kind != "linear":
        degree = kinds.index(kind)
        if len(x) < degree + 1:
            raise ValueError("x and y arrays must have more entries")
        return Curve(x, y, through(x, y, degree), raises, fill_value)
    return Table(x, y, raises, fill_value)


__all__ = ["Curve", "Grid", "Table", "interp1d", "interpn", "regular_grid"]

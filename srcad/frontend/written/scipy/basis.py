"""`BSpline` and `make_interp_spline` of values that vary, read in place of SciPy's.

BSpline(t, c, k)(p)             the k + 1 coefficients of p's interval, by de Boor's recursion
make_interp_spline(x, y)        c = solve(BSpline(t, np.eye(n), k)(x), y)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.scipy.piecewise import beside, check_call
from srcad.frontend.written.scipy.reals import as_reals


class Basis:
    """A spline by its knots, coefficients and degree; its derivative of order `nu`."""

    def __init__(self, t: Any, c: Any, k: int, extrapolate: Any, nu: int) -> None:
        self.t = t
        self._c = c
        self.k = k
        self.extrapolate = extrapolate
        self._nu = nu

    def derivative(self, nu: int = 1) -> Any:
        if nu < 0:
            beyond("the antiderivative of a spline")
        return Basis(self.t, self._c, self.k, self.extrapolate, self._nu + nu)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        p = as_reals(x)
        check_call(nu, extrapolate)
        t, k, order = self.t, self.k, self._nu + nu
        n = len(t) - k - 1
        i = np.clip(np.searchsorted(t, p, side="right") - 1, k, n - 1)
        d = [self._c[i - k + j] for j in range(k + 1)]
        if order > k:
            return np.asarray(0.0 * d[0])
        for q in range(k, k - order, -1):
            knots = [(t[i + j + 1], t[i - q + j + 1]) for j in range(q)]
            d = [
                (d[j + 1] - d[j]) * beside(q / (knots[j][0] - knots[j][1]), d[j]) for j in range(q)
            ]
        left = k - order
        for r in range(1, left + 1):
            for j in range(left, r - 1, -1):
                low, high = t[i - left + j], t[i + 1 + j - r]
                w = beside((p - low) / (high - low), d[j])
                d[j] = (1.0 - w) * d[j - 1] + w * d[j]
        found = d[left]
        goes_on = self.extrapolate if extrapolate is None else extrapolate
        if not goes_on:
            outside = (p < t[k]) | (p > t[n])
            found = np.where(beside(outside, found), np.nan, found)
        return np.asarray(found)


def bspline(t: Any, c: Any, k: int, extrapolate: Any = True, axis: int = 0) -> Any:
    t, c = as_reals(t), as_reals(c)
    n = len(t) - k - 1
    if axis != 0:
        beyond("a spline along another axis than the first")
    if extrapolate == "periodic":
        beyond("a periodic spline")
    if k < 0:
        raise ValueError("Spline order cannot be negative.")
    if t.ndim != 1:
        raise ValueError("Knot vector must be one-dimensional.")
    if n < k + 1:
        raise ValueError("Need at least 2 k + 2 knots")
    if np.any(np.diff(t) < 0):
        raise ValueError("Knots must be in a non-decreasing order.")
    if t[k] == t[n]:
        raise ValueError("Need at least two internal knots.")
    if not np.all(np.abs(t) < np.inf):
        raise ValueError("Knots should not have nans or infs.")
    if c.ndim < 1:
        raise ValueError("Coefficients must be at least 1-dimensional.")
    if len(c) < n:
        raise ValueError("Knots, coefficients and degree are inconsistent.")
    return Basis(t, c, k, extrapolate, 0)


def make_interp_spline(
    x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    if t is not None or bc_type is not None:
        beyond("`make_interp_spline` with `t` or `bc_type`")
    if axis != 0:
        beyond("a spline along another axis than the first")
    if k < 1:
        beyond("`make_interp_spline` of degree 0")
    x, y = as_reals(x), as_reals(y)
    if check_finite and not (np.all(np.abs(x) < np.inf) and np.all(np.abs(y) < np.inf)):
        raise ValueError("array must not contain infs or NaNs")
    if x.ndim != 1 or np.any(x[1:] <= x[:-1]):
        raise ValueError("Expect x to be a 1-D strictly increasing sequence.")
    if len(x) != len(y):
        raise ValueError("Shapes of x and y are incompatible")
    if len(x) < k + 1:
        raise ValueError("There are fewer points than the spline's coefficients")
    return through(x, y, k)


def through(x: Any, y: Any, k: int) -> Any:
    """The spline through points, all of whose knots but the ends' are points or between them."""
    n = len(x)
    inner = x if k % 2 == 1 else (x[1:] + x[:-1]) / 2
    cut = (k + 1) // 2
    knots = inner[cut : len(inner) - cut]
    t = np.concatenate([np.repeat(x[:1], k + 1), knots, np.repeat(x[-1:], k + 1)])
    rows = Basis(t, np.eye(n), k, True, 0)(x)
    flat = np.linalg.solve(rows, np.reshape(y, (n, -1)))
    return Basis(t, np.reshape(flat, np.shape(y)), k, True, 0)


__all__ = ["Basis", "bspline", "make_interp_spline", "through"]

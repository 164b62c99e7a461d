"""`CubicSpline`, `CubicHermiteSpline` and `PchipInterpolator` of values that vary, read in place of
SciPy's.

CubicSpline(x, y)(p)      slopes at the knots: solve_banded((1, 1), bands, b)
                          k = searchsorted(x, p) - 1; c0[k] + c1[k] * s + ..., s = p - x[k]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.scipy.reals import as_reals


def check_call(nu: int, extrapolate: Any) -> None:
    """Check the order and the option with which a spline is called."""
    if nu < 0:
        raise ValueError("Order of derivative cannot be negative")
    if extrapolate == "periodic":
        beyond("a periodic spline")


class Piecewise:
    """Cubic polynomials between knots, by their coefficients from the highest one."""

    def __init__(self, x: Any, c: Any, extrapolate: Any, nu: int) -> None:
        self.x = x
        self._c = c
        self.extrapolate = extrapolate
        self._nu = nu

    def derivative(self, nu: int = 1) -> Any:
        if nu < 0:
            beyond("the antiderivative of a spline")
        return Piecewise(self.x, self._c, self.extrapolate, self._nu + nu)

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        p = as_reals(x)
        check_call(nu, extrapolate)
        order = self._nu + nu
        last = len(self.x) - 2
        k = np.clip(np.searchsorted(self.x, p, side="right") - 1, 0, last)
        s = p - self.x[k]
        cubic, square, linear, constant = (part[k] for part in self._c)
        s = beside(s, cubic)
        if order == 0:
            found = constant + linear * s + square * (s * s) + cubic * (s * s * s)
        elif order == 1:
            found = linear + square * s * 2.0 + cubic * (s * s) * 3.0
        elif order == 2:
            found = square * 2.0 + cubic * s * 6.0
        elif order == 3:
            found = cubic * 6.0 + 0.0 * s
        else:
            found = 0.0 * (cubic + s)
        goes_on = self.extrapolate if extrapolate is None else extrapolate
        if not goes_on:
            outside = (p < self.x[0]) | (p > self.x[-1])
            found = np.where(beside(outside, found), np.nan, found)
        return np.asarray(found)


def hermite_spline(x: Any, y: Any, dydx: Any, axis: int = 0, extrapolate: Any = None) -> Any:
    x, y = _checked(x, y, axis, extrapolate)
    slopes = as_reals(dydx)
    if slopes.shape != y.shape:
        raise ValueError("The shapes of `y` and `dydx` must be identical.")
    if not np.all(np.abs(slopes) < np.inf):
        raise ValueError("`dydx` must contain only finite values.")
    return _by_slopes(x, y, slopes, extrapolate)


def cubic_spline(
    x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> Any:
    x, y = _checked(x, y, axis, extrapolate)
    ends = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
    if len(ends) != 2:
        raise ValueError("`bc_type` must contain 2 elements to specify start and end conditions.")
    start, end = (_condition(each, y) for each in ends)
    slopes = _slopes(x, y, start, end)
    return _by_slopes(x, y, slopes, extrapolate)


def pchip(x: Any, y: Any, axis: int = 0, extrapolate: Any = None) -> Any:
    x, y = _checked(x, y, axis, extrapolate)
    h, m = _chords(x, y)
    if len(x) == 2:
        slopes = np.stack([m[0], m[0]])
    else:
        first, second = m[:-1], m[1:]
        is_flat = (np.sign(first) != np.sign(second)) | (first == 0) | (second == 0)
        w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
        a, b = np.where(is_flat, 1.0, first), np.where(is_flat, 1.0, second)
        inner = np.where(is_flat, 0.0, 1.0 / ((w1 / a + w2 / b) / (w1 + w2)))
        left = _at_end(h[0], h[1], m[0], m[1])
        right = _at_end(h[-1], h[-2], m[-1], m[-2])
        slopes = np.concatenate([left[None], inner, right[None]])
    return _by_slopes(x, y, slopes, extrapolate)


def _checked(x: Any, y: Any, axis: int, extrapolate: Any) -> Any:
    x, y = as_reals(x), as_reals(y)
    if axis != 0:
        beyond("a spline along another axis than the first")
    if extrapolate == "periodic":
        beyond("a periodic spline")
    if x.ndim != 1:
        raise ValueError("`x` must be 1-dimensional.")
    if len(x) < 2:
        raise ValueError("`x` must contain at least 2 elements.")
    if len(x) != len(y):
        raise ValueError("The length of `y` along `axis`=0 doesn't match the length of `x`")
    if not np.all(np.abs(x) < np.inf):
        raise ValueError("`x` must contain only finite values.")
    if not np.all(np.abs(y) < np.inf):
        raise ValueError("`y` must contain only finite values.")
    if np.any(np.diff(x) <= 0):
        raise ValueError("`x` must be strictly increasing sequence.")
    return x, y


def _condition(given: Any, y: Any) -> Any:
    """The order of the derivative that is given at an end, 0 for a knot that is none, its value."""
    zero = np.zeros(y.shape[1:])
    if isinstance(given, str):
        if given == "clamped":
            return 1, zero
        if given == "natural":
            return 2, zero
        if given == "periodic":
            beyond("a periodic spline")
        if given != "not-a-knot":
            raise ValueError(f"bc_type={given} is not allowed.")
        return 0, zero
    order, value = given
    if order not in (1, 2):
        raise ValueError("The specified derivative order must be 1 or 2.")
    value = as_reals(value)
    if value.shape != y.shape[1:]:
        raise ValueError("`deriv_value` has another shape than a value.")
    return order, value


def _chords(x: Any, y: Any) -> Any:
    """The widths between knots, with the axes of `y`, and the slopes of straight lines there."""
    widths = beside(np.diff(x), y)
    return widths, np.diff(y, axis=0) / widths


def beside(x: Any, y: Any) -> Any:
    """`x` with as many axes as `y` has: those of an entry after its own."""
    more = (1,) * (np.ndim(y) - np.ndim(x))
    return np.reshape(x, (*np.shape(x), *more)) if more else x


def _slopes(x: Any, y: Any, start: Any, end: Any) -> Any:
    """The slopes at the knots, such that the second derivative is continuous (de Boor 1978)."""
    from scipy import linalg

    n, dx = len(x), np.diff(x)
    dxr, slope = _chords(x, y)
    if n == 2:
        start = (1, slope[0]) if start[0] == 0 else start
        end = (1, slope[0]) if end[0] == 0 else end
    if n == 3 and start[0] == 0 and end[0] == 0:
        matrix = np.array([[1.0, 1.0, 0.0], [dx[1], 2.0 * (dx[0] + dx[1]), dx[0]], [0.0, 1.0, 1.0]])
        middle = 3.0 * (dxr[0] * slope[1] + dxr[1] * slope[0])
        right = np.stack([2.0 * slope[0], middle, 2.0 * slope[1]])
        flat = np.reshape(right, (3, -1))
        return np.reshape(linalg.solve(matrix, flat), right.shape)
    bands = np.zeros((3, n))
    b = np.zeros(y.shape)
    bands[1, 1:-1] = 2.0 * (dx[:-1] + dx[1:])
    bands[0, 2:] = dx[:-1]
    bands[-1, :-2] = dx[1:]
    b[1:-1] = 3.0 * (dxr[1:] * slope[:-1] + dxr[:-1] * slope[1:])
    if start[0] == 0:
        d = x[2] - x[0]
        bands[1, 0], bands[0, 1] = dx[1], d
        b[0] = ((dxr[0] + 2.0 * d) * dxr[1] * slope[0] + dxr[0] ** 2 * slope[1]) / d
    elif start[0] == 1:
        bands[1, 0], bands[0, 1] = 1.0, 0.0
        b[0] = start[1]
    else:
        bands[1, 0], bands[0, 1] = 2.0 * dx[0], dx[0]
        b[0] = -0.5 * start[1] * dx[0] ** 2 + 3.0 * (y[1] - y[0])
    if end[0] == 0:
        d = x[-1] - x[-3]
        bands[1, -1], bands[-1, -2] = dx[-2], d
        b[-1] = (dxr[-1] ** 2 * slope[-2] + (2.0 * d + dxr[-1]) * dxr[-2] * slope[-1]) / d
    elif end[0] == 1:
        bands[1, -1], bands[-1, -2] = 1.0, 0.0
        b[-1] = end[1]
    else:
        bands[1, -1], bands[-1, -2] = 2.0 * dx[-1], dx[-1]
        b[-1] = 0.5 * end[1] * dx[-1] ** 2 + 3.0 * (y[-1] - y[-2])
    flat = np.reshape(b, (n, -1))
    return np.reshape(linalg.solve_banded((1, 1), bands, flat), b.shape)


def _by_slopes(x: Any, y: Any, slopes: Any, extrapolate: Any) -> Any:
    dxr, slope = _chords(x, y)
    t = (slopes[:-1] + slopes[1:] - 2.0 * slope) / dxr
    parts = (t / dxr, (slope - slopes[:-1]) / dxr - t, slopes[:-1], y[:-1])
    return Piecewise(x, parts, True if extrapolate is None else extrapolate, 0)


def _at_end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The slope at an end, by three points, in the bounds of a monotone one."""
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    is_steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(is_steep, 3.0 * m0, d))


__all__ = ["Piecewise", "beside", "check_call", "cubic_spline", "hermite_spline", "pchip"]

"""`scipy.integrate` of samples: trapezoid, cumulative_trapezoid, simpson.

`odeint` has no rule of this kind: it takes a function (`srcad.frontend.solvers.odeint`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from srcad.rules.core.compose import known, raise_unless, raise_unless_equal
from srcad.rules.core.declaration.cases import places
from srcad.rules.core.kinks import nonzero
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import as_array, rank_or_none
from srcad.rules.core.table import Case
from srcad.rules.reductions.cumulative import at
from srcad.rules.scipy.linalg.options import result_dtype


def _widths(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """The steps between samples, shaped as the differences of `y` along `axis`."""
    if x is None:
        return dx
    x = as_array(x)
    if rank_or_none(x) != 1:
        return np.diff(x, axis=axis)
    width = np.diff(x)
    if rank_or_none(y) == 1:
        return width
    shape = [1] * y.ndim
    shape[axis] = -1
    return np.reshape(width, shape)


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    y = as_array(y)
    before, after = at(axis, slice(None, -1)), at(axis, slice(1, None))
    return np.sum(_widths(y, x, dx, axis) * (y[after] + y[before]) / 2.0, axis=axis)


def _cumulative(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None) -> Any:
    y = as_array(y)
    message = "At least one point is required along `axis`."
    raise_unless(y.shape[axis] > 0, ValueError, message, beside=y)
    before, after = at(axis, slice(None, -1)), at(axis, slice(1, None))
    sums = np.cumsum(_widths(y, x, dx, axis) * (y[after] + y[before]) / 2.0, axis=axis)
    if initial is None:
        return sums
    if initial != 0:
        raise ValueError("`initial` must be 0 or None")
    return np.concatenate((np.zeros_like(y[at(axis, slice(None, 1))]), sums), axis=axis)


def _ratio(a: Any, b: Any) -> Any:
    """a / b; 0 where two places are one and `b` is 0."""
    if rank_or_none(b) == 0 and not hasattr(b, "dtype"):
        return a / b
    return np.where(b == 0, 0, a / nonzero(b))


def _of_six(y: Any, x: Any) -> Any:
    """`simpson` of six samples, of which SciPy's version decides the dtype."""
    return integrate.simpson(np.resize(y, 6), x=np.arange(6, dtype=x.dtype))


_OTHER = "If given, length of x along axis must be the same as y."


def _simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Any:
    """As SciPy: for an even number of samples the last step after Cartwright (2017), "Simpson's
    rule cumulative integration with MS Excel and irregularly-spaced data".
    """
    y = as_array(y)
    n = known(y.shape[axis], "the number of samples")
    raise_unless(n > 0, IndexError, "index -1 is out of bounds for axis 0 with size 0", beside=y)
    if x is not None:
        of_x = as_array(x)
        raise_unless_equal(
            of_x.shape[0 if of_x.ndim == 1 else axis], n, ValueError, _OTHER, beside=y
        )
    step = _widths(y, x, dx, axis)

    def width(part: slice) -> Any:
        return step if x is None else step[at(axis, part)]

    def value(k: int) -> Any:
        return np.sum(y[at(axis, slice(n + k, n + k + 1))], axis=axis)

    def last(k: int) -> Any:
        return step if x is None else np.sum(step[at(axis, slice(n - 1 + k, n + k))], axis=axis)

    if n == 2:
        return 0.5 * last(-1) * (value(-1) + value(-2))
    if x is not None:
        step = step.astype(result_dtype(_of_six, y.dtype, step.dtype))
    odd = n - 1 + n % 2
    h0, h1 = width(slice(0, odd - 1, 2)), width(slice(1, odd - 1, 2))
    y0, y1, y2 = (y[at(axis, slice(k, odd - 2 + k, 2))] for k in range(3))
    both = h0 + h1
    areas = (
        both
        / 6
        * (
            y0 * (2 - _ratio(h1, h0))
            + y1 * _ratio(both * both, h0 * h1)
            + y2 * (2 - _ratio(h0, h1))
        )
    )
    total = np.sum(areas, axis=axis)
    if n % 2:
        return total
    a, b = last(-2), last(-1)
    total = total + _ratio(2 * b**2 + 3 * a * b, 6 * (a + b)) * value(-1)
    total = total + _ratio(b**2 + 3 * a * b, 6 * a) * value(-2)
    return total - _ratio(b**3, 6 * a * (a + b)) * value(-3)


_SAMPLES = (
    Case((5,)),
    Case((6,), places(6)),
    Case((3, 5), None, dx=0.5),
    Case((3, 5), places(5)),
    Case((4, 3), places(4), axis=0),
)
composed(integrate.trapezoid, _trapezoid, cases=_SAMPLES)
composed(integrate.cumulative_trapezoid, _cumulative, cases=(*_SAMPLES, Case((3, 5), initial=0)))
composed(integrate.simpson, _simpson, cases=(*_SAMPLES, Case((2,)), Case((4, 2), dx=0.3, axis=0)))

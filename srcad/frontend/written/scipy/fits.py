"""`scipy.optimize.curve_fit`, read in its place.

curve_fit(f, x, y, p0)              leastsq(lambda p: f(x, *p) - y, p0)
curve_fit(f, x, y, p0, bounds=b)    least_squares(lambda p: f(x, *p) - y, p0, bounds=b)
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _within(n: Any, bounds: Any) -> Any:
    """Where SciPy starts between bounds."""
    lower, upper = np.zeros(n) + np.asarray(bounds[0]), np.zeros(n) + np.asarray(bounds[1])
    from_below, from_above = np.isfinite(lower), np.isfinite(upper)
    beside = np.where(from_below, lower + 1, np.where(from_above, upper - 1, 1.0))
    return np.where(from_below & from_above, 0.5 * (lower + upper), beside)


def curve_fit(
    f: Any, x: Any, y: Any, p0: Any, sigma: Any, slopes: Any, bounds: Any, options: Any
) -> Any:
    """A tuple that begins with the parameters; `p0` may be their number."""
    from scipy import optimize

    if isinstance(p0, int):
        p0 = np.ones(p0) if bounds is None else _within(p0, bounds)
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    weights = None if sigma is None else 1.0 / np.asarray(sigma)

    def residuals(p: Any) -> Any:
        found = f(x, *p) - y
        return found if weights is None else weights * found

    def rows(p: Any) -> Any:
        found = np.asarray(slopes(x, *p))
        return found if weights is None else weights[:, np.newaxis] * found

    if bounds is not None:
        jac: Any = "2-point" if slopes is None else rows
        found = optimize.least_squares(residuals, p0, jac=jac, bounds=bounds, **options)
        if not found.success:
            raise RuntimeError("Optimal parameters not found: " + found.message)
        return (found.x,)
    by = None if slopes is None else rows
    return optimize.leastsq(residuals, p0, Dfun=by, full_output=True, **options)

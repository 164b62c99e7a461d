"""`scipy.optimize.curve_fit`, read in its place.

curve_fit(f, x, y, p0)      leastsq(lambda p: f(x, *p) - y, p0)
"""

from __future__ import annotations

from typing import Any

import numpy as np


def curve_fit(f: Any, x: Any, y: Any, p0: Any, sigma: Any, slopes: Any, options: Any) -> Any:
    """The parameters, and what else `leastsq` tells."""
    from scipy import optimize

    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    weights = None if sigma is None else 1.0 / np.asarray(sigma)

    def residuals(p: Any) -> Any:
        found = f(x, *p) - y
        return found if weights is None else weights * found

    def rows(p: Any) -> Any:
        found = np.asarray(slopes(x, *p))
        return found if weights is None else weights[:, np.newaxis] * found

    by = None if slopes is None else rows
    return optimize.leastsq(residuals, p0, Dfun=by, full_output=True, **options)

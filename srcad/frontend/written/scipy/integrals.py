"""Integrals by a fixed number of points, read in place of SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np


def fixed_quad(func: Any, a: Any, b: Any, args: Any = (), n: Any = 5) -> Any:
    """`scipy.integrate.fixed_quad`: Gauss's rule, whose points move with the limits."""
    from scipy import special

    x, w = special.roots_legendre(n)
    if np.isinf(a) or np.isinf(b):
        raise ValueError("Gaussian quadrature is only available for finite limits.")
    y = (b - a) * (x + 1) / 2.0 + a
    return (b - a) / 2.0 * np.sum(w * func(y, *args), axis=-1), None

"""Splines of SciPy's, called: what is read in place of their `__call__`."""

from __future__ import annotations

from typing import Any

from srcad import runtime
from srcad.frontend.written.scipy.reals import as_reals


def values(spline: Any, x: Any, nu: Any, extrapolate: Any, trailing: tuple[int, ...]) -> Any:
    """The derivative of order `nu` at points."""
    points = as_reals(x)
    return runtime.spline_values(spline, points, nu, extrapolate, trailing)


__all__ = ["values"]

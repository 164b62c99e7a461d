"""Splines of SciPy's at points: the slope of one is a spline again.

y = S(x, nu)     x_bar = sum(y_bar * S(x, nu + 1)) over the entries of a value
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, Type, shape_of
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import as_type
from srcad.rules.core.product import times
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case


def _values_type(spline: Any, x: Any, nu: int, extrapolate: Any, trailing: tuple[int, ...]) -> Type:
    shape = shape_of(as_type(x))
    return ArrayType(np.dtype(float), None if shape is None else (*shape, *trailing))


def _slopes(spline: Any, x: Any, nu: int, extrapolate: Any, trailing: tuple[int, ...]) -> Any:
    return call(runtime.spline_values, spline, x, nu + 1, extrapolate, trailing)


def _values_jvp(
    ts: Any, y: Any, spline: Any, x: Any, nu: int, extrapolate: Any, trailing: tuple[int, ...]
) -> Any:
    moved = ts[1][(..., *(None,) * len(trailing))] if trailing else ts[1]
    return cast_like(times(moved, _slopes(spline, x, nu, extrapolate, trailing)), y)


def _x_vjp(
    g: Any, y: Any, spline: Any, x: Any, nu: int, extrapolate: Any, trailing: tuple[int, ...]
) -> Any:
    found = times(g, _slopes(spline, x, nu, extrapolate, trailing))
    return cast_like(np.sum(found, axis=tuple(range(-len(trailing), 0))) if trailing else found, x)


def _cubic(rng: Any) -> Any:
    from scipy.interpolate import CubicSpline

    return CubicSpline(np.linspace(-3.0, 3.0, 9), rng.standard_normal(9))


def _of_vectors(rng: Any) -> Any:
    from scipy.interpolate import make_interp_spline

    return make_interp_spline(np.linspace(-3.0, 3.0, 9), rng.standard_normal((9, 2)))


rule(
    runtime.spline_values,
    jvp=_values_jvp,
    x=_x_vjp,
    type_of=_values_type,
    cases=[
        Case(Case.made(_cubic), (4,), 0, None, ()),
        Case(Case.made(_cubic), (2, 3), 1, True, ()),
        Case(Case.made(_of_vectors), (4,), 0, None, Case.made(lambda rng: (2,))),
    ],
)

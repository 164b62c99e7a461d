"""Splines and tables of `scipy.interpolate`: those that are captured or passed, and what is read in
place of the classes of others. Called, a spline from outside is one operation.

S(x)       spline_values(S, x, 0, None, ())         of a CubicSpline, a BSpline, ...
S(x, 1)    spline_values(S, x, 1, None, ())

Their coefficients are constants of the call. A spline is read anew in each call.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Ref
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.kinds import is_grid
from srcad.frontend.written.scipy import basis, grids, piecewise

_MAKERS: dict[str, Callable[..., Any]] = {
    "BSpline": basis.bspline,
    "CubicHermiteSpline": piecewise.hermite_spline,
    "CubicSpline": piecewise.cubic_spline,
    "PchipInterpolator": piecewise.pchip,
    "RegularGridInterpolator": grids.regular_grid,
    "interp1d": grids.interp1d,
    "interpn": grids.interpn,
    "make_interp_spline": basis.make_interp_spline,
}
_PIECEWISE = (
    "PPoly", "CubicHermiteSpline", "CubicSpline", "PchipInterpolator", "Akima1DInterpolator",
    "BSpline",
)  # fmt: skip
_UNIVARIATE = ("UnivariateSpline", "InterpolatedUnivariateSpline", "LSQUnivariateSpline")


def is_spline(obj: Any) -> bool:
    """Whether an object is a spline of SciPy's with real coefficients, along the first axis."""
    if "scipy.interpolate" not in sys.modules:
        return False
    cls = type(obj)
    if not cls.__module__.startswith("scipy.interpolate"):
        return False
    if cls.__name__ in _PIECEWISE:
        return bool(obj.c.dtype == np.float64 and obj.axis == 0)
    if cls.__name__ == "interp1d":
        return bool(obj.y.dtype == np.float64 and obj.y.ndim == 1)
    return cls.__name__ in _UNIVARIATE


def spline_call(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs) -> Args:
    """The arguments of `srcad.frontend.written.scipy.splines.values` for the call of a spline.

    Raises:
        SrcadError: E120, it is made in the function; E131, arguments that do not fit.
    """
    obj, path = callee.obj, callee.path
    if not path:
        raise error("E120", None, what=f"a {type(obj).__name__} that is made inside")
    try:
        given = inspect.signature(type(obj).__call__).bind(None, *args, **kwargs).arguments
    except TypeError as reason:
        raise error("E131", None, what=f"`{type(obj).__name__}` ({reason})") from None
    _, x, *_ = given.values()
    static = frame.session.static
    nu = static(given.get("nu", 0), "`nu`")
    outside = static(given.get("extrapolate", given.get("ext")), "`extrapolate`")
    inputs = frame.session.inputs
    inputs.guard(path, "type", type(obj))
    trailing: tuple[int, ...] = ()
    if type(obj).__name__ in _PIECEWISE:
        begin = 1 if type(obj).__name__ == "BSpline" else 2
        trailing = obj.c.shape[begin:]
        inputs.guard(f"{path}.c.shape[{begin}:]", "equals", trailing)
        inputs.guard(f"{path}.axis", "equals", 0)
        inputs.guard(f"{path}.c.dtype.char", "equals", "d")
    elif type(obj).__name__ == "interp1d":
        inputs.guard(f"{path}.y.ndim", "equals", 1)
        inputs.guard(f"{path}.y.dtype.char", "equals", "d")
    return inputs.whole(path), x, nu, outside, trailing


def grid_of(frame: Frame, callee: Ref) -> RecordObj | None:
    """What is read in the place of a `RegularGridInterpolator` that is captured or passed; None for
    another object.
    """
    obj, path = callee.obj, callee.path
    if not path or not is_grid(obj):
        return None
    inputs = frame.session.inputs
    inputs.guard(path, "type", type(obj))
    fields: dict[str, Any] = {
        "_is_single": False,  # values are taken as they are
        "grid": tuple(
            inputs.lift(p, f"{path}.grid[{k}]", f"grid_{k}") for k, p in enumerate(obj.grid)
        ),
        "values": inputs.lift(obj.values, f"{path}.values", "values"),
    }
    inputs.guard(f"len({path}.grid)", "equals", len(obj.grid))
    for name in ("method", "bounds_error"):
        fields[name] = getattr(obj, name)
        inputs.guard(f"{path}.{name}", "equals", fields[name])
    if obj.fill_value is None:
        fields["fill_value"] = None
        inputs.guard(f"{path}.fill_value is None", "equals", True)
    else:
        fields["fill_value"] = inputs.lift(obj.fill_value, f"{path}.fill_value", "fill_value")
    return RecordObj(grids.Grid, fields)


def spline_maker(fn: Any) -> Callable[..., Any] | None:
    """What is read in the place of the class of a spline or table; None for another function."""
    is_made = isinstance(fn, type | types.FunctionType)
    is_one = is_made and str(fn.__module__).startswith("scipy.interpolate.")
    return _MAKERS.get(fn.__name__) if is_one else None


__all__ = ["grid_of", "is_spline", "spline_call", "spline_maker"]

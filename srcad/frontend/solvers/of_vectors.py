"""Solvers for vectors: `fsolve`, `root`, `fixed_point`, `minimize`, `least_squares` and their kin.

fsolve(lambda x: x**2 - a, x0)          x = fsolve(f, x0, (a,))
minimize(cost, x0, args=(a,)).x         x, success, status, nfev = minimize(cost, x0, (a,))
leastsq(residuals, x0, (a,))            x, ier, nfev = leastsq(residuals, x0, (a,))
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Conflict, Ref
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import call
from srcad.frontend.nested.parameters import parameters_of
from srcad.frontend.solvers.bounds import with_bounds
from srcad.frontend.solvers.calls import (
    BOOL,
    FLOAT,
    INT,
    NUMPY_FLOAT,
    RESULT,
    TEXT,
    Given,
    Result,
    args_of,
    array,
    emit_solver,
    entries,
    lower_functions,
    named,
    number,
    options_of,
    pair,
    record,
    told,
    vector,
)
from srcad.frontend.solvers.numbers import as_numbers
from srcad.frontend.written.scipy import fits, linear_programs
from srcad.ir.nodes import Function, Value
from srcad.ir.types import ArrayType, NumberType, Type, rank_of, shape_of
from srcad.rules.core.staged import type_of

_STATE = (BOOL, INT, INT, RESULT)
# Which methods of `minimize` tell the slope and how often it was asked for, and curvatures.
_BY_SLOPES = ("bfgs", "cg", "l-bfgs-b", "newton-cg", "tnc", "slsqp")
_COUNTED = ("hybr", "lm")  # of `root`
_BY_CURVATURES = ("newton-cg", "dogleg", "trust-ncg", "trust-krylov", "trust-exact")


def fixed_point(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`fixed_point(func, x0, args)`: a vector; of a number, an array without axes."""
    start = array(frame, fn, given.pop("x0"))
    if rank_of(type_of(start)) == 0:
        return _fixed_number(frame, fn, given, start)
    start = vector(frame, fn, start)
    function, passed, _ = lower_functions(frame, fn, given, "func", start.type, vector)
    _check_count(fn, start, function)
    options = options_of(frame, fn, given, "xtol maxiter method")
    (x,) = emit_solver(frame, fn, (function, start, passed), options, (start.type,))
    return x


def _fixed_number(frame: Frame, fn: Any, given: Given, start: Value) -> Abstract:
    """By plain iteration, it is what the user's function gives last."""
    kinds: list[Type] = []

    def told(frame: Frame, fn: Any, found: Abstract) -> Any:
        kinds.append(type_of(found))
        return number(frame, fn, found)

    method = frame.session.static(given.pop("method", "del2"), "`method`")
    function, passed, _ = lower_functions(frame, fn, given, "func", NUMPY_FLOAT, told)
    options = {**options_of(frame, fn, given, "xtol maxiter"), "method": method}
    without_axes = ArrayType(np.dtype(float), ())
    kind = without_axes if method == "del2" else FLOAT
    (x,) = emit_solver(frame, fn, (function, start, passed), options, (kind,))
    if method == "del2" or isinstance(kinds[-1], NumberType):
        return x
    is_numpys = isinstance(kinds[-1], ArrayType) and kinds[-1].scalar
    return frame.session.emit(np.float64 if is_numpys else np.array, (x,))


def fsolve(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`fsolve(func, x0, args, fprime)`: a vector; with what is known of the search in full."""
    start, func = vector(frame, fn, given.pop("x0")), given["func"]
    args = args_of(given.get("args", ()))
    in_full = frame.session.static(given.pop("full_output", 0), "`full_output`")
    function, passed, slopes = lower_functions(
        frame, fn, given, "func", start.type, vector, {"fprime": array}
    )
    _check_count(fn, start, function)
    options = slopes | options_of(
        frame, fn, given, "xtol maxfev epsfcn factor", col_deriv=0, band=None, diag=None
    )
    atoms = (function, start, passed)
    if not in_full:
        (x,) = emit_solver(frame, fn, atoms, options, (start.type,))
        return x
    types = (start.type, INT, INT, TEXT)
    x, n_calls, ier, message = emit_solver(frame, runtime.fsolve_in_full, atoms, options, types)
    info = DictObj({"nfev": n_calls, "fvec": vector(frame, fn, call(frame, func, (x, *args)))})
    return (x, info, ier, message)


def leastsq(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`leastsq(func, x0, args, Dfun)`: a vector and a number that says how the search ended."""
    start, func = vector(frame, fn, given.pop("x0")), given["func"]
    args = args_of(given.get("args", ()))
    in_full = frame.session.static(given.pop("full_output", False), "`full_output`")
    function, passed, slopes = lower_functions(
        frame, fn, given, "func", start.type, vector, {"Dfun": array}
    )
    options = slopes | options_of(
        frame, fn, given, "ftol xtol gtol maxfev epsfcn factor", col_deriv=False, diag=None
    )
    atoms = (function, start, passed)
    types = (start.type, INT, INT, TEXT)
    x, ier, n_calls, message = emit_solver(frame, runtime.leastsq, atoms, options, types)
    if not in_full:
        return (x, ier)
    info = DictObj({"nfev": n_calls, "fvec": vector(frame, fn, call(frame, func, (x, *args)))})
    return (x, _untold(fn, "covariance"), info, message, ier)


def _untold(fn: Any, name: str) -> Conflict:
    """What a solver tells besides, of which nothing is known here."""
    return Conflict("E203", f"the {name} that {named(fn)} tells")


def with_result(
    frame: Frame, fn: Any, given: Given, *, own: Any, result: Result, known: str, **fixed: Any
) -> Abstract:
    """A solver that gives an `OptimizeResult`: of that `x`, `fun`, counts, the message."""
    start, func, args = vector(frame, fn, given.pop("x0")), given["fun"], given.get("args", ())
    jac = given.get("jac")
    with_jac = jac is True
    derivatives: dict[str, Result] = {"hessp": vector}
    if not isinstance(jac, str | bool | None):
        derivatives["jac"] = entries if own is runtime.least_squares else array
    if not isinstance(given.get("hess"), str | None):  # else a way to take differences
        derivatives["hess"] = array
    if given.get("callback") is not None:
        _check_callback(fn, given)
        derivatives["callback"] = lambda frame, fn, found: 0.0
    function, passed, more = lower_functions(
        frame, fn, given, "fun", start.type, pair(result) if with_jac else result, derivatives
    )
    if own is runtime.root:
        _check_count(fn, start, function)
    bounds = given.pop("bounds", None)
    if bounds is not None and bounds != (-np.inf, np.inf):
        functions, passed = with_bounds(
            frame, fn, bounds, start, [function, *more.values()], passed
        )
        function, more = functions[0], dict(zip(more, functions[1:], strict=True))
        more["bounded"] = True
    options = more | options_of(frame, fn, given, f"{known} jac", **fixed)
    types = (start.type, *_STATE)
    x, success, status, n_calls, found = emit_solver(
        frame, own, (function, start, passed), options, types
    )
    value = call(frame, func, (x, *args_of(args)))
    fun = value[0] if with_jac and isinstance(value, tuple) else value
    fields = {"x": x, "fun": fun, "success": success, "status": status}
    if own is not runtime.root or options.get("method", "hybr") in _COUNTED:
        fields["nfev"] = n_calls
    if own is runtime.least_squares:
        residuals = vector(frame, fn, fun)
        squares = frame.session.emit(np.dot, (residuals, residuals))
        fields["fun"] = residuals
        fields["cost"] = frame.session.emit(operator.mul, (0.5, squares))
    return record("OptimizeResult", fields | told(frame, found, _also_told(fn, options)))


def _check_callback(fn: Any, given: Given) -> None:
    """Refuse what is called with more than the point, or decides by its result when to stop."""
    method = given.get("method", "bfgs")
    is_plain = isinstance(method, str) and method.lower() in (
        *_BY_SLOPES, *_BY_CURVATURES, "nelder-mead", "powell"
    )  # fmt: skip
    named_so = [p.name for p in parameters_of(given["callback"])]
    if fn.__name__ != "minimize" or not is_plain or named_so == ["intermediate_result"]:
        fix = "pass a function of the point, `callback=lambda x: ...`, or leave it out"
        raise error("E203", None, what=f"{named(fn)} with this `callback=`", fix=fix)


def _also_told(fn: Any, options: dict[str, Any]) -> str:
    """The names of what a result tells besides.

    The slope at a minimum is zero, and stays so: it has no derivative, unless bounds hold it.
    """
    at_bounds = options.get("bounded", False)
    method = options.get("method")
    if fn.__name__ == "root":
        return "message" if method in (None, *_COUNTED) else "message nit"
    if fn.__name__ == "least_squares":
        counted = " njev" if method in (None, "trf", "dogbox") else ""
        return "message" + counted + ("" if at_bounds else " grad optimality")
    method = method or ("l-bfgs-b" if at_bounds else "bfgs")
    method = method.lower() if isinstance(method, str) else ""
    names = ["message"]
    if method in (*_BY_SLOPES, *_BY_CURVATURES, "nelder-mead", "powell"):
        names.append("nit")
    if method in _BY_SLOPES or method in _BY_CURVATURES:
        names += [] if method == "tnc" else ["njev"]
        names += [] if at_bounds else ["jac"]
    if method in _BY_CURVATURES:
        names.append("nhev")
    return " ".join(names)


def minimum(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`fmin(func, x0, args)`, `fmin_bfgs(f, x0, fprime, args)` and their kin: a vector."""
    start = vector(frame, fn, given.pop("x0"))
    f = "f" if "f" in given else "func"
    derivatives = {"fprime": array, "fhess": array}
    function, passed, more = lower_functions(frame, fn, given, f, start.type, number, derivatives)
    options = more | options_of(
        frame, fn, given, "xtol ftol gtol avextol epsilon maxiter maxfun norm xrtol c1 c2 disp",
        full_output=0, retall=0, callback=None, initial_simplex=None, hess_inv0=None, direc=None,
        fhess_p=None,
    )  # fmt: skip
    options["solver"] = fn.__name__
    atoms = (function, start, passed)
    (x,) = emit_solver(frame, runtime.minimum_of_vector, atoms, options, (start.type,))
    return x


def quasi_newton(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`broyden1(F, xin)`, `newton_krylov(F, xin)` and their kin: an array like `xin`."""
    start = as_numbers(frame, named(fn), given.pop("xin"))
    if rank_of(type_of(start)) == 0:
        start = vector(frame, fn, start)
    function, passed, _ = lower_functions(frame, fn, given, "F", start.type, array)
    _check_count(fn, start, function)
    options = options_of(
        frame, fn, given,
        "iter alpha w0 M reduction_method max_rank rdiff method inner_maxiter outer_k maxiter "
        "alphamax f_tol f_rtol x_tol x_rtol tol_norm line_search",
        inner_M=None, verbose=False, callback=None,
    )  # fmt: skip
    options["solver"] = fn.__name__
    (x,) = emit_solver(
        frame, runtime.quasi_newton, (function, start, passed), options, (start.type,)
    )
    return x


def curve_fit(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`curve_fit(f, xdata, ydata, p0, sigma)`: the parameters; the covariance is not told."""
    f, sigma = given.pop("f"), given.pop("sigma", None)
    x, y, start = given.pop("xdata"), given.pop("ydata"), given.pop("p0", None)
    start = len(parameters_of(f)) - 1 if start is None else vector(frame, fn, start)
    sigma = None if sigma is None else array(frame, fn, sigma)
    if sigma is not None and rank_of(type_of(sigma)) not in (0, 1):
        raise error("E203", None, what=f"{named(fn)} with this `sigma=`")
    slopes = given.pop("jac", None)
    if isinstance(slopes, str):
        raise error("E203", None, what=f"{named(fn)} with this `jac=`")
    more = given.pop("kwargs", None)
    given.update(more.items if isinstance(more, DictObj) else more or {})
    bounds = given.pop("bounds", None)
    bounds = None if bounds == (-np.inf, np.inf) else bounds
    own = "maxfev epsfcn factor" if bounds is None else "max_nfev x_scale diff_step"
    method = "lm" if bounds is None else "trf"
    known = options_of(
        frame, fn, given, f"ftol xtol gtol {own} absolute_sigma check_finite",
        method=method, nan_policy=None, full_output=False,
    )  # fmt: skip
    kept = {name: x for name, x in known.items() if name not in ("absolute_sigma", "check_finite")}
    args = (f, x, y, start, sigma, slopes, bounds, DictObj(kept))
    found = call_python(frame, Ref(fits.curve_fit, ""), args, {}, None)
    return (found[0], _untold(fn, "covariance"))


def linprog(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`linprog(c, A_ub, b_ub, A_eq, b_eq, bounds)`: a result object."""
    names = ("c", "A_ub", "b_ub", "A_eq", "b_eq")
    arrays = tuple(given.pop(name, None) for name in names)
    bounds = given.pop("bounds", (0, None))
    known = options_of(frame, fn, given, "method options", callback=None, x0=None, integrality=None)
    written = Ref(linear_programs.linprog, "")
    bounds = (0, None) if bounds is None else bounds
    found = call_python(frame, written, (*arrays, bounds, DictObj(known)), {}, None)
    told_too = ("x", "fun", "status", "nit", "slack", "con")
    fields = {"success": True, **dict(zip(told_too, found, strict=True))}
    return record("OptimizeResult", fields)


def _check_count(fn: Any, start: Value, function: Function) -> None:
    """Refuse an equation that is known to have another number of components than of unknowns."""
    n, m = (shape_of(type_of(x)) for x in (start, function.body.results[0]))
    ends = [shape[0] for shape in (n, m) if shape and isinstance(shape[0], int)]
    if len(ends) == 2 and ends[0] != ends[1]:
        what = f"{named(fn)} of {ends[1]} equations for {ends[0]} unknowns"
        raise error("E132", None, what=what, fix="return as many equations as there are unknowns")


__all__ = [
    "curve_fit",
    "fixed_point",
    "fsolve",
    "leastsq",
    "linprog",
    "minimum",
    "quasi_newton",
    "with_result",
]

"""Solvers for one number: `brentq`, `newton`, `root_scalar`, `minimize_scalar` and their kin.

brentq(f, a, b, (p,))                       x = brentq(f, a, b, (p,))
brentq(f, a, b, (p,), full_output=True)     x, converged, n, m = root_scalar(f, (p,), ...)
minimize_scalar(f, args=(p,)).x             x, success, n = minimize_scalar(f, (p,))
"""

from __future__ import annotations

from typing import Any

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.dispatch import call
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
    lower_functions,
    named,
    number,
    options_of,
    record,
    told,
    vector,
)
from srcad.ir.nodes import Value
from srcad.ir.types import rank_of
from srcad.rules.core.staged import type_of

BRACKETING = ("bisect", "brentq", "brenth", "ridder", "toms748")
_OPEN = ("newton", "secant", "halley")
_STATE = (BOOL, INT, INT, TEXT)
_SLOPES: dict[str, Result] = {"fprime": number, "fprime2": number}


def bracketed(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`brentq(f, a, b, args)` and its kin: a Python float."""
    ends = [number(frame, fn, given.pop(end)) for end in "ab"]
    in_full = frame.session.static(given.pop("full_output", False), "`full_output`")
    function, passed, _ = lower_functions(frame, fn, given, "f", FLOAT, number)
    options = options_of(frame, fn, given, "xtol rtol maxiter k", disp=True)
    if not in_full:
        (x,) = emit_solver(frame, fn, (function, *ends, passed), options, (FLOAT,))
        return x
    given_to = (function, *ends, passed)
    options["solver"] = fn.__name__
    found = emit_solver(frame, runtime.bracketed, given_to, options, (FLOAT, *_STATE))
    return (found[0], _root_results(found))


def newton(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`newton(func, x0, fprime, args)`: a NumPy float; of an array, an array."""
    start = array(frame, fn, given.pop("x0"))
    if rank_of(type_of(start)) != 0:
        return _newton_of_vector(frame, fn, given, vector(frame, fn, start))
    start = number(frame, fn, start)
    in_full = frame.session.static(given.pop("full_output", False), "`full_output`")
    starts = _second_start(frame, fn, given)
    function, passed, slopes = lower_functions(
        frame, fn, given, "func", NUMPY_FLOAT, number, _SLOPES
    )
    options = slopes | starts | options_of(frame, fn, given, "tol maxiter rtol", disp=True)
    atoms = (function, start, passed)
    if not in_full:
        (x,) = emit_solver(frame, runtime.newton, atoms, options, (NUMPY_FLOAT,))
        return x
    types = (NUMPY_FLOAT, *_STATE)
    found = emit_solver(frame, runtime.newton_in_full, atoms, options, types)
    return (found[0], _root_results(found))


def _newton_of_vector(frame: Frame, fn: Any, given: Given, start: Value) -> Abstract:
    """Newton's method for each entry."""
    slopes = dict.fromkeys(_SLOPES, vector)
    function, passed, found = lower_functions(frame, fn, given, "func", start.type, vector, slopes)
    options = found | options_of(
        frame, fn, given, "tol maxiter rtol", x1=None, full_output=False, disp=True
    )
    atoms = (function, start, passed)
    (x,) = emit_solver(frame, runtime.newton_of_entries, atoms, options, (start.type,))
    return x


def _second_start(frame: Frame, fn: Any, given: Given) -> dict[str, Any]:
    x1 = given.pop("x1", None)
    if x1 is None:
        return {}
    return {"x1": frame.session.emit(runtime.stop_gradient, (number(frame, fn, x1),))}


def root_scalar(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`root_scalar(f, args, bracket=)`, whose `root` is a Python float; `root_scalar(f, args,
    method=, x0=)` by the secant method, Newton's or Halley's, where it is one of NumPy's.
    """
    brackets = given.get("bracket") is not None
    methods = BRACKETING if brackets else _OPEN
    if given.get("method") not in (None, *methods):
        what = "with" if brackets else "without"
        fix = "use one of " + ", ".join(methods)
        raise error("E203", None, what=f"{named(fn)} {what} a bracket by this `method=`", fix=fix)
    for name in _SLOPES:
        if isinstance(given.get(name), bool):
            fix = "pass the derivative as a function of its own"
            raise error("E203", None, what=f"{named(fn)} with this `{name}=`", fix=fix)
    x, slopes = (FLOAT, None) if brackets else (NUMPY_FLOAT, _SLOPES)
    function, passed, more = lower_functions(frame, fn, given, "f", x, number, slopes)
    starts = {
        name: frame.session.emit(runtime.stop_gradient, (number(frame, fn, given.pop(name)),))
        for name in ("x0", "x1")
        if not brackets and given.get(name) is not None
    }
    options = options_of(
        frame, fn, given, "method bracket xtol rtol maxiter",
        fprime=None, fprime2=None, x0=None, x1=None, options=None,
    )  # fmt: skip
    kept = options | more | starts
    types = (x, *_STATE)
    return _root_results(emit_solver(frame, runtime.root_scalar, (function, passed), kept, types))


def _root_results(found: tuple[Value, ...]) -> Abstract:
    names = ("root", "converged", "iterations", "function_calls", "flag")
    return record("RootResults", dict(zip(names, found, strict=True)))


def minimize_scalar(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`minimize_scalar(fun, bracket, bounds, args, method)`: a result object."""
    func, args = given["fun"], args_of(given.get("args", ()))
    function, passed, _ = lower_functions(frame, fn, given, "fun", NUMPY_FLOAT, number)
    options = options_of(frame, fn, given, "bracket bounds method tol options")
    types = (NUMPY_FLOAT, BOOL, INT, RESULT)
    atoms = (function, passed)
    x, success, n_calls, found = emit_solver(frame, runtime.minimize_scalar, atoms, options, types)
    fields = {"x": x, "fun": call(frame, func, (x, *args)), "success": success, "nfev": n_calls}
    return record("OptimizeResult", fields | told(frame, found, "nit message"))


def minimum(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`brent(func, args)`, `golden(func, args)`, `fminbound(func, x1, x2, args)`: a NumPy float."""
    ends = [number(frame, fn, given.pop(end)) for end in ("x1", "x2") if end in given]
    function, passed, _ = lower_functions(frame, fn, given, "func", NUMPY_FLOAT, number)
    options = options_of(frame, fn, given, "brack tol xtol maxiter maxfun disp", full_output=0)
    options["solver"] = fn.__name__
    (x,) = emit_solver(frame, runtime.minimum, (function, *ends, passed), options, (NUMPY_FLOAT,))
    return x


__all__ = ["bracketed", "minimize_scalar", "minimum", "newton", "root_scalar"]

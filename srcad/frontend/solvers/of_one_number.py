"""Solvers for one number: `brentq`, `newton`, `root_scalar`, `minimize_scalar` and their kin.

brentq(f, a, b, (p,))                       x = brentq(f, a, b, (p,))
brentq(f, a, b, (p,), full_output=True)     x, converged, n, m = root_scalar(f, (p,), ...)
minimize_scalar(f, args=(p,)).x             x, success, n = minimize_scalar(f, (p,))
"""

from __future__ import annotations

from typing import Any

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.containers.containers import RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.calls.functions import call_python
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
from srcad.frontend.written.scipy.reals import of_its_kind
from srcad.ir.nodes import Value
from srcad.ir.types import rank_of
from srcad.rules.core.staged import type_of

BRACKETING = ("bisect", "brentq", "brenth", "ridder", "toms748")
_OPEN = ("newton", "secant", "halley")
_STATE = (BOOL, INT, INT, TEXT, BOOL)
_SLOPES: dict[str, Result] = {"fprime": number, "fprime2": number}


def bracketed(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`brentq(f, a, b, args)` and its kin: a Python float; that of `toms748` may be NumPy's."""
    ends = [given.pop(end) for end in "ab"]
    if fn.__name__ != "toms748":  # which may give an end as it was given
        ends = [number(frame, fn, end) for end in ends]
    in_full = frame.session.static(given.pop("full_output", False), "`full_output`")
    function, passed, _ = lower_functions(frame, fn, given, "f", FLOAT, number)
    options = options_of(frame, fn, given, "xtol rtol maxiter k", disp=True)
    given_to = (function, *ends, passed)
    if fn.__name__ != "toms748" and not in_full:
        (x,) = emit_solver(frame, fn, given_to, options, (FLOAT,))
        return x
    options["solver"] = fn.__name__
    found = emit_solver(frame, runtime.bracketed, given_to, options, (NUMPY_FLOAT, *_STATE))
    results = _root_results(frame, found, fn.__name__)
    return (results.fields["root"], results) if in_full else results.fields["root"]


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
    return (found[0], _root_results(frame, found, "newton"))


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
    types = (NUMPY_FLOAT, *_STATE)
    found = emit_solver(frame, runtime.root_scalar, (function, passed), kept, types)
    method = given.get("method") or ("brentq" if brackets else "newton")
    return _root_results(frame, found, str(method))


def _root_results(frame: Frame, found: tuple[Value, ...], solver: str) -> RecordObj:
    """`found`: the root, its state, and whether it is NumPy's, which only `toms748` leaves open."""
    root: Abstract
    root, *state, is_numpy = found
    if solver == "toms748":
        root = _of_its_kind(frame, root, is_numpy)
    elif solver in BRACKETING:
        root = frame.session.emit(float, (root,))
    names = ("root", "converged", "iterations", "function_calls", "flag")
    return record("RootResults", dict(zip(names, (root, *state), strict=True)))


def _of_its_kind(frame: Frame, x: Value, is_numpy: Value) -> Abstract:
    return call_python(frame, Ref(of_its_kind, ""), (x, is_numpy), {}, None)


def minimize_scalar(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`minimize_scalar(fun, bracket, bounds, args, method)`: a result object."""
    func, args = given["fun"], args_of(given.get("args", ()))
    function, passed, _ = lower_functions(frame, fn, given, "fun", NUMPY_FLOAT, number)
    options = options_of(frame, fn, given, "bracket bounds method tol options")
    types = (NUMPY_FLOAT, BOOL, BOOL, INT, RESULT)
    atoms = (function, passed)
    outs = emit_solver(frame, runtime.minimize_scalar, atoms, options, types)
    x, is_numpy, success, n_calls, found = outs
    if options.get("bracket") is not None or options.get("bounds") is not None:
        x = _of_its_kind(frame, x, is_numpy)
    fields = {"x": x, "fun": call(frame, func, (x, *args)), "success": success, "nfev": n_calls}
    return record("OptimizeResult", fields | told(frame, found, "nit message"))


def minimum(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`brent(func, args)`, `golden(func, args)`, `fminbound(func, x1, x2, args)`: a float."""
    ends = [number(frame, fn, given.pop(end)) for end in ("x1", "x2") if end in given]
    function, passed, _ = lower_functions(frame, fn, given, "func", NUMPY_FLOAT, number)
    options = options_of(frame, fn, given, "brack tol xtol maxiter maxfun disp", full_output=0)
    options["solver"] = fn.__name__
    atoms, types = (function, *ends, passed), (NUMPY_FLOAT, BOOL)
    x, is_numpy = emit_solver(frame, runtime.minimum, atoms, options, types)
    known = not ends and options.get("brack") is None
    return x if known else _of_its_kind(frame, x, is_numpy)


__all__ = ["bracketed", "minimize_scalar", "minimum", "newton", "root_scalar"]

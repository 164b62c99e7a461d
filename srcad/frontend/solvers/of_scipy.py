"""Solvers of equations: `fsolve`, `root`, `brentq`, `minimize`, `least_squares`, `fixed_point`.

    fsolve(lambda x: x**2 - a, x0)          x = fsolve(f, x0, (a,))
    minimize(cost, x0, args=(a,)).x         x, success, status, nfev = minimize(cost, x0, (a,))

The user's function is passed as an IR function, and so is its derivative where one is given: it
serves the solver alone. A solver's result object is a record of what is known of it; its `fun` is
the function at the solution. Derivatives: `transform.implicit`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj, RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.calls.lifting import has_effects
from srcad.frontend.dispatch import Args, call
from srcad.frontend.solvers.numbers import as_doubles, as_number, as_vector
from srcad.frontend.solvers.passed_functions import passed_function, with_same_arguments
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, Type, shape_of
from srcad.rules.core.staged import type_of

_REAL = np.dtype(float)
_FLOAT, _INT = NumberType(float), NumberType(int)
_NUMPY_FLOAT = ArrayType(_REAL, (), scalar=True)
_BRACKETING = ("bisect", "brentq", "brenth", "ridder", "toms748")
_STATE: tuple[Type, ...] = (NumberType(bool), _INT, _INT)

Given = dict[str, Abstract]
Result = Callable[[Frame, Any, Abstract], Abstract]


def call_solver(fn: Any, frame: Frame, *args: Abstract, **kwargs: Abstract) -> Abstract:
    """What a call of SciPy's solver `fn`, which is one of `SOLVERS`, gives.

    Raises:
        SrcadError: E131, the arguments do not fit; E132, they have other types; E203, an option
            under which the solution satisfies another equation, or is told in another form.
    """
    try:
        bound = inspect.signature(fn).bind(*args, **kwargs).arguments
    except TypeError as reason:
        raise error("E131", None, what=f"`{fn.__name__}` ({reason})") from None
    return SOLVERS[fn.__name__](frame, fn, dict(bound))


# One number ---------------------------------------------------------------------------------------


def _bracketed(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`brentq(f, a, b, args)` and its kin: a Python float."""
    ends = [_number(frame, fn, given.pop(end)) for end in "ab"]
    function, passed, _ = _lower(frame, fn, given, "f", _FLOAT, _number)
    options = _options(frame, fn, given, "xtol rtol maxiter k", full_output=False, disp=True)
    (x,) = emit_solver(frame, fn, (function, *ends, passed), options, (_FLOAT,))
    return x


def _newton(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`newton(func, x0, fprime, args)` of one number: a NumPy float."""
    start = _number(frame, fn, given.pop("x0"))
    function, passed, derivative = _lower(frame, fn, given, "func", _NUMPY_FLOAT, _number, "fprime")
    options = derivative | _options(
        frame, fn, given, "tol maxiter rtol", x1=None, fprime2=None, full_output=False, disp=True
    )
    (x,) = emit_solver(frame, runtime.newton, (function, start, passed), options, (_NUMPY_FLOAT,))
    return x


def _root_scalar(frame: Frame, fn: Any, given: Given) -> Abstract:
    """`root_scalar(f, args, bracket=)`, whose `root` is a Python float; `root_scalar(f, args,
    method=, x0=)` by the secant method or Newton's, where it is one of NumPy's.
    """
    brackets = given.get("bracket") is not None
    methods = _BRACKETING if brackets else ("newton", "secant")
    if given.get("method") not in (None, *methods):
        what = "with" if brackets else "without"
        fix = "use one of " + ", ".join(methods)
        raise error("E203", None, what=f"{_named(fn)} {what} a bracket by this `method=`", fix=fix)
    x, derivative = (_FLOAT, None) if brackets else (_NUMPY_FLOAT, "fprime")
    if isinstance(given.get("fprime"), bool):
        fix = "pass the derivative as a function of its own"
        raise error("E203", None, what=f"{_named(fn)} with this `fprime=`", fix=fix)
    function, passed, more = _lower(frame, fn, given, "f", x, _number, derivative)
    starts = {
        name: frame.session.emit(runtime.stop_gradient, (_number(frame, fn, given.pop(name)),))
        for name in ("x0", "x1")
        if not brackets and given.get(name) is not None
    }
    options = _options(
        frame, fn, given, "method bracket xtol rtol maxiter",
        fprime=None, fprime2=None, x0=None, x1=None, options=None,
    )  # fmt: skip
    types = (x, NumberType(bool), _INT, _INT)
    kept = options | more | starts
    found = emit_solver(frame, runtime.root_scalar, (function, passed), kept, types)
    names = ("root", "converged", "iterations", "function_calls")
    return _record("RootResults", dict(zip(names, found, strict=True)))


# Vectors ------------------------------------------------------------------------------------------


def _of_vector(frame: Frame, fn: Any, given: Given, *, f: str, known: str, **fixed: Any) -> Value:
    """`fsolve(func, x0, args)`, `fixed_point(func, x0, args)`: a vector."""
    start = _vector(frame, fn, given.pop("x0"))
    derivative = "fprime" if "fprime" in given else None
    function, passed, more = _lower(frame, fn, given, f, start.type, _vector, derivative)
    _check_count(fn, start, function)
    options = more | _options(frame, fn, given, known, **fixed)
    (x,) = emit_solver(frame, fn, (function, start, passed), options, (start.type,))
    return x


def _with_result(
    frame: Frame, fn: Any, given: Given, *, own: Any, result: Result, known: str, **fixed: Any
) -> Abstract:
    """A solver that gives an `OptimizeResult`: of that `x`, `fun`, `success`, `status`, `nfev`."""
    start, func, args = _vector(frame, fn, given.pop("x0")), given["fun"], given.get("args", ())
    jac = given.get("jac")
    with_jac = jac is True
    is_function = not isinstance(jac, str | bool | None)
    function, passed, more = _lower(
        frame, fn, given, "fun", start.type, _pair(result) if with_jac else result,
        "jac" if is_function else None,
    )  # fmt: skip
    if own is runtime.root:
        _check_count(fn, start, function)
    options = more | _options(frame, fn, given, f"{known} jac", **fixed)
    x, *rest = emit_solver(frame, own, (function, start, passed), options, (start.type, *_STATE))
    value = call(frame, func, (x, *_args(fn, args)))
    names = ("success", "status", "nfev")
    fun = value[0] if with_jac and isinstance(value, tuple) else value
    fields = {"x": x, "fun": fun, **dict(zip(names, rest, strict=True))}
    return _record("OptimizeResult", fields)


def _check_count(fn: Any, start: Value, function: Function) -> None:
    """Refuse an equation that is known to have another number of components than of unknowns."""
    n, m = (shape_of(type_of(x)) for x in (start, function.body.results[0]))
    ends = [shape[0] for shape in (n, m) if shape is not None and isinstance(shape[0], int)]
    if len(ends) == 2 and ends[0] != ends[1]:
        what = f"{_named(fn)} of {ends[1]} equations for {ends[0]} unknowns"
        raise error("E132", None, what=what, fix="return as many equations as there are unknowns")


# All ----------------------------------------------------------------------------------------------


def _lower(
    frame: Frame, fn: Any, given: Given, name: str, x: Type, result: Result,
    derivative: str | None = None,
) -> tuple[Function, Any, dict[str, Any]]:  # fmt: skip
    """The user's function of an unknown of type `x`; what it is passed; its derivative, by name."""
    args = _args(fn, given.pop("args", ()))

    def lowered(func: Abstract, result: Result) -> tuple[Function, Any]:
        def of_call(frame: Frame, what: str, found: Abstract) -> Abstract:
            return result(frame, fn, found)

        return passed_function(frame, func, of_call, (Value("x", x),), args, _named(fn))

    function, passed = lowered(given.pop(name), result)
    by = given.pop(derivative, None) if derivative is not None else None
    if derivative is None or by is None:
        return function, passed, {}
    second, more = lowered(by, _number if x is _NUMPY_FLOAT else _array)
    function, second, passed = with_same_arguments(function, passed, second, more)
    return function, passed, {derivative: second}


def emit_solver(
    frame: Frame, fn: Any, args: tuple[Any, ...], options: dict[str, Any], types: tuple[Type, ...]
) -> tuple[Value, ...]:
    """Call `fn` on a function, what it starts from, and what is passed to the function."""
    session = frame.session
    outs = tuple(Value("", t) for t in types)
    function, *starts, passed = args
    functions = [function, *(x for x in options.values() if isinstance(x, Function))]
    atoms = (function, *session.atom(tuple(starts)), passed)
    op = Op(fn, atoms, options, outs, session.builder.loc, any(map(has_effects, functions)))
    session.builder.body.append(op)
    for watch in session.watchers:
        watch(op)
    for out in outs:
        session.memory.tell(out, ())
    return outs


def _record(name: str, fields: dict[str, Abstract]) -> RecordObj:
    """A result object of SciPy's, of which only these attributes are known: it stays inside."""
    from scipy import optimize

    return RecordObj(getattr(optimize, name), fields, uneven=True)


def _options(frame: Frame, fn: Any, given: Given, known: str, **fixed: Any) -> dict[str, Any]:
    """The options that are passed on. `fixed`: those that may only be as if they were left out."""
    kept: dict[str, Any] = {}
    for name, x in given.items():
        if name in known.split():
            items = x.items if isinstance(x, DictObj) else None
            kept[name] = frame.session.atom(x if items is None else dict(items))
        elif name not in fixed or not (x is fixed[name] or x == fixed[name]):
            fix = "leave it out, or give the function that calls the solver a rule"
            raise error("E203", None, what=f"{_named(fn)} with `{name}=`", fix=fix)
    return kept


def _args(fn: Any, args: Abstract) -> Args:
    return args if isinstance(args, tuple) else (args,)  # as SciPy does


def _named(fn: Any) -> str:
    return f"`scipy.optimize.{fn.__name__}`"


def _number(frame: Frame, fn: Any, x: Abstract) -> Any:
    return as_number(frame, _named(fn), x)


def _vector(frame: Frame, fn: Any, x: Abstract) -> Any:
    return as_vector(frame, _named(fn), x)


def _array(frame: Frame, fn: Any, x: Abstract) -> Any:
    return as_doubles(frame, _named(fn), x)


def _pair(result: Result) -> Result:
    """The value and the gradient of a function that returns both (`jac=True`)."""

    def both(frame: Frame, fn: Any, found: Abstract) -> Abstract:
        if not isinstance(found, tuple) or len(found) != 2:
            fix = "return `(value, gradient)`"
            raise error("E132", None, what=f"{_named(fn)} with jac=True of no pair", fix=fix)
        return (result(frame, fn, found[0]), _array(frame, fn, found[1]))

    return both


SOLVERS: dict[str, Callable[[Frame, Any, Given], Abstract]] = {
    **dict.fromkeys(("bisect", "brenth", "brentq", "ridder", "toms748"), _bracketed),
    "fixed_point": functools.partial(_of_vector, f="func", known="xtol maxiter method"),
    "fsolve": functools.partial(
        _of_vector, f="func", known="xtol maxfev epsfcn factor",
        full_output=0, col_deriv=0, band=None, diag=None,
    ),
    "least_squares": functools.partial(
        _with_result, own=runtime.least_squares, result=_vector,
        known="method ftol xtol gtol x_scale max_nfev diff_step",
    ),
    "minimize": functools.partial(
        _with_result, own=runtime.minimize, result=_number, known="method tol options",
        bounds=None, constraints=(), callback=None, hess=None, hessp=None,
    ),
    "newton": _newton,
    "root": functools.partial(
        _with_result, own=runtime.root, result=_vector, known="method tol options", callback=None
    ),
    "root_scalar": _root_scalar,
}  # fmt: skip


__all__ = ["SOLVERS", "call_solver", "emit_solver"]

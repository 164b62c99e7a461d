"""`scipy.integrate.solve_ivp`, as an initial value problem of `srcad.transform.solutions`.

    solve_ivp(f, (t0, t1), y0, t_eval=ts).y     ys = solve_ivp(f, y0, (t0, *ts), (), t1)    # rows
                                                y = transpose(ys[1:])
    solve_ivp(f, (t0, t1), y0).y[:, -1]         t, y, y1 = solve_ivp_by_steps(f, y0, (t0, t1), ())

At the steps of the solver, which move with what varies, the solution has no derivative: only at the
end, which is a value of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj, RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.dispatch import Args
from srcad.frontend.expressions.expressions import item
from srcad.frontend.solvers.calls import emit_solver
from srcad.frontend.solvers.numbers import as_doubles, as_number, as_vector
from srcad.frontend.solvers.passed_functions import passed_function, with_same_arguments
from srcad.ir.nodes import Function, Value
from srcad.ir.types import ArrayType, NumberType, shape_of
from srcad.rules.core.facts import unknown_extent

_WHAT = "`scipy.integrate.solve_ivp`"
_REAL = np.dtype(float)
_KNOWN = ("rtol", "atol", "max_step", "first_step", "min_step", "jac")


def solve_ivp(
    frame: Frame, fun: Abstract, t_span: Abstract, y0: Abstract, method: Abstract = "RK45",
    t_eval: Abstract = None, dense_output: Abstract = False, events: Abstract = None,
    vectorized: Abstract = False, args: Abstract = None, own: Any = runtime.solve_ivp,
    **options: Abstract,
) -> Abstract:  # fmt: skip
    """The solution of `y' = fun(t, y, *args)` at the times `t_eval` or at its own steps.

    Args:
        own: what solves it at given times.
    """
    session, emit = frame.session, frame.session.emit
    others = {name: x for name, x in options.items() if name not in _KNOWN}
    _refuse({"dense_output": dense_output, "events": events, "vectorized": vectorized, **others})
    span = t_span.items if isinstance(t_span, ListObj) else t_span
    if not isinstance(span, tuple | list) or len(span) != 2:
        raise error("E132", None, what=f"{_WHAT} with a `t_span` that is no pair")
    first, end = (as_number(frame, _WHAT, each) for each in span)
    start = as_vector(frame, _WHAT, y0)
    passed_on = () if args is None else args if isinstance(args, tuple) else (args,)
    function, passed = _right_hand_side(frame, fun, start, passed_on)
    jac = options.pop("jac", None)
    kept = {"method": session.atom(method), **dict(session.atom(options))}
    if isinstance(jac, Value):
        kept["jac"] = session.atom(jac)
    elif jac is not None:  # it serves the solver alone
        second, more = _right_hand_side(frame, jac, start, passed_on, as_doubles)
        (function, kept["jac"]), passed = with_same_arguments(
            (function, passed, 2), (second, more, 2)
        )
    n = shape_of(start.type) or ()
    if own is runtime.solve_ivp and _is_explicit(method) and "jac" not in kept:
        return _in_steps(frame, (function, start, passed), (first, end, t_eval), kept)
    if t_eval is None:
        times = emit(np.array, ((first, end),), {"dtype": float})
        steps = unknown_extent()
        types = ArrayType(_REAL, (steps,)), ArrayType(_REAL, (*n, steps)), ArrayType(_REAL, n)
        given = (function, start, times, passed)
        t, y, at_end = emit_solver(frame, runtime.solve_ivp_by_steps, given, kept, types)
        session.memory.tell(at_end, (y,))  # in Python it is a part of it
        session.ends[y] = at_end
        return _result({"t": t, "y": y, "success": True, "status": 0})
    asked = as_vector(frame, _WHAT, t_eval)
    times = emit(np.concatenate, ((emit(np.reshape, (first, (1,))), asked),))
    end = emit(runtime.stop_gradient, (end,))  # how far it goes on changes nothing before
    out = ArrayType(_REAL, (*(shape_of(times.type) or ()), *n))
    given = (function, start, times, passed)
    (ys,) = emit_solver(frame, own, given, {"end": end, **kept}, (out,))
    y = emit(np.ascontiguousarray, (emit(np.transpose, (item(frame, ys, slice(1, None)),)),))
    return _result({"t": emit(np.array, (t_eval,)), "y": y, "success": True, "status": 0})


def _is_explicit(method: Abstract) -> bool:
    return isinstance(method, str) and method in ("RK23", "RK45", "DOP853")


def _in_steps(
    frame: Frame, function: tuple[Function, Value, Any], times: tuple[Abstract, ...],
    options: dict[str, Any],
) -> Abstract:  # fmt: skip
    """The solution by an explicit method, whose steps are differentiated one by one."""
    emit, (f, start, passed), (first, end, t_eval) = frame.session.emit, function, times
    n, steps = shape_of(start.type) or (), unknown_extent()
    states = ArrayType(_REAL, (steps, *n))
    if t_eval is None:
        at = ArrayType(_REAL, (steps,))
        types: tuple[Any, ...] = at, ArrayType(_REAL, (*n, steps)), ArrayType(_REAL, n), at, states
        given = f, start, emit(np.array, ((first, end),), {"dtype": float}), passed
        t, y, at_end, *_ = emit_solver(frame, runtime.solve_ivp_in_steps, given, options, types)
        frame.session.memory.tell(at_end, (y,))  # in Python it is a part of it
        frame.session.ends[y] = at_end
        return _result({"t": t, "y": y, "success": True, "status": 0})
    asked = as_vector(frame, _WHAT, t_eval)
    every = emit(np.concatenate, ((emit(np.reshape, (first, (1,))), asked),))
    end = emit(runtime.stop_gradient, (end,))  # how far it goes on changes nothing before
    rows = ArrayType(_REAL, (*(shape_of(every.type) or ()), *n))
    counts = ArrayType(np.dtype(np.intp), (steps,))
    types = rows, ArrayType(_REAL, (steps,)), states, counts
    given, options = (f, start, every, passed), {"end": end, **options}
    ys, *_ = emit_solver(frame, runtime.solve_ivp_between_steps, given, options, types)
    y = emit(np.ascontiguousarray, (emit(np.transpose, (item(frame, ys, slice(1, None)),)),))
    return _result({"t": emit(np.array, (t_eval,)), "y": y, "success": True, "status": 0})


def solve_ivp_by_adjoint(
    frame: Frame, fun: Abstract, t_span: Abstract, y0: Abstract, method: Abstract = "RK45",
    t_eval: Abstract = None, **options: Abstract,
) -> Abstract:  # fmt: skip
    """`srcad.solve_ivp_by_adjoint`: at given times, or at the end alone."""
    if "own" in options:
        raise error("E203", None, what=f"{_WHAT} with `own=`")
    own = runtime.solve_ivp_by_adjoint
    if t_eval is not None:
        return solve_ivp(frame, fun, t_span, y0, method, t_eval, own=own, **options)
    span = t_span.items if isinstance(t_span, ListObj) else t_span
    if not isinstance(span, tuple | list) or len(span) != 2:
        raise error("E132", None, what=f"{_WHAT} with a `t_span` that is no pair")
    end = frame.session.emit(np.reshape, (as_number(frame, _WHAT, span[1]), (1,)))
    return solve_ivp(frame, fun, t_span, y0, method, end, own=own, **options)


def _right_hand_side(
    frame: Frame, fun: Abstract, start: Value, args: Args,
    result: Callable[[Frame, str, Abstract], Abstract] = as_vector,
) -> tuple[Function, Any]:  # fmt: skip
    """The function of state, time and what it reads besides; and the atoms of the last."""
    leading = (Value("y", start.type), Value("t", NumberType(float)))
    return passed_function(frame, fun, result, leading, args, _WHAT, True)


def _refuse(options: dict[str, Abstract]) -> None:
    for name, x in options.items():
        if x is not None and x is not False:
            fix = "leave it out"
            raise error("E203", None, what=f"{_WHAT} with `{name}=`", fix=fix)


def _result(fields: dict[str, Abstract]) -> RecordObj:
    """A result object, of which only these attributes are known: it stays inside."""
    from scipy.optimize import OptimizeResult

    return RecordObj(OptimizeResult, fields, uneven=True)


__all__ = ["solve_ivp", "solve_ivp_by_adjoint"]

"""`srcad.fixed_point` and `srcad.implicit` inside a differentiated function.

    srcad.fixed_point(f, x0, a)             x = fixed_point(f, x0, (a,), tol=1e-10, max_iter=1000)
    solve = srcad.implicit(newton, g)
    solve(x0, a)                            x = as_solution(newton(x0, a), x0)

The solver of `implicit` runs as it is; its equation g(x, x0, a) = 0 is read for the derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.call_leaves import leaves_of
from srcad.frontend.abstract.containers.containers import DictObj, ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Closed, Ref
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.solvers.calls import emit_solver
from srcad.frontend.solvers.numbers import as_numbers
from srcad.frontend.solvers.passed_functions import passed_function
from srcad.ir.nodes import Op, Value
from srcad.ir.types import NumberType, Type, rank_of, shape_of
from srcad.ops.solvers import Solved
from srcad.rules.core.staged import type_of


def fixed_point(
    frame: Frame, f: Abstract, x0: Abstract, *args: Abstract,
    tol: Abstract = 1e-10, max_iter: Abstract = 1000,
) -> Abstract:  # fmt: skip
    """`srcad.fixed_point(f, x0, *args)`: a float or an array of double precision."""
    what = "`srcad.fixed_point`"
    start = as_numbers(frame, what, x0)
    x = Value("x", _type(start))
    function, passed = passed_function(frame, f, as_numbers, (x,), args, what)
    _require_like(function.body.results[0], x, f"{what} of a function that", "as x")
    options = frame.session.atom({"tol": tol, "max_iter": max_iter})
    types = (x.type,)
    (found,) = emit_solver(frame, runtime.fixed_point, (function, start, passed), options, types)
    return found


def call_implicit(
    frame: Frame, solver: Abstract, residual: Abstract, like: int, args: Args, kwargs: Kwargs
) -> Abstract:
    """A call of `srcad.implicit(solver, residual, like=like)`.

    Raises:
        SrcadError: E100, the solver is a function made inside, or the equation reads what is not
            passed; E132, the equation is not like the solution.
    """
    what = "`srcad.implicit`"
    if kwargs or not -len(args) <= like < len(args):
        raise error("E131", None, what=f"{what} called with {len(args)} arguments by position")
    if not isinstance(solver, Ref):
        fix = "define the solver outside of the differentiated function"
        raise error("E100", None, what=f"{what} of a solver made inside", fix=fix)
    session, like = frame.session, like % len(args)
    x = Value("x", _type(as_numbers(frame, what, args[like])))
    equation, passed = passed_function(frame, residual, as_numbers, (x,), args, what)
    _require_like(equation.body.results[0], x, f"{what} of a residual that", "as the solution")
    if solver.path:
        session.inputs.guard(solver.path, "is", solver.obj)
    out = Value("", x.type)
    _refuse_surroundings(frame, passed, args, what)
    atoms = (*(_structure(frame, arg) for arg in args), passed)
    op = Op(Solved(solver.obj, equation, like), atoms, {}, (out,), session.builder.loc)
    session.builder.body.append(op)
    for watch in session.watchers:
        watch(op)
    session.memory.tell(out, ())
    return out


def _refuse_surroundings(frame: Frame, passed: Sequence[Any], given: Args, what: str) -> None:
    """Refuse an equation that reads values of the program which the solver is not passed."""
    own, paths = {x for x in leaves_of(given) if isinstance(x, Value)}, frame.session.inputs.paths
    for atom in passed:
        is_captured = atom in paths and not paths[atom].startswith("A[")
        if isinstance(atom, Value) and atom not in own and not is_captured:
            name = atom.name or "a value"
            fix = "pass it to the solver, as an argument of both"
            raise error("E100", None, what=f"{what} of a residual that reads `{name}`", fix=fix)


def _structure(frame: Frame, x: Abstract) -> Any:
    """An argument as the solver gets it: containers of atoms."""
    if isinstance(x, tuple):
        return tuple(_structure(frame, item) for item in x)
    if isinstance(x, ListObj):
        return [_structure(frame, item) for item in x.items]
    if isinstance(x, DictObj):
        return {key: _structure(frame, item) for key, item in x.items.items()}
    return frame.session.atom(x)


def implicit(frame: Frame, solver: Abstract, residual: Abstract, *, like: Abstract = 0) -> Abstract:
    """`srcad.implicit(solver, residual)` made inside."""
    at = frame.session.static(like, "`like`")

    def apply(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call_implicit(frame, solver, residual, at, args, kwargs)

    return Closed(apply, "implicit", (solver, residual))


def _type(x: Any) -> Type:
    """A number is a Python float: so it comes to the user's function."""
    return NumberType(float) if rank_of(type_of(x)) == 0 else type_of(x)


def _require_like(found: Any, x: Value, what: str, role: str) -> None:
    here, there = shape_of(type_of(found)), shape_of(x.type)
    if here is None or there is None or len(here) != len(there) or any(map(_differ, here, there)):
        fix = f"return an array of the same shape {role}"
        raise error("E132", None, what=f"{what} returns another shape", fix=fix)


def _differ(m: Any, n: Any) -> bool:
    """Whether two extents are known to differ; else it is seen at run time."""
    return isinstance(m, int) and isinstance(n, int) and m != n


__all__ = ["call_implicit", "fixed_point", "implicit"]

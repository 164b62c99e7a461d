"""Derivatives of what solvers find, by the implicit function theorem.

A solver gives x with G(x, *args) = 0 (`srcad.ops.solvers` says which equation G is). Along the
solutions

    dG/dx x_dot + dG/dargs args_dot = 0,

so that forward, with J = dG/dx at the solution, x_dot = -J^-1 (dG/dargs args_dot), and in reverse

    w = -J^-T x_bar,      args_bar = (dG/dargs)^T w.

The steps of the solver are not differentiated: where it starts does not matter. What is emitted is
a program of x and the args again, to which the same applies: derivatives of every order, in each
mode. J is a dense matrix. (Krantz & Parks, The Implicit Function Theorem, section 3.3.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.ir.interface import Interface, Param, Slot
from srcad.ir.nodes import Atom, Block, Function, Op, Value
from srcad.ir.types import rank_of
from srcad.ir.walk import copy_statements, substitute, values_in
from srcad.ops.solvers import Solved, equation_of
from srcad.rules.core.staged import Builder, unwrap
from srcad.rules.core.table import name_of
from srcad.rules.core.zero import ZERO
from srcad.transform.activity import is_in
from srcad.transform.conform import conform, zero_like
from srcad.transform.derive import gradient
from srcad.transform.forward.tangent import build_tangent
from srcad.transform.forward.walk import Walk
from srcad.transform.inline import inline
from srcad.transform.reverse.adjoint import build_adjoint
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.reverse.sweep import Sweep
from srcad.transform.solvers import SOLVERS, Solver


def _push(walk: Walk, op: Op, builder: Builder) -> None:
    """Note the tangent of a solution."""
    if any(walk.of(v) is not ZERO for v in values_in(op.kwargs)):
        raise error("E203", op.loc, what=f"`{name_of(op.fn)}`")
    given = op.args[-1]
    dots = [walk.of(arg) for arg in given]
    if all(dot is ZERO for dot in dots):
        return
    equation = _equation(op)
    varying = equation.params[1:]
    found = [
        dot if dot is ZERO else conform(builder, dot, p.type)
        for dot, p in zip(dots, varying, strict=True)
    ]
    tangent = build_tangent(equation, [ZERO, *found])
    env: dict[Value, Atom] = dict(zip(tangent.params, (op.outs[0], *given), strict=True))
    builder.body.extend(copy_statements(tangent.body, env))
    (change,) = substitute(tangent.tangents, env)
    if change is ZERO:  # the solution stays, if the equation has no other one beside it
        change = zero_like(builder, op.outs[0])
    x_dot = _solve(builder, op, equation, -builder.wrap(change), transposed=False)
    walk.set(builder, op.outs[0], unwrap(x_dot))


def _reverse(sweep: Sweep, op: Op, gs: list[Cotangent], scope: Scope) -> None:
    """Contribute to the cotangents of what the equation of a solution reads."""
    if any(v in sweep.varied for v in values_in(op.kwargs)):
        raise error("E203", op.loc, what=f"`{name_of(op.fn)}`")
    given = op.args[-1]
    varied = [k for k, arg in enumerate(given) if is_in(arg, sweep.varied)]
    if not varied:
        return
    builder, equation = scope.builder, _equation(op)
    weights = unwrap(_solve(builder, op, equation, -builder.wrap(gs[0]), transposed=True))
    adjoint = build_adjoint(equation, [1 + k for k in varied], [weights])
    env: dict[Value, Atom] = dict(zip(adjoint.params, (op.outs[0], *given), strict=True))
    builder.body.extend(copy_statements([*adjoint.forward, *adjoint.reverse], env))
    bars = list(substitute(adjoint.cotangents, env))
    if all(bar is ZERO for bar in bars):  # as above: the system of the weights is solved
        still = 0.0 * np.sum(builder.wrap(weights))
        zero = builder.wrap(zero_like(builder, given[varied[0]]))
        bars[0] = unwrap(zero + still)
    for k, bar in zip(varied, bars, strict=True):
        sweep.accumulate(scope, given[k], bar)


def _solve(builder: Builder, op: Op, equation: Function, by: Any, *, transposed: bool) -> Any:
    """`by` solved with the Jacobian of the equation at the solution, or with its transpose."""
    from srcad.transform.jacobians.jacobians import jacobian

    at = (op.outs[0], *op.args[-1])
    slope = jacobian(equation, (0,))
    by_x, residual = inline(builder, slope, at), inline(builder, equation, at)
    checked = builder.emit(runtime.at_solution, (by_x, residual, at[0]))
    beside = builder.emit(runtime.beside_solution, (checked, residual, at[0]))
    still = [_still(builder, each) for each in at[1:]]
    by_beside = inline(builder, slope, (beside, *still))
    checked = builder.call(runtime.isolated, checked, by_beside)
    x = builder.wrap(at[0])
    if rank_of(x.type) == 0:
        return by / checked
    if rank_of(x.type) == 1:
        return np.linalg.solve(np.transpose(checked) if transposed else checked, by)
    matrix = np.reshape(checked, (x.size, x.size))
    flat = np.linalg.solve(np.transpose(matrix) if transposed else matrix, np.reshape(by, (-1,)))
    return np.reshape(flat, x.shape)


def _still(builder: Builder, x: Atom) -> Atom:
    """What is passed to the equation, without a derivative."""
    return builder.emit(runtime.stop_gradient, (x,)) if isinstance(x, Value) else x


def _equation(op: Op) -> Function:
    """The function of x and the args that is zero at the solution."""
    f = _with_interface(op.fn.equation if isinstance(op.fn, Solved) else op.args[0])
    if op.kwargs.get("bounded"):
        return _within_bounds(f, _free_equation(op, f))
    return _free_equation(op, f)


def _within_bounds(f: Function, slope: Function) -> Function:
    """Of a minimum on some bounds, its distance from these; else its slope."""
    builder = Builder([])
    wrap, (x, *_, lower, upper) = builder.wrap, f.params
    g = inline(builder, slope, f.params)
    on_lower, on_upper = map(wrap, builder.emit(runtime.at_bounds, (x, g, lower, upper)))
    inside = np.where(on_upper, wrap(x) - wrap(upper), wrap(g))
    return _function(f, builder, unwrap(np.where(on_lower, wrap(x) - wrap(lower), inside)))


def _free_equation(op: Op, f: Function) -> Function:
    """The same where there are no bounds."""
    match equation_of(op.fn):
        case "root":
            return f
        case "minimum":
            return gradient(f, (0,))
        case "fixed point":
            builder = Builder([])
            residual = builder.wrap(inline(builder, f, f.params)) - builder.wrap(f.params[0])
            return _function(f, builder, unwrap(residual))
        case "least squares":
            builder = Builder([])
            residual = builder.wrap(inline(builder, f, f.params))
            return gradient(_function(f, builder, unwrap(0.5 * np.sum(residual**2))), (0,))
    raise AssertionError(f"no equation of {op.fn}")


def _function(f: Function, builder: Builder, result: Atom) -> Function:
    """A function of the parameters of `f`."""
    return _with_interface(Function(f.name, Block(f.params, builder.body, [result])))


def _with_interface(f: Function) -> Function:
    """`f` as one of its first result, which is all that the equation asks of it."""
    params = tuple(Param(f"x{k}", Slot(k)) for k in range(len(f.params)))
    block = Block(f.params, f.body.body, f.body.results[:1])
    return Function(f.name, block, Interface(params, (), Slot(0)))


SOLVERS.append(Solver(lambda op: equation_of(op.fn) is not None, _push, _reverse))

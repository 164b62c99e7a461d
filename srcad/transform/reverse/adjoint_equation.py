"""The adjoint equation of an initial value problem.

    y' = f(y, t, *args),  y(t[0]) = y0          w' = -w df/dy,   w(t[i]) jumps by y_bar[i]

    y0_bar = w(t[0]),     args_bar = integral of w df/dargs from t[0] to the end

It has as many unknowns as the system and its args have, however many args there are, and runs
backwards along the solution, which the solver interpolates. (Hairer, Norsett & Wanner, Solving
Ordinary Differential Equations I, section I.14; Cao et al., SIAM J. Sci. Comput. 24, 2003.) Its own
derivatives are those of what it gives, by the derivatives beside the solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.ir.nodes import Atom, Block, Function, Op, Value
from srcad.ir.types import ArrayType
from srcad.ir.walk import copy_statements, substitute, values_in
from srcad.rules.core.facts import unknown_extent
from srcad.rules.core.staged import Builder, unwrap
from srcad.rules.core.zero import ZERO
from srcad.transform.activity import is_in
from srcad.transform.boundary import or_zero
from srcad.transform.conform import bar_name, conform
from srcad.transform.forward.tangent import build_tangent
from srcad.transform.forward.walk import Walk
from srcad.transform.reverse.adjoint import build_adjoint
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.reverse.sweep import Sweep

_VECTOR = ArrayType(np.dtype(float), (unknown_extent(),))


def solve_adjoint(builder: Builder, op: Op, varied: Sequence[int], y_bar: Atom) -> Value:
    """The cotangents of the initial state and of the args that vary, in one vector."""
    f, y0, t, given = op.args
    options = {**op.kwargs, "pull": _pullback(f, varied), "varied": tuple(varied)}
    out = Value("", _VECTOR)
    call = Op(runtime.adjoint_of_ivp, (f, y0, t, y_bar, given), options, (out,), op.loc)
    builder.body.append(call)
    return out


def _pullback(f: Function, varied: Sequence[int]) -> Function:
    """The cotangents of the state and of what varies besides, for one of the rates; one vector."""
    state = f.params[0]
    weight = Value(bar_name(state), state.type)
    adjoint = build_adjoint(f, [0, *(2 + k for k in varied)], [weight])
    builder = Builder([*adjoint.forward, *adjoint.reverse])
    primals = [adjoint.params[0], *(adjoint.params[2 + k] for k in varied)]
    parts = [
        np.reshape(builder.wrap(or_zero(builder, bar, x)), (-1,))
        for bar, x in zip(adjoint.cotangents, primals, strict=True)
    ]
    result = unwrap(np.concatenate(parts) if len(parts) > 1 else parts[0])
    return Function(f"{f.name}_vjp", Block([*adjoint.params, weight], builder.body, [result]))


def push_adjoint(walk: Walk, op: Op, whole: Function, builder: Builder) -> None:
    """Note the tangent of what an adjoint equation gives; `whole` is a function that gives it."""
    _refuse_options(op, any(walk.of(v) is not ZERO for v in values_in(op.kwargs)))
    given = _operands(op)
    dots = [
        dot if dot is ZERO else conform(builder, dot, p.type)
        for dot, p in zip(map(walk.of, given), whole.params, strict=True)
    ]
    tangent = build_tangent(whole, dots)
    env: dict[Value, Atom] = dict(zip(tangent.params, given, strict=True))
    builder.body.extend(copy_statements(tangent.body, env))
    (found,) = substitute(tangent.tangents, env)
    if found is not ZERO:
        walk.set(builder, op.outs[0], found)


def reverse_adjoint(
    sweep: Sweep, op: Op, whole: Function, gs: Sequence[Cotangent], scope: Scope
) -> None:
    """Contribute to the cotangents of what an adjoint equation reads."""
    _refuse_options(op, any(v in sweep.varied for v in values_in(op.kwargs)))
    given = _operands(op)
    varied = [k for k, x in enumerate(given) if is_in(x, sweep.varied)]
    adjoint = build_adjoint(whole, varied, [gs[0]])
    env: dict[Value, Atom] = dict(zip(adjoint.params, given, strict=True))
    scope.builder.body.extend(copy_statements([*adjoint.forward, *adjoint.reverse], env))
    for k, bar in zip(varied, substitute(adjoint.cotangents, env), strict=True):
        sweep.accumulate(scope, given[k], bar)


def _operands(op: Op) -> list[Any]:
    _, y0, t, y_bar, given = op.args
    return [y0, t, y_bar, *given]


def _refuse_options(op: Op, vary: bool) -> None:
    if vary:
        raise error("E203", op.loc, what="`scipy.integrate.solve_ivp`")


__all__ = ["push_adjoint", "reverse_adjoint", "solve_adjoint"]

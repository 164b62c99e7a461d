"""Derivatives of integrals, by Leibniz's rule.

    I(a, b, args) = integral of f(x, *args) for x from a to b

    I_dot = integral of df/dargs args_dot  +  f(b, *args) b_dot  -  f(a, *args) a_dot

The integrals of derivatives are found by the same quadrature, with the same tolerances; where there
are many of them, all at once as a vector. They are integrals again, of which the same holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.ir.nodes import Atom, Block, Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, rank_of
from srcad.ir.walk import values_in
from srcad.ops.solvers import is_integral
from srcad.rules.core.facts import unknown_extent
from srcad.rules.core.staged import Builder, type_of, unwrap
from srcad.rules.core.table import name_of
from srcad.rules.core.zero import ZERO
from srcad.transform.activity import is_in
from srcad.transform.boundary import or_zero
from srcad.transform.conform import bar_name, conform
from srcad.transform.forward.tangent import build_tangent
from srcad.transform.forward.walk import Walk, dot_name
from srcad.transform.inline import inline
from srcad.transform.reverse.adjoint import build_adjoint
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.reverse.sweep import Sweep
from srcad.transform.solvers import SOLVERS, Solver


def _push(walk: Walk, op: Op, builder: Builder) -> None:
    """Note the tangent of an integral."""
    if any(walk.of(v) is not ZERO for v in values_in(op.kwargs)):
        raise error("E203", op.loc, what=f"`{name_of(op.fn)}`")
    f, a, b, given = op.args
    total: Any = ZERO
    dots = [walk.of(arg) for arg in given]
    if any(dot is not ZERO for dot in dots):
        total = _integral_of_tangent(builder, op, dots)
    for end, sign in ((b, 1.0), (a, -1.0)):
        dot = walk.of(end)
        if dot is not ZERO:
            part = sign * builder.wrap(inline(builder, f, (end, *given))) * builder.wrap(dot)
            total = part if total is ZERO else total + part
    if total is not ZERO:
        walk.set(builder, op.outs[0], unwrap(total))


def _integral_of_tangent(builder: Builder, op: Op, dots: Sequence[Any]) -> Any:
    f, given = op.args[0], op.args[-1]
    found = [
        dot if dot is ZERO else conform(builder, dot, p.type)
        for dot, p in zip(dots, f.params[1:], strict=True)
    ]
    own = {
        k: Value(dot_name(f.params[1 + k]), type_of(dot))
        for k, dot in enumerate(found)
        if dot is not ZERO
    }
    tangent = build_tangent(f, [ZERO, *(own.get(k, ZERO) for k in range(len(found)))])
    (change,) = tangent.tangents
    if change is ZERO:
        return ZERO
    params = [*tangent.params, *own.values()]
    integrand = Function(f"{f.name}_jvp", Block(params, tangent.body, [change]))
    passed = (*given, *(found[k] for k in own))
    return builder.wrap(_integrate(builder, op, integrand, passed))


def _reverse(sweep: Sweep, op: Op, gs: list[Cotangent], scope: Scope) -> None:
    """Contribute to the cotangents of the ends of an integral, and of what it reads."""
    g = gs[0]
    if g is ZERO:
        raise error("E203", op.loc, what=f"the error that `{name_of(op.fn)}` tells")
    if any(v in sweep.varied for v in values_in(op.kwargs)):
        raise error("E203", op.loc, what=f"`{name_of(op.fn)}`")
    f, a, b, given = op.args
    builder, bar = scope.builder, scope.builder.wrap(g)
    for end, sign in ((b, 1.0), (a, -1.0)):
        if is_in(end, sweep.varied):
            at_end = bar * builder.wrap(inline(builder, f, (end, *given)))
            sweep.accumulate(scope, end, unwrap(sign * np.sum(at_end)))
    varied = [k for k, arg in enumerate(given) if is_in(arg, sweep.varied)]
    if not varied:
        return
    integrand = _pullback(f, varied, type_of(g))
    found = builder.wrap(_integrate(builder, op, integrand, (*given, g)))
    if rank_of(found.type) == 0:
        return sweep.accumulate(scope, given[varied[0]], unwrap(found))
    at: Any = 0
    for k in varied:
        x = builder.wrap(given[k])
        if rank_of(x.type) == 0:
            sweep.accumulate(scope, given[k], unwrap(found[at]))
            at = at + 1
        else:
            sweep.accumulate(scope, given[k], unwrap(found[at : at + x.size].reshape(x.shape)))
            at = at + x.size


def _pullback(f: Function, varied: Sequence[int], seed: Any) -> Function:
    """The cotangents of what varies in `f`, for a cotangent of its result, in one vector.

    That of a single number is a number.
    """
    weight = Value(bar_name(f.params[0]), seed)
    adjoint = build_adjoint(f, [1 + k for k in varied], [weight])
    builder = Builder([*adjoint.forward, *adjoint.reverse])
    primals = [adjoint.params[1 + k] for k in varied]
    bars = [or_zero(builder, bar, x) for bar, x in zip(adjoint.cotangents, primals, strict=True)]
    if len(bars) == 1 and rank_of(primals[0].type) == 0:
        result = builder.emit(float, (bars[0],))
    else:
        parts = tuple(np.reshape(builder.wrap(bar), (-1,)) for bar in bars)
        result = unwrap(np.concatenate(parts) if len(parts) > 1 else parts[0])
    block = Block([*adjoint.params, weight], builder.body, [result])
    return Function(f"{f.name}_vjp", block)


def _integrate(builder: Builder, op: Op, integrand: Function, passed: Sequence[Atom]) -> Value:
    """The integral of another function over the interval and with the tolerances of `op`."""
    (result,) = integrand.body.results
    ends = op.args[1:3]
    if rank_of(type_of(result)) == 0:
        fn: Any = runtime.quad
        outs: tuple[Value, ...] = tuple(Value("", NumberType(float)) for _ in range(2))
    else:
        vector = ArrayType(np.dtype(float), (unknown_extent(),))
        fn, outs = runtime.quad_vec, (Value("", vector),)
    builder.body.append(Op(fn, (integrand, *ends, tuple(passed)), op.kwargs, outs, op.loc))
    return outs[0]


SOLVERS.append(Solver(lambda op: is_integral(op.fn), _push, _reverse))

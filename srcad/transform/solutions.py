"""Derivatives of `odeint(f, y0, t, args)`: the solution of a system of differential equations.

    y' = f(y, t, *args),  y(t[0]) = y0

Forward, the tangent is solved beside the state (the variational equation):

    y_dot' = df/dy y_dot + df/dargs args_dot,     y_dot(t[0]) = y0_dot - f(y0, t[0]) t_dot[0]

and each y(t[i]) moves by f(y(t[i]), t[i]) t_dot[i] more. In reverse mode, the derivatives S of the
state by y0 and the args, a column for each of their entries, are solved beside it,

    S' = df/dy S + df/dargs,                       S(t[0]) = (1, 0)

and a cotangent of the solution is multiplied by them. Both are systems again, to which the same
applies: derivatives of every order, in each mode. (Hairer, Norsett & Wanner, Solving Ordinary
Differential Equations I, section I.14.) The adjoint equation has fewer unknowns where there are
many args. It runs backwards, where what decays grows, so that it needs the solution on the way: it
is used where `srcad.solve_ivp_by_adjoint` asks for it
(`srcad.transform.reverse.adjoint_equation`). The explicit methods of `solve_ivp` are differentiated
step by step (`srcad.transform.rk_steps`).

The value is what `odeint` gives for the primal's system alone.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import SrcadError, error
from srcad.ir.calls import passes_function
from srcad.ir.interface import Interface, Param, Slot, slots
from srcad.ir.nodes import Atom, Block, For, Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, Type, rank_of, shape_of
from srcad.ir.walk import fresh_like, values_in
from srcad.ops.solvers import equation_of, is_integral
from srcad.rules.core.facts import unknown_extent
from srcad.rules.core.staged import Builder, type_of, unwrap
from srcad.rules.core.table import name_of
from srcad.rules.core.zero import ZERO
from srcad.transform.activity import is_in
from srcad.transform.conform import zero_like
from srcad.transform.forward.tangent import build_tangent
from srcad.transform.forward.walk import Walk, dot_name
from srcad.transform.inline import inline
from srcad.transform.reverse.adjoint_equation import (
    push_adjoint,
    reverse_adjoint,
    solve_adjoint,
)
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.reverse.sweep import Sweep
from srcad.transform.solvers import SOLVERS, Solver

_REAL = np.dtype(float)


# Forward mode ------------------------------------------------------------------------------------


def _push(walk: Walk, op: Op, builder: Builder) -> None:
    """Note the tangent of a solution."""
    if op.fn is runtime.adjoint_of_ivp:
        return push_adjoint(walk, op, _expanded(op), builder)
    if op.fn is not runtime.solve_ivp_by_steps:
        return walk.set(builder, op.out, unwrap(_tangent(walk, op, builder)))
    if any(out in walk.useful for out in op.outs[:2]):
        raise at_steps(op)
    at_both = _tangent(walk, _at_both_ends(builder, op), builder)
    walk.set(builder, op.outs[2], unwrap(at_both[1]))


def _tangent(walk: Walk, op: Op, builder: Builder) -> Any:
    """The tangent of the solution, in rows."""
    f, y0, t, given = op.args
    if any(walk.of(v) is not ZERO for v in values_in(op.kwargs)):
        raise error("E203", op.loc, what=f"`{name_of(op.fn)}`")
    dots = [walk.of(x) for x in given]
    start, t_dot = walk.of(y0), walk.of(t)
    if start is ZERO:
        start = zero_like(builder, y0)
    start = builder.wrap(start)
    if t_dot is not ZERO:
        at = builder.emit(float, (builder.emit(operator.getitem, (t, 0)),))
        first = inline(builder, f, (y0, at, *given))
        start = start - builder.wrap(first) * builder.wrap(t_dot)[0]
    beside = _with_tangent(f, [type_of(dot) if dot is not ZERO else None for dot in dots])
    found = (*given, *(dot for dot in dots if dot is not ZERO))
    both = np.concatenate((builder.wrap(y0), start))
    solved = _solve(builder, op, beside, unwrap(both), found)
    part = (slice(None), slice(unwrap(_length(builder, y0)), None))
    ys_dot = builder.wrap(_typed(builder, operator.getitem, (solved, part), op.out))
    if t_dot is not ZERO:
        rates = builder.wrap(rates_at(builder, f, op.out, t, given))
        ys_dot = ys_dot + rates * builder.wrap(t_dot)[:, None]
    return ys_dot


def _with_tangent(f: Function, dots: Sequence[Type | None]) -> Function:
    """The system of state and tangent; `dots` are the types of the args' tangents."""
    y, _, *given = f.params
    y_dot = Value(dot_name(y), y.type)
    pairs = zip(given, dots, strict=True)
    args_dot = [None if dot is None else Value(dot_name(p), dot) for p, dot in pairs]
    tangent = build_tangent(f, [y_dot, ZERO, *(ZERO if dot is None else dot for dot in args_dot)])
    builder = Builder([])
    state = Value("state", _vector())
    rows = builder.emit(np.reshape, (state, (2, -1)))
    for row, out in enumerate((tangent.params[0], y_dot)):
        builder.body.append(Op(operator.getitem, (rows, row), {}, (out,)))
    builder.body.extend(tangent.body)
    (rate,), (rate_dot,) = tangent.results, tangent.tangents
    if rate_dot is ZERO:
        rate_dot = zero_like(builder, rate)
    result = builder.emit(np.concatenate, ((rate, rate_dot),))
    varied = [dot for dot in args_dot if dot is not None]
    params = [state, *tangent.params[1:], *varied]
    return Function(f"{f.name}_jvp", Block(params, builder.body, [result]))


# Reverse mode ------------------------------------------------------------------------------------


def _reverse(sweep: Sweep, op: Op, gs: Sequence[Cotangent], scope: Scope) -> None:
    """Contribute to the cotangents of the initial state, the times and the args of a solution."""
    if op.fn is runtime.solve_ivp_by_steps:
        return _reverse_end(sweep, op, gs, scope)
    if op.fn is runtime.adjoint_of_ivp:
        return reverse_adjoint(sweep, op, _expanded(op), gs, scope)
    f, y0, t, given = op.args
    (g,) = gs
    if any(v in sweep.varied for v in values_in(op.kwargs)):
        raise error("E203", op.loc, what=f"`{name_of(op.fn)}`")
    builder = scope.builder
    varied = [k for k, x in enumerate(given) if is_in(x, sweep.varied)]
    moves = is_in(t, sweep.varied)
    from_start = moves or is_in(y0, sweep.varied)
    y_bar, n = builder.wrap(g), _length(builder, y0)
    if op.fn is runtime.solve_ivp_by_adjoint:
        from_start = True
        found = builder.wrap(solve_adjoint(builder, op, varied, g))
    else:
        rows = builder.wrap(_solve_beside(op, varied, from_start, builder))
        found = np.tensordot(rows, y_bar, axes=((0, 2), (0, 1)))
    at: Any = n if from_start else 0
    for k in varied:
        x = builder.wrap(given[k])
        if rank_of(x.type) == 0:
            sweep.accumulate(scope, given[k], unwrap(found[at]))
            at = at + 1
        else:
            part = found[at : at + x.size].reshape(x.shape)
            sweep.accumulate(scope, given[k], unwrap(part))
            at = at + x.size
    if from_start and (moves or is_in(y0, sweep.varied)):
        start_bar = _typed(builder, operator.getitem, (unwrap(found), slice(0, unwrap(n))), y0)
        sweep.accumulate(scope, y0, start_bar)
    if moves:
        rates = builder.wrap(rates_at(builder, f, op.out, t, given))
        first = np.sum(builder.wrap(start_bar) * rates[0])
        t_bar = np.sum(y_bar * rates, axis=1)
        sweep.accumulate(scope, t, unwrap(builder.call(runtime.index_add, t_bar, 0, -first)))


def _reverse_end(sweep: Sweep, op: Op, gs: Sequence[Cotangent], scope: Scope) -> None:
    """The same for a solution of which the end is read."""
    if not all(g is ZERO for g in gs[:2]):
        raise at_steps(op)
    g = scope.builder.wrap(gs[2])[None, :]
    both = unwrap(np.concatenate((np.zeros_like(g), g)))
    _reverse(sweep, _at_both_ends(scope.builder, op), [both], scope)


def _solve_beside(op: Op, varied: Sequence[int], from_start: bool, builder: Builder) -> Atom:
    """The derivatives of the solution, by time, entry of y0 and the varied args, component."""
    f, y0, _, given = op.args
    n = _length(builder, y0)
    system, asks_length = _with_derivatives(f, varied, from_start)
    xs = [builder.wrap(given[k]) for k in varied]
    total = sum(1 if rank_of(x.type) == 0 else x.size for x in xs)
    parts = [builder.wrap(y0)]
    if from_start:
        parts.append(np.reshape(builder.call(np.eye, n), (-1,)))
    if varied:
        parts.append(builder.call(np.zeros, (total * n,)))
    both = unwrap(np.concatenate(tuple(parts)))
    extra = (unwrap(n),) if asks_length else ()
    solved = _solve(builder, op, system, both, (*given, *extra))
    n_times = builder.wrap(op.out).shape[0]
    return unwrap(np.reshape(builder.wrap(solved), (n_times, -1, n))[:, 1:])


def _with_derivatives(
    f: Function, varied: Sequence[int], from_start: bool
) -> tuple[Function, bool]:
    """The system of the state and its derivatives, a row for each entry that it is derived by.

    Whether it asks for the length of the state, as one more arg, is told too.
    """
    from srcad.transform.jacobians.jacobians import jacobian

    params = tuple(Param(f"x{k}", Slot(k)) for k in range(len(f.params)))
    whole = Function(f.name, f.body, Interface(params, (), Slot(0)))
    made = jacobian(whole, (0, *(2 + k for k in varied)), single=False)
    assert made.interface is not None
    by = [made.body.results[slot] for slot in slots(made.interface.result)]
    known = shape_of(made.params[0].type)
    assert known is not None
    asks_length = not isinstance(known[0], int)
    n: Atom = Value("n", NumberType(int)) if asks_length else known[0]
    builder = Builder([])
    state = Value("state", _vector())
    rows = builder.wrap(builder.emit(np.reshape, (state, (-1, n))))
    y = made.params[0]
    builder.body.append(Op(operator.getitem, (unwrap(rows), 0), {}, (y,)))
    rate = builder.wrap(inline(builder, f, made.params))
    builder.body.extend(made.body.body)
    by_y, *by_args = map(builder.wrap, by)
    turned = rows[1:] @ np.transpose(by_y)
    if varied:
        own = [np.transpose(np.reshape(each, (n, -1))) for each in by_args]
        none = [builder.wrap(builder.emit(np.zeros, ((n, n),)))] if from_start else []
        turned = turned + np.concatenate((*none, *own))
    result = unwrap(np.concatenate((rate, np.reshape(turned, (-1,)))))
    extra = [n] if isinstance(n, Value) else []
    block = Block([state, *made.params[1:], *extra], builder.body, [result])
    return Function(f"{f.name}_derivatives", block), asks_length


def _expanded(op: Op) -> Function:
    """What an adjoint equation gives, by the derivatives beside the solution: to be derived."""
    f, y0, t, y_bar, given = op.args
    params = [Value(x.name, x.type) for x in (y0, t, y_bar, *given)]
    start, times, g, *passed = params
    builder = Builder([])
    options = {name: x for name, x in op.kwargs.items() if name not in ("pull", "varied")}
    # It is not run: of its result only the shape is read, which is that of its cotangent.
    solution = Op(runtime.solve_ivp, (f, start, times, tuple(passed)), options, (g,), op.loc)
    rows = builder.wrap(_solve_beside(solution, op.kwargs["varied"], True, builder))
    found = np.tensordot(rows, builder.wrap(g), axes=((0, 2), (0, 1)))
    return Function(f"{f.name}_adjoint", Block(params, builder.body, [unwrap(found)]))


# Both --------------------------------------------------------------------------------------------


def _at_both_ends(builder: Builder, op: Op) -> Op:
    """`solve_ivp` at the first and the last time, in the place of `solve_ivp_by_steps`.

    It is not run: its result is known.
    """
    _, y0, t, _ = op.args
    last = builder.emit(float, (builder.emit(operator.getitem, (t, 1)),))
    end = builder.emit(runtime.stop_gradient, (last,))  # as far as the last time in any case
    rows = [builder.wrap(y)[None, :] for y in (y0, op.outs[2])]
    out = unwrap(np.concatenate(tuple(rows)))
    assert isinstance(out, Value)
    return Op(runtime.solve_ivp, op.args, {"end": end, **op.kwargs}, (out,), op.loc)


def at_steps(op: Op) -> SrcadError:
    """The refusal of a solution at the solver's own steps."""
    what = "`scipy.integrate.solve_ivp` at its own steps, which move with what varies,"
    fix = "read the end, `y[:, -1]`, or pass `t_eval`"
    return error("E203", op.loc, what=what, fix=fix)


def _solve(builder: Builder, op: Op, f: Function, y0: Atom, given: Sequence[Atom]) -> Value:
    """The solution of another system at the times and with the options of `op`."""
    shape = shape_of(op.out.type)
    assert shape is not None
    out = Value("", ArrayType(_REAL, (shape[0], unknown_extent())))
    fn = runtime.solve_ivp if op.fn is runtime.solve_ivp_by_adjoint else op.fn
    options = {name: x for name, x in op.kwargs.items() if name != "jac"}  # of the state alone
    builder.body.append(Op(fn, (f, y0, op.args[2], tuple(given)), options, (out,), op.loc))
    return out


def rates_at(builder: Builder, f: Function, ys: Value, t: Value, given: Sequence[Atom]) -> Value:
    """The right-hand side at each point of a solution."""
    index, rates = Value("i", NumberType(int)), fresh_like(ys, "rates")
    inner = Builder([], builder.loc)
    at = [inner.emit(operator.getitem, (x, index)) for x in (ys, t)]
    rate = inline(inner, f, (at[0], inner.emit(float, (at[1],)), *given))
    written = inner.emit(runtime.index_update, (rates, index, rate))
    body = Block([index, rates], inner.body, [written])
    stop = builder.emit(operator.getitem, (builder.emit(np.shape, (t,)), 0))
    out, start = fresh_like(ys, ""), builder.emit(np.zeros_like, (ys,))
    builder.body.append(For(0, stop, 1, False, [start], [], body, (out,), ()))
    return out


def _typed(builder: Builder, fn: Any, args: tuple[Any, ...], like: Value) -> Value:
    """The result of an op, which has the type of `like`."""
    out = Value("", like.type)
    builder.body.append(Op(fn, args, {}, (out,), builder.loc))
    return out


def _length(builder: Builder, y0: Value) -> Any:
    """The number of components of the state."""
    return builder.wrap(y0).shape[0]


def _vector() -> ArrayType:
    return ArrayType(_REAL, (unknown_extent(),))


def _is_one(op: Op) -> bool:
    by_steps = op.fn in (runtime.solve_ivp_in_steps, runtime.solve_ivp_between_steps)
    is_other = by_steps or is_integral(op.fn) or equation_of(op.fn) is not None
    return passes_function(op) and not is_other


SOLVERS.append(Solver(_is_one, _push, _reverse))

__all__ = ["at_steps", "rates_at"]

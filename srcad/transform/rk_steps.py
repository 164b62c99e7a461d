"""Derivatives of `solve_ivp` by an explicit method, step by step: those of the computed solution.

    for i in range(n):                      for i in reversed(range(n)):
        y = step(y, t[i], h[i], *args)          y_bar, *args_bar = pull(y[i], t[i], h[i], *args)

The steps are those that SciPy has taken, with their lengths; their stages are computed again from
the solution at their beginning. (Hairer, Norsett & Wanner, Solving Ordinary Differential Equations
I, section II.6, for the steps; Walther, Automatic differentiation of explicit Runge-Kutta methods
for optimal control, Comput. Optim. Appl. 36, 2007.) The times themselves move a solution by the
rates there. Derivatives of these derivatives are those of the loops.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.ir.nodes import Atom, Block, For, Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, Type, rank_of, shape_of
from srcad.ir.walk import copy_statements, fresh_like, substitute, values_in
from srcad.rules.core.staged import Builder, type_of, unwrap
from srcad.rules.core.zero import ZERO
from srcad.transform.activity import is_in
from srcad.transform.boundary import or_zero
from srcad.transform.conform import bar_name, conform, zero_like
from srcad.transform.forward.tangent import build_tangent
from srcad.transform.forward.walk import Walk, dot_name
from srcad.transform.inline import inline
from srcad.transform.reverse.adjoint import build_adjoint
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.reverse.sweep import Sweep
from srcad.transform.solutions import at_steps, rates_at
from srcad.transform.solvers import SOLVERS, Solver

_REAL = np.dtype(float)
_FIRST_ARG = 7  # after y, t, h and the coefficients
_WHAT = "`scipy.integrate.solve_ivp`"


class _Steps:
    """The steps of a call, and one of them as a function of `y, t, h` and the args.

    `rows` are the solution at given times, if there are such, and `states` that at the steps.
    """

    def __init__(self, op: Op, builder: Builder) -> None:
        self.op = op
        self.f, self.y0, self.t, self.given = op.args
        self.method = op.kwargs.get("method", "RK45")
        self.rows: Value | None = None
        self.reached: Value | None = None
        wrap = builder.wrap
        if op.fn is runtime.solve_ivp_between_steps:
            self.rows, times, self.states, self.reached = op.outs
            parts = [wrap(self.t)[:1], wrap(times)[1:]]
        else:
            times, self.states = op.outs[3:]
            parts = [wrap(self.t)[:1], wrap(times)[1:-1], wrap(self.t)[1:]]
        # The ends are given; the others are where the solver wants them.
        self.times: Value = unwrap(np.concatenate(tuple(parts)))
        self.step = _step(self.f, self.method, self.rows is not None)
        self.tables = tuple(Value(p.name, p.type) for p in self.step.params[3:7])
        builder.body.append(Op(runtime.rk_table, (self.method,), {}, self.tables))

    def count(self, builder: Builder) -> Atom:
        """How many steps there are."""
        length = builder.emit(operator.getitem, (builder.emit(np.shape, (self.times,)), 0))
        return builder.emit(operator.sub, (length, 1))

    def at(self, inner: Builder, index: Value) -> tuple[Atom, ...]:
        """What a step is a function of: state and time at its beginning, its length, ..."""
        state = inner.emit(operator.getitem, (self.states, index))
        after = inner.emit(operator.add, (index, 1))
        first, last = (
            inner.emit(float, (inner.emit(operator.getitem, (self.times, k)),))
            for k in (index, after)
        )
        length = inner.emit(operator.sub, (last, first))
        return state, first, length, *self.tables, *self.given

    def between(self, inner: Builder, index: Value, start: Atom, length: Atom) -> tuple[Any, Any]:
        """Which rows lie in a step, and the polynomials there times its length."""
        wrap = inner.wrap
        first, last = (wrap(self.reached)[wrap(index) + k] for k in (0, 1))
        part = slice(unwrap(first + 1), unwrap(last + 1))  # before them the rows have `y0`
        x = (wrap(self.t)[part] - wrap(start)) / wrap(length)
        return part, _polynomials(x, self.method) * wrap(length)


def _polynomials(x: Any, method: str) -> Any:
    """Those of SciPy's interpolation: x, x^2, x^3, ...; or x, x (1 - x), x^2 (1 - x), ..."""
    if method != "DOP853":
        return x[:, None] ** np.arange(1.0, {"RK23": 4.0, "RK45": 5.0}[method])
    found = [x]
    for k in range(1, 7):
        found.append(found[-1] * (1 - x if k % 2 else x))
    return np.stack(found, axis=1)


def _step(f: Function, method: str, is_dense: bool) -> Function:
    """`y, t, h, a, c, b, d, *args` to the next state, and the coefficients of its polynomials."""
    shapes = [np.shape(each) for each in runtime.rk_table(method)]
    y, t, *given = (fresh_like(p, p.name) for p in f.params)
    h = Value("h", NumberType(float))
    tables = [Value(k, ArrayType(_REAL, shape)) for k, shape in zip("acbd", shapes, strict=True)]
    builder = Builder([])
    n = builder.wrap(y).shape[0]
    size = shapes[2][0] if is_dense else _stages(method)
    shape = shape_of(y.type)
    assert shape is not None
    kind = ArrayType(_REAL, (size, *shape))
    index, stages, found = Value("s", NumberType(int)), Value("k", kind), Value("k", kind)
    inner = Builder([])
    wrap = inner.wrap
    row = wrap(tables[0])[wrap(index)][:size]
    at = wrap(y) + (row @ wrap(stages)) * wrap(h)
    time = wrap(t) + wrap(tables[1])[wrap(index)] * wrap(h)
    rate = inline(inner, f, (unwrap(at), inner.emit(float, (unwrap(time),)), *given))
    written = inner.emit(runtime.index_update, (stages, index, rate))
    start = builder.emit(np.zeros, ((size, unwrap(n)),))
    body = Block([index, stages], inner.body, [written])
    builder.body.append(For(0, size, 1, False, [start], [], body, (found,), ()))
    wrap = builder.wrap
    after = wrap(y) + (wrap(tables[2])[:size] @ wrap(found)) * wrap(h)
    results = [unwrap(after)]
    if is_dense:
        results.append(unwrap(wrap(tables[3]) @ wrap(found)))
    return Function(f"{f.name}_step", Block([y, t, h, *tables, *given], builder.body, results))


def _stages(method: str) -> int:
    from scipy import integrate

    count: int = getattr(integrate, method).n_stages
    return count


# Forward mode ------------------------------------------------------------------------------------


def _push(walk: Walk, op: Op, builder: Builder) -> None:
    """Note the tangents of a solution and of the states at its steps."""
    steps = _Steps(op, builder)
    if any(walk.of(v) is not ZERO for v in values_in(op.kwargs)):
        raise error("E203", op.loc, what=_WHAT)
    if steps.rows is None and any(out in walk.useful for out in op.outs[:2]):
        raise at_steps(op)
    start, t_dot = walk.of(steps.y0), walk.of(steps.t)
    if start is ZERO:
        start = zero_like(builder, steps.y0)
    at_fixed_time = start
    if t_dot is not ZERO:
        at = builder.emit(float, (builder.emit(operator.getitem, (steps.t, 0)),))
        first = builder.wrap(inline(builder, steps.f, (steps.y0, at, *steps.given)))
        at_fixed_time = unwrap(builder.wrap(start) - first * builder.wrap(t_dot)[0])
    given = [walk.of(x) for x in steps.given]
    states_dot, rows_dot = _push_steps(steps, given, (start, at_fixed_time), builder)
    if t_dot is not ZERO:
        rows_dot = _moved(steps, rows_dot, builder.wrap(t_dot), builder)
    walk.set(builder, steps.states, states_dot)
    walk.set(builder, op.outs[2] if steps.rows is None else steps.rows, unwrap(rows_dot))


def _push_steps(
    steps: _Steps, given: Sequence[Any], starts: tuple[Atom, Atom], builder: Builder
) -> tuple[Atom, Any]:
    """The tangents of the states at the steps; and at the given times, or at the end. `starts` are
    those of the initial state, and of the solution at the first time if that stays.
    """
    y, params = steps.step.params[0], steps.step.params[_FIRST_ARG:]
    dots = [
        ZERO if dot is ZERO else Value(dot_name(p), type_of(dot))
        for p, dot in zip(params, given, strict=True)
    ]
    y_dot = Value(dot_name(y), y.type)
    tangent = build_tangent(steps.step, [y_dot, *[ZERO] * (_FIRST_ARG - 1), *dots])
    index, states = Value("i", NumberType(int)), fresh_like(steps.states, "states_dot")
    carried = [fresh_like(y_dot, y_dot.name), states]
    inner = Builder([], builder.loc)
    at = steps.at(inner, index)
    known: dict[Value, Atom] = dict(zip(tangent.params, at, strict=True))
    known[y_dot] = carried[0]
    known.update((d, dot) for d, dot in zip(dots, given, strict=True) if d is not ZERO)
    inner.body.extend(copy_statements(tangent.body, known))
    after, *coefficients = (
        unwrap(or_zero(inner, found, y)) for found in substitute(tangent.tangents, known)
    )
    after = conform(inner, after, y.type)
    following = inner.emit(operator.add, (index, 1))
    results = [after, inner.emit(runtime.index_update, (states, following, after))]
    init = [starts[1], _with_first(builder, steps.states, starts[0])]
    outs = [fresh_like(start_of, "") for start_of in carried]
    if steps.rows is not None:
        rows = fresh_like(steps.rows, "rows_dot")
        part, basis = steps.between(inner, index, at[1], at[2])
        values = inner.wrap(carried[0]) + basis @ inner.wrap(coefficients[0])
        results.append(inner.emit(runtime.index_update, (rows, part, unwrap(values))))
        init.append(_with_first(builder, steps.rows, starts[1]))
        carried.append(rows)
        outs.append(fresh_like(rows, ""))
    body = Block([index, *carried], inner.body, results)
    loop = For(0, steps.count(builder), 1, False, init, [], body, tuple(outs), (), builder.loc)
    builder.body.append(loop)
    return outs[1], builder.wrap(outs[-1] if steps.rows is not None else outs[0])


def _with_first(builder: Builder, like: Value, first: Atom) -> Atom:
    """Zeros with the first row."""
    zeros = builder.emit(np.zeros_like, (like,))
    made: Atom = builder.emit(runtime.index_update, (zeros, 0, first))
    return made


def _moved(steps: _Steps, rows_dot: Any, t_dot: Any, builder: Builder) -> Any:
    """Tangents at times that move."""
    if steps.rows is not None:
        rates = builder.wrap(rates_at(builder, steps.f, steps.rows, steps.t, steps.given))
        return rows_dot + rates * t_dot[:, None]
    return rows_dot + builder.wrap(_end_rate(steps, builder)) * t_dot[1]


def _end_rate(steps: _Steps, builder: Builder) -> Atom:
    at = builder.emit(float, (builder.emit(operator.getitem, (steps.t, 1)),))
    return inline(builder, steps.f, (steps.op.outs[2], at, *steps.given))


# Reverse mode ------------------------------------------------------------------------------------


def _reverse(sweep: Sweep, op: Op, gs: Sequence[Cotangent], scope: Scope) -> None:
    """Contribute to the cotangents of the initial state, the times and the args."""
    builder = scope.builder
    steps = _Steps(op, builder)
    if any(v in sweep.varied for v in values_in(op.kwargs)):
        raise error("E203", op.loc, what=_WHAT)
    if steps.rows is None:
        if not all(g is ZERO for g in gs[:2]):
            raise at_steps(op)
        _, _, g, _, states_bar = gs
        end_bar, rows_bar = (zero_like(builder, steps.y0) if g is ZERO else g), None
    else:
        rows_bar, _, states_bar, _ = gs
        if rows_bar is ZERO:
            rows_bar = zero_like(builder, steps.rows)
        end_bar = zero_like(builder, steps.y0)
    varied = [k for k, x in enumerate(steps.given) if is_in(x, sweep.varied)]
    start_bar, bars = _pull_steps(steps, varied, (end_bar, states_bar, rows_bar), builder)
    for k, bar in zip(varied, bars, strict=True):
        sweep.accumulate(scope, steps.given[k], bar)
    if is_in(steps.y0, sweep.varied):
        sweep.accumulate(scope, steps.y0, start_bar)
        if states_bar is not ZERO:
            first = builder.emit(operator.getitem, (states_bar, 0))
            sweep.accumulate(scope, steps.y0, first)
    if is_in(steps.t, sweep.varied):
        _reverse_times(steps, sweep, scope, start_bar, end_bar if rows_bar is None else rows_bar)


def _pull_steps(
    steps: _Steps, varied: Sequence[int], gs: tuple[Atom, Cotangent, Any], builder: Builder
) -> tuple[Atom, list[Atom]]:
    """The cotangents of the initial state, and of the args that vary."""
    end_bar, states_bar, rows_bar = gs
    wrap = builder.wrap
    y = steps.step.params[0]
    seeds = [Value(bar_name(y), y.type)]
    if rows_bar is not None:
        seeds.append(Value("d_bar", type_of(steps.step.body.results[1])))
    adjoint = build_adjoint(steps.step, [0, *(_FIRST_ARG + k for k in varied)], seeds)
    params = [steps.given[k] for k in varied]
    index = Value("i", NumberType(int))
    carried = [fresh_like(seeds[0], seeds[0].name), *(_bar_of(x) for x in params)]
    inner = Builder([], builder.loc)
    at = steps.at(inner, index)
    known: dict[Value, Atom] = dict(zip(adjoint.params, at, strict=True))
    y_bar = inner.wrap(carried[0])
    if states_bar is not ZERO:
        y_bar = y_bar + inner.wrap(states_bar)[inner.wrap(index) + 1]
    known[seeds[0]] = unwrap(y_bar)
    direct = None
    if rows_bar is not None:
        part, basis = steps.between(inner, index, at[1], at[2])
        there = inner.wrap(rows_bar)[part]
        direct = np.sum(there, axis=0)
        known[seeds[1]] = unwrap(basis.T @ there)
    inner.body.extend(copy_statements([*adjoint.forward, *adjoint.reverse], known))
    found = [
        unwrap(conform(inner, or_zero(inner, bar, x), x.type))
        for bar, x in zip(substitute(adjoint.cotangents, known), (y, *params), strict=True)
    ]
    if direct is not None:
        found[0] = unwrap(inner.wrap(found[0]) + direct)
    results = [found[0]]
    for so_far, bar in zip(carried[1:], found[1:], strict=True):
        results.append(inner.emit(operator.add, (so_far, bar)))
    init = [end_bar, *(_none_of(builder, x) for x in params)]
    outs = tuple(fresh_like(v, v.name) for v in carried)
    body = Block([index, *carried], inner.body, results)
    builder.body.append(
        For(0, steps.count(builder), 1, True, init, [], body, outs, (), builder.loc)
    )
    first: Any = wrap(outs[0])
    if rows_bar is not None:
        first = first + wrap(rows_bar)[0]
    return unwrap(first), list(outs[1:])


def _bar_of(x: Value) -> Value:
    return Value(bar_name(x), _bar_type(x))


def _bar_type(x: Value) -> Type:
    return ArrayType(_REAL, (), scalar=True) if rank_of(x.type) == 0 else x.type


def _none_of(builder: Builder, x: Value) -> Atom:
    if rank_of(x.type) == 0:
        made: Atom = builder.emit(np.float64, (0.0,))
        return made
    return zero_like(builder, x)


def _reverse_times(steps: _Steps, sweep: Sweep, scope: Scope, start_bar: Atom, bar: Atom) -> None:
    builder = scope.builder
    wrap = builder.wrap
    at = builder.emit(float, (builder.emit(operator.getitem, (steps.t, 0)),))
    first = wrap(inline(builder, steps.f, (steps.y0, at, *steps.given)))
    if steps.rows is None:
        t_bar = np.stack((np.zeros(()), np.sum(wrap(bar) * wrap(_end_rate(steps, builder)))))
    else:
        rates = wrap(rates_at(builder, steps.f, steps.rows, steps.t, steps.given))
        t_bar = np.sum(wrap(bar) * rates, axis=1)
    moved = builder.call(runtime.index_add, t_bar, 0, -np.sum(wrap(start_bar) * first))
    sweep.accumulate(scope, steps.t, unwrap(moved))


_ONES = (runtime.solve_ivp_in_steps, runtime.solve_ivp_between_steps)

SOLVERS.append(Solver(lambda op: op.fn in _ONES, _push, _reverse))

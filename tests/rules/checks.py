"""What is checked of one call of a rule. The oracle is always the function itself.

`slopes` gives the derivative of each result along a direction: by a step into the complex plane,
exact to rounding, where the function is analytic and takes complex numbers; by differences else.
Whether it is analytic the differences tell.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir.evaluate import evaluate
from srcad.ir.nodes import Block, Function, Value
from srcad.ir.types import is_inexact
from srcad.ir.walk import values_in
from srcad.rules import ZERO
from srcad.rules.core.staged import Builder, type_of, unwrap
from srcad.transform.forward.tangent import build_tangent
from tests.rules.calls import Call, add, inner, is_single, leaves, random_like, sequence_like
from tests.rules.facts_check import FactChecker

# A step this small has no error of its own: its square is lost beside 1.
_COMPLEX_STEP = 1e-30


def slopes(
    f: Callable[..., Any], xs: Any, ts: Any, tol: float, sharp: float, step: float = 1e-4
) -> list[tuple[Any, float] | None]:
    """For each leaf of `f(*xs)` its derivative along `ts` and how exact it is; None of integers."""
    single = is_single(f(*xs)) or is_single(list(xs))
    if single:
        step, tol = 0.1, max(tol, 1e-4)

    def at(h: float) -> list[Any]:
        moved = f(*(add(x, h, t) for x, t in zip(xs, ts, strict=True)))
        return [np.asarray(leaf) for leaf in leaves(moved)]

    points = zip(at(-2 * step), at(-step), at(step), at(2 * step), strict=True)
    found: list[Any] = [
        ((a - 8 * b + 8 * c - d) / (12 * step), tol) if a.dtype.kind in "fc" else None
        for a, b, c, d in points
    ]
    for k, exact in enumerate(_complex_slopes(f, xs, ts) if not single else ()):
        if found[k] is not None and exact is not None:
            rough = found[k][0]
            if exact.shape == rough.shape and np.allclose(exact, rough, rtol=1e-5, atol=1e-5):
                found[k] = (exact, sharp)
    return found


def _complex_slopes(f: Callable[..., Any], xs: Any, ts: Any) -> list[Any]:
    """By a step along the imaginary axis; nothing where `f` does not take it."""
    if any(np.iscomplexobj(leaf) for leaf in leaves(list(xs))):
        return []
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            moved = f(*(add(x, 1j * _COMPLEX_STEP, t) for x, t in zip(xs, ts, strict=True)))
    except Exception:  # whatever a function does to an argument that it is not made for
        return []
    parts = [np.asarray(leaf) for leaf in leaves(moved)]
    return [np.imag(a) / _COMPLEX_STEP if a.dtype.kind == "c" else None for a in parts]


def check_tangent(call: Call) -> None:
    """The tangent is the derivative of the function along random tangents of all inputs."""
    ts, y = call.tangents(), call.value()
    y_dot = call.jvp(ts, y) if call.active else ZERO
    dots = leaves(y_dot) if y_dot is not ZERO else [ZERO] * len(leaves(y))
    if not call.active:  # all its inputs are constants that the rule does not vary
        return
    wanted = slopes(call, call.args, ts, tol=1e-7, sharp=1e-11)
    for out, dot, want in zip(leaves(y), dots, wanted, strict=True):
        if dot is not ZERO:
            assert_same_kind(dot, out)
        if want is not None:
            got = np.zeros(np.shape(out)) if dot is ZERO else dot
            np.testing.assert_allclose(got, want[0], rtol=want[1], atol=want[1])


def check_each_alone(call: Call) -> None:
    """The tangent is the sum of what each input contributes."""
    ts, y = call.tangents(), call.value()
    g = random_like(call.rng, y)
    alone = 0.0
    for i in call.active:
        y_dot = call.jvp([t if j == i else ZERO for j, t in enumerate(ts)], y)
        for out, dot in zip(leaves(y), leaves(y_dot), strict=y_dot is not ZERO):
            if dot is not ZERO:
                assert_same_kind(dot, out)
        alone += inner(g, y_dot)
    if call.active:
        tol = 1e-4 if is_single(y) else 1e-10
        np.testing.assert_allclose(alone, inner(g, call.jvp(ts, y)), rtol=tol, atol=tol / 100)


def check_transpose(call: Call) -> None:
    """<g, J t> = <J^T g, t> for each input alone."""
    ts, y = call.tangents(), call.value()
    g = random_like(call.rng, y)
    for i in call.active:
        x_bar = call.vjp(i, g, y)
        y_dot = call.jvp([t if j == i else ZERO for j, t in enumerate(ts)], y)
        if x_bar is not ZERO:
            for bar, x in zip(leaves(x_bar), leaves(call.args[i]), strict=True):
                assert bar is ZERO or assert_same_kind(bar, x) is None
        tol = 1e-5 if is_single(y) or is_single(call.args[i]) else 1e-10
        np.testing.assert_allclose(inner(x_bar, ts[i]), inner(g, y_dot), rtol=tol, atol=tol)


def check_staged(call: Call, extents: str) -> None:
    """Bodies emit what they compute, and each type that is inferred on the way is true."""
    ts, y = call.tangents(), call.value()
    g = random_like(call.rng, y)
    checker = FactChecker(extents)
    xs_s, y_s = checker.primal(call, y)
    g_s = checker.stage(g, "g", y_s)
    for i in call.active:
        x_bar = call.rule.vjps[i](g_s, y_s, *xs_s, **call.kwargs)
        checker.assert_equal(x_bar, call.vjp(i, g, y), call.args[i])
    if call.active:
        pairs = zip(ts, xs_s, strict=True)
        ts_s = [checker.stage(t, f"t{i}", x) for i, (t, x) in enumerate(pairs)]
        y_dot = call.rule.jvp(ts_s, y_s, *xs_s, **call.kwargs)
        checker.assert_equal(y_dot, call.jvp(ts, y), y)


def vjp_program(call: Call) -> tuple[Function, list[Any], set[Value]]:
    """The program `(g, *inputs) -> cotangents` of a rule, numbers to run it on, what is not varied.

    Those are the inputs by which the rule is not to be differentiated: orders of Bessel functions.
    """
    checker = FactChecker("symbolic")
    y = call.value()
    xs_s, y_s = checker.primal(call, y)
    g_s = checker.stage(random_like(call.rng, y), "g", y_s)
    params = list(checker.numbers)
    made = {v.value for v in leaves(y_s)}
    builder: Builder = checker.builder
    outs = builder.emit(call.rule.fn, tuple(unwrap(xs_s)), call.kwargs)
    y_s = builder.wrap(outs)
    bars = [call.rule.vjps[i](g_s, y_s, *xs_s, **call.kwargs) for i in call.active]
    results = [unwrap(bar) for tree in bars for bar in leaves(tree) if bar is not ZERO]
    inputs = [p for p in params if p not in made]
    fn = Function("vjp", Block(inputs, builder.body, results))
    held = [x for i, x in enumerate(xs_s) if i not in call.rule.vjps]
    return fn, [checker.numbers[p] for p in inputs], set(values_in(unwrap(held)))


def check_second(call: Call) -> None:
    """The tangent of what the vjp emits is the derivative of it."""
    fn, numbers, held = vjp_program(call)
    dots = [
        Value(f"{p.name}_dot", p.type) if is_inexact(p.type) and p not in held else ZERO
        for p in fn.params
    ]
    tangent = build_tangent(fn, dots)
    kept = [t for t in tangent.tangents if t is not ZERO]
    moving = [d for d in dots if d is not ZERO]
    program = Function("jvp", Block([*tangent.params, *moving], tangent.body, kept))
    ts = [
        random_like(call.rng, x) if d is not ZERO else ZERO
        for x, d in zip(numbers, dots, strict=True)
    ]
    got = iter(evaluate(program, *numbers, *(t for t in ts if t is not ZERO)))
    wanted = slopes(lambda *xs: evaluate(fn, *xs), numbers, ts, tol=1e-6, sharp=1e-10)
    for want, dot, result in zip(wanted, tangent.tangents, fn.body.results, strict=True):
        if want is None or not is_inexact(type_of(result)):
            continue
        found = np.zeros(np.shape(want[0])) if dot is ZERO else next(got)
        np.testing.assert_allclose(found, want[0], rtol=want[1], atol=want[1])


def assert_same_kind(t: Any, x: Any) -> None:
    """A (co)tangent has the shape of its primal and, for arrays, its dtype."""
    assert np.shape(t) == np.shape(x)
    if hasattr(x, "dtype"):
        assert np.asarray(t).dtype == x.dtype


_WIDE = {np.dtype(np.float32): np.float64, np.dtype(np.complex64): np.complex128}


def in_double(x: Any) -> Any:
    """`x` with its arrays of single precision in double precision."""
    if isinstance(x, list | tuple):
        return sequence_like(x, map(in_double, x))
    if isinstance(x, np.ndarray | np.generic) and x.dtype in _WIDE:
        return x.astype(_WIDE[x.dtype])
    return x


def check_single(single: Call) -> None:
    """A call in single precision: (co)tangents of that dtype, with the values of the wide call."""
    y = single.value()
    ts, g = single.tangents(), random_like(single.rng, y)
    double = single.with_args(in_double(a) for a in single.args)
    y64 = double.value()
    g64, ts64 = in_double(g), [in_double(t) for t in ts]
    if single.active:
        assert_close_in_kind(single.jvp(ts, y), double.jvp(ts64, y64), y)
    for i in single.active:
        assert_close_in_kind(single.vjp(i, g, y), double.vjp(i, g64, y64), single.args[i])


def assert_close_in_kind(got: Any, want: Any, like: Any) -> None:
    """Equal to the accuracy of single precision, and in the dtypes of `like`."""
    if want is ZERO:
        assert got is ZERO
        return
    for a, b, x in zip(leaves(got), leaves(want), leaves(like), strict=True):
        if b is not ZERO:
            assert_same_kind(a, x)
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)

"""Every rule of the table, both modes, on arrays and staged. The oracle is the function itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from srcad.rules import ZERO, Case, Rule
from tests.rules.calls import (
    OURS,
    Call,
    add,
    all_calls,
    call_id,
    inner,
    is_single,
    leaves,
    make_call,
    random_like,
    sequence_like,
)
from tests.rules.facts_check import FactChecker

CALLS = all_calls()
VARIED = [(rule, case) for rule, case in CALLS if rule.jvp is not None]
FIXED = [(rule, case) for rule, case in CALLS if rule.jvp is None]

every_call = pytest.mark.parametrize(("rule", "case"), CALLS, ids=call_id)
every_varied_call = pytest.mark.parametrize(("rule", "case"), VARIED, ids=call_id)


def differences(call: Call, ts: list[Any]) -> list[Any]:
    """The directional derivative of each output by a five-point stencil."""

    step = 0.1 if is_single(call.value()) else 1e-4

    def at(h: float) -> list[Any]:
        return leaves(call(*(add(x, h, t) for x, t in zip(call.args, ts, strict=True))))

    points = zip(at(-2 * step), at(-step), at(step), at(2 * step), strict=True)
    return [
        (np.asarray(a) - 8 * np.asarray(b) + 8 * np.asarray(c) - np.asarray(d)) / (12 * step)
        if np.asarray(a).dtype.kind in "fc"
        else None
        for a, b, c, d in points
    ]


def assert_same_kind(t: Any, x: Any) -> None:
    """A (co)tangent has the shape of its primal and, for arrays, its dtype."""
    assert np.shape(t) == np.shape(x)
    if hasattr(x, "dtype"):
        assert np.asarray(t).dtype == x.dtype


@pytest.mark.filterwarnings("error")
@every_varied_call
def test_tangents_agree_with_differences(rule: Rule, case: Case):
    call = make_call(rule, case)
    ts, y = call.tangents(), call.value()
    y_dot = call.jvp(ts, y) if call.active else ZERO
    dots = leaves(y_dot) if y_dot is not ZERO else [ZERO] * len(leaves(y))
    for out, dot, want in zip(leaves(y), dots, differences(call, ts), strict=True):
        if dot is not ZERO:
            assert_same_kind(dot, out)
        if want is not None:
            got = np.zeros(np.shape(out)) if dot is ZERO else dot
            tol = 1e-4 if is_single(y) else 1e-7
            np.testing.assert_allclose(got, want, rtol=tol, atol=tol)


@every_varied_call
def test_each_tangent_contributes_alone(rule: Rule, case: Case):
    call = make_call(rule, case)
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
        np.testing.assert_allclose(alone, inner(g, call.jvp(ts, y)), rtol=1e-10, atol=1e-12)


@pytest.mark.filterwarnings("error")
@every_varied_call
def test_cotangents_are_the_transpose_of_tangents(rule: Rule, case: Case):
    call = make_call(rule, case)
    ts, y = call.tangents(), call.value()
    g = random_like(call.rng, y)
    for i in call.active:
        x_bar = call.vjp(i, g, y)
        y_dot = call.jvp([t if j == i else ZERO for j, t in enumerate(ts)], y)
        if x_bar is not ZERO:
            for bar, x in zip(leaves(x_bar), leaves(call.args[i]), strict=True):
                assert bar is ZERO or assert_same_kind(bar, x) is None
        tol = 1e-5 if is_single(y) else 1e-10
        np.testing.assert_allclose(inner(x_bar, ts[i]), inner(g, y_dot), rtol=tol, atol=tol)


@every_varied_call
def test_float32_stays_float32(rule: Rule, case: Case):
    single = make_call(rule, case, np.float32)
    y = single.value()
    ts, g = single.tangents(), random_like(single.rng, y)
    double = single.with_args(_as_double(a) for a in single.args)
    y64 = double.value()
    g64, ts64 = _as_double(g), [_as_double(t) for t in ts]
    if single.active:
        _assert_close_in_kind(single.jvp(ts, y), double.jvp(ts64, y64), y)
    for i in single.active:
        _assert_close_in_kind(single.vjp(i, g, y), double.vjp(i, g64, y64), single.args[i])


def _as_double(x: Any) -> Any:
    if isinstance(x, list | tuple):
        return sequence_like(x, map(_as_double, x))
    if isinstance(x, np.ndarray | np.generic) and x.dtype == np.float32:
        return x.astype(np.float64)
    return x


def _assert_close_in_kind(got: Any, want: Any, like: Any) -> None:
    if want is ZERO:
        assert got is ZERO
        return
    for a, b, x in zip(leaves(got), leaves(want), leaves(like), strict=True):
        if b is not ZERO:
            assert_same_kind(a, x)
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)


@every_varied_call
def test_memory_order_does_not_matter(rule: Rule, case: Case):
    call = make_call(rule, case)
    strided = call.with_args(_strided(a) for a in call.args)
    y, y2 = call.value(), strided.value()
    g = random_like(call.rng, y)
    for i in call.active:
        for a, b in zip(leaves(call.vjp(i, g, y)), leaves(strided.vjp(i, g, y2)), strict=True):
            if a is not ZERO:
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)


def _strided(x: Any) -> Any:
    """The same numbers in a view that is neither C- nor F-contiguous."""
    if isinstance(x, list):
        return [_strided(item) for item in x]
    if not isinstance(x, np.ndarray) or x.ndim == 0:
        return x
    room = np.zeros(tuple(2 * n for n in x.shape), x.dtype)
    view = room[tuple(slice(None, None, 2) for _ in x.shape)]
    view[...] = x
    return view


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["f64", "f32"])
@every_varied_call
def test_staged_bodies_compute_what_bodies_compute(rule: Rule, case: Case, dtype: Any):
    call = make_call(rule, case, dtype)
    ts, y = call.tangents(), call.value()
    g = random_like(call.rng, y)
    for extents in ("symbolic", "known", "unsure"):
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


@pytest.mark.parametrize("extents", ["symbolic", "known"])
@pytest.mark.parametrize(("rule", "case"), FIXED, ids=call_id)
def test_types_without_derivative(rule: Rule, case: Case, extents: str):
    call = make_call(rule, case)
    FactChecker(extents).primal(call, call.value())


@pytest.mark.parametrize(("rule", "case"), [c for c in FIXED if c[0].kind == "zero"], ids=call_id)
def test_zero_derivatives_are_zero(rule: Rule, case: Case):
    call = make_call(rule, case)
    moved = [add(a, 1e-9, random_like(call.rng, a)) for a in call.args]
    for a, b in zip(leaves(call.value()), leaves(call(*moved)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("rule", OURS, ids=call_id)
def test_every_rule_is_reached(rule: Rule):
    calls = [make_call(r, case) for r, case in CALLS if r is rule]
    assert calls
    reached = {i for call in calls for i in call.active}
    if rule.kind in ("elementwise", "linear", "general") and len(rule.vjps) < 30:
        assert reached == set(rule.vjps), "give cases in which every input is varied"

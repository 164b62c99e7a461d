"""Every rule of the table at its cases: both modes, on arrays and staged.

The oracle is the function itself. `tests/rules/checks.py` says what is checked of a call;
`test_variants.py` checks the same at calls that nobody wrote down, `test_complex.py` at complex
numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad
from srcad import runtime
from srcad.rules import ZERO, Rule
from tests.rules.calls import (
    OURS,
    Call,
    add,
    at_each_case,
    call_id,
    cases_of,
    leaves,
    make_call,
    random_like,
)
from tests.rules.checks import (
    check_each_alone,
    check_single,
    check_staged,
    check_tangent,
    check_transpose,
)
from tests.rules.facts_check import FactChecker

FIXED = [rule for rule in OURS if rule.kind in ("zero", "nondiff")]

# One test for each rule, not for each call: there are thousands of these.
every_varied_rule = pytest.mark.parametrize(
    "rule", [rule for rule in OURS if rule.jvp is not None], ids=call_id
)


@pytest.mark.filterwarnings("error")
@every_varied_rule
def test_tangents_agree_with_the_function(rule: Rule):
    at_each_case(rule, check_tangent)


@every_varied_rule
def test_each_tangent_contributes_alone(rule: Rule):
    at_each_case(rule, check_each_alone)


@pytest.mark.filterwarnings("error")
@every_varied_rule
def test_cotangents_are_the_transpose_of_tangents(rule: Rule):
    at_each_case(rule, check_transpose)


@every_varied_rule
def test_float32_stays_float32(rule: Rule):
    at_each_case(rule, check_single, np.float32)


@every_varied_rule
def test_memory_order_does_not_matter(rule: Rule):
    at_each_case(rule, check_memory_order)


def check_memory_order(call: Call) -> None:
    """The cotangents are those of arrays in a row, where they lie apart."""
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


@every_varied_rule
def test_staged_bodies_compute_what_bodies_compute(rule: Rule):
    for extents in ("symbolic", "known", "unsure"):
        at_each_case(rule, lambda call, extents=extents: check_staged(call, extents))
    at_each_case(rule, lambda call: check_staged(call, "symbolic"), np.float32)


@pytest.mark.parametrize("rule", FIXED, ids=call_id)
def test_types_without_derivative(rule: Rule):
    for extents in ("symbolic", "known"):
        at_each_case(rule, lambda call, e=extents: FactChecker(e).primal(call, call.value()))


@pytest.mark.parametrize("rule", [rule for rule in FIXED if rule.kind == "zero"], ids=call_id)
def test_zero_derivatives_are_zero(rule: Rule):
    at_each_case(rule, check_constant)


def check_constant(call: Call) -> None:
    """The function does not change near its arguments."""
    moved = [add(a, 1e-9, random_like(call.rng, a)) for a in call.args]
    for a, b in zip(leaves(call.value()), leaves(call(*moved)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("rule", OURS, ids=call_id)
def test_every_rule_is_reached(rule: Rule):
    calls = [make_call(rule, case) for case in cases_of(rule)]
    assert calls
    reached = {i for call in calls for i in call.active}
    if rule.kind in ("elementwise", "linear", "general") and len(rule.vjps) < 30:
        told = {1} if rule.fn is runtime.as_held else set()  # the items, which tell a class
        assert reached == set(rule.vjps) - told, "give cases in which every input is varied"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "fn", [np.mean, np.var, np.std, np.average, np.nanmean, np.nanvar, np.nanstd], ids=call_id
)
def test_means_of_nothing_are_nan_and_move_nothing(fn):
    """NumPy gives NaN with a warning where a Python number would be divided by zero."""
    x = np.array([1.0, 2.0])

    def of_none(x):
        return fn(x[x > 9.0])

    def over_none(x):
        n = x[x > 9.0].size
        return np.sum(x[x > 9.0]) / n + fn(x[x > 9.0], axis=0)

    for f, moved in ((of_none, 0.0), (over_none, np.nan)):  # a quotient that is written is 0 / 0
        value, x_bar = srcad.value_and_grad(f, backend="numpy")(x)
        assert type(value) is np.float64
        assert np.isnan(value)
        np.testing.assert_array_equal(x_bar, np.zeros(2))
        np.testing.assert_array_equal(srcad.jvp(f, (x,), (x,))[1], moved)


def test_a_quotient_of_python_numbers_stays_one():
    assert type(srcad.grad(lambda x, n: x / n, backend="numpy")(2.0, 3)) is float
    with pytest.raises(ZeroDivisionError):
        srcad.grad(lambda x, n: x / n, backend="numpy")(2.0, 0)

"""Composed functions: their bodies against the functions, and how they take their place."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import rules
from srcad.errors import SrcadError
from srcad.rules import RULES, Case, Rule
from srcad.rules.core.declaration.cases import draw_call
from srcad.rules.core.declaration.registration import shipped
from srcad.rules.core.facts import start_program
from srcad.rules.core.staged import Builder
from srcad.rules.core.table import name_of
from srcad.testing import check_grads
from tests.rules.calls import OURS, at_call, call_id, leaves
from tests.rules.facts_check import FactChecker

COMPOSED = [rule for rule in OURS if rule.kind == "composed"]
OF_NUMPY = [rule for rule in COMPOSED if name_of(rule.fn).startswith("np.")]
every_rule = pytest.mark.parametrize("rule", COMPOSED, ids=call_id)


def at_each_case(rule: Rule, check: Callable[..., None], *more: Any) -> None:
    """Run `check(rule, case, *more)` at all cases of a rule; a failure says at which."""
    for case in rule.cases:
        with at_call(rule, case):
            check(rule, case, *more)


def drawn(rule: Rule, case: Case, dtype: Any = np.float64) -> Any:
    rng = np.random.default_rng(zlib.crc32(f"{name_of(rule.fn)}{case!r}".encode()))
    return draw_call(rule, case, rng, dtype)


def arrays(x: Any) -> list[Any]:
    return [a for a in leaves(x) if isinstance(a, np.ndarray)]


@every_rule
def test_the_body_gives_what_the_function_gives(rule: Rule):
    for dtype in (np.float64, np.float32):
        at_each_case(rule, check_body, dtype)


def check_body(rule: Rule, case: Case, dtype: Any) -> None:
    args, options, _ = drawn(rule, case, dtype)
    want = rule.fn(*args, **options)
    got = RULES[rule.fn].body(*args, **options)
    assert isinstance(got, tuple) == isinstance(want, tuple)
    for a, b in zip(leaves(got), leaves(want), strict=True):
        tol = 1e-5 if dtype is np.float32 else 1e-12
        np.testing.assert_allclose(a, b, rtol=tol, atol=tol)
        assert np.asarray(a).dtype == np.asarray(b).dtype
        assert isinstance(a, np.ndarray) == isinstance(b, np.ndarray)
    for x in arrays(args):
        shared = [np.shares_memory(x, a) for a in arrays(got)]
        assert shared == [np.shares_memory(x, b) for b in arrays(want)]


def whole(x: Any) -> Any:
    """Whole numbers for the random ones of a case."""
    if isinstance(x, list):
        return [whole(item) for item in x]
    varies = isinstance(x, np.ndarray) and x.dtype == float and np.all(np.isfinite(x))
    return np.rint(3 * x).astype(int) if varies else x


@pytest.mark.parametrize("rule", OF_NUMPY, ids=call_id)
def test_the_body_gives_what_the_function_gives_of_whole_numbers(rule: Rule):
    at_each_case(rule, check_body_of_whole_numbers)


def check_body_of_whole_numbers(rule: Rule, case: Case) -> None:
    args, options, varied = drawn(rule, case)
    args = tuple(whole(a) if i in varied else a for i, a in enumerate(args))
    try:
        want = rule.fn(*args, **options)
    except (TypeError, ValueError):
        with pytest.raises((TypeError, ValueError, SrcadError)):
            rule.body(*args, **options)
        return
    got = rule.body(*args, **options)
    for a, b in zip(leaves(got), leaves(want), strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@every_rule
def test_staged_bodies_compute_the_same(rule: Rule):
    for extents in ("symbolic", "known", "unsure"):
        for dtype in (np.float64, np.float32):
            at_each_case(rule, check_staged_body, dtype, extents)


def check_staged_body(rule: Rule, case: Case, dtype: Any, extents: str) -> None:
    args, options, _ = drawn(rule, case, dtype)
    checker = FactChecker(extents)
    xs = [checker.stage(a, f"x{i}") for i, a in enumerate(args)]
    want = rule.fn(*args, **options)
    if extents != "known":  # the program is specialised to extents that must be known
        checker.builder.constant = lambda x, what: checker.compute(checker.builder.wrap(x))
    with start_program(lambda extent: False):  # no case is empty where that counts
        got = checker.builder.call(rule.fn, *xs, **options)
    checker.assert_equal(got, want, want)


@every_rule
def test_derivatives_agree_with_differences(rule: Rule):
    # What it is made of has derivatives of each order, which are tested there: one case is enough.
    seconds = [case for case in rule.cases if drawn(rule, case)[2]][:1]
    for case in rule.cases:
        with at_call(rule, case):
            check_derivatives(rule, case, order=2 if case in seconds else 1)


def check_derivatives(rule: Rule, case: Case, order: int) -> None:
    args, options, varied = drawn(rule, case)
    fn = rule.fn
    if not varied:
        return

    def call(*inputs):
        given = list(args)
        for i, x in zip(varied, inputs):
            given[i] = x
        return fn(*given, **options)

    check_grads(call, tuple(args[i] for i in varied), order=order)


def test_every_composed_function_is_varied():
    for fn in shipped:
        rule = RULES[fn]
        if rule.kind == "composed":
            assert any(drawn(rule, case)[2] for case in rule.cases), name_of(fn)


# ---- how they take the place of a call


def blend(a, b, share=0.5):
    return a + share * (b - a)


def first(x):
    return x


def test_a_users_function_is_composed():
    rules.composed(blend, lambda a, b, share=0.5: (1 - share) * a + share * b)

    def f(x):
        return np.sum(blend(x, x * x, share=0.25) ** 2)

    check_grads(f, (np.array([0.5, 1.5]),))
    lines = srcad.grad(f).source(np.ones(2)).splitlines()
    assert not any("blend(" in line.partition("#")[0] for line in lines)


def test_its_result_is_new():
    rules.composed(first, lambda x: x)

    def f(x):
        y = first(x)
        y[0] = 3.0
        return np.sum(x * y)

    # As the function stands in the table, it is one that NumPy writes: what it returns is new.
    np.testing.assert_array_equal(srcad.grad(f)(np.array([1.0, 2.0])), [3.0, 4.0])


def test_a_rule_body_may_call_it():
    builder = Builder()
    x = builder.wrap(srcad.ir.Value("x", srcad.ir.ArrayType(np.dtype(float), (5,))))
    builder.call(np.trapezoid, x, dx=0.5)
    assert len(builder.body) > 1
    assert np.trapezoid not in [op.fn for op in builder.body]


def test_a_call_on_constants_stays():
    def f(x):
        return x * np.trapezoid(np.array([1.0, 2.0, 4.0]))

    assert "np.trapezoid" in srcad.grad(f).source(2.0)
    assert srcad.grad(f)(2.0) == 4.5


def test_errors_name_the_function_that_was_called():
    def unknown_option(x):
        return np.trapezoid(x, spacing=2)

    with pytest.raises(SrcadError, match=r"E131.*`trapezoid`"):
        srcad.grad(unknown_option)(np.ones(3))

    def no_such_axis(x):
        return np.sum(np.trapezoid(x, axis=3))

    with pytest.raises(SrcadError, match=r"np.trapezoid") as caught:
        srcad.grad(no_such_axis)(np.ones(3))
    assert caught.value.location.line == no_such_axis.__code__.co_firstlineno + 1


def test_options_are_specialised_to():
    def f(x, axis):
        return np.sum(np.trapezoid(x, axis=axis) ** 2)

    x = np.arange(12.0).reshape(3, 4)
    for axis in (0, 1):
        want = srcad.grad(lambda x, axis=axis: np.sum(np.trapezoid(x, axis=axis) ** 2))(x)
        np.testing.assert_array_equal(srcad.grad(f)(x, axis), want)

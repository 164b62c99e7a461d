"""The checks of `srcad.debug_nans` in a program."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir import show
from srcad.ir.nodes import Op
from srcad.ir.walk import statements
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request, derive_request, lower_with_statics, prepared
from srcad.runtime.finite import check_derivative, check_value
from srcad.transform.finite_checks import check_finite

X = np.array([1.0, 2.0])


def checks(f: Any, *args: Any, kind: Any = "grad") -> list[tuple[Any, ...]]:
    """What is checked of a derivative: which check, and its words."""
    request = Request(kind, f, backend="numpy")
    lowered, _ = lower_with_statics(request, args, frozenset())
    fn = check_finite(derive_request(request, prepared(request, lowered.function)))
    ops = [stmt for stmt in statements(fn.body) if isinstance(stmt, Op)]
    found = [op for op in ops if op.fn in (check_value, check_derivative)]
    return [(op.fn.__name__[6:], *(arg for arg in op.args if isinstance(arg, str))) for op in found]


def test_a_check_stands_behind_each_operation():
    def f(x: Any) -> Any:
        y = np.log(x)
        return np.sum(y * x)

    assert checks(f, X) == [
        ("value", "np.log(x)"),
        ("value", "y * x"),
        ("value", "np.sum(y * x)"),
        ("derivative", "np.sum", "the cotangent"),
        ("derivative", "*", "y_bar"),
        ("derivative", "*", "x_bar"),
        ("derivative", "np.log", "x_bar"),
    ]


def test_what_an_operation_was_given_is_handed_over():
    def f(x: Any, w: Any) -> Any:
        return np.sum(np.exp(x - w) / w)

    stages: dict[str, Any] = {}
    request = Request("grad", f, backend="numpy", debug_nans=True)
    text = compile_request(request, [X, X], frozenset(), stages.__setitem__)[0].text
    assert 'check_value("np.exp(x - w)", t_2, {"x - w": t})' in text
    assert 'check_value("np.exp(x - w) / w", t, {"np.exp(x - w)": t_2, "w": w})' in text
    assert "check_" not in show(stages["derive"])


def test_what_moves_numbers_is_not_checked():
    def f(x: Any) -> Any:
        y = np.reshape(x, (2, 1)).T
        z = np.zeros(2)
        z[0] = y[0, 1]
        return z[0]

    assert [each for each in checks(f, X) if each[0] == "value"] == []


def test_what_errstate_expects_is_not_told_of_the_function():
    def f(x: Any) -> Any:
        with np.errstate(divide="ignore"):
            y = np.log(x)
            with np.errstate(divide="warn", invalid="ignore"):
                y = y / x
        with np.errstate(all="ignore"):
            z = 1 / y
        return np.sum(z)

    assert checks(f, X)[:3] == [
        ("value", "np.log(x)", "inf"),
        ("value", "y / x", "nan"),
        ("value", "np.sum(z)"),
    ]
    assert ("derivative", "/", "y_bar") in checks(f, X)


def test_constants_that_are_not_finite_are_expected():
    def f(x: Any) -> Any:
        return np.sum(np.where(x > 1, x, -np.inf)) + np.sum(np.where(x > 1, x, np.nan))

    assert ("value", "np.where(x > 1, x, -inf)", "inf") in checks(f, X)
    assert not any(each[1].startswith("np.where(x > 1, x, nan)") for each in checks(f, X))


def test_steps_of_a_function_that_is_made_of_several_are_not_checked():
    def f(x: Any) -> Any:
        return np.sum(np.log(np.median(x) / x))

    assert [each for each in checks(f, X) if each[0] == "value"] == [
        ("value", "np.median"),
        ("value", "np.median(...) / x"),
        ("value", "np.log(np.median(...) / x)"),
        ("value", "np.sum(np.log(np.median(...) / x))"),
    ]


def test_what_a_rule_masks_is_not_checked():
    def f(x: Any) -> Any:
        return np.sum(np.where(x > 0, x * np.log(x), 0.0))

    derived = [each for each in checks(f, X) if each[0] == "derivative"]
    assert {each[2] for each in derived} == {"the cotangent", "x_bar"}


def test_tangents_are_checked():
    def f(x: Any) -> Any:
        y = np.sqrt(x)
        return y * 2

    found = checks(f, X, kind="jvp")
    assert found == [
        ("value", "np.sqrt(x)"),
        ("derivative", "np.sqrt", "y_dot"),
        ("value", "y * 2"),
        ("derivative", "*", "the tangent"),
    ]

"""The constructors: what they refuse, and that users' rules work like ours."""

import inspect

import numpy as np
import pytest

import srcad
from srcad import rules
from srcad.errors import MissingRule, RuleError
from srcad.ir.types import NumberType
from srcad.rules import RULES, ZERO, Case
from srcad.rules.core.facts import stated_type
from srcad.rules.core.infer import infer
from srcad.rules.core.registry import same


def square(x):
    return x * x


def product(x, y):
    return x * y


def test_an_elementwise_rule_serves_both_modes():
    rules.elementwise(product, lambda z, x, y: y, lambda z, x, y: x)
    x, y = np.arange(6.0).reshape(2, 3), np.array([1.0, 2, 3])
    rule = RULES[product]
    np.testing.assert_array_equal(rule.jvp((x, ZERO), x * y, x, y), x * y)
    np.testing.assert_array_equal(rule.vjps[1](np.ones((2, 3)), x * y, x, y), x.sum(0))


def test_a_linear_rule_serves_both_modes():
    def flip(x):
        return x[::-1]

    rules.linear(flip, x=lambda g, y, x: g[::-1])
    x = np.arange(3.0)
    np.testing.assert_array_equal(RULES[flip].jvp((x,), flip(x), x), [2, 1, 0])


def test_any_number_of_inputs():
    def total(*xs):
        return sum(xs)

    rules.linear(total, xs=lambda g, y, *xs, at: g * (at >= 0))
    x = np.ones(2)
    np.testing.assert_array_equal(RULES[total].vjps[2](x, 3 * x, x, x, x), x)


def test_zero_and_nondiff_decorate():
    @rules.nondiff
    def index(x):
        return int(x)

    assert index(2.5) == 2
    assert RULES[index].kind == "nondiff"


def kept(x):
    return square(x), x


def back(x, g):
    return 2 * x * g


@pytest.mark.parametrize(
    ("code", "declare"),
    [
        ("E601", lambda: rules.zero(np.sin)),
        ("E601", lambda: rules.elementwise(np.exp, lambda y, x: y)),
        ("E602", lambda: rules.linear(square, q=lambda g, y, x: g)),
        ("E602", lambda: rules.rule(square, jvp=lambda ts, y, x: ts[0], q=lambda g, y, x: g)),
        ("E603", lambda: rules.rule(square, jvp=lambda ts, y, x: ts[0])),
        ("E603", lambda: rules.rule(square, vjp=lambda g, y, x: g, x=lambda g, y, x: g)),
        ("E603", lambda: rules.rule(square)),
        ("E603", lambda: rules.rule(square, fwd=kept, bwd=back, type_of=lambda x: x)),
        ("E603", lambda: rules.rule(square, fwd=kept, bwd=back, normalize=lambda x: x)),
        ("E607", lambda: rules.rule(square, vjp=2.0)),
        ("E607", lambda: rules.rule(3.0, vjp=lambda g, y, x: g)),
        ("E604", lambda: rules.elementwise(product, lambda z, x, y: y)),
        ("E604", lambda: rules.elementwise(product, lambda z, x: x, lambda z, x, y: y)),
        ("E604", lambda: rules.elementwise(square)),
        ("E604", lambda: rules.elementwise(np.hypot, lambda y, x: x, override=True)),
        ("E604", lambda: rules.linear(square)),
        ("E607", lambda: rules.zero(3.0)),
        ("E607", lambda: rules.nondiff("np.argmax")),
        ("E607", lambda: rules.elementwise(square, 2.0)),
        ("E607", lambda: rules.linear(square, x=2.0)),
    ],
)
def test_faulty_declarations_are_refused(code, declare):
    RULES.load()  # those of what another test has imported
    before = dict(RULES)
    with pytest.raises(RuleError, match=code):
        declare()
    assert before == RULES


def test_ours_is_replaced_knowingly_and_yours_freely():
    rules.zero(np.sin, override=True)
    assert RULES[np.sin].kind == "zero"
    rules.zero(square)
    rules.elementwise(square, lambda y, x: 2 * x)
    assert RULES[square].kind == "elementwise"


def test_one_rule_for_two_names():
    same(square, np.square)
    assert RULES[square].partials is RULES[np.square].partials


def test_inputs_are_positional_and_options_named():
    x = np.ones((2, 3))
    assert RULES[np.sum].bind((x, 0), {}) == ((x,), {"axis": 0})
    assert RULES[np.sum].bind((), {"a": x, "axis": None}) == ((x,), {})
    args, options = RULES[np.clip].bind((x,), {"max": 1})
    assert args[1:] == (None, 1)
    assert options == {}


@pytest.mark.parametrize("options", [{"where": True}, {"out": np.ones(3)}, {"initial": 0}])
def test_options_that_the_rule_does_not_cover_are_refused(options):
    with pytest.raises(MissingRule, match="E203"):
        RULES[np.sum].bind((np.ones((2, 3)),), options)


def test_cases_show_as_calls():
    assert repr(Case((3, 4), float, axis=0)) == "((3, 4), float, axis=0)"


def test_every_constructor_has_the_same_options():
    common = {"type_of", "domain", "cases", "override"}
    for constructor in (rules.elementwise, rules.linear, rules.rule, rules.zero, rules.nondiff):
        assert common <= set(inspect.signature(constructor).parameters)


# ---- types


def five(x):
    if len(x) != 5:
        raise KeyError("five")
    return np.sin(x)


def test_made_up_arguments_that_a_function_refuses_ask_for_its_type():
    rules.rule(five, vjp=lambda g, y, x: g * np.cos(x))
    with pytest.raises(MissingRule, match="E207") as found:
        srcad.grad(lambda x: np.sum(five(x)))(np.ones(5))
    assert "KeyError('five')" in str(found.value)


@pytest.mark.parametrize("type_of", [lambda x: x, lambda x: np.zeros(5)])
def test_a_function_whose_type_is_stated_is_not_called_to_find_it(type_of):
    rules.rule(five, vjp=lambda g, y, x: g * np.cos(x), type_of=type_of)
    x = np.linspace(0, 1, 5)
    np.testing.assert_array_equal(srcad.grad(lambda x: np.sum(five(x)))(x), np.cos(x))


@pytest.mark.parametrize("kind", [float, np.float64, (float, np.float32)])
def test_types_of_numbers(kind):
    def given(x):
        raise AssertionError

    rules.nondiff(given, type_of=lambda x: kind)
    found = infer(given, (1.0,), {})
    assert found == stated_type(kind)
    several = zip(found, kind, strict=True) if isinstance(kind, tuple) else [(found, kind)]
    for t, each in several:
        assert (t.kind if isinstance(t, NumberType) else t.dtype) == each


def test_nondiff_and_zero_decorate_with_options():
    @rules.nondiff(type_of=lambda x: int)
    def rank(x):
        return int(np.linalg.matrix_rank(x))

    x = np.diag([1.0, 2.0, 0.0])
    np.testing.assert_array_equal(
        srcad.grad(lambda x: np.sum(x) * rank(x))(x), np.full((3, 3), 2.0)
    )


def test_the_stub_of_a_missing_rule_has_the_parameters_of_the_function():
    with pytest.raises(MissingRule, match="E201") as found:
        srcad.grad(lambda x: np.sum(np.lib.scimath.logn(2.0, x)))(np.ones(3))
    assert "def vjp(g, y, n, x): ..." in found.value.fix

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
from srcad.testing import check_rule


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


# ---- reverse mode alone


@rules.rule(vjp=lambda g, y, a, b: (g * b * np.cos(a * b), g * a * np.cos(a * b)))
def wave(a, b):
    return np.sin(a * b)


def wave_kept(a, b):
    return np.sin(a * b)


def wave_forward(a, b):
    ab = a * b
    return np.sin(ab), {"slope": np.cos(ab), "factors": [a, b], "name": "wave"}


def wave_backward(residuals, g):
    a, b = residuals["factors"]
    assert residuals["name"] == "wave"
    return g * residuals["slope"] * b, g * residuals["slope"] * a


rules.rule(wave_kept, fwd=wave_forward, bwd=wave_backward)
ONE_WAY = pytest.mark.parametrize("f", [wave, wave_kept])
A, B = np.array([0.3, -0.4, 0.5]), np.array([1.5, 0.2, -0.7])


def value(f):
    return lambda a, b: np.sum(f(a, b) ** 2 * a)


def plain(a, b):
    return np.sum(np.sin(a * b) ** 2 * a)


@ONE_WAY
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_reverse_mode_takes_a_rule_without_tangent(f, backend):
    found = srcad.value_and_grad(value(f), (0, 1), backend=backend)(A, B)
    expected = srcad.value_and_grad(plain, (0, 1))(A, B)
    assert found[0] == expected[0]
    for x_bar, y_bar in zip(found[1], expected[1], strict=True):
        np.testing.assert_allclose(x_bar, y_bar, rtol=1e-13)


@ONE_WAY
def test_jacobians_and_hessians_are_made_in_reverse_where_there_is_no_tangent(f):
    jacobian = srcad.jacobian(lambda a: f(a, 2.0))(A)
    np.testing.assert_allclose(jacobian, np.diag(2 * np.cos(2 * A)), rtol=1e-13)
    hessian = srcad.hessian(value(f))(A, B)
    np.testing.assert_allclose(hessian, srcad.hessian(plain)(A, B), rtol=1e-12, atol=1e-14)
    per_row = srcad.vmap(srcad.grad(value(f)))(np.stack([A, B]), np.stack([B, A]))
    np.testing.assert_allclose(per_row[1], srcad.grad(plain)(B, A), rtol=1e-12)


@ONE_WAY
def test_a_loop_saves_what_the_backward_reads(f):
    def states(x):
        s = 1.0
        for v in x:
            s = s + f(v, s)
        return s

    def by_operations(x):
        s = 1.0
        for v in x:
            s = s + np.sin(v * s)
        return s

    np.testing.assert_allclose(srcad.grad(states)(A), srcad.grad(by_operations)(A), rtol=1e-13)


@ONE_WAY
@pytest.mark.parametrize("transform", ["jvp", "jacfwd", "hvp"])
def test_forward_mode_is_refused_at_the_users_line(f, transform):
    def line(a):
        b = a + 1.0
        return np.sum(f(a, b))

    calls = {
        "jvp": lambda: srcad.jvp(line, (A,), (A,)),
        "jacfwd": lambda: srcad.jacfwd(line)(A),
        "hvp": lambda: srcad.hvp(line)(A, A),
    }
    with pytest.raises(MissingRule, match=r"E206.*wave.* has no derivative") as found:
        calls[transform]()
    assert found.value.location.line == line.__code__.co_firstlineno + 2


@ONE_WAY
def test_a_gradient_inside_is_differentiated_again(f):
    def slope(a):
        return np.sum(srcad.grad(value(f))(a, B) ** 2)

    def of_plain(a):
        return np.sum(srcad.grad(plain)(a, B) ** 2)

    np.testing.assert_allclose(srcad.grad(slope)(A), srcad.grad(of_plain)(A), rtol=1e-12)
    assert "attached" not in srcad.grad(slope).source(A)


def test_a_backward_of_several_results():
    @rules.rule(fwd=lambda x: ((x * 2, np.sum(x)), x), bwd=lambda x, g: 2 * g[0] + g[1])
    def pair(x):
        return x * 2, np.sum(x)

    def f(x):
        doubled, total = pair(x)
        return np.sum(doubled**2) * total

    expected = srcad.grad(lambda x: np.sum((2 * x) ** 2) * np.sum(x))(A)
    np.testing.assert_allclose(srcad.grad(f)(A), expected, rtol=1e-13)
    check_rule(pair, A)
    rules.rule(pair, fwd=lambda x: ((x * 2, np.sum(x)), x), bwd=lambda x, g: 3 * g[0] + g[1])
    with pytest.raises(AssertionError, match="differences give"):
        check_rule(pair, A)


@pytest.mark.parametrize(
    ("stated", "note"),
    [
        ({"vjp": lambda g, y, a, b: g}, "one result; it has 2 inputs"),
        (
            {"vjp": lambda g, y, a, b: (g, None)},
            "is a NoneType, not an array or a number (none is `srcad.rules.ZERO`)",
        ),
        ({"fwd": lambda a, b: a * b, "bwd": lambda r, g: (g, g)}, "return y, residuals"),
        ({"fwd": lambda a, b: (a * b, a), "bwd": lambda r, g: (g,)}, "1 cotangents; it has 2"),
    ],
)
def test_what_a_backward_gives_is_checked(stated, note):
    def multiply(a, b):
        return a * b

    rules.rule(multiply, **stated)
    with pytest.raises(RuleError, match="E605") as found:
        srcad.grad(lambda a, b: np.sum(multiply(a, b)), (0, 1))(A, B)
    assert note in str(found.value)


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

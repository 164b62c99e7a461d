"""The text of what elementwise rules emit."""

import operator

import numpy as np
import pytest

import srcad
from srcad.ir import ArrayType, Dim, Value, show
from srcad.ir.nodes import Block, Function
from srcad.rules import RULES, ZERO, over
from srcad.rules.core.product import spread, times
from srcad.rules.core.staged import Builder, unwrap

F64 = np.dtype(float)
N, K = Dim("n", never_one=True), Dim("k", never_one=True)


def emitted(body, **shapes):
    """What `body` emits for arrays of these shapes, as the lines of a program."""
    params = {name: Value(name, ArrayType(F64, shape)) for name, shape in shapes.items()}
    builder = Builder()
    result = body(**{name: builder.wrap(value) for name, value in params.items()})
    block = Block(list(params.values()), builder.body, [unwrap(result)])
    lines = show(Function("f", block)).splitlines()[1:]
    return [line.strip().replace(": f64[n]", "") for line in lines]


def test_a_factor_one_emits_nothing():
    assert emitted(lambda g: times(g, 1), g=(N,)) == ["return g"]
    assert emitted(lambda g: times(g, -1), g=(N,)) == ["t = neg(g)", "return t"]


def test_a_quotient_is_one_division():
    assert emitted(lambda g, x: times(g, over(x)), g=(N,), x=(N,)) == [
        "t = truediv(g, x)",
        "return t",
    ]


def test_zero_absorbs():
    assert times(ZERO, np.ones(3)) is ZERO
    assert times(np.ones(3), ZERO) is ZERO
    assert spread(ZERO, np.ones(3)) is ZERO


def test_a_mask_moves_behind_the_partial():
    def body(c, g, x):
        return times(times(np.where(c, g, 0), over(x)), x)

    lines = emitted(body, c=(N,), g=(N,), x=(N,))
    # What reads no masked value is left over and removed later: t and t_3.
    assert lines == [
        "t = where(c, g, 0)",
        "t_2 = truediv(g, x)",
        "t_3 = where(c, t_2, 0)",
        "t_4 = mul(t_2, x)",
        "t_5 = where(c, t_4, 0)",
        "return t_5",
    ]


@pytest.mark.parametrize("first", [True, False])
def test_a_masked_product_never_sees_infinity(first):
    """As the adjoint of np.where(x > 0, np.sqrt(x), 0) computes it."""
    from srcad.ir.evaluate import evaluate

    c = Value("c", ArrayType(np.dtype(bool), (N,)))
    g, x = Value("g", ArrayType(F64, (N,))), Value("x", ArrayType(F64, (N,)))
    builder = Builder()
    c_s, g_s, x_s = builder.wrap((c, g, x))
    masked = np.where(c_s, g_s, 0) if first else np.where(c_s, 0, g_s)
    out = unwrap(times(masked, over(np.sqrt(x_s), 0.5)))
    fn = Function("f", Block([c, g, x], builder.body, [out]))
    numbers = np.array([0.0, 4.0])
    condition = numbers > 0 if first else numbers <= 0
    with np.errstate(divide="ignore"):
        (x_bar,) = evaluate(fn, condition, np.ones(2), numbers)
    np.testing.assert_array_equal(x_bar, [0, 0.25])


def test_a_tangent_spreads_to_the_shape_of_the_result():
    def body(b_dot, y, a, b):
        return RULES[operator.add].jvp((ZERO, b_dot), y, a, b)

    lines = emitted(body, b_dot=(K,), y=(N, K), a=(N, K), b=(K,))
    assert lines[-2] == "t_2: f64[n, k] = broadcast_to(b_dot, t)"
    full = emitted(
        lambda a_dot, y, a, b: RULES[operator.add].jvp((a_dot, ZERO), y, a, b),
        a_dot=(N, K),
        y=(N, K),
        a=(N, K),
        b=(K,),
    )
    assert full == ["return a_dot"]


def test_a_tangent_takes_the_dtype_of_the_result():
    y = np.ones(3)
    assert spread(np.ones(3, np.float32), y).dtype == np.float64
    assert spread(np.ones((), np.float32), y).shape == (3,)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.nansum(np.where(x > 0.5, x, np.nan) * x),
        lambda x: np.sum(np.nan_to_num(np.log(x - 0.5) * x)) + np.nansum(np.log(x - 0.5) * x),
        lambda x: np.sum((np.sqrt(x - 0.5) * x)[x > 0.5]) + np.sum((np.sqrt(x - 0.5) * x)[x > 0.6]),
        lambda x: np.sum(np.where(x > 0.5, 1 / (x - 0.3) * x, 0)) + np.nanmax(1 / (x - 0.4) * x),
        lambda x: np.nanmean(np.where(x > 0.5, x, np.nan) * x),
    ],
)
def test_values_of_the_primal_that_are_masked_are_not_multiplied_by_zero(f):
    x, skipped = np.array([0.3, 0.7, 0.9]), np.array([True, False, False])
    with np.errstate(divide="ignore"):
        made = srcad.grad(f, cache=False)(x)
        assert made[skipped] == 0.0
        h = 1e-6 * np.eye(3)[1:]
        slopes = [(f(x + step) - f(x - step)) / 2e-6 for step in h]
    np.testing.assert_allclose(made[1:], slopes, rtol=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda a: 2**70 * a,
        lambda a: np.sum(a / 10**20 + a * 10**20),
        lambda a: np.sum((a - 10**19) ** 2 / 10**38),
        lambda a: np.sum(np.sqrt(a * 10**20)),
        lambda a: max(a, 10**20) * a,
        lambda a: np.sum(a**2 * (10**19 + 1)) / (10**20 * a),
    ],
)
def test_ints_that_no_array_holds_are_factors_like_others(f):
    for x in (2.0, np.float64(2.0)):
        value, gradient = srcad.value_and_grad(f)(x)
        assert value == f(x)
        assert np.isclose(gradient, (f(x * 1.0001) - f(x * 0.9999)) / (2e-4 * x))
        assert np.isclose(srcad.jacfwd(f)(x), gradient)

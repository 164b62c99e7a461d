"""Conventions at kinks: something useful, never NaN where a one-sided derivative exists."""

import math
import operator

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.rules import RULES, ZERO
from tests.rules.kink_page import PAGE, table
from tests.rules.kink_programs import KINKS, Kink

INF, NAN = np.inf, np.nan


def partials(fn, *args, **options):
    """The derivative of the sum of `fn` in each argument, in reverse mode."""
    rule = RULES[fn]
    args, options = rule.bind(tuple(np.array(a, float) for a in args), options)
    y = fn(*args, **options)
    g = np.ones_like(y)
    bars = [rule.vjps[i](g, y, *args, **options) for i in range(len(args))]
    return [np.zeros_like(y) if bar is ZERO else bar for bar in bars]


def tangents(fn, *args, **options):
    """The same in forward mode, one input at a time."""
    rule = RULES[fn]
    args, options = rule.bind(tuple(np.array(a, float) for a in args), options)
    y = fn(*args, **options)
    zero = [ZERO] * len(args)
    dots = [
        rule.jvp([*zero[:i], np.ones_like(a), *zero[i + 1 :]], y, *args, **options)
        for i, a in enumerate(args)
    ]
    return [np.zeros_like(y) if dot is ZERO else dot for dot in dots]


ELEMENTWISE = [
    (np.absolute, ([-0.0, 0.0],), ([0, 0],)),
    (np.fabs, ([0.0],), ([0],)),
    (np.maximum, ([1.0, 2, 3], [2.0, 2, 2]), ([0, 0.5, 1], [1, 0.5, 0])),
    (np.minimum, ([1.0, 2, 3], [2.0, 2, 2]), ([1, 0.5, 0], [0, 0.5, 1])),
    (np.maximum, ([INF, -INF], [INF, -INF]), ([0.5, 0.5], [0.5, 0.5])),
    (np.fmax, ([NAN, 1.0, 2], [1.0, NAN, 2]), ([0, 1, 0.5], [1, 0, 0.5])),
    (np.fmin, ([NAN, 1.0, 2], [1.0, NAN, 2]), ([0, 1, 0.5], [1, 0, 0.5])),
    (np.hypot, ([0.0, 3], [0.0, 4]), ([0, 0.6], [0, 0.8])),
    (np.arctan2, ([0.0], [0.0]), ([0], [0])),
    (np.sinc, ([0.0],), ([0],)),
    (np.logaddexp, ([-INF, -INF, INF], [0.0, -INF, 0]), ([0, 1, 1], [1, 1, 0])),
    (np.power, ([0.0, 0, 0, 2], [0.0, 1, 2, 0]), ([0, 1, 0, 0], [0, 0, 0, math.log(2)])),
    (np.power, ([-2.0, -1, 3], [3.0, 2, 2]), ([12, -2, 6], None)),
    (np.float_power, ([0.0, 0.0], [0.0, 3]), ([0, 0], [0, 0])),
    (np.copysign, ([0.0, -2], [1.0, 1]), ([0, -1], [0, 0])),
    (np.nan_to_num, ([NAN, INF, 1.0],), ([0, 0, 1],)),
]


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("derivatives", [partials, tangents])
@pytest.mark.parametrize(("fn", "args", "want"), ELEMENTWISE)
def test_conventions_of_elementwise_functions(fn, args, want, derivatives):
    with np.errstate(all="ignore"):
        got = derivatives(fn, *args)
    for a, b in zip(got, want, strict=True):
        if b is not None:
            np.testing.assert_allclose(a, b)


def constant(fn, *args):
    """The derivative in the one varied argument; numbers are constants."""
    rule = RULES[fn]
    i = next(i for i, a in enumerate(args) if isinstance(a, np.ndarray))
    y = fn(*args)
    return rule.vjps[i](np.ones_like(y), y, *args)


def test_powers_with_constant_exponents_at_zero():
    x = np.array([-1.0, 0.0, 2.0])
    for n, want in [(1, [1, 1, 1]), (2, [-2, 0, 4]), (3, [3, 0, 12]), (2.0, [-2, 0, 4])]:
        np.testing.assert_array_equal(constant(operator.pow, x, n), want)
    with np.errstate(divide="ignore"):
        assert constant(operator.pow, np.array([0.0]), 0.5) == INF


def test_integer_arrays_as_exponents():
    x, n = np.array([0.0, 0.0, -2.0]), np.array([0, 1, 2])
    np.testing.assert_array_equal(RULES[np.power].vjps[0](np.ones(3), x**n, x, n), [0, 1, -4])


def test_entries_on_a_bound_of_clip_count_as_inside():
    x = np.array([-1.0, 0, 0.5, 1, 2])
    args, _ = RULES[np.clip].bind((x, 0.0, 1.0), {})
    y = np.clip(*args)
    np.testing.assert_array_equal(RULES[np.clip].vjps[0](np.ones(5), y, *args), [0, 1, 1, 1, 0])


def test_every_entry_of_clip_has_one_source():
    rng = np.random.default_rng(0)
    x, low, high = (rng.integers(0, 4, 200).astype(float) for _ in range(3))
    total = sum(partials(np.clip, x, low, high))
    np.testing.assert_array_equal(total, np.ones(200))


@pytest.mark.parametrize("fn", [np.max, np.nanmax])
def test_ties_of_max_share_evenly(fn):
    x = np.array([[1.0, 3, 3], [2, 2, 2], [5, 0, 1]])
    want = [[0, 0.5, 0.5], [1 / 3] * 3, [1, 0, 0]]
    np.testing.assert_allclose(partials(fn, x, axis=1)[0], want)


def test_std_of_a_constant_has_derivative_zero():
    np.testing.assert_array_equal(partials(np.std, np.ones((2, 3)), axis=1)[0], np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("x", "want"),
    [([2.0, 0, 3], [0, 6, 0]), ([0.0, 0, 3], [0, 0, 0]), ([2.0, 5, 3], [15, 6, 10])],
)
def test_products_with_zeros(x, want):
    np.testing.assert_array_equal(partials(np.prod, x)[0], want)


def test_division_of_a_constant_keeps_infinite_slopes():
    with np.errstate(divide="ignore"):
        assert constant(operator.truediv, 1, np.array([0.0])) == -INF


def test_math_keeps_the_conventions():
    for fn, args, want in [
        (abs, (0.0,), 0),
        (math.hypot, (0.0, 0.0), 0),
        (math.atan2, (0.0, 0.0), 0),
        (max, (1.0, 1.0), 0.5),
        (min, (1.0, 1.0, 2.0), 0.5),
        (operator.pow, (0.0, 0.0), 0),
        (operator.pow, (0.0, 1.0), 1),
    ]:
        x_bar = RULES[fn].vjps[0](1.0, fn(*args), *args)
        assert (0 if x_bar is ZERO else x_bar) == want


# ---- whole functions of the user, both modes, second order


every_kink = pytest.mark.parametrize("kink", KINKS, ids=lambda kink: kink.f.__name__)


def directions(kink: Kink):
    """Each entry alone; where a slope is infinite all at once, as 0 times it is nothing."""
    if np.all(np.isfinite(kink.gradient)):
        return np.eye(len(kink.x))
    return np.ones((1, len(kink.x)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@every_kink
def test_gradients_at_kinks(kink: Kink):
    np.testing.assert_allclose(srcad.grad(kink.f)(kink.x), kink.gradient, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@every_kink
def test_tangents_at_kinks(kink: Kink):
    for t in directions(kink):
        _, y_dot = srcad.jvp(kink.f, (kink.x,), (t,))
        want = np.sum(kink.gradient[t != 0] * t[t != 0])
        np.testing.assert_allclose(y_dot, want, rtol=1e-9, atol=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize(
    "kink", [k for k in KINKS if k.second is not None], ids=lambda k: k.f.__name__
)
def test_second_derivatives_at_kinks(kink: Kink, mode: str):
    gradient = srcad.grad(kink.f)
    for i, t in enumerate(np.eye(len(kink.x))):
        if mode == "forward":
            _, along = srcad.jvp(gradient, (kink.x,), (t,))
        else:
            _, pullback = srcad.vjp(gradient, kink.x)
            (along,) = pullback(t)
        np.testing.assert_allclose(along[i], kink.second[i], rtol=1e-9, atol=1e-12)


def test_the_page_shows_the_table(request):
    page = PAGE.read_text()
    head, mark, rest = page.partition("<!-- kinks -->\n")
    shown, end, tail = rest.partition("<!-- end -->")
    assert mark
    assert end
    want = f"\n{table()}\n"
    if request.config.getoption("--update-docs"):
        PAGE.write_text(head + mark + want + end + tail)
        return
    assert shown == want, "pytest tests/rules/test_kinks.py --update-docs writes the table"


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_derivatives_of_sinc_at_zero_are_those_of_its_series(order):
    def sinc(x):
        return np.sinc(x)

    want = {2: -(math.pi**2) / 3, 4: math.pi**4 / 5}.get(order, 0)
    np.testing.assert_allclose(srcad.derivative(sinc, order=order)(0.0), want, atol=1e-12)
    # Both sides of the step from the series to the quotient.
    below, above = (srcad.derivative(sinc, order=order)(0.1 + h) for h in (-1e-9, 1e-9))
    np.testing.assert_allclose(below, above, rtol=1e-4 if order < 4 else 1e-1)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("transform", [srcad.grad, srcad.jacfwd, srcad.jacrev])
@pytest.mark.parametrize("kind", [float, np.float64, np.array, lambda v: np.full(2, v)])
@pytest.mark.parametrize("extreme", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_ties_share_evenly_below_a_root(extreme, kind, transform, backend):
    """Where a cotangent may be infinite, the derivative is a choice and no product."""

    def f(a, b):
        return np.sum(np.sqrt(extreme(a, b)))

    for found in transform(f, (0, 1), backend=backend)(kind(0.25), kind(0.25)):
        np.testing.assert_allclose(found, np.full_like(found, 0.5))

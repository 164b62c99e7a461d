from __future__ import annotations

import operator

import numpy as np
import pytest

import srcad
from srcad import runtime
from srcad.ir import Op, show, verify
from srcad.ir.evaluate import evaluate
from srcad.ir.walk import statements
from srcad.optimize.simplify.reciprocal_division import divide_by_reciprocals
from srcad.pipeline.passes import bufferize, simplify
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request

X = np.array([0.3, -0.7, 1.1, 0.2])


def program(fn, *args, kind="value_and_grad", argnums=(0,)):
    stages = {}
    request = Request(kind, fn, argnums, single=len(argnums) == 1)
    compile_request(request, list(args), frozenset(), stages.__setitem__)
    return simplify(stages["derive"])


def ops(fn, *which):
    made = [s for s in statements(fn.body) if isinstance(s, Op)]
    return sum(op.fn in which for op in made)


def scaled(x, c):
    return np.sum(np.sin(x / c) * x / c)


def in_loops(x, c):
    s = 0.0
    for i in range(x.shape[0]):
        h = x[i] * x[i] + c
        for j in range(x.shape[0]):
            s = s + np.sin(x[j]) / h
    return s


def by_a_constant(x, c):
    return np.sum(np.sin(x / 3.0))


def by_an_array(x, c):
    return np.sum(np.sin(x) / (x * x + c))


def by_a_number_of_its_own(x, c):
    s = 0.0
    for i in range(x.shape[0]):
        s = s + np.sin(x[i]) / (x[i] + c)
    return s


def chosen(x, c):
    y = x / c
    return np.sum(np.where(y > 0.5, y * y, x))


@pytest.mark.parametrize("fn", [scaled, in_loops, by_a_constant, chosen])
def test_cotangents_are_multiplied_and_the_value_divided(fn):
    before = program(fn, X, 0.5)
    after = verify(divide_by_reciprocals(before, exact=(0,)))
    assert ops(after, operator.truediv) < ops(before, operator.truediv)
    value, bar = evaluate(bufferize(before), X, 0.5)
    same, other = evaluate(bufferize(after), X, 0.5)
    assert same == value
    np.testing.assert_allclose(other, bar, rtol=1e-14)


def test_by_text():
    after = divide_by_reciprocals(program(lambda x, c: np.sum(np.sin(x / c)), X, 0.5), exact=(0,))
    assert show(after) == (
        "def f_value_and_grad(x: f64[s0_0], c: float):\n"
        "    t: float = inverse(c)\n"
        "    t_2: f64[s0_0] = truediv(x, c)\n"
        "    t_3: f64[s0_0] = sin(t_2)\n"
        "    value: f64 = sum(t_3)\n"
        "    t_4: f64[s0_0] = cos(t_2)\n"
        "    x_bar: f64[s0_0] = mul(t_4, t)\n"
        "    return value, x_bar\n"
    )


@pytest.mark.parametrize("fn", [by_an_array, by_a_number_of_its_own])
def test_a_divisor_for_each_number_stays(fn):
    before = program(fn, X, 2.5)
    assert divide_by_reciprocals(before, exact=(0,)) is before


def test_in_the_gradient_alone_all_may_be_rounded_otherwise_that_decides_nothing():
    after = divide_by_reciprocals(program(chosen, X, 0.5, kind="grad"), exact=())
    assert ops(after, runtime.inverse) == 1
    assert ops(after, operator.truediv) == 1  # what is compared


def bound_on_one_path(x, c):
    if c > 1.0:
        return np.sum(x)
    width = np.sum(x) * c
    return np.sum(np.sin(x / width))


def saved_on_one_path(x, c):
    for _ in range(3):
        if c > 1.0:
            return np.sum(x) * c
        x = np.sin(x) / (1.5 + np.sin(c))
        c = c + 0.4
    return np.sum(x) * c


@pytest.mark.parametrize("fn", [bound_on_one_path, saved_on_one_path])
@pytest.mark.parametrize("c", [0.5, 2.0])
def test_what_a_path_leaves_unbound_has_no_inverse_there(fn, c):
    before = program(fn, X, c, argnums=(0, 1))
    after = divide_by_reciprocals(before, exact=(0,))
    value, *bars = evaluate(bufferize(before), X, c)
    same, *others = evaluate(bufferize(after), X, c)
    assert same == value
    for other, bar in zip(others, bars, strict=True):
        np.testing.assert_allclose(other, bar, rtol=1e-14)


@pytest.mark.parametrize("c", [0.0, -0.0, np.inf, -np.inf, np.nan, 1e308, 1e-307, 3.0])
def test_zeros_and_infinities_divide_as_ever(c):
    x = np.array([0.0, -0.0, 1.0, -2.0, np.inf, np.nan])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(x * runtime.inverse(c), x / np.float64(c), rtol=1e-15)


@pytest.mark.parametrize("c", [5e-324, -1e-310, np.float32(1e-42)])
def test_a_divisor_of_which_the_inverse_is_infinite_is_refused(c):
    with pytest.raises(OverflowError, match="no inverse"):
        runtime.inverse(c)


def normalised(x, c):
    return np.sum(x * (x * x / c))


@pytest.mark.parametrize("c", [0.37, 1e-310, 0.0])
def test_on_the_machine(c):
    pytest.importorskip("numba")
    x = X * c if c else X
    ours = srcad.value_and_grad(normalised, backend="native")
    theirs = srcad.value_and_grad(normalised, backend="numpy")
    assert "check_inverse" in ours.source(x, c)
    with np.errstate(all="ignore"):
        (value, bar), (want, want_bar) = ours(x, c), theirs(x, c)
    np.testing.assert_allclose(value, want, rtol=1e-14)
    np.testing.assert_allclose(bar, want_bar, rtol=1e-14)

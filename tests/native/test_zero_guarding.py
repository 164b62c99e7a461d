from __future__ import annotations

import operator
from itertools import pairwise

import numpy as np
import pytest
from native.backends import both, compare
from optional import needs_numba

import srcad
from srcad.ir import (
    ArrayType,
    Block,
    For,
    Function,
    If,
    NumberType,
    Op,
    Value,
    show,
)
from srcad.ir.inplace import index_iadd, index_set
from srcad.ir.nodes import CotangentName
from srcad.ir.types import Dim
from srcad.native.helpers import divide
from srcad.native.loops.zero_guarding import guard_zeros
from srcad.pipeline.request import Request

X = np.array([[0.3, -0.7, 1.1], [0.2, -0.4, 0.5]])
W = np.array([[1.0, 2.0, 0.5], [0.1, 0.2, 0.3], [-1.0, 0.4, 0.7]])


def nearest(x, w):
    """One of the differences has a cotangent, the others zeros."""
    squares = np.sum((x[:, None, :] - w) ** 2, axis=2)
    return np.sum(np.min(squares, axis=1))


def gated(x, w):
    y = 0.0
    for i in range(x.shape[0]):
        s = (x[0] @ w[0]) * i + x[i, 0]
        y += np.where(s > 0.0, 0.0, s * s)
    return y


def summed_too(x, w):
    """The loop of the reverse sweep carries a sum."""
    scale = w[0, 0]
    y = 0.0
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[1]):
            s += scale * np.sin(x[i, j])
        y += s if s > 0.0 else 0.0
    return y


FOUND = (gated, summed_too)


def infinite(x, w):
    """What a choice left out is multiplied by something infinite."""
    y = 0.0
    for i in range(x.shape[0]):
        s = np.sum(np.sqrt(np.abs(x[i])))
        y += np.where(s > 1.0, s, 0.0)
    return y + 0.0 * w[0, 0]


def stored(x, w):
    """A store is no sum."""
    y = np.zeros(x.shape)
    for i in range(x.shape[0]):
        g = w[i, 0] if w[i, 0] > 0.5 else 0.0
        for j in range(x.shape[1]):
            y[i, j] = g * x[i, j]
            y[i, j] = y[i, j] ** 2
    return np.sum(y)


F64, INT, BOOL = ArrayType(np.dtype(float), (), True), NumberType(int), NumberType(bool)


def loop(combine, store, name=CotangentName("y_bar")):
    """`for i in range(n): store(y, i, combine(a choice, y[i]))`."""
    y, c, n = (
        Value(name, ArrayType(np.dtype(float), (Dim("n"),))),
        Value("c", BOOL),
        Value("n", INT),
    )
    t, u, v, i = Value("t", F64), Value("u", F64), Value("v", F64), Value("i", INT)
    choice = If(c, Block([], [], [2.0]), Block([], [], [0.0]), (t,))
    body = [
        Op(operator.getitem, (y, (i,)), {}, (u,)),
        Op(combine, (t, u), {}, (v,)),
        Op(store, (y, (i,), v), {}, (), effect=True),
    ]
    stmt = For(0, n, 1, False, [], [], Block([i], body, []), (), ())
    return Function("f", Block([y, c, n], [choice, stmt], [y]), native=True)


def test_the_loop_stands_under_the_condition():
    before = show(loop(operator.mul, index_iadd))
    after = show(guard_zeros(loop(operator.mul, index_iadd)))
    start = after.index("if c:", after.index("0.0"))
    assert "for " not in after[:start]
    assert "for i: int in range(0, n, 1)" in after[start:]
    assert "for i: int in range(0, n, 1)" in before


@pytest.mark.parametrize(
    ("combine", "store"),
    [(divide, index_iadd), (operator.add, index_iadd), (operator.mul, index_set)],
)
def test_what_may_raise_or_changes_something_runs(combine, store):
    fn = loop(combine, store)
    assert show(guard_zeros(fn)) == show(fn)


def is_guarded(text):
    """Whether a loop stands alone under a condition."""
    lines = [line.strip() for line in text.splitlines() if not line.strip().startswith("#")]
    return any(a.startswith("if ") and b.startswith("for ") for a, b in pairwise(lines))


def made(f):
    return both(Request("value_and_grad", f, (0, 1), single=False), (X, W), 2)


def test_a_cotangent_without_a_name_is_added_to_in_any_case():
    assert compare(made(nearest), (X, W)) == "equal"


def sum_of_chosen(x, a, c):
    y = 1.0
    t = x if c > 0 else 0.0
    for k in range(len(a)):
        y = y + t * a[k]
    return y


@needs_numba
def test_zero_times_infinity_is_no_number_in_the_function_itself():
    a = np.array([1.0, np.inf])
    with np.errstate(all="ignore"):
        for make in (srcad.compile, srcad.value_and_grad):
            got = make(sum_of_chosen, backend="native")(2.0, a, -1.0)
            assert np.isnan(got if make is srcad.compile else got[0])


@pytest.mark.parametrize("f", FOUND, ids=lambda f: f.__name__)
def test_the_loop_runs_where_it_adds_something(f):
    pair = made(f)
    assert is_guarded(pair.text), pair.text
    for x in (X, -X, 0.0 * X):
        assert compare(pair, (x, W)) == "equal"


def test_what_was_left_out_is_zero_whatever_it_would_be_multiplied_by():
    pair = made(infinite)
    x = np.array([[0.0, 0.2, 0.1], [0.5, 0.5, 0.5]])
    with np.errstate(all="ignore"):
        (_, (x_bar, _)) = pair.native(x, W)
    assert np.isfinite(x_bar[1]).all()
    np.testing.assert_array_equal(x_bar[0], 0.0)


def test_a_loop_that_stores_runs():
    pair = made(stored)
    assert not is_guarded(pair.text), pair.text
    assert compare(pair, (X, W)) == "equal"


def sums_called_bar(a, c):
    """The user's means are called as the transform calls cotangents."""
    total, y_bar = 0.0, np.zeros(a.shape[0])
    for i in range(c.shape[0]):
        t = c[i] if c[i] > 0.0 else 0.0
        x_bar = 0.0
        for k in range(a.shape[0]):
            x_bar += t * a[k]
            y_bar[k] += t * a[k]
        total += x_bar
    return total, y_bar


@needs_numba
def test_a_name_is_no_proof():
    a, c = np.array([1.0, np.inf, 2.0]), np.array([-1.0])
    compiled = srcad.compile(sums_called_bar, backend="native")
    with np.errstate(invalid="ignore"):
        made, wanted = compiled(a, c), sums_called_bar(a, c)
    assert compiled.explain(a, c).compiled
    np.testing.assert_array_equal(made[0], wanted[0])
    np.testing.assert_array_equal(made[1], wanted[1])


def test_what_has_only_the_name_of_a_cotangent_is_added_up():
    fn = loop(operator.mul, index_iadd, name="y_bar")
    assert show(guard_zeros(fn)) == show(fn)

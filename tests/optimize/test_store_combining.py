"""Stores and sums at one index become one."""

import numpy as np
from optimize.passes import run
from transform.programs import array, program

import srcad
from srcad import runtime
from srcad.ir import Op, show, verify
from srcad.ir.walk import statements
from srcad.optimize.simplify.store_combining import combine_stores

VECTOR = array(4)
X, Y = np.array([1.0, -2.0, 3.0, -0.5]), np.array([0.25, 0.5, -1.0])
I, J = slice(1, None), slice(None, -1)  # noqa: E741


def check(written, expected):
    """The writes of `written(put, add, x, y)` are `expected`: `=` or `+` and where."""

    def made(b, x, y):
        def put(a, i, v):
            return b.call(runtime.index_update, a, i, v)

        def add(a, i, v):
            return b.call(runtime.index_add, a, i, v)

        return written(put, add, x, y)

    fn = program(made, x=VECTOR, y=array(3))
    new = verify(combine_stores(fn), "stores")
    for a, b in zip(run(new, (X, Y)), run(fn, (X, Y)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14, err_msg=show(new))
    marks = {runtime.index_update: "=", runtime.index_add: "+"}
    found = [s for s in statements(new.body) if isinstance(s, Op) and s.fn in marks]
    assert [(marks[s.fn], s.args[1]) for s in found] == expected, show(new)
    assert combine_stores(new) is new


def test_a_zero_that_is_added_to_next():
    check(lambda put, add, x, y: add(put(x, I, 0), I, y), [("=", I)])


def test_what_is_added_elsewhere_comes_after():
    expected = [("=", I), ("+", J)]
    check(lambda put, add, x, y: add(add(put(x, I, 0), J, y), I, y * 2.0), expected)
    check(lambda put, add, x, y: add(add(put(x, I, y), J, y), I, y * 2.0), expected)
    expected = [("+", I), ("+", J)]
    check(lambda put, add, x, y: add(add(add(x, I, y), J, y * 3.0), I, y * 2.0), expected)


def test_an_order_that_matters_stays():
    expected = [("=", I), ("=", J), ("+", I)]
    check(lambda put, add, x, y: add(put(put(x, I, y), J, y), I, y), expected)


def test_what_others_read_stays():
    def read_between(put, add, x, y):
        a = put(x, I, 0)
        return add(a, I, y), a

    check(read_between, [("=", I), ("+", I)])


def test_repeated_indices_add_up():
    rows = np.array([0, 0, 1])
    fn = program(
        lambda b, x, y: b.call(
            runtime.index_add, b.call(runtime.index_update, x, rows, 0), rows, y
        ),
        x=VECTOR,
        y=array(3),
    )
    assert combine_stores(fn) is fn


def test_a_store_over_what_was_added_to():
    def written(put, add, x, y):
        a = add(x, I, y)
        return put(a, I, a[I] * 2.0)

    check(written, [("=", I)])

    def read_elsewhere(put, add, x, y):
        a = add(x, I, y)
        return put(a, I, a[J] * 2.0)

    check(read_elsewhere, [("+", I), ("=", I)])


def test_a_store_into_a_constant_array():
    """Of one entry, stacked: its cotangent is written as a constant."""

    def f(x):
        y = np.stack([x])[0]
        y[...] = y * 2.0 + 1.0
        return np.sum(x * x) + 3.0 * np.sum(y)

    value, x_bar = srcad.value_and_grad(f, backend="numpy")(np.array([2.5]))
    assert value == 24.25
    np.testing.assert_array_equal(x_bar, [11.0])

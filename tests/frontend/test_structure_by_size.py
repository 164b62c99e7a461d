"""A structure that is known once the sizes of the arguments are: programs for these sizes."""

import warnings

import numpy as np
import pytest

import srcad
from srcad.pipeline.calls.recompiling import MANY
from srcad.testing import check_grads

X = np.array([0.3, 0.9, 0.2])


def spread(x):
    def norm(a, b, *rest):
        return a * b + sum(rest)

    return norm(*x)


def text_by_length(x):
    kind = "cubes" if x.shape[0] > 2 else "squares"
    return np.sum(x ** {"cubes": 3, "squares": 2}[kind])


def none_by_length(x):
    def quaternion(q):
        if len(q) != 4:
            return None
        return q[0] * q[3] - q[1] * q[2]

    found = quaternion(x)
    return np.sum(x) if found is None else found


def tuple_by_turns(x):
    out = ()
    for i in range(x.shape[0]):
        out = (*out, x[i] ** 2)
    return out[0] * out[-1]


def list_or_number(x):
    scale = [2.0] * 2 if len(x) == 2 else 3.0
    return np.sum(x * scale)


def lists_by_parity(x):
    sums = {"odd": [], "even": []}
    for i, value in enumerate(x):
        sums["odd" if i % 2 else "even"].append(value * value)
    return sum(sums["odd"]) * np.prod(sums["even"])


def weights_by_indices(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            total += {"same": 1.0, "other": 2.0}["same" if i == j else "other"] * x[i] * x[j]
    return total


PROGRAMS = [
    spread, text_by_length, none_by_length, tuple_by_turns, list_or_number, lists_by_parity,
    weights_by_indices,
]  # fmt: skip


# What is None, a text or a number by data is no structure.
BY_DATA = [text_by_length, none_by_length, list_or_number, weights_by_indices]


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_each_size_has_its_program(fn, size):
    x = np.linspace(0.3, 1.1, size)
    gradient = srcad.value_and_grad(fn)
    for _ in range(2):
        assert gradient(x)[0] == fn(x)
    check_grads(fn, (x,))


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_one_gradient_serves_all_sizes(fn):
    gradient = srcad.value_and_grad(fn)
    for size in (4, 2, 3, 4, 2):
        x = np.linspace(0.3, 1.1, size)
        value, found = gradient(x)
        assert value == fn(x)
        np.testing.assert_array_equal(found, srcad.grad(fn)(x))
    assert gradient.cache_info().size == (1 if fn in BY_DATA else 3)


def test_long_arrays_are_refused_as_before():
    with pytest.raises(srcad.SrcadError, match=r"E122.*`out`"):
        srcad.grad(tuple_by_turns)(np.ones(200))


def kind_by_count(x, n):
    out = (x, x, x)[: 2 + (n > 5)]
    return np.sum(sum(out)) * n


def test_many_programs_for_one_int_are_told_once():
    gradient = srcad.grad(kind_by_count)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(MANY):
            np.testing.assert_array_equal(gradient(X, n), (2.0 + (n > 5)) * n * np.ones(3))
    with pytest.warns(
        RuntimeWarning, match=r"`kind_by_count` has a program for each of 9 .*`n`"
    ) as told:
        gradient(X, MANY)
    assert [each.filename for each in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient(X, MANY + 1)


def test_a_result_that_an_option_chooses():
    def smoothed(x, n=3):
        if n < 3:
            return x
        return np.sum(np.convolve(x, np.ones(n), mode="valid") ** 2)

    x = np.arange(1.0, 8.0)
    gradient = srcad.grad(smoothed)
    for n in (3, 4):
        t = np.cos(x)
        slope = (smoothed(x + 1e-6 * t, n) - smoothed(x - 1e-6 * t, n)) / 2e-6
        np.testing.assert_allclose(gradient(x, n) @ t, slope, rtol=1e-6)
    np.testing.assert_array_equal(gradient(x), gradient(x, 3))
    with pytest.raises(srcad.SrcadError, match="E302"):
        gradient(x, 2)
    hessian = srcad.hessian(smoothed)(x, 4)
    ahead, behind = (gradient(x + step * t, 4) for step in (1e-6, -1e-6))
    np.testing.assert_allclose(hessian @ t, (ahead - behind) / 2e-6, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(srcad.jacobian(smoothed)(x, 2), np.eye(7))


def test_what_an_option_makes_of_a_value_is_known_where_the_option_is():
    def ends(x, n):
        y = x[0] if n < 2 else (x[0], x[1])
        return y[0] * y[1] if n >= 2 else y

    assert srcad.value_and_grad(ends)(np.array([2.0, 3.0]), 2)[0] == 6.0
    assert srcad.value_and_grad(ends)(np.array([2.0, 3.0]), 1)[0] == 2.0


def test_which_arguments_vary_may_be_said_by_ints():
    special = pytest.importorskip("scipy.special")
    varied = (1,)

    def incomplete(x, order, k):
        items = [x if i in varied else order for i in range(2)]
        items[0], items[k] = order, x
        return special.gammainc(*items)

    slope = (special.gammainc(2.0, 1.3 + 1e-6) - special.gammainc(2.0, 1.3 - 1e-6)) / 2e-6
    gradient = srcad.grad(incomplete)
    np.testing.assert_allclose(gradient(1.3, 2, 1), slope, rtol=1e-8)
    np.testing.assert_allclose(gradient(1.3, 2.0, 1), slope, rtol=1e-8)
    with pytest.raises(srcad.SrcadError, match="E202"):
        gradient(1.3, 2, 0)

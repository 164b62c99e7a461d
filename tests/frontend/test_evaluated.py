"""`eval` of a text that is known while compiling is the expression that it says."""

import math

import numpy as np
import pytest

import srcad

RATE = 3.0
X = np.array([1.0, 2.0, 4.0, 0.5, 3.0, 2.5, 1.5, 0.2])


def smooth(x, window_len=3, window="hanning"):
    if window not in ["flat", "hanning", "hamming", "bartlett", "blackman"]:
        raise ValueError("no such window")
    s = np.r_[x[window_len - 1 : 0 : -1], x, x[-2 : -window_len - 1 : -1]]
    w = np.ones(window_len, "d") if window == "flat" else eval("np." + window + "(window_len)")
    return np.convolve(w / w.sum(), s, mode="valid")


def smoothed(x):
    return np.sum(smooth(x) ** 2) + np.sum(smooth(x, 5, "hamming") ** 3)


def with_a_global(x):
    return np.sum(eval(" x ** 2 + RATE"))


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        part = x[k] * k
        total = total + eval("math.sin(part)")
    return total


@pytest.mark.parametrize("f", [smoothed, with_a_global, in_a_loop])
def test_it_is_the_expression(f):
    assert math.isfinite(f(X))
    value, gradient = srcad.value_and_grad(f)(X)
    np.testing.assert_allclose(value, f(X), rtol=1e-14)
    for i in range(len(X)):
        step = 1e-6 * (np.arange(len(X)) == i)
        slope = (f(X + step) - f(X - step)) / 2e-6
        np.testing.assert_allclose(gradient[i], slope, rtol=1e-6, atol=1e-8)


def test_a_global_is_looked_at(monkeypatch):
    gradient = srcad.value_and_grad(with_a_global)
    gradient(X)
    monkeypatch.setitem(globals(), "RATE", 5.0)
    np.testing.assert_allclose(gradient(X)[0], with_a_global(X))


def users(x):
    return 2.0 * np.sum(x)


def calls_a_users_function(x):
    return eval("users(x)")


def reads_a_list(x):
    found = []
    for v in x:
        found.append(v)
    return eval("found[0]")


def in_a_function_inside(x):
    def g(y):
        return eval("np.sum(y)")

    return g(x)


def with_its_own_names(x):
    return np.sum(x) * eval("RATE", {"RATE": 2.0})


def of_a_comprehension(x):
    return eval("[v for v in x]")[0]


def no_expression(x):
    return eval("np.sum(x")


def prints(x):
    eval("print(x)")
    return np.sum(x)


@pytest.mark.parametrize(
    "f",
    [
        calls_a_users_function, reads_a_list, in_a_function_inside, with_its_own_names,
        of_a_comprehension, no_expression, prints,
    ],
)  # fmt: skip
def test_what_a_text_would_hide_is_refused(f):
    with pytest.raises(srcad.MissingRule, match="E204"):
        srcad.grad(f)(X)

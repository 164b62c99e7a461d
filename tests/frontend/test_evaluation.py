"""Indices of containers that are computed from constants."""

import numpy as np
import pytest

import srcad

LAYERS = [np.sin, np.cos, np.tanh]


def by_arange(x):
    s = 0.0
    for i in np.arange(3):
        s = s + LAYERS[i](x[i])
    return s


def by_length(x):
    weights = [1.0, 2.0, 3.0]
    s = 0.0
    for i in np.arange(len(x)):
        if x[i] > 0.15:
            s = s + weights[i] * x[i]
    return s


def by_generator(x):
    weights = (1.0, 2.0, 3.0)
    return sum(weights[i] * x[i] for i in np.arange(len(x)))


def by_write(x):
    order = np.zeros(3, dtype=int)
    order[0] = 2
    parts = [x * 2, x * 3, x * 4]
    return np.sum(parts[order[0]] - parts[order[1]])


@pytest.mark.parametrize("f", [by_arange, by_length, by_generator, by_write])
def test_index(f):
    x = np.array([0.1, 0.2, 0.3])
    assert srcad.compile(f)(x) == f(x)
    value, gradient = srcad.value_and_grad(f)(x)
    assert value == f(x)
    t, e = np.array([0.3, -0.7, 0.2]), 1e-6
    assert gradient @ t == pytest.approx((f(x + e * t) - f(x - e * t)) / (2 * e), rel=1e-6)


def test_what_cannot_be_computed_is_refused():
    def f(x):
        parts = [x, 2 * x]
        return parts[np.arange(2)[5]]

    with pytest.raises(srcad.SrcadError, match=r"E123|E405|E135"):
        srcad.compile(f)(1.0)


def test_index_that_depends_on_an_input_where_items_make_no_array():
    def f(x):
        parts = [x[:1], x]
        return np.sum(parts[np.argmax(x)] ** 2)

    for x in ([1.0, 2.0], [3.0, 2.0]):
        value, slopes = srcad.value_and_grad(f)(np.array(x))
        assert value == f(np.array(x))
        np.testing.assert_array_equal(slopes, [2 * x[0], 4.0 if x[1] > x[0] else 0.0])

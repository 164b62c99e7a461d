"""Tangents and cotangents that a program passes inside: converted as they are outside."""

import numpy as np
import pytest

import srcad


def product_of_array(x):
    _, pullback = srcad.vjp(lambda x: np.array(x), x)
    return pullback(1.0)[0] * x


def product_of_scalar(x):
    _, pullback = srcad.vjp(lambda x: x * np.float64(1.0), x)
    return pullback(1.0)[0]


def product_of_container(x):
    _, pullback = srcad.vjp(lambda x: {"a": np.array(x), "b": (x, np.float64(x))}, x)
    return pullback({"a": 1.0, "b": (np.float64(2.0), 3)})[0] * x


def product_of_number(x):
    y, pullback = srcad.vjp(lambda x: float(x) * 2.0, x)
    return pullback(np.float64(1.0))[0] * y


def tangent_of_array(x):
    y, y_dot = srcad.jvp(lambda x: np.array(x) * x, (x,), (np.array(1.0),))
    return y * y_dot


@pytest.mark.parametrize(
    "f",
    [
        product_of_array,
        product_of_scalar,
        product_of_container,
        product_of_number,
        tangent_of_array,
    ],
)
@pytest.mark.parametrize("x", [1.5, np.float64(1.5)], ids=["float", "float64"])
def test_value_is_that_of_python(f, x):
    made = srcad.compile(f)(x)
    assert (type(made), made) == (type(f(x)), f(x))
    value, slope = srcad.value_and_grad(f)(x)
    assert (type(value), value) == (type(f(x)), f(x))
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, abs=1e-6)


def test_cotangent_of_another_shape():
    def f(x, y_bar):
        _, pullback = srcad.vjp(lambda x: x * 2.0, x)
        return pullback(y_bar)[0]

    compiled = srcad.compile(f)
    np.testing.assert_array_equal(compiled(np.ones(3), np.ones(3)), np.full(3, 2.0))
    for n in (1, 2):
        with pytest.raises(ValueError, match=r"shape|cannot be broadcast"):
            compiled(np.ones(3), np.ones(n))

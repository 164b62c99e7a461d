"""`srcad.vmap` of functions with a rule of the user's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import rules

SAMPLES = np.arange(12.0).reshape(3, 4) / 8


def squares_of_a_vector(x: Any) -> Any:
    """As a function of C does that is told `len(x)`."""
    out = np.empty_like(x)
    flat, into = x.reshape(-1), out.reshape(-1)
    for k in range(len(x)):
        into[k] = flat[k] ** 2
    return out


def of_a_number(x: Any) -> Any:
    return math.sin(x)


def by_length(x: Any) -> Any:
    return x / len(x)


def softplus(x: Any) -> Any:
    return np.log1p(np.exp(x))


def scaled(x: Any, a: Any) -> Any:
    return x * a


@pytest.mark.parametrize("options", [{}, {"type_of": lambda x: x}])
@pytest.mark.parametrize("fn", [squares_of_a_vector, by_length, softplus])
def test_an_elementwise_function_gives_what_it_gives_of_each(fn: Any, options: Any) -> None:
    rules.elementwise(fn, lambda y, x: 1.0 + 0.0 * x, **options)
    expected = np.stack([fn(x) for x in SAMPLES])
    np.testing.assert_array_equal(srcad.vmap(lambda x: fn(x))(SAMPLES), expected)


@pytest.mark.parametrize("options", [{}, {"type_of": lambda x: x}])
def test_one_that_takes_numbers(options: Any) -> None:
    rules.elementwise(of_a_number, lambda y, x: np.cos(x), **options)
    x = SAMPLES[0]
    np.testing.assert_allclose(srcad.vmap(lambda x: of_a_number(x))(x), np.sin(x))
    np.testing.assert_allclose(srcad.vmap(srcad.grad(lambda x: of_a_number(x)))(x), np.cos(x))


def test_one_that_takes_arrays_is_called_once() -> None:
    rules.elementwise(softplus, lambda y, x: 1 - np.exp(-y))
    text = srcad.vmap(lambda x: softplus(x) * 2.0, backend="numpy").source(SAMPLES)
    assert "range(" not in text


def test_of_two_arguments() -> None:
    rules.elementwise(scaled, lambda y, x, a: a, lambda y, x, a: x)
    by = srcad.vmap(lambda x, a: scaled(x, a), in_axes=(0, 0))
    np.testing.assert_array_equal(by(SAMPLES, SAMPLES[:, 0]), SAMPLES * SAMPLES[:, :1])
    same = srcad.vmap(lambda x, a: scaled(x, a), in_axes=(0, None))
    np.testing.assert_array_equal(same(SAMPLES, SAMPLES[1]), SAMPLES * SAMPLES[1])
    assert "range(" not in same.source(SAMPLES, SAMPLES[1])

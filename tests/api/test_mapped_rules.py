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
    """What a function of C computes that takes a pointer and `len(x)`."""
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


# ---- a function for all samples

shapes: list[Any] = []


def solve_all(a: Any, b: Any) -> Any:
    shapes.append((a.shape, b.shape))
    return np.linalg.solve(a, b[:, :, None])[:, :, 0]


@rules.rule(
    jvp=lambda ts, y, a, b: rules.call(solve_one, a, ts[1] - ts[0] @ y),
    a=lambda g, y, a, b: -np.outer(rules.call(solve_one, a.T, g), y),
    b=lambda g, y, a, b: rules.call(solve_one, a.T, g),
    type_of=lambda a, b: b,
    batched=solve_all,
)
def solve_one(a: Any, b: Any) -> Any:
    shapes.append("one")
    return np.linalg.solve(a, b)


MATRIX = np.array([[3.0, 1.0], [0.5, 2.0]])
SIDES = np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize("in_axes", [(None, 0), (0, 0), (0, None)])
@pytest.mark.parametrize("takes_gradient", [False, True])
def test_it_is_called_for_all_samples(in_axes: Any, takes_gradient: bool) -> None:
    def f(a: Any, b: Any) -> Any:
        return solve_one(a, b)

    def total(a: Any, b: Any) -> Any:
        return np.sum(solve_one(a, b) ** 2)

    mapped = srcad.grad(total, argnums=(0, 1)) if takes_gradient else f
    a = MATRIX if in_axes[0] is None else MATRIX + np.arange(3.0)[:, None, None]
    b = SIDES[1] if in_axes[1] is None else SIDES
    parts = [
        (a if in_axes[0] is None else a[k], b if in_axes[1] is None else b[k]) for k in (0, 1, 2)
    ]
    expected = [mapped(*part) for part in parts]
    shapes.clear()
    found = srcad.vmap(mapped, in_axes=in_axes)(a, b)
    assert set(shapes) == {((3, 2, 2), (3, 2))}
    if not takes_gradient:
        np.testing.assert_allclose(found, np.stack(expected))
    for k in range(3 if takes_gradient else 0):
        np.testing.assert_allclose(found[0][k], expected[k][0])
        np.testing.assert_allclose(found[1][k], expected[k][1])


def test_a_derivative_of_it_asks_for_a_rule() -> None:
    def f(b: Any) -> Any:
        return np.sum(srcad.vmap(lambda b: solve_one(MATRIX, b))(b) ** 2)

    expected = np.stack([srcad.grad(lambda b: np.sum(solve_one(MATRIX, b) ** 2))(b) for b in SIDES])
    shapes.clear()
    np.testing.assert_allclose(srcad.grad(f)(SIDES), expected)
    assert set(shapes) == {"one"}
    rules.rule(
        solve_all,
        a=lambda g, y, a, b: 0.0 * a,
        b=lambda g, y, a, b: rules.call(solve_all, np.swapaxes(a, 1, 2), g),
        type_of=lambda a, b: b,
    )
    shapes.clear()
    np.testing.assert_allclose(srcad.grad(f)(SIDES), expected)
    assert "one" not in shapes


def moments_of_all(x: Any, k: int = 1) -> Any:
    return x**k, np.sum(x, axis=1)


@rules.rule(
    vjp=lambda g, y, x, k=1: g[0] + g[1], type_of=lambda x, k=1: (x, float), batched=moments_of_all
)
def moments(x: Any, k: int = 1) -> Any:
    return x**k, float(np.sum(x))


def test_several_results_and_an_option() -> None:
    powers, sums = srcad.vmap(lambda x: moments(x, k=2))(SAMPLES)
    np.testing.assert_array_equal(powers, SAMPLES**2)
    np.testing.assert_array_equal(sums, SAMPLES.sum(axis=1))


@rules.rule(vjp=lambda g, y, x: g, type_of=lambda x: x, batched=lambda x: x.sum(axis=0))
def of_another_rank(x: Any) -> Any:
    return x


@rules.rule(vjp=lambda g, y, x: g, type_of=lambda x: x, batched=lambda x: x[1:])
def of_fewer_samples(x: Any) -> Any:
    return x


def test_a_result_that_does_not_fit_is_refused() -> None:
    with pytest.raises(TypeError, match="gave 1 axes of float64, not 2 axes of float64"):
        srcad.vmap(lambda x: of_another_rank(x))(SAMPLES)
    with pytest.raises(ValueError, match="gave 2, not 3"):
        srcad.vmap(lambda x: of_fewer_samples(x))(SAMPLES)


@rules.elementwise(lambda y, x: 2.0 * x, batched=lambda x: x * x)
def squared(x: Any) -> Any:
    return float(x) * float(x)


def test_elementwise_with_a_function_for_all_samples() -> None:
    x = np.array([1.0, 2.0])
    np.testing.assert_array_equal(srcad.vmap(lambda x: squared(x), backend="numpy")(x), x * x)


# ---- decorators


@rules.elementwise(lambda y, x, w: w, lambda y, x, w: x)
def product(x: Any, w: Any) -> Any:
    return x * w


@rules.elementwise(lambda y, x: 3.0, type_of=lambda x: x)
def thrice(x: Any) -> Any:
    return 3.0 * x


@rules.linear(x=lambda g, y, x: halved(g))
def halved(x: Any) -> Any:
    return x / 2.0


def test_decorators_give_the_function_back() -> None:
    assert product(2.0, 3.0) == 6.0
    assert srcad.grad(lambda x: product(x, 4.0))(3.0) == 4.0
    assert srcad.grad(lambda x: thrice(x))(3.0) == 3.0
    assert srcad.grad(lambda x: halved(x) ** 2)(3.0) == 1.5


def test_a_function_without_partials_is_refused() -> None:
    def area(x: Any, w: Any) -> Any:
        return x * w

    for fn in (area, np.arctan2):
        with pytest.raises(srcad.RuleError, match="E604"):
            rules.elementwise(fn)

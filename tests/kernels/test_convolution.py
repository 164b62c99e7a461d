"""Convolution against loops over every entry; its transposes by inner products and differences."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import kernels
from srcad.testing import check_grads
from tests.kernels import references

RNG = np.random.default_rng(0)

# Shapes of x and w, options.
CASES: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "plain": ((2, 3, 6, 5), (4, 3, 3, 2), {}),
    "one by one": ((2, 3, 4, 5), (2, 3, 1, 1), {}),
    "as large as the image": ((2, 1, 4, 3), (3, 1, 4, 3), {}),
    "one sample, one channel": ((1, 1, 7, 7), (1, 1, 3, 3), {}),
    "stride": ((2, 2, 7, 6), (3, 2, 3, 3), {"stride": 2}),
    "stride that leaves rows over": ((2, 2, 8, 7), (3, 2, 3, 2), {"stride": (3, 2)}),
    "stride beyond the window": ((1, 2, 9, 9), (2, 2, 2, 2), {"stride": 4}),
    "padding": ((2, 2, 4, 5), (3, 2, 3, 3), {"padding": 2}),
    "padding of rows and columns": ((2, 2, 4, 5), (3, 2, 3, 3), {"padding": (0, 3)}),
    "padding of each side": ((2, 2, 4, 5), (3, 2, 2, 3), {"padding": ((1, 0), (0, 2))}),
    "valid": ((2, 2, 4, 5), (3, 2, 3, 3), {"padding": "valid"}),
    "same": ((2, 2, 5, 6), (3, 2, 3, 4), {"padding": "same"}),
    "same with stride": ((2, 2, 5, 8), (3, 2, 3, 3), {"padding": "same", "stride": (2, 3)}),
    "dilation": ((2, 2, 7, 8), (3, 2, 3, 2), {"dilation": (2, 3)}),
    "all": (
        (2, 2, 7, 8),
        (3, 2, 2, 3),
        {"dilation": (3, 1), "stride": (2, 1), "padding": ((2, 1), 1)},
    ),
    "groups": ((2, 4, 5, 5), (6, 2, 3, 3), {"groups": 2}),
    "depthwise": ((2, 3, 5, 4), (6, 1, 3, 3), {"groups": 3, "padding": "same"}),
}


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request: pytest.FixtureRequest) -> Any:
    x, w, options = request.param
    return RNG.standard_normal(x), RNG.standard_normal(w), options


def test_it_is_the_sum_over_windows(case: Any) -> None:
    x, w, options = case
    expected = references.conv2d(x, w, **options)
    found = kernels.conv2d(x, w, **options)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_the_transposes_have_its_inner_products(case: Any) -> None:
    x, w, options = case
    y = kernels.conv2d(x, w, **options)
    g = RNG.standard_normal(y.shape)
    expected = np.sum(g * y)
    of_x = kernels.conv2d_input(g, w, x.shape, **options)
    of_w = kernels.conv2d_weights(x, g, w.shape, **options)
    assert of_x.shape == x.shape
    assert of_w.shape == w.shape
    np.testing.assert_allclose(np.sum(of_x * x), expected, rtol=1e-10)
    np.testing.assert_allclose(np.sum(of_w * w), expected, rtol=1e-10)


def test_derivatives(case: Any) -> None:
    x, w, options = case
    if x.size > 130:
        x = x[:1]
    check_grads(lambda x, w: np.sum(np.tanh(kernels.conv2d(x, w, **options))), (x, w), order=2)


def test_single_precision_stays(case: Any) -> None:
    x, w, options = (part.astype(np.float32) if i < 2 else part for i, part in enumerate(case))
    y = kernels.conv2d(x, w, **options)
    expected = references.conv2d(x.astype(float), w.astype(float), **options)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y, expected, rtol=2e-4, atol=2e-4)
    f = srcad.grad(lambda x, w: np.sum(kernels.conv2d(x, w, **options) ** 2), argnums=(0, 1))
    assert [part.dtype for part in f(x, w)] == [np.float32, np.float32]


def test_an_empty_batch() -> None:
    x, w = np.zeros((0, 2, 5, 5)), RNG.standard_normal((3, 2, 3, 3))
    assert kernels.conv2d(x, w).shape == (0, 3, 3, 3)
    value, (of_x, of_w) = srcad.value_and_grad(
        lambda x, w: np.sum(kernels.conv2d(x, w)), argnums=(0, 1)
    )(x, w)
    assert value == 0
    assert of_x.shape == x.shape
    np.testing.assert_array_equal(of_w, np.zeros_like(w))


def test_arguments_in_any_layout_stay_as_they_are() -> None:
    x = RNG.standard_normal((5, 6, 3, 2)).T
    w = RNG.standard_normal((8, 3, 3, 3))[::2]
    before = x.copy(), w.copy()
    expected = references.conv2d(x, w, padding=1)
    np.testing.assert_allclose(kernels.conv2d(x, w, padding=1), expected, rtol=1e-12)
    f = srcad.grad(lambda x, w: np.sum(kernels.conv2d(x, w, padding=1) ** 2), argnums=(0, 1))
    for found, again in zip(f(x, w), f(before[0], before[1]), strict=True):
        np.testing.assert_allclose(found, again, rtol=1e-12)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(w, before[1])


def test_a_batch_in_several_runs_is_the_same() -> None:
    x, w = RNG.standard_normal((70, 3, 20, 20)), RNG.standard_normal((5, 3, 5, 5))
    y = kernels.conv2d(x, w)
    for k in (0, 33, 69):
        np.testing.assert_allclose(y[k : k + 1], kernels.conv2d(x[k : k + 1], w), rtol=1e-10)
    g = RNG.standard_normal(y.shape)
    each = sum(kernels.conv2d_weights(x[k : k + 1], g[k : k + 1], w.shape) for k in range(len(x)))
    np.testing.assert_allclose(kernels.conv2d_weights(x, g, w.shape), each, rtol=1e-9, atol=1e-9)


def test_results_are_fresh() -> None:
    x, w = RNG.standard_normal((2, 1, 4, 4)), RNG.standard_normal((1, 1, 3, 3))
    first = kernels.conv2d(x, w)
    kept = first.copy()
    g = kernels.conv2d_input(first, w, x.shape)
    second = kernels.conv2d(2 * x, w)
    kernels.conv2d_weights(x, second, w.shape)
    np.testing.assert_array_equal(first, kept)
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(g, second)


def test_a_warm_step_allocates_its_results_and_little_else() -> None:
    x = RNG.standard_normal((16, 8, 32, 32)).astype(np.float32)
    w = RNG.standard_normal((8, 8, 3, 3)).astype(np.float32)
    step = srcad.value_and_grad(lambda w, x: np.sum(kernels.conv2d(x, w)))
    step(w, x)
    tracemalloc.start()
    try:
        step(w, x)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    result = 16 * 8 * 30 * 30 * x.itemsize  # the columns of a run would be nine times that
    assert peak < 2 * result + 200_000


@pytest.mark.parametrize(
    ("x", "w", "options", "message"),
    [
        ((2, 3, 5), (4, 3, 2, 2), {}, r"expected x \(N, C, H, W\).*got \(2, 3, 5\)"),
        ((2, 3, 5, 5), (4, 3, 2), {}, r"w \(F, C, P, Q\).*\(4, 3, 2\)"),
        ((2, 3, 5, 5), (4, 2, 2, 2), {}, "has 3 channels, w .* wants 2"),
        ((2, 4, 5, 5), (3, 2, 2, 2), {"groups": 2}, "3 filters"),
        ((2, 3, 5, 5), (4, 3, 6, 2), {}, r"window of \(6, 2\) does not fit.*\(5, 5\)"),
        ((2, 3, 5, 5), (4, 3, 2, 2), {"stride": 0}, "stride must be at least 1, .*got 0"),
        ((2, 3, 5, 5), (4, 3, 2, 2), {"dilation": (1, 0)}, r"dilation .* got \(1, 0\)"),
        ((2, 3, 5, 5), (4, 3, 2, 2), {"padding": -1}, "padding must not be negative.*got -1"),
        ((2, 3, 5, 5), (4, 3, 2, 2), {"stride": (1, 2, 3)}, r"stride .* got \(1, 2, 3\)"),
        ((2, 3, 5, 5), (4, 3, 2, 2), {"stride": 1.5}, "stride .* got 1.5"),
        ((2, 3, 5, 5), (4, 3, 2, 2), {"padding": (1, 2, 3)}, r"padding .* got \(1, 2, 3\)"),
        ((2, 3, 5, 5), (4, 3, 2, 2), {"padding": ((1, 2, 3), 1)}, "padding .* got"),
        ((2, 3, 5, 5), (4, 3, 2, 2), {"padding": 0.5}, "padding .* got 0.5"),
        ((2, 3, 5, 5), (4, 3, 2, 2), {"padding": "full"}, "'same', 'valid'.*got 'full'"),
    ],
)
def test_mistakes_are_named(x: Any, w: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kernels.conv2d(np.zeros(x), np.zeros(w), **options)


def test_cotangents_of_another_shape_are_refused() -> None:
    x, w = np.zeros((2, 3, 5, 5)), np.zeros((4, 3, 2, 2))
    with pytest.raises(ValueError, match=r"expected g of shape \(2, 4, 4, 4\), got \(2, 4, 4, 3\)"):
        kernels.conv2d_input(np.zeros((2, 4, 4, 3)), w, x.shape)
    with pytest.raises(ValueError, match="expected g"):
        kernels.conv2d_weights(x, np.zeros((1, 4, 4, 4)), w.shape)

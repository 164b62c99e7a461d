"""Pooling against loops over every window; its transposes by inner products and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad
from srcad import kernels
from srcad.testing import check_grads
from tests.kernels import references

RNG = np.random.default_rng(0)
CASES: dict[str, tuple[tuple[int, ...], Any, Any]] = {
    "plain": ((2, 3, 4, 6), 2, None),
    "what is left over": ((2, 2, 5, 7), 2, None),
    "rows and columns": ((2, 2, 6, 6), (3, 2), None),
    "overlapping": ((2, 2, 5, 6), 3, 1),
    "overlapping along one axis": ((2, 2, 6, 6), (2, 3), (2, 1)),
    "apart": ((1, 2, 7, 8), 2, 3),
    "one entry": ((2, 2, 3, 4), 1, None),
    "the whole image": ((2, 3, 4, 5), (4, 5), None),
}


@pytest.fixture(params=CASES.values(), ids=CASES.keys())
def case(request: pytest.FixtureRequest) -> Any:
    shape, size, stride = request.param
    return RNG.permutation(np.prod(shape)).reshape(shape) / 7.0, size, stride


def test_maxima_and_means_of_windows(case: Any) -> None:
    x, size, stride = case
    entries = references.windows(x, size, stride)
    y, places = kernels.max_pool2d(x, size, stride)
    np.testing.assert_array_equal(y, entries.max(axis=-1))
    np.testing.assert_array_equal(places, entries.argmax(axis=-1))
    assert places.dtype == np.uint8
    found = kernels.avg_pool2d(x, size, stride)
    np.testing.assert_allclose(found, entries.mean(axis=-1), rtol=1e-12)


def test_the_transposes_have_their_inner_products(case: Any) -> None:
    x, size, stride = case
    y, places = kernels.max_pool2d(x, size, stride)
    g = RNG.standard_normal(y.shape)
    back = kernels.unpool2d(g, places, x.shape, size, stride)
    np.testing.assert_allclose(np.sum(back * x), np.sum(g * y), rtol=1e-10)
    np.testing.assert_array_equal(kernels.pick2d(x, places, size, stride), y)
    mean = kernels.avg_pool2d(x, size, stride)
    back = kernels.avg_unpool2d(g, x.shape, size, stride)
    np.testing.assert_allclose(np.sum(back * x), np.sum(g * mean), rtol=1e-10)


def test_derivatives(case: Any) -> None:
    x, size, stride = case
    check_grads(lambda x: np.sum(kernels.max_pool2d(x, size, stride)[0] ** 3), (x,), order=2)
    check_grads(lambda x: np.sum(kernels.avg_pool2d(x, size, stride) ** 3), (x,), order=2)


def test_single_precision_stays(case: Any) -> None:
    x, size, stride = case
    x = x.astype(np.float32)
    assert kernels.max_pool2d(x, size, stride)[0].dtype == np.float32
    assert kernels.avg_pool2d(x, size, stride).dtype == np.float32
    f = srcad.grad(lambda x: np.sum(kernels.max_pool2d(x, size, stride)[0] ** 2))
    assert f(x).dtype == np.float32
    f = srcad.grad(lambda x: np.sum(kernels.avg_pool2d(x, size, stride) ** 2))
    assert f(x).dtype == np.float32


def test_of_equal_entries_the_first_gets_the_derivative() -> None:
    x = np.array([[[[1.0, 1.0, 0.0], [1.0, 1.0, 2.0], [2.0, 2.0, 2.0]]]])
    f = srcad.grad(lambda x: np.sum(kernels.max_pool2d(x, 2)[0]))
    np.testing.assert_array_equal(f(x)[0, 0], [[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    f = srcad.grad(lambda x: np.sum(kernels.max_pool2d(x, 2, 1)[0]))
    np.testing.assert_array_equal(f(x)[0, 0], [[1, 0, 0], [0, 0, 2], [1, 0, 0]])


def test_a_maximum_in_several_windows_gets_all_their_cotangents() -> None:
    x = np.zeros((1, 1, 3, 3))
    x[0, 0, 1, 1] = 5.0
    found = srcad.grad(lambda x: np.sum(kernels.max_pool2d(x, 2, 1)[0]))(x)
    assert found[0, 0, 1, 1] == 4.0
    assert found.sum() == 4.0


def test_an_empty_batch() -> None:
    x = np.zeros((0, 2, 4, 4))
    for pool in (lambda x: kernels.max_pool2d(x, 2)[0], lambda x: kernels.avg_pool2d(x, 2)):
        assert pool(x).shape == (0, 2, 2, 2)
        assert srcad.grad(lambda x, pool=pool: np.sum(pool(x)))(x).shape == x.shape


def test_negative_and_infinite_entries() -> None:
    x = np.array([[[[-3.0, -np.inf], [-2.0, -5.0]]]])
    assert kernels.max_pool2d(x, 2)[0] == -2.0
    x[...] = -np.inf
    y, places = kernels.max_pool2d(x, 2)
    assert y == -np.inf
    assert places == 0


def test_windows_of_many_entries() -> None:
    x = RNG.standard_normal((1, 1, 15, 17))
    y, places = kernels.max_pool2d(x, (15, 17))
    assert y == x.max()
    assert x.ravel()[places[0, 0, 0, 0]] == y
    with pytest.raises(ValueError, match="at most 255 entries, got 256"):
        kernels.max_pool2d(np.zeros((1, 1, 16, 16)), 16)


@pytest.mark.parametrize(
    ("shape", "size", "stride", "message"),
    [
        ((2, 3, 4), 2, None, r"expected x \(N, C, H, W\), got \(2, 3, 4\)"),
        ((2, 3, 4, 4), 5, None, r"windows of 5 x 5 do not fit into images of \(4, 4\)"),
        ((2, 3, 4, 4), (2, 0), None, r"size must be at least 1, .* got \(2, 0\)"),
        ((2, 3, 4, 4), 2, 0, "stride must be at least 1, .*got 0"),
    ],
)
def test_mistakes_are_named(shape: Any, size: Any, stride: Any, message: str) -> None:
    for pool in (kernels.max_pool2d, kernels.avg_pool2d):
        with pytest.raises(ValueError, match=message):
            pool(np.zeros(shape), size, stride)


def test_cotangents_of_another_shape_are_refused() -> None:
    x = np.zeros((2, 1, 4, 4))
    _, places = kernels.max_pool2d(x, 2)
    with pytest.raises(ValueError, match=r"expected .* \(2, 1, 2, 2\), got \(2, 1, 2, 3\)"):
        kernels.unpool2d(np.zeros((2, 1, 2, 3)), places, x.shape, 2)

"""Compiled pooling against the one of NumPy, which is tested against loops over every window."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srcad import kernels

pytest.importorskip("numba", reason="Numba is not installed")
from srcad.kernels import compiled

PAIRS = st.tuples(st.integers(1, 3), st.integers(1, 3))


@st.composite
def configurations(draw: Any) -> Any:
    size = draw(st.one_of(st.just((2, 2)), PAIRS))
    shape = (
        draw(st.integers(0, 3)),
        draw(st.integers(1, 3)),
        *(draw(st.integers(n, 14)) for n in size),
    )
    return shape, size, draw(st.one_of(st.none(), PAIRS))


def five(module: Any, x: Any, g: Any, size: Any, stride: Any) -> list[Any]:
    y, places = module.max_pool2d(x, size, stride)
    return [
        y,
        places,
        module.unpool2d(g, places, x.shape, size, stride),
        module.pick2d(x, places, size, stride),
        module.avg_pool2d(x, size, stride),
        module.avg_unpool2d(g, x.shape, size, stride),
    ]


def assert_same(x: Any, size: Any, stride: Any) -> list[Any]:
    g = np.random.default_rng(1).standard_normal(kernels.max_pool2d(x, size, stride)[0].shape)
    g = g.astype(x.dtype)
    found = five(compiled, x, g, size, stride)
    expected = five(kernels, x, g, size, stride)
    for k in (0, 1, 3):
        np.testing.assert_array_equal(found[k], expected[k])
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype
        tolerance = 1e-12 if b.dtype == np.float64 else 1e-5
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(deadline=None, max_examples=60)
@given(configuration=configurations(), seed=st.integers(0, 9))
def test_random_configurations(configuration: Any, seed: int, dtype: Any) -> None:
    shape, size, stride = configuration
    x = np.random.default_rng(seed).integers(-3, 4, shape)  # small: many entries are equal
    assert_same(x.astype(dtype), size, stride)


@pytest.mark.parametrize("size", [2, 3, (1, 2)])
def test_not_a_number_and_infinite_entries(size: Any) -> None:
    x = np.random.default_rng(0).standard_normal((3, 2, 12, 12))
    x[x > 1.2] = np.nan
    x[x < -1.2] = -np.inf
    with np.errstate(invalid="ignore"):
        assert_same(x, size, None)
        assert_same(x, size, 1)
    x[...] = -np.inf
    assert_same(x, size, None)


def test_any_number_of_threads() -> None:
    before = kernels.num_threads()
    x = np.random.default_rng(0).standard_normal((100, 6, 80, 81)).astype(np.float32)
    try:
        results = []
        for n in (1, 2, 3):
            kernels.set_num_threads(n)
            results.append(assert_same(x, 2, None))
        for other in results[1:]:
            for a, b in zip(results[0], other, strict=True):
                np.testing.assert_array_equal(a, b)
    finally:
        kernels.set_num_threads(before)


def test_arguments_in_any_layout_stay_as_they_are() -> None:
    x = np.random.default_rng(0).standard_normal((8, 7, 3, 4)).T
    x.flags.writeable = False
    before = x.copy()
    assert_same(x, 2, None)
    np.testing.assert_array_equal(x, before)


def test_places_beyond_the_window_read_and_write_nothing() -> None:
    g, places = np.ones((2, 1, 2, 2)), np.full((2, 1, 2, 2), 200, np.uint8)
    for size in (2, (1, 2)):
        shape = (2, 1, 4 if size == 2 else 2, 4)
        assert not np.any(compiled.unpool2d(g, places, shape, size))
        assert not np.any(compiled.pick2d(np.ones(shape), places, size))


def test_what_the_loops_do_not_take_goes_to_numpy() -> None:
    x = np.arange(2 * 3 * 4 * 4).reshape(2, 3, 4, 4)
    for dtype in (int, np.float16, ">f8"):
        y, places = compiled.max_pool2d(x.astype(dtype), 2)
        expected = kernels.max_pool2d(x.astype(dtype), 2)
        np.testing.assert_array_equal(y, expected[0])
        np.testing.assert_array_equal(places, expected[1])
        assert y.dtype == dtype


def test_mistakes_are_named() -> None:
    x = np.zeros((2, 1, 4, 4))
    with pytest.raises(ValueError, match="windows of 5 x 5 do not fit"):
        compiled.max_pool2d(x, 5)
    with pytest.raises(ValueError, match="at most 255 entries"):
        compiled.max_pool2d(np.zeros((1, 1, 16, 16)), 16)
    with pytest.raises(ValueError, match=r"expected .* \(2, 1, 2, 2\), got \(2, 1, 2, 3\)"):
        compiled.unpool2d(np.zeros((2, 1, 2, 3)), np.zeros((2, 1, 2, 3), np.uint8), x.shape, 2)
    with pytest.raises(ValueError, match="stride must be at least 1"):
        compiled.avg_pool2d(x, 2, 0)

"""The compiled chain against the one that is made of NumPy's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srcad import kernels
from srcad.kernels.chains import OFF

pytest.importorskip("numba", reason="Numba is not installed")
from srcad.kernels import compiled

NUMBER = st.integers(1, 3)
PAIRS = st.tuples(NUMBER, NUMBER)


@st.composite
def configurations(draw: Any) -> Any:
    """Shapes of x and w, the windows' size, and options that fit."""
    groups, dilation, (p, q) = draw(NUMBER), draw(PAIRS), draw(PAIRS)
    size = draw(st.one_of(st.just((2, 2)), st.just((1, 2)), PAIRS))
    channels, filters = groups * draw(NUMBER), groups * draw(st.integers(1, 6))
    stride = draw(PAIRS)
    h, w = (
        draw(st.integers(d * (k - 1) + 1 + s * (n - 1), 16))
        for d, k, s, n in zip(dilation, (p, q), stride, size, strict=True)
    )
    padding = draw(st.one_of(st.just("valid"), st.integers(0, 2), PAIRS))
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    samples = draw(st.sampled_from([2, 5, 8, 11, 17]))
    return (samples, channels, h, w), (filters, channels // groups, p, q), size, options


def both(x: Any, w: Any, size: Any, options: Any, dtype: Any = np.float64) -> Any:
    """The chain and its transposes, by NumPy and compiled."""
    rng = np.random.default_rng(0)
    x, w, b = (rng.integers(-9, 9, shape).astype(dtype) / 4 for shape in (x, w, w[:1]))
    y, places = kernels.conv_pool2d(x, w, b, size, **options)
    g = rng.standard_normal(y.shape).astype(dtype)
    return [
        (
            *module.conv_pool2d(x, w, b, size, **options),
            module.conv_pool2d_input(g, places, w, x.shape, size, **options),
            module.conv_pool2d_weights(x, g, places, w.shape, size, **options),
        )
        for module in (kernels, compiled)
    ]


def assert_same(expected: Any, found: Any) -> None:
    tolerance = 1e-11 if expected[0].dtype == np.float64 else 1e-3
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype
        assert a.flags.c_contiguous
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(deadline=None, max_examples=60)
@given(configuration=configurations())
def test_random_configurations(configuration: Any, dtype: Any) -> None:
    # Multiples of 1/16, which sum up without rounding: even ties are the same.
    assert_same(*both(*configuration, dtype))


@st.composite
def wide_configurations(draw: Any) -> Any:
    """Images with channels for full registers."""
    (p, q), size = draw(PAIRS), draw(st.sampled_from([(1, 2), (2, 2), (3, 1)]))
    channels, down, stride = draw(st.sampled_from([8, 14, 16, 50])), draw(NUMBER), draw(PAIRS)
    padding = draw(st.one_of(st.just("valid"), st.integers(0, 2), PAIRS))
    h = down * (p - 1) + 1 + stride[0] * (size[0] - 1) + draw(st.integers(0, 5))
    w = q + stride[1] * (size[1] - 1) + draw(st.integers(0, 20))
    options = {"stride": stride, "padding": padding, "dilation": (down, 1)}
    samples = draw(st.sampled_from([4, 11, 17, 40]))
    return (samples, channels, h, w), (draw(st.integers(1, 5)), channels, p, q), size, options


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(deadline=None, max_examples=40)
@given(configuration=wide_configurations())
def test_many_channels(configuration: Any, dtype: Any) -> None:
    assert_same(*both(*configuration, dtype))


CASES = [
    ((100, 1, 28, 28), (6, 1, 3, 3), 2, {}),
    ((100, 6, 13, 13), (16, 6, 3, 3), 2, {}),
    ((64, 50, 1, 130), (8, 50, 1, 3), (1, 2), {}),
    ((33, 16, 12, 11), (12, 16, 3, 3), 2, {"padding": 1}),
    ((50, 8, 20, 20), (12, 8, 3, 3), 3, {"padding": "same"}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[1]))
def test_the_shapes_of_networks_with_any_number_of_threads(case: Any) -> None:
    before, results = kernels.num_threads(), []
    try:
        for n in (1, 2, 3):
            kernels.set_num_threads(n)
            results.append(both(*case, np.float32))
    finally:
        kernels.set_num_threads(before)
    assert_same(*results[0])
    for _, other in results[1:]:
        for a, b in zip(results[0][1], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_not_a_number_and_infinite_entries() -> None:
    rng = np.random.default_rng(0)
    x, w, b = rng.standard_normal((9, 1, 12, 12)), np.ones((2, 1, 1, 1)), np.zeros(2)
    w[1] = -1
    x[x > 1.5], x[x < -1.5], x[:, :, 3] = np.nan, -np.inf, np.inf
    for size in (1, 2, 3, (1, 2), (4, 3)):
        y, places = compiled.conv_pool2d(x, w, b, size)
        with np.errstate(invalid="ignore"):
            expected = kernels.conv_pool2d(x, w, b, size)
        np.testing.assert_array_equal(y, expected[0])
        np.testing.assert_array_equal(places, expected[1])


def test_an_empty_batch() -> None:
    x, w, b = np.zeros((0, 2, 5, 5)), np.ones((3, 2, 2, 2)), np.zeros(3)
    y, places = compiled.conv_pool2d(x, w, b, 2)
    assert y.shape == places.shape == (0, 3, 2, 2)
    assert compiled.conv_pool2d_input(y, places, w, x.shape, 2).shape == x.shape
    assert not np.any(compiled.conv_pool2d_weights(x, y, places, w.shape, 2))


def test_arguments_in_any_layout_stay_as_they_are() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((9, 6, 7, 3)).transpose(0, 3, 1, 2)
    w, b = rng.standard_normal((3, 3, 3, 8)).T[::2], rng.standard_normal(8)[::2]
    y, places = kernels.conv_pool2d(x, w, b, 2)
    arrays = [x, w, b, np.asfortranarray(y), np.asfortranarray(places)]
    before = [a.copy() for a in arrays]
    for a in arrays:
        a.flags.writeable = False
    x, w, b, g, places = arrays
    np.testing.assert_allclose(compiled.conv_pool2d(x, w, b, 2)[0], y, rtol=1e-11)
    for made, expected in (
        (compiled.conv_pool2d_input(g, places, w, x.shape, 2),
         kernels.conv_pool2d_input(g, places, w, x.shape, 2)),
        (compiled.conv_pool2d_weights(x, g, places, w.shape, 2),
         kernels.conv_pool2d_weights(x, g, places, w.shape, 2)),
    ):  # fmt: skip
        np.testing.assert_allclose(made, expected, rtol=1e-10, atol=1e-10)
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_the_loops_do_not_take_goes_to_numpy() -> None:
    x, w, b = np.ones((9, 2, 5, 5), np.float32), np.ones((3, 2, 2, 2), np.float32), np.ones(3)
    assert compiled.conv_pool2d(x, w, b, 2)[0].dtype == np.float64
    one = compiled.conv_pool2d(x, w, b[:1].astype(np.float32), 2)[0]
    assert one.shape == (9, 3, 2, 2)
    places = np.full(one.shape, OFF)
    assert not np.any(compiled.conv_pool2d_input(one, places, w, x.shape, 2))
    assert not np.any(compiled.conv_pool2d_weights(x, one, places, w.shape, 2))
    with pytest.raises(ValueError, match="windows of 5 x 5 do not fit"):
        compiled.conv_pool2d(x, w, b.astype(np.float32), 5)
    with pytest.raises(ValueError, match="expected a result"):
        compiled.conv_pool2d_input(one[:, :2], places, w, x.shape, 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cotangents_lie_as_the_images_do(dtype: Any) -> None:
    """With the channels of an entry side by side, if there are enough of them for a register."""
    rng = np.random.default_rng(0)
    for channels, n, is_last in ((20, 9, True), (16, 33, True), (3, 9, False)):
        x = rng.standard_normal((n, 6, 9, channels)).astype(dtype).transpose(0, 3, 1, 2)
        w = rng.standard_normal((5, channels, 2, 3)).astype(dtype)
        y, places = kernels.conv_pool2d(x, w, w[:, 0, 0, 0], (1, 2), padding=1)
        g = rng.standard_normal(y.shape).astype(dtype)
        h = rng.standard_normal(kernels.conv2d(x, w).shape).astype(dtype)
        found = [
            compiled.conv_pool2d_input(g, places, w, x, (1, 2), padding=1),
            compiled.conv2d_input(h, w, x),
        ]
        expected = [
            kernels.conv_pool2d_input(g, places, w, x, (1, 2), padding=1),
            kernels.conv2d_input(h, w, x.shape),
        ]
        for a, b in zip(found, expected, strict=True):
            assert a.transpose(0, 2, 3, 1).flags.c_contiguous == is_last
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def test_cotangents_of_groups_lie_by_channels() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((9, 5, 6, 32)).transpose(0, 3, 1, 2)
    w, g = rng.standard_normal((4, 16, 2, 2)), rng.standard_normal((9, 4, 4, 5))
    found = compiled.conv2d_input(g, w, x, groups=2)
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, kernels.conv2d_input(g, w, x.shape, groups=2), rtol=1e-11)

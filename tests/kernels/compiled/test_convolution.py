"""Compiled convolution against the one of NumPy, which is tested against loops over every entry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srcad import kernels

pytest.importorskip("numba", reason="Numba is not installed")
from srcad.kernels import compiled
from srcad.kernels.compiled import convolution

NUMBER = st.integers(1, 3)
PAIRS = st.tuples(NUMBER, NUMBER)
PADDINGS = st.one_of(
    st.sampled_from(["same", "valid"]),
    st.integers(0, 3),
    st.tuples(st.tuples(st.integers(0, 2), st.integers(0, 3)), st.integers(0, 2)),
)


@st.composite
def configurations(draw: Any) -> Any:
    """Shapes of x and w, and options that fit."""
    groups, dilation, (p, q) = draw(NUMBER), draw(PAIRS), draw(PAIRS)
    channels, filters = groups * draw(NUMBER), groups * draw(st.integers(1, 6))
    h = draw(st.integers(dilation[0] * (p - 1) + 1, 12))
    w = draw(st.integers(dilation[1] * (q - 1) + 1, 12))
    options = {"stride": draw(PAIRS), "padding": draw(PADDINGS)}
    options |= {"dilation": dilation, "groups": groups}
    samples = draw(st.sampled_from([1, 2, 5, 8, 11, 17]))
    return (samples, channels, h, w), (filters, channels // groups, p, q), options


def arrays(x: Any, w: Any, options: Any, dtype: Any) -> Any:
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal(x).astype(dtype), rng.standard_normal(w).astype(dtype)
    y = kernels.conv2d(x, w, **options)
    return x, w, rng.standard_normal(y.shape).astype(dtype)


def three(module: Any, x: Any, w: Any, g: Any, options: Any) -> list[Any]:
    """The convolution and its transposes."""
    return [
        module.conv2d(x, w, **options),
        module.conv2d_input(g, w, x.shape, **options),
        module.conv2d_weights(x, g, w.shape, **options),
    ]


def assert_same(found: Any, expected: Any) -> None:
    tolerance = 1e-11 if expected[0].dtype == np.float64 else 1e-3
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype
        assert a.flags.c_contiguous
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(deadline=None, max_examples=60)
@given(configuration=configurations())
def test_random_configurations(configuration: Any, dtype: Any) -> None:
    x, w, options = configuration
    x, w, g = arrays(x, w, options, dtype)
    assert_same(three(compiled, x, w, g, options), three(kernels, x, w, g, options))


@pytest.mark.parametrize("large", [0, 1 << 40])
@settings(deadline=None, max_examples=40)
@given(configuration=configurations())
def test_channels_of_an_entry_side_by_side_or_not(configuration: Any, large: int) -> None:
    x, w, options = configuration
    x, w, g = arrays(x, w, options, np.float64)
    b, size = np.zeros(len(w)), (1, min(2, g.shape[3]))
    expected = three(kernels, x, w, g, options)
    chain = kernels.conv_pool2d(x, w, b, size, **options)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution, "LARGE", large)
        assert_same(three(compiled, x, w, g, options), expected)
        last = x.transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2)
        assert_same([compiled.conv2d(last, w, **options)], expected[:1])
        assert_same([compiled.conv_pool2d(x, w, b, size, **options)[0]], [chain])


def test_the_shapes_of_networks_with_any_number_of_threads() -> None:
    before = kernels.num_threads()
    cases = [
        ((100, 1, 28, 28), (6, 1, 3, 3), {}),
        ((100, 6, 13, 13), (16, 6, 3, 3), {}),
        ((64, 50, 1, 130), (8, 50, 1, 3), {}),
        ((50, 16, 16, 16), (32, 16, 3, 3), {"padding": "same", "stride": 2}),
    ]
    try:
        for case in cases:
            x, w, g = arrays(*case, np.float32)
            results = []
            for n in (1, 2, 3):
                kernels.set_num_threads(n)
                results.append(three(compiled, x, w, g, case[2]))
            assert_same(results[0], three(kernels, x, w, g, case[2]))
            for other in results[1:]:
                for a, b in zip(results[0], other, strict=True):
                    np.testing.assert_array_equal(a, b)
    finally:
        kernels.set_num_threads(before)


def test_arguments_in_any_layout_stay_as_they_are() -> None:
    rng = np.random.default_rng(0)
    wide = rng.standard_normal((20, 9, 5, 12))
    layouts = {
        "channels last": np.ascontiguousarray(wide.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2),
        "columns before rows": np.ascontiguousarray(wide.swapaxes(2, 3)).swapaxes(2, 3),
        "samples last": np.ascontiguousarray(wide.transpose(1, 2, 3, 0)).transpose(3, 0, 1, 2),
        "every other": np.repeat(wide, 2, axis=2)[:, :, ::2],
        "backwards": wide[:, :, :, ::-1].copy()[:, :, :, ::-1],
        "spread": np.broadcast_to(wide[:1], wide.shape),
    }
    w = rng.standard_normal((8, 9, 3, 3)).transpose(0, 1, 3, 2)
    for padding in (0, 2):
        for x in layouts.values():
            x.flags.writeable = False
            before, options = x.copy(), {"padding": padding}
            g = rng.standard_normal(kernels.conv2d(x, w, **options).shape)
            g = np.asfortranarray(g)
            assert_same(three(compiled, x, w, g, options), three(kernels, before, w, g, options))
            np.testing.assert_array_equal(x, before)


def test_an_empty_batch() -> None:
    x, w, g = np.zeros((0, 2, 5, 5)), np.ones((3, 2, 3, 3)), np.zeros((0, 3, 3, 3))
    y, of_x, of_w = three(compiled, x, w, g, {})
    assert (y.shape, of_x.shape) == (g.shape, x.shape)
    np.testing.assert_array_equal(of_w, np.zeros_like(w))


def test_a_sample_does_not_touch_its_neighbours() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((11, 2, 6, 6)), rng.standard_normal((3, 2, 3, 3))
    g = rng.standard_normal((11, 3, 4, 4))
    alone = three(compiled, x, w, g, {})
    x[-1] = np.inf
    y, of_x, _ = three(compiled, x, w, g, {})
    np.testing.assert_array_equal(y[:-1], alone[0][:-1])
    np.testing.assert_array_equal(of_x, alone[1])
    x[-1, 1:] = 0  # infinite in one channel: the other channel's weights see nothing of it
    of_w = compiled.conv2d_weights(x, g, w.shape)
    assert np.all(np.isfinite(of_w[:, 1]))
    assert not np.any(np.isfinite(of_w[:, 0]))


def test_what_the_loops_do_not_take_goes_to_numpy() -> None:
    x, w = np.ones((9, 2, 5, 5), np.float32), np.ones((3, 2, 3, 3))
    assert compiled.conv2d(x, w).dtype == np.float64
    assert compiled.conv2d(x.astype(int), w.astype(int)).dtype == int
    assert compiled.conv2d(x[:1], w.astype(np.float32)).shape == (1, 3, 3, 3)
    assert compiled.conv2d(x.astype(complex), w).dtype == complex
    assert compiled.conv2d(x, w[:0].astype(np.float32)).shape == (9, 0, 3, 3)
    swapped = x.astype(">f4"), w.astype(">f4")
    np.testing.assert_array_equal(compiled.conv2d(*swapped), kernels.conv2d(*swapped))


def test_results_are_fresh() -> None:
    x, w = np.ones((9, 1, 4, 4)), np.ones((1, 1, 3, 3))
    first = compiled.conv2d(x, w)
    kept = first.copy()
    compiled.conv2d(2 * x, w)
    compiled.conv2d_weights(x, first, w.shape)
    np.testing.assert_array_equal(first, kept)


def test_mistakes_are_named() -> None:
    x, w = np.zeros((9, 3, 5, 5)), np.zeros((4, 3, 2, 2))
    compiled.conv2d(x, w, padding=1)
    with pytest.raises(ValueError, match=r"padding must not be negative: .*got 1\.0"):
        compiled.conv2d(x, w, padding=1.0)  # what is remembered of 1 is not for 1.0
    expected = kernels.conv2d(x, w, padding=[1, [0, 2]])
    np.testing.assert_array_equal(compiled.conv2d(x, w, padding=[1, [0, 2]]), expected)
    with pytest.raises(ValueError, match="stride must be at least 1"):
        compiled.conv2d(x, w, stride=0)
    with pytest.raises(ValueError, match="has 2 channels"):
        compiled.conv2d(x[:, :2], w)
    with pytest.raises(ValueError, match=r"expected g of shape \(9, 4, 4, 4\)"):
        compiled.conv2d_input(np.zeros((9, 4, 4, 3)), w, x.shape)
    with pytest.raises(ValueError, match="expected g"):
        compiled.conv2d_weights(x, np.zeros((8, 4, 4, 4)), w.shape)
    with pytest.raises(ValueError, match="expected x"):
        compiled.conv2d(x[0], w)

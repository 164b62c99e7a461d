"""Convolution, bias, maxima and ReLU as one: against the single kernels, by inner products."""

from __future__ import annotations

import numpy as np
import pytest

from srcad import kernels
from srcad.kernels.chains import OFF

RNG = np.random.default_rng(0)
CASES = {
    "plain": ((2, 3, 7, 6), (4, 3, 3, 2), 2, {}),
    "columns": ((2, 2, 1, 9), (3, 2, 1, 3), (1, 2), {"padding": (0, 1)}),
    "all": (
        (2, 4, 9, 8), (6, 2, 2, 3), (3, 1),
        {"stride": (1, 2), "padding": "same", "dilation": (2, 1), "groups": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_it_is_the_chain(case):
    x, w, size, options = case
    x, w, b = (RNG.standard_normal(shape) for shape in (x, w, w[:1]))
    b -= 2
    y, places = kernels.conv_pool2d(x, w, b, size, **options)
    m, found = kernels.max_pool2d(kernels.conv2d(x, w, **options) + b[:, None, None], size)
    np.testing.assert_array_equal(y, np.maximum(m, 0))
    np.testing.assert_array_equal(places, np.where(m > 0, found, OFF))
    assert places.dtype == np.uint8
    assert {0, OFF} <= set(places.flat)

    # The transposes: where the places stay, the chain is linear.
    g = RNG.standard_normal(y.shape)
    of_x = kernels.conv_pool2d_input(g, places, w, x.shape, size, **options)
    of_w = kernels.conv_pool2d_weights(x, g, places, w.shape, size, **options)
    picked = kernels.pick2d(kernels.conv2d(x, w, **options), places, size)
    assert (of_x.shape, of_w.shape) == (x.shape, w.shape)
    np.testing.assert_allclose(np.sum(of_x * x), np.sum(g * picked), rtol=1e-10)
    np.testing.assert_allclose(np.sum(of_w * w), np.sum(g * picked), rtol=1e-10)


def test_not_a_number_stays_and_has_no_derivative():
    x, w, b = np.full((1, 1, 2, 2), np.nan), np.ones((1, 1, 1, 1)), np.zeros(1)
    y, places = kernels.conv_pool2d(x, w, b, 2)
    assert np.isnan(y)
    assert places == OFF


def test_mistakes_are_named():
    x, w, b = np.ones((2, 3, 5, 5)), np.ones((4, 3, 2, 2)), np.ones(4)
    with pytest.raises(ValueError, match="windows of 5 x 5 do not fit"):
        kernels.conv_pool2d(x, w, b, 5)
    y, places = kernels.conv_pool2d(x, w, b, 2)
    with pytest.raises(ValueError, match=r"expected .* \(2, 4, 2, 2\), got \(2, 4, 2, 1\)"):
        kernels.conv_pool2d_weights(x, y[..., :1], places, w.shape, 2)

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad
from srcad import kernels, nn
from srcad.ir import show, verify
from srcad.optimize.prepare.conv_pool_fusion import fuse_conv_pool
from srcad.pipeline import stages
from srcad.pipeline.request import Request

RNG = np.random.default_rng(0)
IMAGES = RNG.standard_normal((4, 3, 9, 8)), RNG.standard_normal((2, 3, 3, 3)), RNG.random(2)
SIGNALS = RNG.standard_normal((4, 3, 9)), RNG.standard_normal((2, 3, 3)), RNG.random(2)


def pooled_last(x, k, b):
    return np.sum(nn.max_pool2d(nn.relu(nn.conv2d(x, k, b)), 2) ** 2)


def relu_last(x, k, b):
    h = nn.relu(nn.max_pool2d(nn.conv2d(x, k, b, stride=(1, 2), padding="same"), (2, 1)))
    return np.sum(h**2)


def signals(x, k, b):
    return np.sum(nn.max_pool1d(nn.relu(nn.conv1d(x, k, b)), 2) ** 2)


def signals_relu_last(x, k, b):
    return np.sum(nn.relu(nn.max_pool1d(nn.conv1d(x, k, b, padding="same"), 3)) ** 2)


def bias_by_hand(x, k, b):
    h = b[:, None, None] + kernels.conv2d(x, k)
    return np.sum(nn.relu(nn.max_pool2d(h, 2, 2)) ** 2)


FOUND = {
    f.__name__: (f, SIGNALS if "signals" in f.__name__ else IMAGES)
    for f in (pooled_last, relu_last, signals, signals_relu_last, bias_by_hand)
}


def two_layers(x, k, b):
    h = nn.max_pool2d(nn.relu(nn.conv2d(x, k, b, padding=1)), 1)
    h = np.concatenate([h, h[:, :1]], axis=1)
    return np.sum(nn.max_pool2d(nn.relu(nn.conv2d(h, k, b)), 2) ** 2)


def overlapping(x, k, b):
    return np.sum(nn.max_pool2d(nn.relu(nn.conv2d(x, k, b)), 2, 1))


def without_relu(x, k, b):
    return np.sum(nn.max_pool2d(nn.conv2d(x, k, b), 2))


def without_bias(x, k, b):
    return np.sum(nn.max_pool2d(nn.relu(nn.conv2d(x, k)), 2)) + np.sum(b)


def one_bias(x, k, b):
    h = kernels.conv2d(x, k) + b[:1][:, None, None]
    return np.sum(nn.max_pool2d(nn.relu(h), 2))


def bias_along_columns(x, k, b):
    return np.sum(nn.max_pool2d(nn.relu(kernels.conv2d(x, k)[:, :, :, :2] + b), 2))


def read_by_others(x, k, b):
    h = nn.relu(nn.conv2d(x, k, b))
    return np.sum(nn.max_pool2d(h, 2)) + h[0, 0, 0, 0]


def convolution_read_by_others(x, k, b):
    y = kernels.conv2d(x, k)
    return np.sum(nn.max_pool2d(nn.relu(y + b[:, None, None]), 2)) + np.sum(y)


def maxima_read_by_others(x, k, b):
    m = nn.max_pool2d(nn.conv2d(x, k, b), 2)
    return np.sum(nn.relu(m)) + m[0, 0, 0, 0]


def places_read(x, k, b):
    y, places = kernels.max_pool2d(nn.relu(nn.conv2d(x, k, b)), 2)
    return np.sum(y * places)


def ends_in_a_loop(x, k, b):
    y, total = nn.conv2d(x, k, b), 0.0
    for _ in range(3):
        total += np.sum(nn.max_pool2d(nn.relu(y), 2))
    return total


LEFT = (overlapping, without_relu, without_bias, one_bias, bias_along_columns, read_by_others,
        convolution_read_by_others, maxima_read_by_others, places_read, ends_in_a_loop)  # fmt: skip


def prepared(f: Any, args: Any) -> Any:
    request = Request("value_and_grad", f)
    lowered, _ = stages.lower_with_statics(request, args, frozenset())
    return stages.prepared(request, lowered.function)


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Value, gradient and text, as the parts give them and as the kernel does."""

    def run(f: Any, args: Any) -> Any:
        made = []
        before = stages.prepared
        for prepare in (before, lambda request, fn: fuse_conv_pool(before(request, fn))):
            monkeypatch.setattr(stages, "prepared", prepare)
            transformed = srcad.value_and_grad(f, argnums=(0, 1, 2), cache=False)
            made.append((*transformed(*args), transformed.source(*args)))
        return made

    return run


@pytest.mark.parametrize("name", FOUND)
def test_the_chain_is_one_kernel(name):
    fn = verify(fuse_conv_pool(prepared(*FOUND[name])), "chains")
    text = show(fn)
    assert text.count("conv_pool2d(") == 1
    for part in (" conv2d(", "max_pool2d(", "relu(", " add("):
        assert part not in text
    assert fuse_conv_pool(fn) is fn


@pytest.mark.parametrize("f", LEFT, ids=lambda f: f.__name__)
def test_what_is_no_chain_stays(f):
    fn = prepared(f, IMAGES)
    assert fuse_conv_pool(fn) is fn


@pytest.mark.parametrize("name", [*FOUND, "two_layers"])
def test_values_and_gradients_are_those_of_the_parts(name, both):
    f, args = FOUND.get(name, (two_layers, IMAGES))
    (expected, wanted, _), (value, gradients, text) = both(f, args)
    assert text.count("kernels.conv_pool2d(") == 1 + (name == "two_layers")
    assert "unpool2d" not in text
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    for a, b in zip(gradients, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


def test_the_first_of_equal_entries_and_nothing_where_relu_is_off(both):
    x = np.array([[1.0, 1, -1, -2], [0, 1, 0, -1], [-1, -1, 3, 3], [-1, -1, 4, 4]])[None, None]
    _, (_, gradients, _) = both(pooled_last, (x, np.ones((1, 1, 1, 1)), np.zeros(1)))
    expected = [[2, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 8, 0]]
    np.testing.assert_array_equal(gradients[0][0, 0], expected)

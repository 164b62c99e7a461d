"""Warm steps allocate no more than what they return: memory is used again."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest

import srcad
from srcad import nn
from srcad.nn import init


def loss(p, x, y):
    h = nn.max_pool2d(nn.relu(nn.conv2d(x, p["k1"], p["c1"])), 2)
    h = nn.max_pool2d(nn.relu(nn.conv2d(h, p["k2"], p["c2"])), 2)
    h = nn.relu(nn.dense(nn.flatten(h), p["w1"], p["b1"]))
    return nn.softmax_cross_entropy(nn.dense(h, p["w2"], p["b2"]), y)


def weights(rng):
    return {
        "k1": init.he_normal((6, 1, 3, 3), rng),
        "c1": init.zeros(6),
        "k2": init.he_normal((16, 6, 3, 3), rng),
        "c2": init.zeros(16),
        "w1": init.he_normal((400, 84), rng),
        "b1": init.zeros(84),
        "w2": init.he_normal((84, 10), rng),
        "b2": init.zeros(10),
    }


def allocated(step):
    """The most bytes that a call has at once beyond those that were there, its result included."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = step()
        return tracemalloc.get_traced_memory()[1] - before, result
    finally:
        tracemalloc.stop()


def test_a_warm_step_of_the_convolutional_network_allocates_no_more_than_its_gradients():
    pytest.importorskip("numba")
    rng = np.random.default_rng(0)
    p = weights(rng)
    x = rng.standard_normal((100, 1, 28, 28)).astype(np.float32)
    y = rng.integers(0, 10, 100)
    gradient = srcad.value_and_grad(loss, backend="native")
    for _ in range(3):
        kept = gradient(p, x, y)
    size = sum(g.nbytes for g in kept[1].values())
    activations = 100 * 6 * 26 * 26 * 4
    for _ in range(3):
        # As in a loop over batches: the last gradient is there until the next has been computed.
        most, kept = allocated(lambda: gradient(p, x, y))
        assert most <= size < activations
    assert all(np.isfinite(g).all() for g in kept[1].values())

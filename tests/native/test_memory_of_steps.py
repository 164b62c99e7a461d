"""Warm steps allocate no more than what they return: memory is used again."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import srcad

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


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


def test_a_warm_step_of_the_convolutional_network_allocates_no_more_than_its_gradients(
    monkeypatch,
):
    pytest.importorskip("numba")
    monkeypatch.syspath_prepend(BENCHMARKS)
    from training.networks import MODELS

    model, rng = MODELS["cnn"], np.random.default_rng(0)
    p = model.draw(rng)
    x = rng.standard_normal((100, 1, 28, 28)).astype(np.float32)
    y = rng.integers(0, 10, 100)
    gradient = srcad.value_and_grad(model.loss, backend="native")
    for _ in range(3):
        kept = gradient(p, x, y)
    size = sum(g.nbytes for g in kept[1].values())
    activations = 100 * 6 * 26 * 26 * 4
    for _ in range(3):
        # As in a loop over batches: the last gradient is there until the next has been computed.
        most, kept = allocated(lambda: gradient(p, x, y))
        assert most <= size < activations
    assert all(np.isfinite(g).all() for g in kept[1].values())

from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad.ir import show, verify
from srcad.optimize.prepare.matmul_sinking import sink_matmuls
from srcad.pipeline import stages
from srcad.pipeline.passes import bufferize, simplify

RNG = np.random.default_rng(0)
X, W, V = RNG.random((5, 3, 4)), 0.5 * RNG.normal(size=(4, 4)), 0.5 * RNG.normal(size=(4, 4))


def recurrent(x, w, v):
    h = np.zeros((x.shape[1], 4))
    for t in range(len(x)):
        h = np.tanh(x[t] + h @ w)
    return np.sum(np.sin(h))


def of_vectors(x, w, v):
    x = np.sum(x, axis=1)
    h = np.zeros(4)
    for t in range(len(x)):
        h = np.tanh(x[t] + v @ h)
    return np.sum(np.sin(h))


def with_weights_added_before(x, w, v):
    h = np.zeros((x.shape[1], 4))
    for t in range(len(x)):
        h = np.tanh(x[t] + h @ w)
    return np.sum(np.sin(h @ w))


def two_of_them(x, w, v):
    h, c, y = np.zeros((x.shape[1], 4)), np.ones((x.shape[1], 4)), np.sin(x)
    for t in range(len(x)):
        h = np.tanh(x[t] + h @ w)
        c = np.tanh(y[t] + c @ v)
    return np.sum(np.sin(h * c))


# How many products of matrices the reverse sweep has left in its loop.
BEHIND = {recurrent: 1, of_vectors: 1, with_weights_added_before: 1, two_of_them: 2}


def that_saves_no_rows(x, w, v):
    """The inputs' cotangents are stored nowhere."""
    h = np.zeros((x.shape[1], 4))
    for t in range(len(x)):
        h = np.tanh(np.sum(x) + h @ w)
    return np.sum(np.sin(h))


def of_lengths_that_vary(x, w, v):
    h = np.zeros((1, 4))
    for t in range(3):
        h = np.concatenate([h, np.tanh(x[t, :1] + h @ w)])
        x = x * 1.1
    return np.sum(np.sin(h))


def with_rows_in_other_places(x, w, v):
    h = np.zeros((x.shape[1], 4))
    for t in range(1, len(x)):
        h = np.tanh(x[t] + h @ w)
    return np.sum(np.sin(h))


def that_stops(x, w, v):
    h = np.zeros((x.shape[1], 4))
    for t in range(len(x)):
        h = np.tanh(x[t] + h @ w)
        if np.sum(h) > 3.0:
            break
    return np.sum(np.sin(h))


LEFT = (that_saves_no_rows, of_lengths_that_vary, with_rows_in_other_places, that_stops)
CALLS = [(X, W, V), (X[:1], W, V), (X[:0], W, V), (X[:, :0], W, V), (np.ones((3, 1, 4)), W, V)]


def gradient(f, args, monkeypatch, change):
    """Value, gradient and text, with a pass or without."""
    seen = []

    def optimized(request, fn):
        seen.append(simplify(fn))
        return bufferize(verify(change(seen[-1]), "summed_products"))

    monkeypatch.setattr(stages, "optimized", optimized)
    transformed = srcad.value_and_grad(f, argnums=(0, 1, 2), cache=False)
    value, found = transformed(*args)
    return [value, *found], transformed.source(*args), seen[0]


@pytest.mark.parametrize("f", [*BEHIND, *LEFT], ids=lambda f: f.__name__)
def test_gradients_are_the_same(f, monkeypatch):
    for args in CALLS:
        if f is of_lengths_that_vary and not (len(args[0]) > 2 and args[0].shape[1]):
            continue
        got, _, _ = gradient(f, args, monkeypatch, sink_matmuls)
        want, _, _ = gradient(f, args, monkeypatch, lambda fn: fn)
        for a, b in zip(got, want, strict=True):
            assert (np.asarray(a).dtype, np.shape(a)) == (np.asarray(b).dtype, np.shape(b))
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("f", BEHIND, ids=lambda f: f.__name__)
def test_one_product_behind_the_loop(f, monkeypatch):
    _, text, _ = gradient(f, (X, W, V), monkeypatch, sink_matmuls)
    reverse = text[text.index("reversed(") :]
    lines = [line for line in reverse.splitlines()[1:] if "#" not in line]
    end = next(k for k, line in enumerate(lines) if not line.startswith(" " * 8))
    inside, behind = "\n".join(lines[:end]), "\n".join(lines[end:])
    assert inside.count(" @ ") + inside.count(".dot(") == BEHIND[f], text
    assert behind.count("np.tensordot(") == BEHIND[f], text


@pytest.mark.parametrize("f", LEFT, ids=lambda f: f.__name__)
def test_other_loops_stay(f, monkeypatch):
    _, _, fn = gradient(f, (X, W, V), monkeypatch, sink_matmuls)
    assert sink_matmuls(fn) is fn, show(sink_matmuls(fn))


def test_narrow_rows_are_no_factors(monkeypatch):
    """What is stored in single precision is not what was multiplied."""
    x = X.astype(np.float32)
    got, text, _ = gradient(recurrent, (x, W, V), monkeypatch, sink_matmuls)
    want, _, _ = gradient(recurrent, (x, W, V), monkeypatch, lambda fn: fn)
    assert "tensordot" not in text
    assert all(np.array_equal(a, b) for a, b in zip(got, want, strict=True))

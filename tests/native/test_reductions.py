"""Reductions inside loops: each as NumPy has it, in compiled code as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare, is_refusal, outcome

from srcad.pipeline.request import Request

X = np.array([0.3, -0.7, 1.1, 0.2, -0.4])
A = np.array([[0.3, -0.7, 1.1], [0.2, -0.4, 0.9], [1.4, 0.8, -0.6], [0.1, 0.5, 0.7]])

OF_VECTORS = {
    "mean": lambda y: np.mean(y),
    "variance": lambda y: np.var(y),
    "of_a_sample": lambda y: np.var(y, ddof=1) + np.std(y, ddof=1),
    "deviation": lambda y: np.std(np.sin(y) + 2.0),
    "running": lambda y: np.cumsum(np.sin(y)) @ y,
    "largest": lambda y: y[np.argmax(y)] * np.argmin(y * y),
    "any": lambda y: y[0] if np.any(y > 0.5) and np.all(y > -2.0) else y[1] * y[2],
    "not_zero": lambda y: y[np.count_nonzero(y > 0.0)],
    "norms": lambda y: np.linalg.norm(y) + np.linalg.norm(y, 1),
    "differences": lambda y: np.diff(y) @ np.diff(y * y),
    "rolled": lambda y: np.roll(y, 2) @ y + np.roll(y, -1) @ y,
    "flipped": lambda y: np.flip(y) @ y,
    "joined": lambda y: np.sum(np.hstack([y, y * y]) ** 2) + np.sum(np.stack([y, -y])[1]),
    "rows": lambda y: np.vstack([y, y * y])[1] @ y,
    "padded": lambda y: np.pad(y, (2, 1))[1:-2] @ y,
    "inner": lambda y: np.inner(y, y * y) + np.vdot(y, y),
    "full": lambda y: np.full(5, y[1]) @ y,
}  # fmt: skip
OF_MATRICES = {
    "means": lambda y: np.sum(np.mean(y, axis=0) * y),
    "kept": lambda y: np.sum(np.mean(y, axis=1, keepdims=True) * y),
    "variances": lambda y: np.sum(np.var(y, axis=1) * y[:, 0]) + np.var(y),
    "standardised": lambda y: np.sum(
        (y - np.mean(y, axis=0)) / np.std(y, axis=0, keepdims=True) * y * y
    ),
    "running": lambda y: np.sum(np.cumsum(y, axis=0) * y) + np.sum(np.cumsum(y, axis=1) * y),
    "norms": lambda y: np.sum(np.linalg.norm(y, axis=1) * y[:, 1]) + np.linalg.norm(y),
    "any": lambda y: np.sum(np.where(np.any(y > 0.8, axis=1), y[:, 0], y[:, 1] * y[:, 2])),
    "differences": lambda y: np.sum(np.diff(y, axis=0) * y[1:]) + np.sum(np.diff(y) ** 2),
    "rolled": lambda y: np.sum(np.roll(y, 1, axis=0) * y) + np.sum(np.roll(y, -2, axis=1) * y),
    "flipped": lambda y: np.sum(np.flip(y, axis=1) * y) + np.sum(np.flip(y) * y * y),
    "joined": lambda y: np.sum(np.vstack([y, y * y])[3:] ** 2) + np.sum(np.hstack([y, y])[:, 2:5]),
    "padded": lambda y: np.sum(np.pad(y, ((1, 0), (0, 2)))[:-1, :-2] * y),
}  # fmt: skip
CASES = [(f"vector_{name}", fn, X) for name, fn in OF_VECTORS.items()]
CASES += [(f"matrix_{name}", fn, A) for name, fn in OF_MATRICES.items()]


def looped(fn):
    def program(x):
        y = x * 1.0
        for _ in range(3):
            y = np.tanh(y + 0.1 * fn(y))
        return np.sum(y * y)

    return program


def pair_of(fn, x, numba=False):
    return both(Request("value_and_grad", fn, (0,), single=False), (x,), 1, numba)


@pytest.mark.parametrize(("fn", "x"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_a_loop_with_it_is_compiled(fn, x):
    pair = pair_of(looped(fn), x)
    assert (pair.functions, pair.reasons) == (1, [])
    rng = np.random.default_rng(0)
    for given in (x, -x, rng.standard_normal(x.shape)):
        assert compare(pair, (given,)) == "equal"


def everything(x):
    return sum(looped(fn)(x) for fn in (*OF_VECTORS.values(),))


def test_machine_code():
    pytest.importorskip("numba")
    assert compare(pair_of(everything, X, numba=True), (X,)) == "equal"


def pivots(x):
    """Less entries in each iteration: what is left of longer ones is not looked at."""
    y = x * 1.0
    for k in range(len(x)):
        p = k + np.argmax(np.abs(y[k:]))
        kept = y[k]
        y[k] = y[p] * (1.0 + p)
        y[p] = kept
    return np.sum(y * np.arange(5.0))


def test_places_in_parts_that_become_shorter():
    pair = pair_of(pivots, X)
    assert (pair.functions, pair.reasons) == (1, [])
    for x in (X, -X, X[::-1], np.sort(X), -np.sort(X)):
        assert compare(pair, (x,)) == "equal"


@pytest.mark.parametrize("name", ["variance", "largest", "norms", "running"])
def test_what_is_no_number(name):
    """The place of the first NaN, as NumPy has it."""
    pair = pair_of(looped(OF_VECTORS[name]), X)
    for k in range(3):
        x = X.copy()
        x[k] = x[4] = np.nan
        assert compare(pair, (x,)) == "equal"


@pytest.mark.parametrize("name", ["variance", "of_a_sample", "largest"])
def test_of_nothing_numpy_warns_or_raises(name):
    pair = pair_of(looped(OF_VECTORS[name]), X)
    assert is_refusal(outcome(pair.native, (X[:0],))[0])

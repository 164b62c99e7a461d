"""The text of small compiled programs, to the byte: what a person gets to read."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request

X, A = np.linspace(0.1, 0.9, 5), np.ones((3, 4))


def diffusion(u, rate, steps):
    """A stencil in place, over time."""
    for _ in range(steps):
        u[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    return 0.5 * np.sum(u * u)


def softmax_loss(x, y):
    """Reductions along rows, and what is computed of them."""
    e = np.exp(x - np.max(x, axis=1)[:, None])
    p = e / np.sum(e, axis=1)[:, None]
    return -np.sum(y * np.log(p))


def layer(x, w, b):
    """A product of matrices stays between two compiled functions."""
    h = np.tanh(x @ w + b)
    return np.sum(h * h)


def recurrence(x, w):
    """Numbers, and a tape of them."""
    s = 0.0
    for i in range(len(x)):
        s = np.tanh(w * s + x[i])
    return s


def root(a):
    """As long as a test holds."""
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def largest_sum(x):
    """A branch in a loop, and a result that may be one of Python's numbers."""
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.5:
            s = s + x[i] * x[i]
    return s


def windows(x, w):
    """Slices that reach over the end."""
    s = 0.0
    for i in range(0, len(x), w):
        y = x[i : i + w]
        s = s + np.sum(y) ** 2
    return s


def looked_up(table, rows):
    """An array of places, which may be named twice."""
    y = table[rows] * 2.0
    return np.sum(y * y)


def weighted(x, c):
    """Single precision, and masks."""
    return np.sum(np.where(x > 0, x * 0.5, c * x) ** 2)


CALLS = {
    diffusion: (X, 0.1, 3),
    softmax_loss: (A, A),
    layer: (A, np.ones((4, 2)), np.ones(2)),
    recurrence: (X, 0.5),
    root: (2.0,),
    largest_sum: (X,),
    windows: (X, 2),
    looked_up: (A, np.array([0, 2, 0])),
    weighted: (A.astype(np.float32), A.astype(np.float32)),
}
GIVEN = {diffusion: (0, 1), layer: (1, 2)}


def text_of(fn):
    """The text of a value and gradient."""
    request = Request("value_and_grad", fn, GIVEN.get(fn, (0,)), single=False, backend="native")
    artifact, _ = compile_request(request, CALLS[fn], frozenset())
    return artifact.text


@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_text(fn, golden, monkeypatch):
    """The text that is the same on all machines: compiled kernels need Numba."""
    monkeypatch.setattr("srcad.pipeline.targets.Native.is_available", False)
    text = text_of(fn)
    ast.parse(text)
    assert "@njit(" in text
    golden(f"native_{fn.__name__}.py", text)


@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_it_is_the_same_text_each_time(fn):
    assert text_of(fn) == text_of(fn)

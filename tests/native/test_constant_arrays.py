"""Arrays known while compiling, ranges of integers and lists of indices in compiled loops."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import whole

X = np.random.default_rng(0).uniform(0.5, 1.5, (5, 5))


def weighted(x):
    q = np.diag([10.0, 1.0, 2.0, 0.5, 1.0])
    total = 0.0
    for k in range(5):
        total += x[k] @ q @ x[k] + np.array([1.0, 2.0, 0.0])[k // 2] * x[k, 0]
    return total


def ranges(x):
    total = 0.0
    for k in range(1, 4):
        total += np.sum(x[np.arange(k, len(x)), k]) + np.sum(x[k, np.arange(4, k, -2)])
        total += np.sum(np.arange(k, 9, 3) * x[k, 0])
    return total


def assembled(x):
    stiff = np.zeros((6, 6))
    for e in range(len(x)):
        dofs = [e, e + 1]
        stiff[np.ix_(dofs, dofs)] += x[e, e] * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return np.sum(stiff**2)


@pytest.mark.parametrize("fn", [weighted, ranges, assembled], ids=lambda fn: fn.__name__)
def test_every_loop_is_compiled(fn):
    whole(fn, (X,))

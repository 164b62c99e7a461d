"""What compiled loops compute for its exception alone: it is raised, and they stay compiled."""

import math

import numpy as np
import pytest
from optional import needs_numba

import srcad

X = np.array([0.5, 1.0, 2.0])


def offsets(x, n, c):
    total = 0.0
    for i in range(n):
        total += x[i] * 2.0 + c[i]
    return total


def quotients(x, n, c):
    total = 0.0
    for i in range(n):
        total += x[i] * 2.0 + 1 / c
    return total


def roots(x, n, c):
    total = 0.0
    for i in range(n):
        total += x[i] * 2.0 + math.sqrt(c) + i // c
    return total


def integers(x, n, c):
    total = 0.0
    for i in range(n):
        total += x[i] * 2.0 + int(c[i])
    return total


def stored(x, n, c):
    kept, total = np.zeros(3), 0.0
    for i in range(n):
        total += x[i % 3] * c
        kept[i] = total
    return total


@needs_numba
@pytest.mark.parametrize(
    ("f", "fine", "raising"),
    [
        (offsets, (3, X), [(3, X[:2])]),
        (quotients, (3, 2), [(3, 0)]),
        (roots, (3, 2.0), [(3, 0.0), (3, -1.0)]),
        (integers, (3, X), [(3, X * np.nan)]),
        (stored, (3, 2.0), [(4, 2.0)]),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_nothing_reads_raises(f, fine, raising):
    gradient = srcad.grad(f, backend="native")
    made = gradient(X, *fine)
    np.testing.assert_array_equal(made, srcad.grad(f, backend="numpy")(X, *fine))
    assert gradient.explain(X, *fine).compiled
    for arguments in raising:
        with pytest.raises((LookupError, ArithmeticError, ValueError)) as wanted:
            f(X, *arguments)
        with pytest.raises(wanted.type):
            gradient(X, *arguments)

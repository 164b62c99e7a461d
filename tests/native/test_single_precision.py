"""Loops over single numbers that begin with a number of Python's."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare, whole

from srcad.pipeline.request import Request

X = np.array([0.3, -0.7, 1.1, 0.2, -0.4], np.float32)


def mean_of_sines(x):
    total = 0.0
    for i in range(len(x)):
        total += np.sin(x[i]) * x[i]
    return total / len(x)


def some_squares(x):
    """An integer until an entry is positive."""
    total = 0
    for i in range(len(x)):
        if x[i] > 0:
            total += x[i] ** 2
    return 0.5 * total


def difference(x):
    """Two sums, of which one may stay as it was."""
    a = b = 0.0
    for i in range(len(x)):
        a += np.tanh(x[i])
        if x[i] > 0:
            b -= x[i] * np.float32(0.1)
    return a**2 * 3.0 - b


def filtered(x):
    """A number stored in single precision, of either kind."""
    out = np.zeros_like(x)
    for i in range(len(x)):
        level = 0.0
        for j in range(i):
            level += 0.1 * x[j] * x[i]
        out[i] = level if level > 0 else 0.1 * level
    return np.sum(out * x)


PROGRAMS = [mean_of_sines, some_squares, difference, filtered]
OTHERS = [X, -np.abs(X), X[:2], X[:0], np.zeros(3, np.float32)]


@pytest.mark.parametrize("fn", PROGRAMS)
def test_a_sum_that_begins_with_zero_is_compiled(fn):
    pair = whole(fn, (X,))
    for x in OTHERS:
        assert compare(pair, (x,)) in (("equal", "left") if x.size < 2 else ("equal",))


@pytest.mark.parametrize("fn", PROGRAMS)
def test_machine_code_agrees(fn):
    pair = whole(fn, (X,), numba=True)
    assert compare(pair, (-np.abs(X),)) == "equal"


def from_a_tenth(x):
    total = 0.1
    for i in range(len(x)):
        if x[i] > 0:
            total = total + x[i]
    return total * 3.0


def with_a_tenth(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            total = total + x[i]
    return (total + 0.1) * 3.0


def beside_a_double(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            total = total + np.float64(x[i])
    return total * x[0]


@pytest.mark.parametrize("fn", [from_a_tenth, with_a_tenth, beside_a_double])
def test_where_the_kind_decides_it_is_numpys(fn):
    """A tenth of Python's has more digits than one of NumPy's."""
    pair = both(Request("value_and_grad", fn, (0,), single=False), (X,), 1)
    for x in OTHERS:
        if x.size or fn is not beside_a_double:
            assert compare(pair, (x,)) == "equal"

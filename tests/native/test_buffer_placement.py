"""Values that are read where they were written to, for as long as they are there."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare

from srcad.pipeline.request import Request

X = np.array([0.3, -0.7, 1.1, 0.2, -0.4, 0.9])


def read_there(x, c):
    y = np.ones(len(x) + 2)
    v = np.sin(x) * c + x * np.cos(x) - 1.0
    y[1:-1] = v
    return np.sum(v * v) + np.sum(y * c)


def overwritten(x, c):
    """What is read after the place has another value is what was there before."""
    y = np.ones(len(x) + 2)
    v = np.sin(x) * c + x * np.cos(x) - 1.0
    y[1:-1] = v
    s = np.sum(v * y[2:])
    y[2] = c
    w = v * x
    y[1:-1] = w * w
    return s + np.sum(v * w) + np.sum(y * y)


def its_own(x, c):
    """What is written reads the place."""
    y = x * 1.0
    v = y[1:-1] * y[1:-1] * c - np.sin(y[1:-1])
    y[1:-1] = v
    u = y[2:] * c + v * np.cos(v)
    y[1:-1] = u
    return np.sum(v * u) + np.sum(y[:-2] * v)


def on_one_way(x, c):
    y = np.ones(len(x) + 2)
    v = np.sin(x) * c + x * np.cos(x) - 1.0
    if c > 0.2:
        y[1:-1] = v
    return np.sum(v * y[1:-1]) + np.sum(v * v)


def in_loops(x, c):
    y = np.ones(len(x))
    v = np.sin(x) * c + x * np.cos(x) - 1.0
    y[:] = v
    for i in range(3):
        w = v * y + np.exp(v * 0.1)
        y[:] = w * c
        y[i] = v[i] * w[i]
    return np.sum(v * y)


def single(x, c):
    """Memory in another precision holds another value."""
    y = np.ones(len(x) + 2, np.float32)
    v = np.sin(x) * c + x * np.cos(x) - 1.0
    y[1:-1] = v
    return np.sum(v * v) + np.sum(y * c)


def spread(x, c):
    """A row that is written to all rows."""
    y = np.ones((3, len(x)))
    v = np.sin(x) * c + x * np.cos(x) - 1.0
    y[:] = v
    return np.sum(v * v) + np.sum(y * y)


def multiples(x, c):
    """Several arrays are a step from one that is overwritten."""
    y, z = x * np.sin(x), np.cos(x)
    a, b = y[1:-1] * c, -y[1:-1]
    y[1:-1] = 0.0
    z[2:] += a
    y[:-2] += b
    z[:-2] += b * x[1:-1]
    y[2:] += a * x[1:-1]
    return np.sum(y * z)


def multiples_of_multiples(x, c):
    y = x * np.sin(x)
    z = np.zeros(len(x))
    a = y[1:-1] * 0.1
    b, d = a * c, a * 3.0
    z[2:] = b
    y[1:-1] = 0.0
    z[1:-1] += d
    z[:-2] += b
    y[2:] += d
    y[:-2] += a
    return np.sum(y * z)


def stored_and_added(x, c):
    y = np.zeros(len(x) + 2)
    v = x * c
    y[:-2] = v
    y[2:] += v
    return np.sum(y * y)


PROGRAMS = (
    *(multiples, multiples_of_multiples, stored_and_added),
    *(read_there, overwritten, its_own, on_one_way, in_loops, single, spread),
)


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_loops_and_numpy_agree(fn):
    request = Request("value_and_grad", fn, (0, 1), single=False)
    pair = both(request, (X, 0.5), 2)
    assert pair.functions
    for args in [(X, 0.5), (X[:4], 0.5), (X, 0.1), (X[:4], 0.1)]:
        assert compare(pair, args, single=fn is single) == "equal"


def test_what_is_written_needs_no_memory_of_its_own():
    request = Request("primal", read_there, (), single=False)
    pair = both(request, (X, 0.5), 2)
    assert pair.text.count("np.empty(") == 1


@pytest.mark.parametrize(("fn", "count"), [(multiples, 3), (stored_and_added, 1)])
def test_of_several_that_are_a_step_from_one_that_one_has_memory(fn, count):
    """That is the third of `multiples`; `stored_and_added` has `y` alone."""
    pair = both(Request("primal", fn, (), single=False), (X, 0.5), 2)
    assert pair.text.count("np.empty(") == count

"""Where loops could compute something else than NumPy without a word: one program for each."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare, is_refusal, outcome

from srcad.pipeline.request import Request

X = np.array([0.3, -0.7, 1.1, 0.2, -0.4])


def halved(x, limit):
    """Saves more iterations than its tapes have room for at first."""
    y = x * 1.0
    turns = 0
    while np.sum(y * y) > limit:
        y = y * np.cos(y * 0.1) * 0.98
        turns += 1
    return np.sum(y) * turns


def steps(x, start):
    s = 0.0
    for i in range(start, -1, -3):
        s = s * x[i] + np.sin(x[i])
    for i in range(1, len(x), 2):
        s = s + x[i] ** 2 * s
    return s


def swapped(x, c):
    """Both branches yield arrays that exist already, in the other order."""
    a, b = x * 1.0, x * 2.0
    for i in range(3):
        if x[i] > c:
            a, b = b, a
        a = a + 0.1 * b
    return np.sum(a * a) - np.sum(b)


def read_late(x, rows):
    """What is read before a write is computed before it, though it is used after."""
    y = x * 1.0
    before = y[1:] * 2.0
    for i in rows:
        y[i] = y[i] * y[i - 1]
    return np.sum(before * y[1:])


def row_stored(x, k):
    """The cotangent of a row is read, entry by entry, after the row is zeroed."""
    t = np.zeros((3, len(x)))
    t[1] = x * k
    ys = []
    for i in range(len(x)):
        ys.append(t[1, i] * x[i])
    t[0] = np.array(ys)
    total = 0.0
    for i in range(len(x)):
        total += t[0, i]
    return total


def repeated(x, rows):
    """An entry that is named twice is changed once."""
    y = np.cos(x)
    y[rows] -= y[rows] * x[rows]
    y[rows] = x[: len(rows)]
    return np.sum(y * y)


def masked(x, c):
    y = x * x
    y[x > c] = 0.5
    return np.sum(y) + np.sum(x[x < c] ** 3) + np.sum(y * (x > 0))


def listed(x, n):
    ys = []
    for i in range(n):
        ys.append(x[i : i + 2] * x[i])
    return np.sum(np.array(ys) * 0.5) + len(ys)


CALLS = {
    halved: [(X, 1e-2), (X, 10.0)],
    steps: [(X, 4), (X, 0)],
    swapped: [(X, 0.0), (X, 2.0)],
    read_late: [(X, np.array([1, 3, 2])), (X, np.array([-1, 4]))],
    row_stored: [(X, 2.0), (X[:2], -1.0)],
    repeated: [(X, np.array([1, 1, 3])), (X, np.array([0, 4, 0]))],
    masked: [(X, 0.1), (X, -9.0)],
    listed: [(X, 4)],
}


@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_loops_and_numpy_agree(fn):
    request = Request("value_and_grad", fn, (0,), single=False)
    pair = both(request, CALLS[fn][0], 2)
    assert pair.functions
    assert [compare(pair, args) for args in CALLS[fn]] == ["equal"] * len(CALLS[fn])


@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
def test_machine_code_and_numpy_agree(fn):
    pytest.importorskip("numba")
    request = Request("value_and_grad", fn, (0,), single=False)
    pair = both(request, CALLS[fn][0], 2, numba=True)
    assert [compare(pair, args) for args in CALLS[fn]] == ["equal"] * len(CALLS[fn])


def doubled(x, n):
    k = 1
    for _ in range(n):
        k = k * 3
    return x[0] * float(k) + np.sum(np.sin(x) * np.cos(x))


def far(x, n):
    s = 0.0
    for i in range(n):
        s = s + x[i]
    return s


@pytest.mark.parametrize(("fn", "n"), [(doubled, 60), (far, 6)])
def test_what_has_no_room_is_refused(fn, n):
    """Integers beyond 64 bits; positions outside an array. NumPy then runs the program."""
    request = Request("value_and_grad", fn, (0,), single=False)
    pair = both(request, (X, 2), 2)
    assert pair.functions
    assert compare(pair, (X, 2)) == "equal"
    assert is_refusal(outcome(pair.native, (X, n))[0])

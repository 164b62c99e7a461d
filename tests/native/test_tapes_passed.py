"""Tapes that one compiled loop writes and another reads, with work of NumPy's between them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from native.backends import both, compare

from srcad.pipeline.request import Request

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 1.5, 6)
A = RNG.uniform(0.1, 0.3, (6, 6)) + np.eye(6)
PAIRS = np.array([[0, 1], [1, 2], [0, 2], [4, 5], [3, 5]])


def numbers(x, a):
    total, y = 1.0, np.zeros(6)
    for i in range(len(x)):
        total = np.sin(total * x[i]) + 0.5
        y[i] = total
    return np.sum(np.linalg.solve(a, y) ** 2)


def rows(x, a):
    y = x * 1.0
    for k in range(4):
        y = np.tanh(y + 0.1 * k * y[::-1] * y)
    return np.sum(np.linalg.solve(a, y) ** 2)


def inside(x, a):
    y = np.zeros(6)
    for i in range(6):
        t = x[i]
        for _ in range(3):
            t = np.sin(t) + 0.1 * t * x[i]
        y[i] = t
    return np.sum(np.linalg.solve(a, y) ** 2)


def counted(x, a):
    y, total = x * 1.0, 0.0
    while np.sum(y) > 1.0 and total < 4.0:
        y = y * np.cos(y)
        total = total + y[0]
    return total * np.sum(np.linalg.solve(a, y) ** 2)


def left(x, a):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 1.3:
            break
        total = np.sin(total + x[i])
    return total * np.sum(np.linalg.solve(a, x * total))


def frame(x, a):
    stiff = a * 1.0
    for m, (i, j) in enumerate(PAIRS):
        t = np.array([1.0, -x[m]])
        at = np.array([i, j])
        stiff[at[:, None], at] += np.sqrt(x[m]) * np.outer(t, t)
    return np.sum(np.linalg.solve(stiff, x) ** 2)


def listed(x, a):
    flow, store = [], 0.5
    for v in x:
        store = store + v if store < v else store * 0.7 + v * v
        flow.append(store * v)
    flow = np.array(flow)
    return np.sum(np.sort(np.linalg.solve(a, flow))[-3:] ** 2)


PROGRAMS = (numbers, rows, inside, counted, left, frame, listed)


def pair_of(fn):
    return both(Request("value_and_grad", fn, (0,), single=False), (X, A), 2)


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_no_loop_stays_numpy_s(fn):
    pair = pair_of(fn)
    lines = pair.text[pair.text.rindex("\ndef ") :].splitlines()
    first = [line.split()[0] for line in lines if line.strip()]
    assert not {"for", "while"}.intersection(first), pair.reasons
    assert not [line for line in lines if re.search(r"tape_(array|items|numbers|tuples)\(", line)]
    for x in (X, X[::-1], 0.5 * X):
        assert compare(pair, (x, A)) == "equal"

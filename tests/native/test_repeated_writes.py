"""Stores at places that may be named twice: the last write wins, in values and in cotangents."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import compare, outcome, whole

RNG = np.random.default_rng(0)
X, Y = RNG.uniform(0.1, 1.0, (6, 5)), RNG.uniform(0.1, 1.0, 6)
ROWS = np.array([0, 2, -4, 4])
V, W = RNG.uniform(0.5, 1.5, (4, 3)), RNG.uniform(0.5, 1.5, 4)


def rows_set(x, rows, v, w):
    for k in range(3):
        x = x * (1.0 + 0.1 * k)
        x[rows] = x[rows] * w[:, None]
    return np.sum(x**2)


def rows_changed(x, rows, v, w):
    x = x.copy()
    for k in range(3):
        x[rows] *= w[:, None] + k
        x[rows] += x[1]
        x[rows] -= x[rows, ::-1] * 0.5
        x[rows] /= 1.0 + w[:, None]
    return np.sum(x**2)


def parts_of_rows(x, rows, v, w):
    x = x.copy()
    for _ in range(3):
        x[rows, 1:4] = v * x[0, 0] * x[rows, :3]
        x[1:3, rows] *= w
    return np.sum(x**2)


def pairs(x, rows, v, w):
    x = x.copy()
    for k in range(3):
        x[rows, rows] -= w * x[rows, k]
        x[rows[:, None], rows[1:]] = v * x[k, k]
        x[rows, k] = w
        x[k, [0, 1, 1]] *= v[k]
    return np.sum(x**2)


PROGRAMS = (rows_set, rows_changed, parts_of_rows, pairs)


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=str)
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_every_loop_is_compiled(fn, dtype):
    x = (X / 3 if fn is pairs else X).astype(dtype)
    whole(fn, (x, ROWS % 5 if fn in (parts_of_rows, pairs) else ROWS, V, W))


def numbered(x, rows):
    n = rows * 1
    for k in range(3):
        n[rows // 2] -= k
        n[rows // 2] *= 2
    return np.sum(x * n)


def test_integers_change_once():
    whole(numbered, (W, np.array([1, 0, 1, 3])))


def test_what_raises_is_left_to_numpy():
    pair = whole(rows_changed, (X, ROWS, V, W))
    for rows in (ROWS + 2, ROWS - 3):
        assert isinstance(outcome(pair.numpy, (X, rows, V, W))[0], IndexError)
        assert compare(pair, (X, rows, V, W)) == "left"
    assert compare(pair, (X, ROWS[:0], V[:0], W[:0])) == "equal"


def negative_of_computed(x, rows):
    for k in range(3):
        x = x * x[rows].sum() * (0.3 + k)
    return np.sum(x[1:][rows])


def test_negative_places_of_what_is_not_in_memory():
    whole(negative_of_computed, (Y, np.array([-1, 0, -5])))

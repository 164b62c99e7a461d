"""Rows and columns under a mask, lists of indices, and what branches yield of them."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import whole

RNG = np.random.default_rng(0)
X = RNG.uniform(0.1, 1.0, (5, 4))
ROWS = np.array([True, False, True, True, False])
COLUMNS = np.array([False, True, True, False])


def rows_replaced(x, mask):
    for i in range(3):
        y = x[mask] * (1.0 + 0.1 * i)
        x = 0.5 * x + x**2
        x[mask] = y
    return np.sum(x**2)


def rows_raised(x, mask):
    x = x.copy()
    for i in range(3):
        x[mask] += x[0] * (1.0 + i)
        x[mask] *= 0.5
    return np.sum(x**2)


def columns_replaced(x, mask):
    for i in range(3):
        y = x[:, mask] * (1.0 + 0.1 * i)
        x = 0.5 * x + x**2
        x[:, mask] = y
    return np.sum(x**2)


def columns_filled(x, mask):
    for i in range(3):
        x = x * (1.0 + 0.1 * i)
        x[:, mask] = 0.5
        x[:, mask] += x[0, 0]
    return np.sum(x**2)


def bounced(x, mask):
    f = np.ones((3, 5, 4)) * x
    for _ in range(3):
        kept = f[[2, 0, 1]][:, mask]
        f = 0.9 * f + 0.1 * f**2
        f[:, mask] = kept
    return np.sum(f**2)


def means(x, mask):
    total = np.zeros(4)
    for i in range(4):
        chosen = mask & (x[:, 0] > 0.2 * i)
        total += x[chosen].mean(axis=0) if np.any(chosen) else x[i]
        x = 0.9 * x
    return np.sum(total**2)


PROGRAMS = {
    rows_replaced: ROWS, rows_raised: ROWS, columns_replaced: COLUMNS, columns_filled: COLUMNS,
    bounced: X > 0.6, means: ROWS,
}  # fmt: skip


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_every_loop_is_compiled(fn):
    whole(fn, (X, PROGRAMS[fn]))

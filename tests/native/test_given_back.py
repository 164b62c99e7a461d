"""What compiled code gives back shares memory as in Python: arrays of the caller's stay these."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import srcad

X = np.arange(1.0, 5.0)


def turned(x, n):
    for _ in range(n):
        x = x[::-1]
    return x


def doubled(x, n):
    y = x
    while n > 0:
        y = y * 2
        n -= 1
    return y


def doubled_in_loops(x, n):
    y = x
    for i in range(n):
        for _ in range(i):
            y = y * 2
    return y


def left_early(x, n):
    for i in range(10):
        if i >= n:
            break
        x = x + 1
    return x


def settled(x, n):
    for _ in range(n):
        after = 0.5 * (x + 2 / x)
        if np.max(np.abs(after - x)) < 1.0:
            break
        x = after
    return x


def least(x, n):
    best, norm, now = x, np.sum(x**2), x
    for i in range(n):
        now = now * 0.5 if i % 2 else now * 3
        if np.sum(now**2) < norm:
            best, norm = now, np.sum(now**2)
    return best, norm, now


def swapped(x, n):
    a, b = x[:2], x[2:]
    while n > 0:
        a, b = b, a
        n -= 1
    return a, b


def rotated(x, n):
    a, b = x, x + 1
    for _ in range(n):
        a, b = b, a
    return a, b


def chosen(x, n):
    y = x
    while n > 0:
        y = x if n == 1 else y + 1
        n -= 1
    return y


def kept(x, n):
    return {"y": doubled(x, n), "s": np.sum(doubled(x, n))}


def viewed(x, n):
    v, s = x[1:], 0.0
    for i in range(n):
        s += v[i] * v[-1]
    return v, s, v[::-1]


def viewed_after(x, n):
    y = doubled(x, n)
    return y[:2], y


def recursive(x, n):
    while n > 2:
        x = x * 2
        n -= 1
    return x if n <= 0 else recursive(x, n - 1)


def last_row(x, n):
    rows = x.reshape(2, 2)
    row = rows[0]
    for i in range(min(n, 2)):
        row = rows[i]
    return row


def diffused(x, n):
    for _ in range(n):
        after = x.copy()
        after[1:-1] = x[1:-1] + 0.1 * (x[2:] - 2 * x[1:-1] + x[:-2])
        x = after
    return x


def _shared(argument, results):
    """Which results are the argument, or share memory with it or one another."""
    arrays = [argument, *(r for r in results if isinstance(r, np.ndarray))]
    pairs = [(a, b) for k, a in enumerate(arrays) for b in arrays[:k]]
    return [(a is b, np.shares_memory(a, b)) for a, b in pairs]


def _listed(result):
    if isinstance(result, dict):
        return list(result.values())
    return list(result) if isinstance(result, tuple) else [result]


@pytest.mark.parametrize(
    "f",
    [
        turned, doubled, doubled_in_loops, left_early, settled, least, swapped, rotated, chosen,
        kept, viewed, viewed_after, recursive, last_row, diffused,
    ],
)  # fmt: skip
def test_results_share_memory_as_in_python(f):
    made = srcad.compile(f, backend="native")
    for n in (0, 1, 2, 3, 0):
        x, own = copy.copy(X), copy.copy(X)
        wanted, got = _listed(f(x, n)), _listed(made(own, n))
        for a, b in zip(wanted, got, strict=True):
            np.testing.assert_allclose(b, a)
        assert _shared(own, got) == _shared(x, wanted)


@pytest.mark.parametrize(
    "f",
    [doubled, left_early, settled, least, swapped, rotated, chosen, viewed, viewed_after, diffused],
)
def test_they_are_compiled(f):
    made = srcad.compile(f, backend="native")
    made(copy.copy(X), 3)
    assert made.explain().compiled

"""Shifts and complements of integers have forms in compiled loops."""

from __future__ import annotations

import numpy as np
import pytest

import srcad

pytest.importorskip("numba")


def halves(x):
    return sum(x[i] * x[i >> 1] for i in range(len(x)))


def from_the_end(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[~i]
    return total


def doubling(x):
    total, k = 0.0, 1
    while k < len(x):
        for i in range(len(x) - k):
            total += x[i] * x[i + k]
        k <<= 1
    return total


def reversed_bits(x):
    n, total, j = len(x), 0.0, 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j ^= bit
        if i < j:
            total += x[i] * x[j]
    return total


def by_data(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * ((1 << (i % 5)) + (100 >> (i % 9)) - (-7 >> (i & 1)) + (-3 << (i & 3)))
    return total


def of_arrays(x):
    k = np.arange(len(x))
    return np.sum(x * ((k >> 1) + (k << 2) - ~k))


@pytest.mark.parametrize("f", [halves, from_the_end, doubling, reversed_bits, by_data, of_arrays])
def test_they_are_those_of_python(f):
    run = srcad.value_and_grad(f, backend="native")
    run(np.ones(8))
    assert run.explain().compiled
    assert not run.explain().stays
    for n in (8, 5, 1):
        x = np.linspace(0.5, 2.0, n)
        value, gradient = run(x)
        np.testing.assert_allclose(value, f(x), rtol=1e-13)
        wanted = srcad.grad(f, backend="numpy")(x)
        np.testing.assert_allclose(gradient, wanted, rtol=1e-12)


def shifted(x, n, k):
    total = 0
    for v in x:
        if v > 0:
            total += n << k
            total -= n >> k
    return total


@pytest.mark.parametrize(
    ("n", "k"),
    [
        (1, 40),
        (1, 70),
        (0, 70),
        (-5, 3),
        (-5, 70),
        (3, 0),
        (2**40, 1),
        (2**31, 1),
        (1, 31),
        (1, -1),
    ],
)
def test_what_has_no_room_is_left_to_numpy(n, k):
    def outcome(f):
        try:
            return f(np.array([1.0, -1.0, 2.0]), n, k)
        except Exception as problem:
            return type(problem)

    assert outcome(srcad.compile(shifted, backend="native")) == outcome(shifted)

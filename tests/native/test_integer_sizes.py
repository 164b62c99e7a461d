"""Integers of Python's have no end: compiled code gives what they give, or leaves it to NumPy."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import srcad


def sums(a, b):
    total = 0.0
    for _ in range(3):
        total += float(int(a) + int(b))
    return total


def products(a, b):
    total = 0.0
    for _ in range(3):
        total += float((a + b) * (a - b) * 2)
    return total


def cubes(a, b):
    total = 0.0
    for _ in range(b):
        total += float(a * a * a)
    return total


def taken_away(a, b):
    s = 0
    for _ in range(b):
        s -= a
    return s


def doubled(a, b):
    for _ in range(b):
        a = a + a
    return a


def following(a, b):
    last = 0
    for k in range(b):
        last = a + k
    return last


def opposite(a, b):
    last = 0
    for _ in range(b):
        last = -a
    return last


def size(a, b):
    last = 0
    for _ in range(b):
        last = abs(a)
    return last


def compared(a, b):
    count = 0
    for _ in range(b):
        if a + 1 > a:
            count += 1
        if a == 9007199254740992.0:
            count += 10
    return count


def ranges(a, b):
    last = 0
    for i in range(a, a + b):
        last = i + i
    return last


def shared(a, b):
    total = 0.0
    for _ in range(b):
        total += sum([a, a, a])
    return total


def hashed(a, b):
    h = 7
    for k in range(b):
        h = h * 31 + k * a
    return h


def factorial(a, b):
    n = 1
    for k in range(1, b * 10):
        n *= k
    return n


FUNCTIONS = [
    sums, products, cubes, taken_away, doubled, following, opposite, size, compared, ranges, shared,
    hashed, factorial,
]  # fmt: skip
NUMBERS = [(5, 3), (2**62, 3), (-(2**63), 1), (2**63 - 1, 2), (2**53 + 1, 2), (2**31, 3), (-7, 4)]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_what_is_large_is_as_in_python(f):
    made = srcad.compile(f, backend="native")
    for a, b in (*NUMBERS, NUMBERS[0]):
        wanted, got = f(a, b), made(a, b)
        assert (got, type(got)) == (wanted, type(wanted))


def of_entries(x):
    total = 0.0
    for i in range(1, len(x)):
        total += float(int(x[i]) * int(x[i - 1])) + (int(x[i]) + int(x[i]))
    return total


def of_floors(x):
    total = 0
    for v in x:
        total = max(total, math.floor(v) * math.ceil(v) + 1)
    return total


@pytest.mark.parametrize("f", [of_entries, of_floors])
def test_integers_of_entries(f):
    made = srcad.compile(f, backend="native")
    for x in (np.array([2.0**32, 2.0**33]), np.array([2.5, 3.0]), np.full(2, 2.0**62)):
        assert made(copy.copy(x)) == f(x)


def placed(x, k):
    for i in range(k + 1):
        x[len(x) - i - k] += x[i] * 2
    return x


def test_positions_need_no_checks():
    made = srcad.compile(placed, backend="native")
    np.testing.assert_array_equal(made(np.arange(9.0), 3), placed(np.arange(9.0), 3))
    assert made.explain().compiled
    assert "check_within" not in made.source(np.arange(9.0), 3)

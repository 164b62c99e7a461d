"""Truths that are Python's or NumPy's, by the way that a program went."""

from __future__ import annotations

import numpy as np
import pytest

import srcad


def last(x):
    is_large = False
    for v in x:
        is_large = v > 2
    return is_large


def every(x):
    are_small = True
    for v in x:
        are_small = are_small and v < 2
    return are_small


def any_of_bits(x):
    found = False
    for v in x:
        found |= v > 2
    return found


def some(x):
    found = False
    for v in x:
        if v > 2:
            found = True
    return found


def while_small(x):
    is_small, i = True, 0
    while is_small and i < len(x):
        is_small = x[i] < 2
        i += 1
    return is_small, i


def from_numpy(x):
    is_any = x.size > 0
    ok = np.bool_(True)
    for _ in x:
        ok = True
    return is_any, ok


def number_or_truth(x):
    found = 0
    for v in x:
        found = found or v > 1
    return found


def truth_or_entry(x):
    y = 1.0
    for v in x:
        y = v > 1 if v > 2 else v
    return y


def inverted(x):
    is_small = False
    for v in x:
        is_small = v < 2
    return ~is_small


@pytest.mark.parametrize(
    "f",
    [
        last, every, any_of_bits, some, while_small, from_numpy, number_or_truth, truth_or_entry,
        inverted,
    ],
)  # fmt: skip
def test_truths_are_of_the_kind_that_python_gives(f):
    made = srcad.compile(f, backend="native")
    for x in (np.zeros(0), np.arange(1.0, 4.0), -np.arange(3.0), np.zeros(0)):
        wanted, got = f(x), made(x)
        assert repr(got) == repr(wanted)


def test_what_has_a_flag_is_compiled():
    for f in (last, every, any_of_bits, while_small):
        made = srcad.compile(f, backend="native")
        made(np.arange(3.0))
        assert made.explain().compiled

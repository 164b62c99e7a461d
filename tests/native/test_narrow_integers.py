"""Integers of few bits in compiled loops: indices, arithmetic that wraps around, stores."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare, is_refusal, outcome, whole

import srcad
from srcad.pipeline.request import Request

X = np.array([0.3, -0.7, 1.1, 0.2, -0.4])
NARROW = [np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32]


def looked_up(x, k):
    """Entries by index, places counted from the end among them, and factors."""
    total = 0.0
    for i in range(len(k)):
        total += x[k[i]] * k[i] + x[k[i] // 2] ** 2
        if k[i] % 3 == 1 and k[i] < 4:
            total += np.sin(x[-1 - int(k[i])])
    return total


def wrapping(x, k):
    """Sums, products, and opposites of the array's own integers."""
    total = 0.0
    for i in range(len(k)):
        grown = k[i] * k[i] * k[i] + k[i - 1]
        total += x[i] * (grown - np.minimum(k[i], -k[i])) + x[i] * (grown > 100)
    return total


def pointers(x, k):
    """Places that are stored, and followed back."""
    back = np.zeros_like(k)
    best = x[0] * 1.0
    for i in range(1, len(x)):
        best = np.maximum(best, x[i]) + 0.5 * x[i - 1]
        back[i] = i if x[i] > 0 else k[i]
        back[i] += k[1]
    total = best
    for i in range(len(x) - 1, 0, -1):
        total += x[i] * back[i] + x[back[i] % 5]
    return total


def chosen(x, k):
    """An integer of Python's, or one of the array's."""
    total = 0.0
    for i in range(len(k)):
        label = 0 if i % 2 == 0 else k[i]
        if label != 0:
            total += x[label] ** 2
        total += x[label + 1] * (label * 2)
    return total


PROGRAMS = [looked_up, wrapping, pointers, chosen]


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("fn", PROGRAMS)
def test_they_are_compiled_and_wrap_around(fn, dtype):
    k = np.array([0, 1, 2, 3, 1], dtype)
    pair = whole(fn, (X, k))
    if fn is wrapping:
        top = np.iinfo(dtype).max
        large = np.array([top, top // 2, 7, top - 3, 200 if top > 127 else 100], dtype)
        assert compare(pair, (X, large)) == "equal"


@pytest.mark.parametrize("dtype", [np.uint8, np.int16])
@pytest.mark.parametrize("fn", PROGRAMS)
def test_machine_code_agrees(fn, dtype):
    k = np.array([0, 1, 2, 3, 1], dtype)
    pair = whole(fn, (X, k), numba=True)
    if fn is wrapping:
        assert compare(pair, (X, np.array([100, 127, 99, 3, 120], dtype))) == "equal"


def added(x, k, n):
    total = 0.0
    for i in range(len(k)):
        total += x[i] * (k[i] + n)
    return total


def written(x, k, n):
    k = k.copy()
    total = 0.0
    for i in range(len(k)):
        k[i] = n
        total += x[i] * k[i]
    return total


@pytest.mark.parametrize("fn", [added, written])
def test_integers_of_pythons_that_are_out_of_bounds_are_refused(fn):
    k = np.array([0, 1, 2, 3, 1], np.uint8)
    pair = whole(fn, (X, k, 3))
    assert compare(pair, (X, k, 250)) == "equal"
    for n in (256, -1):
        assert is_refusal(outcome(pair.native, (X, k, n))[0])
        assert isinstance(outcome(pair.numpy, (X, k, n))[0], OverflowError)


def grown(x, k):
    total = 0.0
    for i in range(len(k)):
        label = 3 if i % 2 == 0 else k[i]
        label = label * 20
        total += x[i] * (label * 7)
    return total


def test_where_pythons_would_grow_the_call_is_refused():
    """420 of Python's is 164 of NumPy's."""
    k = np.array([0, 1, 2, 1, 1], np.uint8)
    pair = both(Request("value_and_grad", grown, (0,), single=False), (X, k), 2)
    assert (pair.functions, pair.reasons) == (1, [])
    assert is_refusal(outcome(pair.native, (X, k))[0])


def multiplied_in_place(v):
    v[1:] *= v[0]
    return v * 1.5


def added_to_neighbours(v):
    v[1:] += v[:-1]
    return v * 2.0


def middle(v):
    return np.median(v) * 1.0


@pytest.mark.parametrize("fn", [multiplied_in_place, added_to_neighbours, middle])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.int32, np.uint32])
def test_what_memory_cuts_off_is_not_read_behind_it(fn, dtype):
    v = np.array([100, 200, 90, 210]).astype(dtype) * dtype(
        1 if np.dtype(dtype).itemsize < 4 else 101
    )
    wanted = fn(v.copy())
    for backend in ("numpy", "native"):
        made = srcad.compile(fn, backend=backend)(v.copy())
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(made, wanted)

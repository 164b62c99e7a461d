"""Loads and stores at places counted from the front, and what LLVM knows of their arrays."""

import numpy as np
import pytest

pytest.importorskip("numba")
from numba import njit

from srcad.native.functions import at, at_common


def llvm(fn):
    """The optimised text of a function that has one signature."""
    (text,) = fn.inspect_llvm().values()
    return text


def shifted(place):
    """A function that LLVM may make vectors of only if `x` and `y` do not overlap."""

    @njit("(float64[::1], float64[::1])")
    def fn(x, y):
        for i in range(x.size - 1):
            y[place(i + 1)] = 2.0 * x[place(i)]

    return fn


def test_nothing_asks_whether_separate_arrays_overlap():
    own, common = llvm(shifted(at)), llvm(shifted(at_common))
    assert "x double>" in own
    assert "vector.memcheck" not in own
    assert "x double>" not in common or "vector.memcheck" in common


def test_arrays_in_common_are_separate_from_the_others():
    @njit("(float64[::1], float64[::1])")
    def fn(x, y):
        for i in range(x.size - 1):
            y[at_common(i + 1)] = 2.0 * x[at(i)]

    assert "x double>" in llvm(fn)
    assert "vector.memcheck" not in llvm(fn)


def test_arrays_that_overlap_are_written_and_read_in_order():
    x = np.ones(40)
    shifted(at_common)(x, x)
    np.testing.assert_array_equal(x, 2.0 ** np.arange(40))


def test_an_array_is_itself_under_whatever_name_numba_has_for_it():
    @njit("float64(float64[::1], int64, int64, boolean)")
    def fn(x, i, j, c):
        total = 0.0
        for k in range(4):
            x[at(i if c else j)] += 1.0 if k > 1 else 2.0
            total += x[at(i)] * (x[at(j if c else i)] if k else 3.0)
            x[at(j)] += total
        return total

    for c in (False, True):
        mine, plain = np.arange(5.0), np.arange(5.0)
        assert fn(mine, 1, 2, c) == by_hand(plain, 1, 2, c)
        np.testing.assert_array_equal(mine, plain)


def by_hand(x, i, j, c):
    """What `fn` above does."""
    total = 0.0
    for k in range(4):
        x[i if c else j] += 1.0 if k > 1 else 2.0
        total += x[i] * (x[j if c else i] if k else 3.0)
        x[j] += total
    return total


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex128", "bool"])
@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_entries_of_all_kinds(dtype, order):
    @njit
    def fn(x, y, i):
        y[at(i, 1)] = x[at(1, i)]
        return x[at_common(i, 0)]

    base = (np.arange(12).reshape(3, 4) % 3).astype(dtype)
    x = {"C": base, "F": np.asfortranarray(base), "A": base[::2]}[order]
    y = np.zeros((3, 3), dtype)
    assert fn(x, y, 1) == base[{"A": 2}.get(order, 1), 0]
    assert y[1, 1] == x[1, 1]
    assert y.dtype == dtype


def test_values_are_converted_to_entries():
    @njit("(float32[::1], int64)")
    def fn(x, i):
        x[at(i)] = 1
        x[at(i + 1)] = 0.1
        x[at(i + 2)] += True

    x = np.ones(3, np.float32)
    fn(x, 0)
    np.testing.assert_array_equal(x, np.array([1, 0.1, 2], np.float32))

"""Floats that compiled code stores as integers: what has no integer raises, as in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import srcad


def entry(x, k):
    for i in range(len(x)):
        k[i] = x[i]
    return k


def entry_of_python(x, k):
    for i in range(len(x)):
        k[i] = float(x[i])
    return k


def the_rest(x, k):
    for i in range(len(x)):
        k[i:] = x[i]
    return k


def all_at_once(x, k):
    for _ in range(2):
        k[:] = x
    return k


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int8, np.bool_])
@pytest.mark.parametrize("f", [entry, entry_of_python, the_rest, all_at_once])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_what_has_no_integer_raises(f, dtype):
    made = srcad.compile(f, backend="native")
    for v in (2.7, 1e30, np.nan, -1e30, 3e9, -3e9, 300.0, -2.7, np.inf, 2.7):
        if f is all_at_once and abs(v) != 2.7:
            continue  # what C makes of it
        x = np.array([v, 1.5])
        try:
            wanted = f(x, np.zeros(2, dtype))
        except (OverflowError, ValueError) as problem:
            with pytest.raises(type(problem)):
                made(x, np.zeros(2, dtype))
        else:
            np.testing.assert_array_equal(made(x, np.zeros(2, dtype)), wanted)

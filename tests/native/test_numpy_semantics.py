"""Quotients and remainders of NumPy's numbers, as they stand and as machine code."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcad
from srcad.native.numpy_semantics import int_quotient, int_remainder, quotient, remainder

FLOATS = [0.0, 0.1, 0.5, 1.0, 3.0, 7.25, 1e17, 1e30, 1e-40, 1 + 2**-52, np.inf]
FLOATS = [*FLOATS, *(-x for x in FLOATS), np.nan]
INTS = [-(2**63), -(2**62), -7, -3, -2, -1, 0, 1, 2, 3, 7, 2**62, 2**63 - 1]


def compiled(fn):
    numba = pytest.importorskip("numba")
    return numba.njit(fn, error_model="numpy")


def as_written(fn):
    return fn


@pytest.mark.parametrize("way", [as_written, compiled])
@pytest.mark.parametrize(
    ("fn", "of", "numbers"),
    [
        (int_quotient, np.floor_divide, list(map(np.int64, INTS))),
        (int_remainder, np.remainder, list(map(np.int64, INTS))),
        (quotient, np.floor_divide, list(map(np.float64, FLOATS))),
        (remainder, np.remainder, list(map(np.float64, FLOATS))),
        (remainder, np.remainder, list(map(np.float32, FLOATS))),
    ],
)
def test_each_pair_gives_what_numpy_gives(fn, of, numbers, way):
    twin = way(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for a in numbers:
            for b in numbers:
                wanted = of(a, b)
                assert repr(wanted.dtype.type(twin(a, b))) == repr(wanted), (a, b)


def powers(x, k):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** k[i]
    return total


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint8])
def test_powers_by_ints_are_numpy_s_bit_for_bit(dtype):
    pytest.importorskip("numba")
    compiled = srcad.compile(powers, backend="native")
    rng = np.random.default_rng(0)
    for _ in range(50):
        x, k = rng.normal(size=4) * 3, rng.integers(0, 40, 4).astype(dtype)
        k = k - dtype(9) if dtype != np.uint8 else k
        assert compiled(x, k) == powers(x, k)
    assert compiled(np.zeros(1), np.array([3], dtype)) == 0.0
    if dtype == np.int16:
        assert compiled(np.array([0.3, 0.0]), np.array([-20000, -1], dtype)) == np.inf

"""Numbers of Python's that an array of integers has no room for raise, as in NumPy."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import srcad


def placed(x, v):
    np.place(x, x > 1, v)
    return x


def masked(x, v):
    np.putmask(x, x > 1, v)
    return x


def copied(x, v):
    np.copyto(x[:2], v)
    return x


def stored(x, v):
    x[:2] = v
    return x


def on_a_diagonal(x, v):
    y = np.zeros((3, 3), x.dtype)
    np.fill_diagonal(y, v)
    return y


def inserted(x, v):
    return np.insert(x, 0, v)


def inserted_at_several(x, v):
    return np.insert(x, [0, 2], v)


def inserted_after_a_loop(x, v):
    at = 0
    for i in range(3):
        at += i
    return np.insert(x, at, v)


def appended(x, v):
    return np.append(x, v)


VALUES = [
    5, 300, -129, 2**40, 5.7, 300.0, float("nan"), True, [300, 1], [5, 1], [1.5, 2.5],
    np.array([300, 5]),
]  # fmt: skip


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(
    "f",
    [
        placed, masked, copied, stored, on_a_diagonal, inserted, inserted_at_several,
        inserted_after_a_loop, appended,
    ],
)  # fmt: skip
def test_what_is_out_of_bounds_is_as_in_python(f, backend):
    if backend == "native":
        pytest.importorskip("numba")
    made = srcad.compile(f, backend=backend)
    for v in VALUES:
        x = np.array([1, 2, 3], np.int8)
        own = copy.copy(x)
        try:
            wanted = f(x, v)
        except (OverflowError, TypeError, ValueError) as problem:
            with pytest.raises((type(problem), srcad.SrcadError)):
                made(own, v)
            continue
        try:
            got = made(own, v)
        except srcad.SrcadError:
            continue
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)

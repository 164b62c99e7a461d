"""Arrays that are too short for a slice: compiled code leaves them to NumPy, in place too."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import srcad


def behind_the_third(u):
    u[3:] *= 2
    u[:3] += 1
    return u


def two_slices(u):
    v = u * 2
    u[3:] = v[3:]
    u[:3] += 1
    return v


def last_four(u):
    u[-4:] *= 2
    u[:-4] += 1


def inner(u):
    u[1:-1] += 0.5 * (u[2:] - u[:-2])
    u[2:-2] -= 1
    return u


def steps(u):
    for _ in range(2):
        u[3:] = u[3:] * 0.5 + u[:-3]
        u[1::2] = 0
    return u


@pytest.mark.parametrize("f", [behind_the_third, two_slices, last_four, inner, steps])
def test_what_is_too_short_is_as_in_python(f):
    made = srcad.compile(f, backend="native")
    for n in (9, 0, 1, 2, 3, 4, 5, 9):
        u = np.arange(1.0, n + 1)
        own = copy.copy(u)
        wanted, got = f(u), made(own)
        np.testing.assert_array_equal(own, u)
        np.testing.assert_equal(got, wanted)

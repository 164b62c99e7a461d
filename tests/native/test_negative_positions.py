"""Positions that may be negative: `y[-1]` and `y[n - 1]` are one place, which no pass overlooks."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from native.backends import both, compare
from native.test_fusion import rows as sparse_rows

import srcad
from srcad.kernels import teams
from srcad.pipeline.request import Request

R = np.random.default_rng(5)


def stored_from_both_ends(x, k):
    total = 0.0
    for i in range(3):
        x[k] = 1.0 * i * x[0]
        x[k + 4] = 7.0 + i
        total = total + x[k] * 10.0
    return total


def places_from_data(x, ks):
    total = 0.0
    for k in ks:
        x[k] = x[0] * 2.0
        x[k + 4] = 7.0 * x[1]
        total = total + x[k] * 10.0
    return total


def periodic(y, a, b):
    for i in range(len(a)):
        y[i] = a[i] * 2.0
    for i in range(len(a)):
        y[i - 1] *= b[i]
    return np.sum(y * y)


def periodic_differences(y, a, b):
    for i in range(len(a)):
        y[i] = a[i] * 2.0
    for i in range(len(a)):
        y[i - 1] = y[i] * b[i] + y[i - 1]
    return np.sum(y * y)


def mirrored(x, k):
    for i in range(len(x)):
        x[i] = x[i] + 0.5 * x[-i - 1]
    return np.sum(x * x) * k


def rows_behind(x, k):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x[i - k, j] = 0.5 * x[i, j - 1] + x[i - 1, j]
    return np.sum(x * x)


def wrapped_by_the_turn_before(x, k):
    total, last = 0.0, -1
    for i in range(len(x)):
        x[last] = x[i] * 0.5 + x[last]
        total = total + x[len(x) - 1] * x[last]
        last = i - k
    return total


CASES = [
    (stored_from_both_ends, (R.random(4), -2)),
    (stored_from_both_ends, (R.random(4), -1)),
    (stored_from_both_ends, (R.random(6), 1)),
    (places_from_data, (R.random(4), np.array([-2, -1, -4, -3]))),
    (places_from_data, (R.random(6), np.array([1, -2, 0]))),
    (periodic, tuple(R.random((3, 6)))),
    (periodic_differences, tuple(R.random((3, 6)))),
    (mirrored, (R.random(7), 1)),
    (rows_behind, (R.random((5, 4)), 1)),
    (rows_behind, (R.random((5, 4)), 2)),
    (wrapped_by_the_turn_before, (R.random(5), 1)),
    (wrapped_by_the_turn_before, (R.random(5), 2)),
]


@pytest.mark.parametrize(("fn", "args"), CASES)
def test_they_are_the_places_that_python_takes(fn, args):
    argnums = tuple(k for k, x in enumerate(args) if np.asarray(x).dtype == float)
    pair = both(Request("value_and_grad", fn, argnums, single=False), args, len(args))
    assert pair.functions
    assert compare(pair, args) == "equal"


@pytest.mark.parametrize(("fn", "args"), CASES)
def test_machine_code_takes_them_with_one_thread_and_two(fn, args, monkeypatch):
    pytest.importorskip("numba")
    wanted = fn(*copy.deepcopy(args))
    for count in (1, 2):
        monkeypatch.setattr(teams, "thread_count", lambda _, count=count: count)
        given, plain = copy.deepcopy(args), copy.deepcopy(args)
        fn(*plain)
        assert np.isclose(srcad.compile(fn, backend="native")(*given), wanted, rtol=1e-12)
        assert all(np.allclose(x, y, rtol=1e-12) for x, y in zip(given, plain, strict=True))


def test_a_long_array_that_reads_its_other_end_is_not_shared_out(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(teams, "thread_count", lambda _: 2)
    x = R.random(100_000)
    wanted = mirrored(x.copy(), 1)
    assert np.isclose(srcad.compile(mirrored, backend="native")(x.copy(), 1), wanted, rtol=1e-12)


def test_what_has_been_checked_is_not_counted():
    """Rows of a sparse matrix: their columns may be negative, their own places cannot."""
    args = np.array([0, 2, 3, 5]), np.array([0, -1, 2, 1, -3]), R.random(5), R.random(4)
    pair = both(Request("grad", sparse_rows, (2, 3), single=False), args, len(args))
    counted = [line.strip() for line in pair.text.splitlines() if " counted(" in line]
    assert all(" + " not in line for line in counted[1:])  # the first one defines it
    assert compare(pair, args) == "equal"

"""Calls of NumPy's functions in loops, as the loops that they are."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare, is_refusal, outcome, whole

from srcad.ir import Value, show
from srcad.native.scalarize import loop_forms as forms
from srcad.native.scalarize.lowered_forms import lowered
from srcad.pipeline.request import Request
from srcad.pipeline.stages import plain_program
from srcad.rules.core.staged import type_of
from srcad.runtime import cofactors

RNG = np.random.default_rng(0)
X = RNG.uniform(0.1, 1.0, 12)
GRID = np.linspace(0.0, 1.2, 7)
POINTS = RNG.standard_normal((6, 3))
BINS = np.array([0, 2, 1, 2, 2, 0, 3, 1, 0, 2, 3, 1])
MATRICES = RNG.standard_normal((5, 3, 3))


def pair_of(fn, *args, numba=False):
    return both(Request("value_and_grad", fn, (0,), single=False), args, len(args), numba)


def looked_up(x, grid):
    total = 0.0
    for i in range(len(x)):
        j = np.searchsorted(grid, x[i])
        k = np.searchsorted(grid, x[i], side="right")
        total += x[i] * (grid[j] + 2 * k)
    return total


def interpolated(x, grid):
    table = np.sin(grid)
    total = 0.0
    for i in range(len(x)):
        total += np.interp(x[i], grid, table) * x[i]
        total += x[i] * (np.interp(-1.0, grid, table) + np.interp(9.0, grid, table))
    return total


def turned(x):
    total = np.zeros(3)
    for i in range(1, len(x)):
        total += np.cross(x[i], x[i - 1]) * np.linalg.norm(x[i])
    return np.sum(total**2)


def grouped(x, bins):
    total = 0.0
    for _ in range(3):
        sums = np.bincount(bins, weights=x, minlength=4)
        counts = np.bincount(bins, minlength=4)
        x = x - 0.1 * (sums / counts)[bins]
        total += np.sum(sums**2)
    return total


def solved(w):
    total = 0.0
    for i in range(len(w)):
        a = np.array([[w[i], 1.0, 0.0], [2.0, 0.1, w[i]], [0.0, w[i] ** 2, 1.0]])
        x = np.linalg.solve(a, np.array([1.0, w[i], 2.0]))
        y = np.linalg.solve(a, np.eye(3) + w[i])
        total += np.sum(x) + np.linalg.det(a) + np.sum(np.linalg.inv(a) * y)
    return total


def diagonals(w):
    total = 0.0
    for i in range(len(w)):
        a = np.diag(w) + np.eye(len(w), k=1) * w[i]
        total += np.sum(np.diag(a @ w[:, None] @ w[None]) * w)
    return total


def determinants(a):
    """Of matrices whose size the program does not tell."""
    total = 0.0
    for i in range(len(a)):
        sign, logarithm = np.linalg.slogdet(a[i])
        total += np.linalg.det(a[i]) + sign * logarithm
    return total


def filtered(f, h, q, r, z):
    """A Kalman filter of any size."""
    x, p = np.zeros(len(f)), np.eye(len(f))
    loss = 0.0
    for seen in z:
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h.T + r
        k = p @ h.T @ np.linalg.inv(s)
        e = seen - h @ x
        x = x + k @ e
        p = p - k @ h @ p
        loss += np.linalg.slogdet(s)[1] + e @ np.linalg.solve(s, e)
    return loss


def of_size(n, m):
    """The arguments of a filter."""
    states = 0.9 * np.eye(n) + 0.05 * RNG.standard_normal((n, n)), RNG.standard_normal((m, n))
    return *states, 0.1 * np.eye(n), np.eye(m), RNG.standard_normal((5, m))


def ranges(x):
    total = 0.0
    for i in range(len(x)):
        total += np.ptp(x[i]) * np.ptp(x * x[i])
    return total


FILTER = of_size(4, 2)
PROGRAMS = {
    determinants: (MATRICES,), filtered: FILTER, ranges: (POINTS,),
    looked_up: (X, GRID), interpolated: (X, GRID), turned: (POINTS,), grouped: (X, BINS),
    solved: (X,), diagonals: (X,),
}  # fmt: skip


@pytest.mark.parametrize("numba", [False, True])
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_every_loop_is_compiled(fn, numba):
    whole(fn, PROGRAMS[fn], numba)


def test_outside_of_loops_it_is_numpys():
    def once(x):
        return np.linalg.det(np.outer(x[:3], x[:3]) + np.eye(3))

    pair = pair_of(once, X)
    lines = [line for line in pair.text.splitlines() if not line.strip().startswith("#")]
    assert any("np.linalg.det" in line for line in lines)
    assert compare(pair, (X,)) == "equal"


def test_a_matrix_of_any_size_is_compiled_and_a_large_one_is_lapacks():
    pair = whole(filtered, FILTER)
    assert compare(pair, of_size(6, 3)) == "equal"
    assert compare(pair, of_size(3, forms.SMALL + 1)) == "equal"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forms, "find_lapack", dict)  # where NumPy's has other names
        patch.setattr(forms, "LARGEST", 44)  # 128 rows take half a minute as Python
        pair = whole(filtered, FILTER)
    assert compare(pair, of_size(3, 44)) == "equal"
    assert compare(pair, of_size(3, 45)) == "left"


def test_what_numpy_raises_numpy_raises():
    def singular(x):
        total = 0.0
        for i in range(len(x)):
            a = np.array([[x[i], x[i]], [x[i], x[i]]])
            total += np.sum(np.linalg.solve(a, x[:2]))
        return total

    pair = pair_of(singular, X)
    assert pair.functions == 1
    assert is_refusal(outcome(pair.native, (X,))[0])
    assert isinstance(outcome(pair.numpy, (X,))[0], np.linalg.LinAlgError)


def test_a_system_of_other_size_is_refused():
    def two_of_three(x, b):
        total = 0.0
        for i in range(len(x)):
            total += np.sum(np.linalg.solve(np.eye(3) + x[i], b))
        return total

    pair = pair_of(two_of_three, X, X[:3])
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, (X, X[:3])) == "equal"
    assert is_refusal(outcome(pair.native, (X, X[:2]))[0])
    assert isinstance(outcome(pair.numpy, (X, X[:2]))[0], ValueError)


def test_bins_beyond_are_numpys():
    bins = pair_of(grouped, X, BINS)
    for other in (BINS - 1, BINS + 1):
        assert compare(bins, (X, other)) in ("equal", "left")


NUMBERS = [0.0, 0.2, 0.35, 1.2, 5.0, -1.0, np.inf, -np.inf, np.nan]
TABLES = [
    np.array([0.0]),
    GRID,
    np.array([0.2, 0.2, 0.35, 0.35, 1.0]),
    np.array([0.1, 0.2, np.nan]),
]


@pytest.mark.parametrize("table", TABLES, ids=len)
def test_forms_give_what_numpy_gives(table):
    for v in map(np.float64, NUMBERS):
        for form, side in ((forms.found_left, "left"), (forms.found_right, "right")):
            found, wanted = form(table, v), np.searchsorted(table, v, side=side)
            assert (type(found), found) == (type(wanted), wanted), (v, side)


def test_a_number_in_a_table_is_what_numpy_gives():
    for v in map(np.float64, NUMBERS):
        found, wanted = forms.interpolated(v, GRID, GRID**2), np.interp(v, GRID, GRID**2)
        assert type(found) is type(wanted)
        np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_small_matrices_give_what_lapack_gives():
    for a in MATRICES:
        b = RNG.standard_normal((3, 2))
        v = b[:, 0]
        for found, wanted in (
            (forms.solve_vector(a, v, None), np.linalg.solve(a, v)),
            (forms.solve_matrix(a, b, None), np.linalg.solve(a, b)),
            (forms.inverse(a, None), np.linalg.inv(a)),
            (forms.determinant(a), np.linalg.det(a)),
            (forms.cofactors(a), cofactors(a)),
            (forms.sign_and_logarithm(a), np.linalg.slogdet(a)),
            (forms.range_of(a), np.ptp(a)),
        ):
            np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


def test_a_form_is_lowered_once_for_types():
    vector, number = (Value("", type_of(x)) for x in (GRID, np.float64(1)))
    program = lowered(forms.found_left, (vector, number), plain_program)
    assert program is lowered(forms.found_left, (vector, number), plain_program)
    assert "while carrying" in show(program)

"""Arrays that are on their tapes give the same bits as those that are copied there."""

from __future__ import annotations

import numpy as np
import pytest
from native.backends import both, compare
from native.test_rematerialization import CASES as NESTED
from native.test_rematerialization import draw, small
from native.test_spmd import number_of_threads, three

import srcad
from srcad.ir.passes import disabled
from srcad.native.tape import rematerialization
from srcad.pipeline.request import Request

__all__ = ["number_of_threads", "small", "three"]  # fixtures


def heat(u, c, steps):
    """A border that nobody writes."""
    for _ in range(steps):
        v = u.copy()
        u[1:-1] = v[1:-1] * v[2:] * c + v[:-2]
    return np.sum(u * u)


def diffusion(u, c, steps):
    """What was there is added to."""
    for _ in range(steps):
        v = u.copy()
        u[1:-1, 1:-1] += c * v[1:-1, 1:-1] * (v[2:, 1:-1] + v[:-2, 1:-1] - v[1:-1, 2:])
    return np.sum(u * u)


def driven(u, c, steps):
    """The border is written after it was read; the corners stay."""
    for _ in range(steps):
        v = u.copy()
        u[1:-1, 1:-1] = c * v[2:, 1:-1] * v[:-2, 1:-1] - v[1:-1, 2:]
        u[0, 1:] = u[1, 1:] * u[0, :-1]
        u[1:-1, -1] = u[1:-1, 0] + c
    return np.sum(u * u)


def whole(u, c, steps):
    """It is read before it is overwritten."""
    for _ in range(steps):
        v = u.copy()
        u[:] = c * v * v[::-1]
        u[0] = v[1] * u[2]
    return np.sum(u * u)


def wide(u, c, steps):
    """The border is wider on one side."""
    for _ in range(steps):
        v = u.copy()
        u[2:-1] = c * v[:-3] * v[1:-2] + v[3:]
    return np.sum(u * u)


def read_before(u, c, steps):
    """Each iteration reads and writes the array before it saves it."""
    for _ in range(steps):
        b = c * u * u
        u[0] = u[1] * b[2]
        v = u.copy()
        u[1:-1] = v[1:-1] * b[2:] * v[:-2]
    return np.sum(u * u)


def afterwards(u, c, steps):
    """What comes before and after the loop reads and writes the array."""
    u[1] = u[0] * c
    for _ in range(steps):
        v = u.copy()
        u[1:-1] = v[1:-1] * v[2:] * c + v[:-2]
    u[2:] *= u[:-2]
    return np.sum(u * u * u)


def single(u, c, steps):
    """In single precision."""
    for _ in range(steps):
        v = u.copy()
        u[1:-1] += np.float32(0.3) * v[1:-1] * v[2:]
    return np.sum(u * u) * c


def strided(u, c, steps):
    """Half of the entries are written: the array stays where it is."""
    for _ in range(steps):
        v = u.copy()
        u[1:-1:2] = c * v[1:-1:2] * v[2::2]
    return np.sum(u * u)


def part(u, c, steps):
    """What is not written is not narrow."""
    for _ in range(steps):
        v = u.copy()
        u[4:] = c * v[4:] * v[:-4]
    return np.sum(u * u)


def perhaps(u, c, steps):
    """Not every iteration writes it."""
    for k in range(steps):
        v = u.copy()
        if k % 2:
            u[1:-1] = c * v[1:-1] * v[2:]
        u[0] = v[1] * v[0]
    return np.sum(u * u)


def read_first(u, c, steps):
    """It is read at other places before it is written."""
    for _ in range(steps):
        s = np.sum(u * u)
        v = u.copy()
        u[0] = u[1] * v[2]
        u[1:-1] = c * v[1:-1] * v[2:] * s
    return np.sum(u * u)


LINE, GRID = draw(9), draw(6, 7)
MOVED = [
    (heat, LINE),
    (diffusion, GRID),
    (driven, GRID),
    (wide, LINE),
    (read_before, LINE),
    (afterwards, LINE),
    (single, LINE.astype(np.float32)),
]
STAYING = [(whole, LINE), (strided, LINE), (part, LINE), (perhaps, LINE), (read_first, LINE)]
TURNS = (4, 0, 1, 2, -1, -3)
ENDS = ("equal", "left", "missed")
ALIKE = ("left", "equal")  # less than no iterations are left to NumPy


def pair_of(fn, args, numba=False):
    request = Request("value_and_grad", fn, (0, 1), single=False)
    return both(request, args, len(args), numba)


def is_on_tape(pair):
    """Whether an array is on its tape: the text says that its last row has a natural number."""
    return "= natural(" in pair.text


@pytest.fixture
def copied():
    """A function that makes a pair whose arrays are copied to their tapes."""

    def make(fn, args):
        with disabled("tape-in-place"):
            return pair_of(fn, args)

    return make


@pytest.mark.parametrize(("fn", "x"), MOVED + STAYING)
def test_gradients_are_those_of_copies(fn, x, copied):
    pair, other = pair_of(fn, (x, 0.3, 4)), copied(fn, (x, 0.3, 4))
    assert is_on_tape(pair) == (fn in [moved for moved, _ in MOVED])
    assert not is_on_tape(other)
    for turns in TURNS:
        args = (x, 0.3, turns)
        is_single = x.dtype == np.float32
        found = [compare(each, args, is_single) for each in (pair, other)]
        assert found == [ALIKE[turns >= 0]] * 2, turns
        if turns >= 0:
            assert repr(pair.native(*args)) == repr(other.native(*args)), turns


@pytest.mark.parametrize(("fn", "x"), MOVED)
def test_of_few_entries(fn, x):
    """Where the border is all that there is, or there is not even that."""
    pair = pair_of(fn, (x, 0.3, 4))
    for n in range(5):
        small = np.array(x[:n] if x.ndim == 1 else x[:n, : n + 1])
        assert compare(pair, (small, 0.3, 3), x.dtype == np.float32) in ENDS, n


@pytest.mark.parametrize(("fn", "x"), MOVED)
def test_threads(three, fn, x):
    pair = pair_of(fn, (x, 0.3, 4))
    for turns in TURNS[:3]:
        assert compare(pair, (x, 0.3, turns), x.dtype == np.float32) == "equal", turns


@pytest.mark.parametrize(("fn", "args"), NESTED)
@pytest.mark.parametrize("is_again", [False, True])
def test_loops_in_loops(fn, args, is_again, monkeypatch, request):
    """With tapes of one row, whose loops are run again, and with whole ones."""
    if is_again:
        request.getfixturevalue("small")
    wrt = tuple(range(len(args)))
    pair = both(Request("value_and_grad", fn, wrt, single=False), (*args, 5, 3), len(args) + 2)
    assert is_on_tape(pair) == (fn.__name__ not in ("heat", "two", "backwards"))
    for turns in [(5, 3), (0, 3), (4, 0), (1, 2), (4, 1), (2, 4), (3, -1)]:
        assert compare(pair, (*args, *turns)) == ALIKE[turns[1] >= 0], turns


@pytest.mark.parametrize("count", [1, 2])
def test_machine_code(monkeypatch, count):
    pytest.importorskip("numba")
    monkeypatch.setattr(rematerialization, "_ROOM", 8 * 4 * 3 * 42)
    monkeypatch.setattr(srcad.kernels.teams, "thread_count", lambda work: count)
    pair = pair_of(driven, (GRID, 0.3, 4), numba=True)
    assert is_on_tape(pair)
    for turns in TURNS:
        assert compare(pair, (GRID, 0.3, turns)) == ALIKE[turns >= 0], turns

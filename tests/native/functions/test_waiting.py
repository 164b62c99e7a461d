"""Threads of machine code wait for the last one, however late it is; also where it never comes."""

import time

import numpy as np
import pytest

pytest.importorskip("numba")

from numba import njit

import srcad
from srcad.kernels import teams, threads
from srcad.kernels.standing import StandingPool
from srcad.native.functions import call_all, wait, waiting

LATE = 30_000  # microseconds: long after the others went to sleep
ROUNDS = 300


@njit("int64(int64[::1], int64, int64[:, ::1], int64)", nogil=True)
def counted(team, me, seen, late):
    """Each writes, all wait, each adds up what all wrote; the last one comes late at times."""
    call_all(team, me)
    total = 0
    for k in range(len(seen)):
        if me == team[0] - 1 and late > 0 and k % 100 == 0:
            waiting.nap(late)
        seen[k, me] = k + me
        wait(team)
        for who in range(team[0]):
            total += seen[k, who]
    return total


@njit("int64(int64[::1], int64, int64)", nogil=True)
def failing(team, me, late):
    call_all(team, me)
    if me == 1:
        waiting.nap(late)
        raise IndexError("out of bounds")
    wait(team)
    return me


@pytest.fixture(autouse=True)
def number_of_threads(monkeypatch):
    monkeypatch.setattr(teams, "thread_count", lambda work: work)
    monkeypatch.setattr(teams, "_EASE", 1)
    monkeypatch.setattr(threads, "_pool", None)
    monkeypatch.setattr(threads, "_new_pool", StandingPool)
    before = srcad.num_threads()
    srcad.set_num_threads(3)
    yield
    srcad.set_num_threads(before)


@pytest.mark.parametrize("late", [0, LATE])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_all_see_what_all_wrote(count, late):
    seen = np.full((ROUNDS, 3), -1000, np.int64)
    wanted = sum(k + who for k in range(ROUNDS) for who in range(count))
    assert teams.together(counted, count, seen, late) == wanted


@pytest.mark.parametrize("late", [0, LATE])
def test_who_sleeps_hears_of_a_failure(late):
    with pytest.raises(IndexError, match="out of bounds"):
        teams.together(failing, 3, late)


@pytest.mark.skipif(not waiting.FUTEX, reason="no call of the system's that wakes")
def test_who_sleeps_is_woken(monkeypatch):
    """Were nobody woken, each would sleep for the longest time."""
    monkeypatch.setattr(teams, "_LONGEST_SLEEP_NS", 10**11)
    start = time.perf_counter()
    teams.together(counted, 2, np.zeros((ROUNDS, 3), np.int64), LATE)
    assert time.perf_counter() - start < 50

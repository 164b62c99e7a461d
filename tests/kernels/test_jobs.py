"""Compiled functions in threads that stand by: begun there, or by who waits for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba", reason="Numba is not installed")
from numba import njit, types

from srcad.kernels import compiled, jobs, standing, teams, threads
from srcad.kernels.compiled import parts
from srcad.kernels.jobs import finish, new_ticket, post
from srcad.kernels.numba_adapter import entry_of
from srcad.kernels.standing import StandingPool
from srcad.native.functions import call_all, share, wait

NUMBERS = types.Array(types.float64, 1, "C")


@njit(types.void(NUMBERS, types.int64, types.int64, types.boolean), nogil=True)
def count_up(x: Any, start: Any, stop: Any, twice: Any) -> None:
    for i in range(start, stop):
        x[i] += 2 if twice else 1


@njit(types.void(NUMBERS, types.int64), nogil=True)
def refuse(x: Any, k: Any) -> None:
    x[0] = k
    raise ValueError("no such part")


@njit("Tuple((int64, float64[::1]))(int64[::1], int64, float64[::1], int64)", nogil=True)
def together(team: Any, me: Any, x: Any, failing: Any) -> Any:
    """Each its share of `x`; thread `failing` fails before the others have it."""
    call_all(team, me)
    if me == failing:
        raise ValueError("no such thread")
    own = np.zeros(len(x))  # what the others return as well
    for i in range(share(team, me, len(x)), share(team, me + 1, len(x))):
        x[i] += i
    wait(team)
    return me, own


@pytest.fixture(autouse=True)
def three_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = threads.num_threads()
    monkeypatch.setattr(threads, "_pool", None)
    monkeypatch.setattr(threads, "_new_pool", StandingPool)
    threads.set_num_threads(3)
    yield
    threads.set_num_threads(before)


def words_of_nobody() -> Any:
    return np.zeros((1, jobs.SIZE), np.int64)


def test_a_job_that_no_thread_begins_is_done_by_who_waits() -> None:
    words, x, ticket = words_of_nobody(), np.zeros(10), new_ticket()
    assert post(words[0], ticket, entry_of(count_up), (x, 2, 5, True))
    assert not post(words[0], ticket, entry_of(count_up), (x, 0, 1, True))  # one at a time
    finish(words, ticket)
    np.testing.assert_array_equal(x, [0, 0, 2, 2, 2, 0, 0, 0, 0, 0])
    finish(words, ticket)  # nothing is posted
    assert x.sum() == 6
    assert post(words[0], new_ticket(), entry_of(count_up), (x, 0, 1, False))


def test_jobs_of_others_are_left_to_them() -> None:
    """Who did another's job would be in that one's team, which waits for who is to do his own."""
    words, x, mine, another = words_of_nobody(), np.zeros(10), new_ticket(), new_ticket()
    assert post(words[0], another, entry_of(refuse), (x, 1))
    finish(words, mine)
    assert x[0] == 0
    with pytest.raises(ValueError, match="no such part"):
        finish(words, another)
    assert x[0] == 1


def test_a_thread_that_looks_out_has_jobs() -> None:
    pool, x = StandingPool(1), np.zeros(10)
    (thread,) = pool.threads
    for k in range(200):
        ticket = new_ticket()
        assert post(thread.words, ticket, entry_of(count_up), (x, 0, 10, False))
        thread.wake()
        if k % 50 == 0:
            time.sleep(0.02)  # it has done it, and sleeps
            assert x[0] == k + 1
        finish(pool.words, ticket)
    np.testing.assert_array_equal(x, 200)


def test_what_a_job_raises_is_raised_by_who_waits() -> None:
    words, x = words_of_nobody(), np.zeros(1)
    for k in (3, 4):
        ticket = new_ticket()
        assert post(words[0], ticket, entry_of(refuse), (x, k))
        with pytest.raises(ValueError, match="no such part"):
            finish(words, ticket)
        assert x[0] == k


def test_all_jobs_have_ended_when_one_raises() -> None:
    words, x, y = np.zeros((3, jobs.SIZE), np.int64), np.zeros(4), np.zeros(1)
    for _ in range(2):
        ticket = new_ticket()
        assert post(words[0], ticket, entry_of(refuse), (y, 1))
        assert post(words[1], ticket, entry_of(count_up), (x, 0, 4, False))
        assert post(words[2], ticket, entry_of(refuse), (y, 2))
        with pytest.raises(ValueError, match="no such part"):
            finish(words, ticket)
        assert y[0] == 2
        finish(words, ticket)  # it is told once
    np.testing.assert_array_equal(x, 2)


def test_arguments_that_machine_code_would_misread_are_refused() -> None:
    with pytest.raises(Exception, match="_write_call"):
        post(words_of_nobody()[0], 1, entry_of(count_up), (np.zeros(3), 0, 1.5, True))


def test_more_arguments_than_there_is_room_for_are_refused() -> None:
    many = (np.zeros(3),) * (jobs.SIZE // 7 + 1)
    with pytest.raises(Exception, match=f"arguments of at most {jobs.SIZE - jobs.ARGUMENTS} words"):
        post(words_of_nobody()[0], 1, entry_of(count_up), many)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 1000])
def test_parts_make_up_the_whole(n: int) -> None:
    x, seen = np.zeros(n), []

    def part(k: int, start: int, stop: int) -> tuple[Any, ...]:
        seen.append(k)
        return x, start, stop, False

    for _ in range(20):
        seen.clear()
        parts.run_parts(count_up, part, n, 1 << 30)
        assert seen == list(range(max(1, min(n, 3))))
    np.testing.assert_array_equal(x, 20)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_prepared_is_compiled_before_the_first_call(dtype: Any) -> None:
    x, w = np.ones((64, 3, 20, 20), dtype), np.ones((8, 3, 3, 3), dtype)
    compiled.prepare([("conv2d", str(x.dtype)), ("max_pool2d", str(x.dtype))])
    before = len(post.overloads)
    found = compiled.conv2d(x, w)
    compiled.max_pool2d(found, 2)
    assert len(post.overloads) == before
    assert (found == 27).all()


def test_threads_that_others_use_are_not_waited_for() -> None:
    pool = threads.shared_pool(3)
    assert isinstance(pool, StandingPool)
    x = np.zeros(9)
    for thread in pool.threads:
        thread.words[jobs.STATE] = jobs.CLAIMED  # by another thread of the program
    parts.run_parts(count_up, lambda _, start, stop: (x, start, stop, False), 9, 1 << 30)
    np.testing.assert_array_equal(x, 1)


def test_callers_share_the_threads() -> None:
    sums, size, times = [], 5_000, 500

    def call() -> None:
        x = np.zeros(size)
        for _ in range(times):
            parts.run_parts(count_up, lambda _, a, b: (x, a, b, False), size, 1 << 30)
            teams.together(together, 1 << 40, x, -1)
        sums.append(x.sum() - times * np.arange(size).sum())

    callers = [threading.Thread(target=call, daemon=True) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    assert sums == [float(times * size)] * 4


@pytest.mark.parametrize("failing", [-1, 0, 1, 2])
def test_a_team_ends_whoever_fails(failing: int) -> None:
    for _ in range(20):
        x = np.zeros(100)
        if failing < 0:
            me, own = teams.together(together, 1 << 40, x, failing)
            assert me == 0
            assert own.sum() == 0
            np.testing.assert_array_equal(x, np.arange(100))
        else:
            with pytest.raises(ValueError, match="no such thread"):
                teams.together(together, 1 << 40, x, failing)


def test_pools_that_are_put_back_have_threads_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    small = StandingPool(1)
    assert isinstance(threads.shared_pool(3), StandingPool)
    monkeypatch.setattr(threads, "_pool", (small, 1))
    assert threads.shared_pool(2) is small
    assert threads.shared_pool(3) is not small
    x = np.zeros(30)
    teams.together(together, 1 << 40, x, -1)
    np.testing.assert_array_equal(x, np.arange(30))


def test_arguments_that_do_not_fit_reach_no_thread() -> None:
    with pytest.raises(TypeError):
        teams.together(together, 1 << 40, np.zeros(3, np.float32), -1)
    x = np.zeros(30)
    teams.together(together, 1 << 40, x, -1)
    np.testing.assert_array_equal(x, np.arange(30))


def test_a_thread_that_is_expected_does_not_sleep() -> None:
    pool = StandingPool(1)
    (thread,) = pool.threads
    while not thread.is_asleep:
        time.sleep(0.001)
    thread.words[jobs.EXPECTED] = 1
    thread.wake()
    time.sleep(0.05)
    assert not thread.is_asleep
    thread.words[jobs.EXPECTED] = 0
    while not thread.is_asleep:
        time.sleep(0.001)
    assert standing.is_wanted(thread.words) is False

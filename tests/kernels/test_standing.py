"""Threads that stand by: what they are given is done, in order, at once, asleep or not."""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from srcad.kernels import threads

pytest.importorskip("numba", reason="Numba is not installed")
from srcad.kernels import standing
from srcad.kernels.standing import StandingPool

WORK = 1 << 24  # enough for several threads


@pytest.fixture(autouse=True)
def pool_that_stands_by(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = threads.num_threads()
    monkeypatch.setattr(threads, "_pool", None)
    monkeypatch.setattr(threads, "_new_pool", StandingPool)
    yield
    threads.set_num_threads(before)


def test_tasks_have_results() -> None:
    pool = StandingPool(2)
    tasks = [pool.submit(pow, k, 2) for k in range(50)]
    assert [task.result() for task in tasks] == [k**2 for k in range(50)]
    assert {task.exception() for task in tasks} == {None}


def test_tasks_raise() -> None:
    task = StandingPool(1).submit(int, "no number")
    assert isinstance(task.exception(), ValueError)
    with pytest.raises(ValueError, match="no number"):
        task.result()


def test_a_thread_that_sleeps_is_woken() -> None:
    pool = StandingPool(1)
    (thread,) = pool.threads
    for k in range(3):
        while not thread.is_asleep:
            time.sleep(0.01)
        assert pool.submit(abs, -k).result() == k


def test_who_waits_may_sleep() -> None:
    pool = StandingPool(1)
    for seconds in (0.0, 0.2):
        start = time.process_time()
        assert pool.submit(time.sleep, seconds).result() is None
        assert time.process_time() - start < 0.15  # it did not look all the time


def test_threads_without_tasks_come_first() -> None:
    pool, gate = StandingPool(2), threading.Event()
    waiting = pool.submit(gate.wait)
    assert pool.submit(threading.get_ident).result() != waiting
    gate.set()
    assert waiting.result()


def test_arguments_and_results_are_let_go() -> None:
    class Held:
        pass

    pool, held = StandingPool(1), Held()
    alive = weakref.ref(held)
    pool.submit(id, held).result()
    del held
    assert alive() is None


def test_threads_of_a_pool_that_nobody_has_end() -> None:
    pool = StandingPool(2)
    mine = [pool.submit(threading.current_thread).result() for _ in range(2)]
    done = pool.submit(sum, [1, 2])
    del pool
    assert done.result() == 3
    for thread in mine:
        thread.join(30)
        assert not thread.is_alive()


def test_parts_run_at_once_and_in_order() -> None:
    threads.set_num_threads(3)
    both = threading.Barrier(3, timeout=30)
    for _ in range(20):
        found = threads.parallel(lambda a, b: (both.wait() >= 0, a, b), 9, WORK)
        assert found == [(True, 0, 3), (True, 3, 6), (True, 6, 9)]
    assert isinstance(threads.shared_pool(3), StandingPool)


@pytest.mark.parametrize("at", [0, 1])
def test_an_exception_in_a_part_is_raised(at: int) -> None:
    threads.set_num_threads(2)

    def part(start: int, stop: int) -> int:
        if start // 5 == at:
            raise OSError(f"part {at}")
        return stop - start

    with pytest.raises(OSError, match=f"part {at}"):
        threads.parallel(part, 10, WORK)
    assert threads.parallel(lambda a, b: b - a, 10, WORK) == [5, 5]


def test_callers_in_several_threads_at_once() -> None:
    threads.set_num_threads(2)
    found: list[Any] = []

    def call() -> None:
        for _ in range(200):
            found.append(sum(threads.parallel(lambda a, b: b - a, 10, WORK)))

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    assert found == [10] * 800


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_makes_its_own_threads() -> None:
    threads.set_num_threads(2)
    assert threads.parallel(lambda a, b: b - a, 4, WORK) == [2, 2]
    child = os.fork()
    if not child:
        os._exit(int(threads.parallel(lambda a, b: b - a, 4, WORK) != [2, 2]))
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell the core")
def test_a_thread_leaves_the_core_of_its_caller() -> None:
    cores = os.sched_getaffinity(0)
    here = standing._core()
    assert here in cores
    found: list[Any] = []

    def move() -> None:
        core = standing._core()
        standing._leave_core(core)
        found.append((core, standing._core(), os.sched_getaffinity(0)))

    thread = threading.Thread(target=move)
    thread.start()
    thread.join(30)
    ((before, _, allowed),) = found
    assert before in cores
    assert allowed == cores  # and may come back


def test_a_thread_is_told_the_core_of_who_wakes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, here = StandingPool(1), threading.get_ident()
    (thread,) = pool.threads
    monkeypatch.setattr(standing, "_core", lambda: 5 if threading.get_ident() == here else -1)
    thread.wake()
    assert thread.core == 5


@pytest.mark.parametrize("kind", [StandingPool, threads._executor])
def test_a_pool_that_cannot_be_started_ends_what_it_began(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, begun = threading.Thread.start, list[threading.Thread]()

    def start_one(self: threading.Thread) -> None:
        if begun:
            raise RuntimeError("can't start new thread")
        start(self)
        begun.append(self)

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start_one)
        with pytest.raises(RuntimeError, match="can't start"):
            kind(3)
    begun[0].join(30)
    assert not begun[0].is_alive()


def test_a_thread_knows_how_long_its_tasks_took() -> None:
    pool = StandingPool(1)
    (thread,) = pool.threads
    assert thread.took == 0.0
    pool.submit(time.sleep, 0.05).result()
    pool.submit(abs, 1)
    while len(thread.tasks) or thread.done < 2:
        time.sleep(0.001)
    assert thread.took < 0.05


def test_machines_that_tell_no_core(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(os, "sched_setaffinity", refused, raising=False)
    standing._leave_core(-1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    standing._leave_core(3)


def test_sums_of_parts_are_the_same_as_in_one_thread() -> None:
    x = np.random.default_rng(0).standard_normal((64, 1000))
    for count in (1, 2, 4):
        threads.set_num_threads(count)
        parts = threads.parallel(lambda a, b: x[a:b].sum(axis=1), 64, WORK)
        np.testing.assert_array_equal(np.concatenate(parts), x.sum(axis=1))

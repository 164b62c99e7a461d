"""Worker threads that spin briefly before they block. Needs Numba.

    pool = StandingPool(3)
    task = pool.submit(part, 50, 100)
    task.result()

To wake a thread that sleeps and to hear of its end takes fifty microseconds, as long as some
kernels. So a thread that has done its work looks at a word in memory, without the interpreter's
lock, for about as long as a program takes from one kernel to the next; then it sleeps. A caller
waits for a thread in the same way. Meanwhile neither leaves its core to others: Linux lets a thread
that does so wait for milliseconds where another one looks out too, such as one of BLAS.

It looks out for compiled functions as well (`srcad.kernels.jobs`), which it calls without the
interpreter.
"""

# Numba's decorators have no types.
# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types

from srcad.interrupts import users_own
from srcad.kernels.jobs import (
    DONE,
    EXPECTED,
    GIVEN,
    LOOKS,
    SIZE,
    Words,
    finish,
    is_wanted,
    look_out,
    new_ticket,
    rest,
    word,
)
from srcad.kernels.teams import COUNT, FAILED, TICKET
from srcad.kernels.threads import as_part

# Seconds of tasks behind which a thread stays on the core where the system puts it: these were
# long, or others had the core meanwhile.
_LONG = 0.0005

if sys.platform == "linux":
    _core_of_caller = types.ExternalFunction("sched_getcpu", types.int32())
else:
    _core_of_caller = njit(lambda: -1)


@njit("boolean(int64[::1], int64)", nogil=True, cache=True)
def _is_done(words: Any, number: Any) -> Any:
    """Look whether a task is done, for a while."""
    for _ in range(LOOKS):
        if word(words, DONE) >= number:
            return True
        rest()
    return False


@njit("int64()", cache=True)
def _core() -> Any:
    """The core that this thread is on; -1 where that is not told."""
    return _core_of_caller()


class Task:
    """What a thread was given to do."""

    def __init__(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> None:
        self._call: tuple[Callable[..., Any], tuple[Any, ...]] | None = fn, args
        self._found: Any = None
        self._problem: BaseException | None = None
        self._running = threading.Lock()
        self._running.acquire()

    def run(self) -> None:
        """Do it."""
        assert self._call is not None
        (fn, args), self._call = self._call, None  # arrays are free again with the last reference
        try:
            self._found = fn(*args)
        except BaseException as problem:
            self._problem = problem
        finally:
            self._running.release()

    def given_to(self, words: Words, number: int) -> None:
        """Remember where its end will be seen."""
        self._words, self._number = words, number

    def exception(self) -> BaseException | None:
        """What it raised, when it has ended."""
        if not _is_done(self._words, self._number):
            with self._running:
                pass
        return self._problem

    def result(self) -> Any:
        """What it returned, when it has ended."""
        problem = self.exception()
        if problem is not None:
            raise problem
        return self._found


class StandingThread:
    """A thread and its tasks, in their order."""

    def __init__(self, name: str, words: Words) -> None:
        self.words = words
        self.tasks: deque[Task] = deque()
        self.given = self.done = 0
        self.is_asleep = self.is_over = False
        self.took = 0.0  # seconds, by the last tasks
        self.core = -1  # of the thread that gave it the last task
        # A signal's handler may come while its thread has the lock, and call srcad itself.
        self.lock, self.bell = threading.RLock(), threading.Lock()
        self.bell.acquire()
        threading.Thread(target=self.run, name=name, daemon=True).start()

    def give(self, task: Task) -> None:
        """Let it do a task after those that it has."""
        with self.lock:
            self.core = _core()
            task.given_to(self.words, self.given + 1)
            # No call from here on, between which a signal could come.
            self.tasks += (task,)
            self.given += 1
            self.words[GIVEN] = self.given
            if self.is_asleep:
                self.is_asleep = False
                self.bell.release()

    def wake(self) -> None:
        """Let it look out, if it sleeps."""
        with self.lock:
            self.core = _core()  # which it leaves: woken here, it would have to share it
            self.ring()

    def end(self) -> None:
        """Let it end after the tasks that it has."""
        self.is_over = True
        with self.lock:
            self.ring()

    def ring(self) -> None:
        """Wake it, if it sleeps; with the lock."""
        if self.is_asleep:
            self.is_asleep = False
            self.bell.release()

    def run(self) -> None:
        """Do what is given."""
        while not self.is_over or self.tasks:
            if look_out(self.words, self.done) == self.done:
                with self.lock:
                    self.is_asleep = True
                    # A faster caller has seen it awake.
                    if self.given != self.done or self.is_over or is_wanted(self.words):
                        self.is_asleep = False
                    is_asleep = self.is_asleep
                if is_asleep:
                    self.bell.acquire()
            if _core() == self.core and self.took < _LONG:
                _leave_core(self.core)
            self.do_tasks()

    def do_tasks(self) -> None:
        """Do those that there are."""
        start = time.monotonic()
        while self.tasks:
            self.tasks.popleft().run()
            self.done += 1
            self.words[DONE] = self.done
        self.took = time.monotonic() - start


def _leave_core(core: int) -> None:
    """Move this thread to another core, if there is one that it may use.

    A thread that is woken, or leaves its core to others all the time, the system may keep on the
    core of the one that woke it: both would take turns there. (On the other core a thread of
    OpenBLAS may look for work, for a tenth of a second; that is worse.)
    """
    if core < 0:
        return
    cores = os.sched_getaffinity(0)
    if len(cores) > 1 and core in cores:
        os.sched_setaffinity(0, cores - {core})
        os.sched_setaffinity(0, cores)


class StandingPool:
    """So many threads; an idle one gets the next task."""

    def __init__(self, count: int) -> None:
        self.words = np.zeros((count, SIZE), np.int64)
        self.addresses = self.words.ctypes.data + np.arange(count) * self.words.strides[0]
        self.threads: list[StandingThread] = []  # those that were started end, if one cannot be
        for k, words in enumerate(self.words):
            self.threads.append(StandingThread(f"srcad_{k}", words))

    def __del__(self) -> None:
        for each in self.threads:
            each.end()

    def submit(self, fn: Callable[..., Any], *args: Any) -> Task:
        """Let a thread call `fn(*args)`: one without a task, or else the one with the fewest."""
        task = Task(fn, args)
        idle = next((each for each in self.threads if each.given == each.done), None)
        (idle or min(self.threads, key=lambda each: each.given - each.done)).give(task)
        return task

    def together(self, fn: Callable[..., Any], team: Words, *args: Any) -> Any:
        """Call `fn(team, 0, *args)`, which has other threads call it too (`call_all`)."""
        others, ticket = int(team[COUNT]) - 1, new_ticket()
        team[TICKET], team[-others:] = ticket, self.addresses[:others]
        try:
            for thread in self.threads[:others]:
                thread.words[EXPECTED] = ticket
                if thread.is_asleep:
                    thread.wake()
            found = as_part(fn, team, 0, *args)
        except BaseException as problem:
            if users_own(problem) is None:  # else it came before the call, or after it
                team[FAILED] = 1  # the others wait for this one
            try:
                finish(self.words[:others], ticket)
            except Exception as first:
                # A thread that only found that another failed raises RuntimeError.
                if type(problem) is RuntimeError and users_own(problem) is None:
                    raise first from None
            raise
        finish(self.words[:others], ticket)
        return found


__all__ = ["StandingPool", "Task"]

"""The shared thread pool: splits work on many samples.

    parallel(part, len(x), work)        part(0, 50) here, part(50, 100) in another thread

NumPy releases the interpreter's lock while it copies and multiplies, so threads do run at once.
Each part is one run of samples, the same for the same number of threads: sums over parts, added in
order, are the same each time. Work that is done sooner than a thread wakes up stays where it is.

`SRCAD_NUM_THREADS` is the number of threads, by default that of the cores.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

# Numbers to be moved or multiplied for which a thread pays by a margin. It takes fifty microseconds
# to wake it and to hear of its end, more on a busy machine, and a core that BLAS may be using.
_WORTH_A_THREAD = 1 << 21


class Task(Protocol):
    """What a thread was given to do."""

    def result(self) -> Any:
        """What it returned, when it has ended."""

    def exception(self) -> BaseException | None:
        """What it raised, when it has ended."""


class Pool(Protocol):
    """Threads: an executor of Python's, or those that stand by (`srcad.kernels.standing`)."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Task:
        """Let a thread call `fn(*args)`."""


class _Threads(threading.local):
    """What belongs to one thread: whether it is part of a split, and memory for temporaries."""

    is_part = False

    def __init__(self) -> None:
        self.memory: dict[int, NDArray[np.uint8]] = {}


def _from_environment() -> int:
    wanted = os.environ.get("SRCAD_NUM_THREADS", "")
    if wanted and (not wanted.isdecimal() or int(wanted) < 1):
        raise ValueError(f"SRCAD_NUM_THREADS: expected a number of at least 1, got {wanted!r}")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return int(wanted or cores or 1)


_here = _Threads()
_number = _from_environment()
# A pool, and how many threads it has.
_pool: tuple[Pool, int] | None = None
_gone: tuple[Pool, int] | None = None
_lock = threading.RLock()


def num_threads() -> int:
    """The number of threads that kernels use.

    Returns:
        An int, at least 1: that of the machine's cores, of `SRCAD_NUM_THREADS`, or what
        `set_num_threads` said.

    >>> import srcad
    >>> srcad.num_threads() >= 1
    True
    """
    return _number


def set_num_threads(n: int) -> None:
    """Let kernels use `n` threads from now on.

    Args:
        n: at least 1.

    Raises:
        ValueError: `n` is no number of at least 1.

    >>> import srcad
    >>> before = srcad.num_threads()
    >>> srcad.set_num_threads(2)
    >>> srcad.num_threads()
    2
    >>> srcad.set_num_threads(before)
    """
    global _number
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError(f"set_num_threads: expected a number of at least 1, got {n!r}")
    _number = n  # threads that are there stay: others may be using them


def parallel(part: Callable[[int, int], Any], n: int, work: int) -> list[Any]:
    """Call `part(start, stop)` for runs that make up `range(n)`, at once; their results in order.

    `work` is about how many numbers are moved or multiplied in all.
    """
    count = max(1, min(n, thread_count(work)))
    bounds = [n * k // count for k in range(count + 1)]
    if count == 1:
        return [part(0, n)]
    pool = shared_pool(count)
    parts = [_Part(part, a, b) for a, b in itertools.pairwise(bounds[1:])]
    tasks: list[Any] = []
    try:
        for each in parts:
            tasks.append(pool.submit(each.run))
        first = as_part(part, 0, bounds[1])
        return [first, *[task.result() for task in tasks]]
    except BaseException:
        _end(parts, tasks)
        raise


class _Part:
    """A part that a thread is given."""

    def __init__(self, part: Callable[[int, int], Any], start: int, stop: int) -> None:
        self.call: tuple[Any, int, int] | None = part, start, stop
        self.at_work = threading.Lock()

    def run(self) -> Any:
        """Run the part, unless it was called off."""
        with self.at_work:
            call, self.call = self.call, None
            return as_part(*call) if call is not None else None

    def call_off(self) -> None:
        """Keep the part from being started; if it is running, wait until it has ended."""
        with self.at_work:
            self.call = None


def _end(parts: list[_Part], tasks: list[Any]) -> None:
    """Wait until no part is running, even if signals raise exceptions meanwhile: code that handles
    an exception may use the arrays again.

    Parts without a known task, submitted when a signal came, are called off.
    """
    problem: BaseException | None = None
    while tasks or parts:
        try:
            while tasks:
                tasks[-1].exception()
                tasks.pop()
            while parts:
                parts[-1].call_off()
                parts.pop()
        except BaseException as later:
            problem = later
    if problem is not None:
        raise problem


def thread_count(work: int) -> int:
    """How many threads are worth waking for `work`; one within what is a part already."""
    if work < 2 * _WORTH_A_THREAD or _here.is_part:  # most calls are small: the quick test first
        return 1
    return min(_number, work // _WORTH_A_THREAD)


def as_part(part: Callable[..., Any], *args: Any) -> Any:
    """Call `part` so that it is not split again: the pool could wait for itself."""
    _here.is_part = True
    try:
        return part(*args)
    finally:
        _here.is_part = False


def shared_pool(count: int) -> Pool:
    """The threads beside the caller's: that make up `count` with it, or more.

    Raises:
        RuntimeError: the system starts no more threads.
    """
    global _pool
    with _lock:
        if _pool is None or _pool[1] < count - 1:
            size = max(2, count, _number) - 1
            _pool = _new_pool(size), size
        return _pool[0]


def _executor(count: int) -> ThreadPoolExecutor:
    """A pool whose threads are all running: parts of one split may wait for one another."""
    from concurrent.futures import ThreadPoolExecutor

    pool, all_here = ThreadPoolExecutor(count, "srcad"), threading.Barrier(count + 1)
    try:
        for _ in range(count):
            pool.submit(all_here.wait)
        all_here.wait()
    except BaseException:  # the system starts no more threads, or a signal came
        all_here.abort()
        pool.shutdown(wait=False)
        raise
    return pool


_new_pool: Callable[[int], Pool] = _executor


def use_pools(kind: Callable[[int], Pool]) -> None:
    """Let threads be of another kind of pool, made by their number."""
    global _pool, _new_pool
    with _lock:
        if _new_pool is not kind:
            _pool, _new_pool = None, kind


def _forget_pool() -> None:
    """A forked process has none of the pool's threads: forget it without shutting it down."""
    global _gone, _pool, _lock
    _gone, _pool, _lock = _pool, None, threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


def scratch(shape: tuple[int, ...], dtype: Any, part: int = 0) -> NDArray[Any]:
    """An array for a temporary, without entries; the same memory at each call in one thread.

    part: of work that this thread has others do, which part it is for.
    """
    dtype = np.dtype(dtype)
    size = math.prod(shape) * dtype.itemsize
    memory = _here.memory.get(part)
    if memory is None or memory.size < size:
        memory = _here.memory[part] = np.empty(size, np.uint8)
    return np.ndarray(shape, dtype, memory)


__all__ = [
    "as_part",
    "num_threads",
    "parallel",
    "scratch",
    "set_num_threads",
    "shared_pool",
    "thread_count",
    "use_pools",
]

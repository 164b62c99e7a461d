"""Teams: threads that run one compiled function together, from its first line to its last.

    together(step, work, x)             step(team, 0, x) here, step(team, 1, x) in another thread

Each takes its share of the function's loops; where one needs what another computed, all wait
(`srcad.native.functions.teams`). That takes a microsecond where the threads of the pool were to be
woken first. The first thread's results are the results. Little work is done by one thread, which
waits for no other; what is worth more threads, `srcad.native.threads.profitability` reckons.

There is one team at a time, since each of its threads must be there for the others to go on.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcad.kernels.products.alone import in_one_thread
from srcad.kernels.threads import as_part, shared_pool, thread_count

# Words of a team (`srcad.native.functions.waiting`): the number of threads, how long one sleeps
# at most in nanoseconds, the ticket of its jobs, whether one failed, and from where on there are
# slots. The last ones tell for each thread where its own words are, if it stands by.
COUNT = 0
_LONGEST = 2
TICKET = 3
FAILED = 16
_SLOTS = 24
# As many slots as a function has at most, and words of 8 bytes for its arguments.
MOST_SLOTS, MOST_WORDS = 200, 4096
_LONGEST_SLEEP_NS = 5_000_000
# How much less work is worth a thread that looks out for it.
_EASE = 4


class _Alone(threading.local):
    """A team of one: each thread has its own, since its slots are written."""

    def __init__(self) -> None:
        self.team = _new_team(1)


def _new_team(count: int) -> NDArray[np.int64]:
    team = np.zeros(_SLOTS + MOST_SLOTS * count + count, np.int64)
    team[COUNT], team[_LONGEST] = count, _LONGEST_SLEEP_NS
    return team


_alone = _Alone()
_one_team = threading.RLock()


def together(fn: Callable[..., Any], work: int, *args: Any) -> Any:
    """Call `fn(team, me, *args)` in as many threads as `work`, numbers computed, is worth.

    Where the system starts no more threads there is one. A handler that finds this
    frame interrupted knows by the name `found` that the call was made
    (`srcad.pipeline.calls.finishing`).
    """
    count = thread_count(_EASE * work)
    if count == 1:
        return fn(_alone.team, 0, *args)
    team = _new_team(count)
    with _one_team:
        try:
            pool, others = shared_pool(count), []
        except RuntimeError:
            found = fn(_alone.team, 0, *args)
            return found
        stand_by = getattr(pool, "together", None)
        if stand_by is not None:
            found = stand_by(fn, team, *args)
            return found
        try:
            for me in range(1, count):
                others.append(pool.submit(_take_part, fn, team, me, args))
            found = as_part(fn, team, 0, *args)
        except BaseException as problem:
            team[FAILED] = 1  # the others wait for this one
            _raise_first([problem, *(other.exception() for other in others)])
        _raise_first([other.exception() for other in others])
        return found


def together_multiplying(fn: Callable[..., Any], work: int, *args: Any) -> Any:
    """`together` for a function with products of matrices: in a team BLAS has no other threads."""
    if thread_count(_EASE * work) == 1:
        return fn(_alone.team, 0, *args)
    return in_one_thread(together, fn, work, *args)


def _take_part(fn: Callable[..., Any], team: Any, me: int, args: tuple[Any, ...]) -> None:
    try:
        as_part(fn, team, me, *args)  # the first thread has the results
    except BaseException:
        team[FAILED] = 1
        raise


def _raise_first(problems: list[BaseException | None]) -> None:
    """Raise what went wrong first; a thread that only found another failed has a RuntimeError."""
    found = [problem for problem in problems if problem is not None]
    if found:
        raise next((p for p in found if not isinstance(p, RuntimeError)), found[0])


def _forget_team() -> None:
    """In a forked process no team is at work."""
    global _one_team
    _one_team = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_team)


__all__ = [
    "COUNT",
    "FAILED",
    "MOST_SLOTS",
    "MOST_WORDS",
    "TICKET",
    "together",
    "together_multiplying",
]

"""Stack depth: deeply nested programs get a stack of their own where the caller's is too small.

    if x < 1.0: ...                 a thousand `elif`: each stands inside the one before, and what
    elif x < 2.0: ...               walks over them calls itself for each
    elif x < 3.0: ...

A compilation that meets Python's limit of calls inside one another is made again by a thread with a
large stack, under a higher limit. What is nested still more deeply is refused. Other programs are
compiled by their callers' threads, as ever.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from types import FrameType
from typing import Any, TypeVar

from srcad.errors import Location, SrcadError, error
from srcad.forks import lock, renewed

Made = TypeVar("Made")

CALLS = 60_000  # inside one another
_BYTES = 512 << 20  # of stack, taken as they are needed: some calls go through NumPy and C


def with_room(make: Callable[[], Made], fn: Callable[..., Any]) -> Made:
    """What `make` returns, which compiles `fn`.

    Raises:
        UnsupportedSyntax: E140, the program is nested too deeply.
    """
    try:
        return make()
    except RecursionError as problem:
        first = problem
    finally:
        if _is_high:
            _lower()
    try:
        return _in_thread(make)
    except RecursionError as problem:
        raise too_deep(problem, fn) from None
    except _NoThread:
        raise too_deep(first, fn) from None


def too_deep(problem: RecursionError, fn: Callable[..., Any]) -> SrcadError:
    """The refusal of a program that is nested too deeply."""
    at = getattr(problem, "location", None) or Location.of_function(fn)
    what = f"what is nested as deeply as this (more than {CALLS:,} calls of the compiler's)"
    return error("E140", at, what=what)


class _NoThread(Exception):  # noqa: N818 - the system has none
    pass


_limits = lock()
_raised = 0
_before = 0
_is_high = False


@contextmanager
def _high_limit() -> Iterator[None]:
    """Calls inside one another up to `CALLS`: the limit is that of all threads."""
    global _raised, _before, _is_high
    with _limits:
        _raised += 1
        if not _is_high:
            _before, _is_high = sys.getrecursionlimit(), True
            sys.setrecursionlimit(max(CALLS, _before))
    try:
        yield
    finally:
        with _limits:
            _raised = max(0, _raised - 1)
        _lower()


def _lower() -> None:
    """Make the limit what it was, once no thread needs a higher one: below the calls that a thread
    is inside of it would end the process.
    """
    global _is_high
    with _limits:
        if _raised or not _is_high:
            return
        if sys.getrecursionlimit() == max(CALLS, _before):
            if any(map(_is_deep, sys._current_frames().values())):
                return
            sys.setrecursionlimit(_before)
        _is_high = False


def _is_deep(frame: FrameType | None) -> bool:
    count = 0
    while frame is not None and count <= _before:
        frame, count = frame.f_back, count + 1
    return frame is not None


def _forget() -> None:
    """A forked process has none of the threads that need the high limit."""
    global _raised, _is_high
    if _is_high:
        _raised, _is_high = 0, False
        sys.setrecursionlimit(_before)


renewed(_forget)


def _in_thread(make: Callable[[], Made]) -> Made:
    """What `make` returns or raises, run by a thread with a large stack."""
    made: list[Made] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            with _high_limit():  # as long as this runs: an interrupt may end the wait for it before
                made.append(make())
        except BaseException as problem:
            raised.append(problem)

    context = copy_context()
    thread = threading.Thread(target=context.run, args=(run,), name="srcad-deep", daemon=True)
    try:
        before = threading.stack_size(_BYTES)
    except ValueError:
        raise _NoThread from None
    try:
        thread.start()
    except (RuntimeError, MemoryError):
        raise _NoThread from None
    finally:
        threading.stack_size(before)
    thread.join()
    if raised:
        raise raised[0]
    return made[0]


__all__ = ["too_deep", "with_room"]

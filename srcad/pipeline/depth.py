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


@contextmanager
def _high_limit() -> Iterator[None]:
    """Calls inside one another up to `CALLS`: the limit is that of all threads."""
    global _raised, _before
    with _limits:
        _raised += 1
        if _raised == 1:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(CALLS, _before))
    try:
        yield
    finally:
        with _limits:
            _raised = max(0, _raised - 1)
            if _raised == 0 and sys.getrecursionlimit() == max(CALLS, _before):
                sys.setrecursionlimit(_before)


def _forget() -> None:
    """A forked process has none of the threads that need the high limit."""
    global _raised
    if _raised:
        _raised = 0
        sys.setrecursionlimit(_before)


renewed(_forget)


def _in_thread(make: Callable[[], Made]) -> Made:
    """What `make` returns or raises, run by a thread with a large stack."""
    made: list[Made] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            made.append(make())
        except BaseException as problem:
            raised.append(problem)

    context = copy_context()
    thread = threading.Thread(target=context.run, args=(run,), name="srcad-deep", daemon=True)
    with _high_limit():
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

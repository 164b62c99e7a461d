"""Whose an exception is that comes out of code of srcad's: its own, or one of the user's signals.

    signal.signal(signal.SIGALRM, too_late)     too_late(number, frame) raises TimeoutError

Python calls a handler between two instructions of whatever runs, so that its exception comes out of
the middle of srcad. It must come out of the call as what it is, once; nothing is done again for it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType


def users_own(problem: BaseException) -> BaseException | None:
    """The user's exception that `problem` is or was made of; None if it is no such one."""
    seen: BaseException | None = problem
    for _ in range(_DEEPEST):
        if seen is None:
            return None
        if not isinstance(seen, Exception) or is_of_handler(seen):
            return seen
        if isinstance(seen, SystemError) and seen.__cause__ is not None:
            # A compiled function returned while a handler's exception was set.
            return users_own(seen.__cause__) or seen.__cause__
        # Numba tells in words of its own what it met.
        seen = seen.__cause__ if type(seen).__module__.startswith("numba.") else None
    return None


def raise_users_own(problem: BaseException) -> None:
    """Raise the user's exception that `problem` is or was made of, as it came; nothing for others.

    It is called where anything else that is raised would be swallowed.
    """
    own = users_own(problem)
    if own is not None:
        raise own from own.__cause__  # not as one that was met while another was handled


@contextmanager
def suppress_others(*classes: type[Exception]) -> Iterator[None]:
    """`contextlib.suppress`, but for the user's exceptions: a `TimeoutError` is an `OSError`."""
    try:
        yield
    except classes as problem:
        raise_users_own(problem)


@contextmanager
def raise_dropped() -> Iterator[None]:
    """Raise at the end what a callback from C dropped, where it is the user's.

    LLVM tells Numba by such a callback that it has loaded an object. What a signal's handler raises
    there has no Python caller to come out to: Python only prints it, by `sys.unraisablehook`.
    """
    if threading.current_thread() is not threading.main_thread():  # which alone runs handlers
        yield
        return
    before, dropped = sys.unraisablehook, []

    def keep(unraisable: sys.UnraisableHookArgs) -> None:
        problem = unraisable.exc_value
        own = None if problem is None else users_own(problem)
        if own is None:
            before(unraisable)
        else:
            dropped.append(own)

    sys.unraisablehook = keep
    try:
        yield
    finally:
        sys.unraisablehook = before
        if dropped:
            raise dropped[0]


def is_of_others(problem: Exception) -> bool:
    """Whether no compiler raises an exception of this class: Numba drops the traceback of what
    comes while it compiles, by which the user's would be known.
    """
    home = type(problem).__module__.partition(".")[0]
    known = ("builtins", "numba", "llvmlite", "numpy", "srcad", "subprocess", "pickle", "_pickle")
    return home not in known or isinstance(problem, TimeoutError)


_DEEPEST = 20


def is_of_handler(problem: BaseException) -> bool:
    """Whether a signal's handler raised it: a function that was given the frame it came into."""
    trace = problem.__traceback__
    while trace is not None:
        if is_interrupted(trace):
            return True
        trace = trace.tb_next
    return False


def is_interrupted(trace: TracebackType) -> bool:
    """Whether what comes next in a traceback is a handler, which came into this frame."""
    outer, inner = trace, trace.tb_next
    if inner is None:
        return False
    code, held = inner.tb_frame.f_code, inner.tb_frame.f_locals
    n_named = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & _HAS_ARGS)
    given = [held.get(name) for name in code.co_varnames[:n_named]]
    rest = [item for each in given if type(each) is tuple for item in each]
    return any(each is outer.tb_frame for each in (*given, *rest))


_HAS_ARGS = 0x04  # of a code object: it takes `*args`, whose tuple stands after the others


__all__ = [
    "is_interrupted", "is_of_handler", "is_of_others", "raise_dropped", "raise_users_own",
    "suppress_others", "users_own",
]  # fmt: skip

"""Ways to interrupt a call, and what came of it.

    strike = Timer(TimeoutError)
    found = strike(lambda: step(w, x), after=20e-6)
    found.struck, found.raised          whether it was interrupted, and what came out

Each strike raises an exception of its own, so that a lost one is seen: `is_told` says whether what
came out is the one that went in.
"""

from __future__ import annotations

import dis
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import srcad

OURS = str(Path(srcad.__file__).parent)


class Struck(Exception):
    """An exception of the user's own."""


class Halted(BaseException):
    """One that `except Exception` does not catch."""


KINDS: tuple[type[BaseException], ...] = (KeyboardInterrupt, TimeoutError, Struck, Halted)


@dataclass
class Found:
    """What came of one call: what it returned or raised, and what it was struck with."""

    struck: BaseException | None = None
    raised: BaseException | None = None
    result: Any = None

    @property
    def is_told(self) -> bool:
        """Whether the exception came out as itself, and nothing else did."""
        return self.raised is self.struck


class Timer:
    """A signal after some time, whose handler raises."""

    def __init__(self, kind: type[BaseException]) -> None:
        self.kind, self.found = kind, Found()

    def handle(self, number: int, frame: FrameType | None) -> None:
        self.found.struck = self.kind("struck")
        raise self.found.struck

    def __call__(self, call: Callable[[], Any], after: float) -> Found:
        found = self.found = Found()
        before = signal.signal(signal.SIGALRM, self.handle)
        try:
            signal.setitimer(signal.ITIMER_REAL, after)
            found.result = call()
            signal.setitimer(signal.ITIMER_REAL, 0)
        except BaseException as problem:
            found.raised = problem
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        return found


class Line:
    """An exception at the N-th line that srcad, or a program that it made, executes."""

    event = "line"

    def __init__(self, kind: type[BaseException]) -> None:
        self.kind, self.left, self.found = kind, 0, Found()
        self.is_counting = False

    def is_open(self, frame: FrameType) -> bool:
        """Whether an exception may come here."""
        return True

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not is_ours(frame):
            return None
        frame.f_trace_opcodes = self.event == "opcode"
        if event == self.event:
            self.left -= 1
            if self.left <= 0 and self.is_open(frame) and not self.is_counting:
                sys.settrace(None)
                self.found.struck = self.kind("struck")
                raise self.found.struck
        return self.trace

    def __call__(self, call: Callable[[], Any], after: int) -> Found:
        found = self.found = Found()
        self.left = after
        sys.settrace(self.trace)
        try:
            found.result = call()
        except BaseException as problem:
            found.raised = problem
        finally:
            sys.settrace(None)
        return found

    def count(self, call: Callable[[], Any]) -> int:
        """How many lines there are in a call."""
        self.left, self.is_counting = 0, True
        sys.settrace(self.trace)
        try:
            call()
        finally:
            sys.settrace(None)
            self.is_counting = False
        return -self.left


class Opcode(Line):
    """An exception at the N-th bytecode, or the next behind which Python looks for signals: also
    between a call and what its result is put into.
    """

    event = "opcode"

    def is_open(self, frame: FrameType) -> bool:
        """Whether Python looks for signals here: behind a call, in a loop, at the beginning."""
        return frame.f_lasti in _looks(frame.f_code)


@cache
def _looks(code: CodeType) -> frozenset[int]:
    """The places of a code at which Python looks for signals."""
    found, last = set[int](), "RESUME"
    for each in dis.get_instructions(code):
        if each.opname.startswith(("RESUME", "JUMP")) or last.startswith(("RESUME", "CALL")):
            found.add(each.offset)
        last = each.opname
    return frozenset(found)


class Memory:
    """An allocation of Python's that fails: the N-th one, and some behind it."""

    def __init__(self, width: int = 1) -> None:
        self.width = width

    def __call__(self, call: Callable[[], Any], after: int) -> Found:
        import _testcapi

        found = Found()
        try:
            _testcapi.set_nomemory(after, after + self.width)
            found.result = call()
        except BaseException as problem:
            _testcapi.remove_mem_hooks()
            found.raised = problem
        _testcapi.remove_mem_hooks()
        if isinstance(found.raised, MemoryError):
            found.struck = found.raised
        return found


def is_ours(frame: FrameType) -> bool:
    """Whether a frame is of srcad or of a program that srcad wrote."""
    name = frame.f_code.co_filename
    made = name.startswith("<srcad") or frame.f_globals.get("__name__", "").startswith("srcad_")
    return made or name.startswith(OURS)


def limited(seconds: float) -> threading.Timer:
    """End this process where it hangs, with the stacks of its threads."""
    import faulthandler

    faulthandler.dump_traceback_later(seconds, exit=True)
    return threading.Timer(seconds, lambda: None)

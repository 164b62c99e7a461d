"""Debuggers of the standard library's kind step into the generated program, not into what finds it.

(Pdb) step
--Call--
> <srcad loss_grad 4d76e86d>(6)loss_grad()

A debugger asks `bdb.Bdb.dispatch_call` whether to go into a function that is called. The answer is
no for what checks the arguments, or compiles, and for all that is called there; it is the usual one
for programs and what these call, and for a file with a breakpoint in it. Behind its return, a step
goes to the user's line. `SRCAD_TRACEBACK=full` lets debuggers go anywhere.
"""

from __future__ import annotations

import bdb
from types import FrameType
from typing import Any

from srcad.pipeline.calls.generated import is_program, shows_own_frames

_PROGRAMS_CALL = ("srcad.runtime", "srcad.kernels", "srcad.nn", "srcad.native")

_usual_call, _usual_return = bdb.Bdb.dispatch_call, bdb.Bdb.dispatch_return


def _dispatch_call(self: bdb.Bdb, frame: FrameType, arg: Any) -> Any:
    is_first = getattr(self, "botframe", None) is None
    if not is_first and _finds_program(frame) and not self.break_anywhere(frame):
        return None  # the next call is asked for again
    return _usual_call(self, frame, arg)


def _dispatch_return(self: bdb.Bdb, frame: FrameType, arg: Any) -> Any:
    followed = _usual_return(self, frame, arg)
    caller = frame.f_back
    if is_program(frame) and caller is not None and caller.f_trace and _finds_program(caller):
        # A step out of the program traces its caller, as `bdb` has it.
        caller.f_trace = None
        while caller is not None and _finds_program(caller):
            caller = caller.f_back
        if caller is not None and not caller.f_trace:
            caller.f_trace = self.trace_dispatch
    return followed


def _finds_program(frame: FrameType | None) -> bool:
    """Whether a frame is of what leads to a program, or was called there."""
    while frame is not None and not (is_program(frame) and not _defines(frame)):
        module = str(frame.f_globals.get("__name__"))
        if module.startswith("srcad.") and not module.startswith(_PROGRAMS_CALL):
            return not shows_own_frames()
        frame = frame.f_back
    return False


def _defines(frame: FrameType) -> bool:
    """Whether it is the program's module that runs, which is part of making it."""
    return frame.f_code.co_name == "<module>"


def step_into_programs() -> None:
    """From now on, for the process."""
    bdb.Bdb.dispatch_call = _dispatch_call  # type: ignore[method-assign]  # wrapped: it offers no hook
    bdb.Bdb.dispatch_return = _dispatch_return  # type: ignore[method-assign]  # the same


__all__ = ["step_into_programs"]

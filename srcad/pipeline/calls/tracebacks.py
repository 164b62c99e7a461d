"""Tracebacks that lead from the user's call to the user's line, past srcad's own frames.

train.py, line 30, in <module>            gradient(x)
model.py, line 4, in loss                 return np.sum(np.linalg.inv(k))     <- inserted
<srcad loss_grad 4d76e86d>, line 14       t = np.linalg.inv(k)
numpy/linalg/_linalg.py, line 647, in inv

An inserted frame has the locals of the program's, whose names are mostly the user's: a debugger
shows them. `SRCAD_TRACEBACK=full` leaves tracebacks as they are.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any, ParamSpec, TypeVar

from srcad.errors import InternalError, Location, SrcadError
from srcad.interrupts import users_own
from srcad.pipeline.calls.generated import (
    is_of_srcad,
    is_program,
    place_of_frame,
    shows_own_frames,
)

P = ParamSpec("P")
R = TypeVar("R")

_HOME = {"__name__": "srcad.line"}


class _Reached(Exception):  # noqa: N818 - it is no error
    """Raised to get a frame at a user's line."""


def hide_own_frames(problem: BaseException) -> None:
    """Take srcad's own frames out of the traceback of an exception that is about to leave a call.

    The caller raises it again by a bare `raise`, which adds no frame. Exceptions of signals are
    left as they are, since it is by the frames that they are known; so are defects of srcad's.
    """
    if shows_own_frames() or users_own(problem) is not None:
        return
    entries = [*_entries(problem.__traceback__)]
    if isinstance(problem, InternalError):
        return
    if not isinstance(problem, SrcadError) and not any(is_program(e.tb_frame) for e in entries):
        return
    shown: TracebackType | None = None
    for entry in reversed(entries):
        if is_of_srcad(entry.tb_frame):
            continue
        shown = TracebackType(shown, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
        place = place_of_frame(entry.tb_frame, entry.tb_lineno)
        if place is not None:
            shown = _at(place, entry.tb_frame, shown)
    problem.__traceback__ = shown


def hiding_own_frames(fn: Callable[P, R]) -> Callable[P, R]:
    """Decorator of a function that users call: what it raises has no frames of srcad's own."""

    @functools.wraps(fn)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return fn(*args, **kwargs)
        except BaseException as problem:
            hide_own_frames(problem)
            raise

    return call


def _entries(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _at(place: Location, frame: FrameType, inner: TracebackType) -> TracebackType:
    """An entry for the user's line, ahead of that for the program's."""
    reached = ast.Name("_reached", ast.Load())
    raising = ast.Raise(reached)
    for node in (raising, reached):
        node.lineno, node.col_offset = place.line, place.col
        node.end_lineno, node.end_col_offset = place.end_line or place.line, place.end_col
    code = compile(ast.Module([raising], []), place.file, "exec")
    name = place.function or "<module>"
    held: dict[str, Any] = {**frame.f_locals, "_reached": _Reached}
    try:
        exec(code.replace(co_name=name, co_qualname=name), dict(_HOME), held)
    except _Reached as raised:
        found = raised.__traceback__
        while found is not None and found.tb_frame.f_code.co_filename != place.file:
            found = found.tb_next
        if found is not None:
            held.pop("_reached", None)
            return TracebackType(inner, found.tb_frame, found.tb_lasti, found.tb_lineno)
    return inner


__all__ = ["hide_own_frames", "hiding_own_frames"]

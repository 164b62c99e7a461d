"""Compilation in the background: a thread makes a program, a process has Numba compile it.

    in_background(make, leave)      make(): native = program_beside(request, args, statics)
    calls go on with NumPy's                path = machine_code_of(native, numpy, keep)
                                    leave("why NumPy stays") where one of them cannot

No failure in the background reaches a call: it is logged, and NumPy's program stays.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from srcad.interrupts import raise_users_own
from srcad.pipeline import machine
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.changes import are_same
from srcad.pipeline.defects import why_failed, why_failed_aside
from srcad.pipeline.depth import with_room
from srcad.pipeline.request import Request
from srcad.pipeline.targets import NATIVE

# About what it costs the calls meanwhile: the thread takes turns with them.
WORTH_S = 0.2
WORTH_CALLS = 5


class NumPyStays(Exception):  # noqa: N818 - an outcome, told by its text
    """There is no compiled program to put beside NumPy's: the text says why."""


def why_not() -> str:
    """Why nothing is compiled in the background here; "" where it is."""
    if os.environ.get("SRCAD_NATIVE") == "0":
        return "SRCAD_NATIVE=0"
    if why := NATIVE.why_not():
        return why
    if not sys.executable or getattr(sys, "frozen", False):
        return "there is no Python to start a process with"
    return ""


def in_background(make: Callable[[], None], leave: Callable[[str], None]) -> None:
    """Run `make` in the background thread; if it fails, call `leave` with the reason."""
    from srcad.pipeline.disk.background import submit

    def job() -> None:
        try:
            make()
        except NumPyStays as outcome:
            leave(str(outcome))
        except Exception as problem:  # of the compiler, of Numba, of the disk: not of the call
            raise_users_own(problem)
            leave(why_failed(problem))

    submit(job)


def program_beside(request: Request, args: Sequence[Any], statics: frozenset[str]) -> Artifact:
    """The program of a request in the form that is compiled, for `args`."""
    from srcad.pipeline.disk.store import compile_or_load

    natively = replace(request, backend=NATIVE.name)
    native: Artifact
    native, _ = with_room(lambda: compile_or_load(natively, args, statics), request.primal)
    return native


def machine_code_of(native: Artifact, numpy: Artifact, keep: bool) -> str:
    """The file of the machine code of a program, which holds wherever NumPy's does.

    Args:
        keep: whether it stays on disk.

    Raises:
        NumPyStays: nothing is compiled in it, it depends on other values, or Numba fails.
    """
    from srcad.pipeline.disk.background import compile_file

    if not native.compiled:
        why = "; ".join(native.left) or "it has no loop to gain"
        raise NumPyStays(f"nothing in it is compiled: {why}")
    if not _assume_the_same(native, numpy):
        raise NumPyStays("what it depends on has changed since")
    path = machine.path_of(native, keep)
    if machine.compile_seconds(path) is None and (why := compile_file(path, native.compiled)):
        raise NumPyStays(why_failed_aside(why))
    return path


def _assume_the_same(one: Artifact, other: Artifact) -> bool:
    """Whether two programs hold for the same arguments and captured values."""
    return (
        one.captures == other.captures
        and len(one.guards) == len(other.guards)
        and all(map(are_same, one.guards, other.guards))
        and len(one.kept) == len(other.kept)
        and all(a is b for a, b in zip(one.kept, other.kept, strict=True))
    )


__all__ = [
    "WORTH_CALLS",
    "WORTH_S",
    "NumPyStays",
    "in_background",
    "machine_code_of",
    "program_beside",
    "why_not",
]

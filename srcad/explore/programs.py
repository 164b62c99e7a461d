"""The programs of a derivative, each with the places that its lines come from.

    NumPy's program      text, places of each line        what `.source()` shows
    compiled form        text, places of each line        where Numba is installed
    steps                IR after each pass that changed it, on the way to each of them

All stages run again for this, so that each pass can be watched; the text is the same.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcad.emit.places import Places
from srcad.errors import Location
from srcad.ir import Function
from srcad.ir.passes import Step, observed
from srcad.ir.printer import Line, show_lines
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_and_emit
from srcad.pipeline.targets import NATIVE, NUMPY, Target

# Characters of IR that a page holds; of larger programs it shows the stages alone.
_MOST = 3_000_000


@dataclass(frozen=True, slots=True)
class IrLine:
    """A line of IR and the places that it comes from."""

    text: str
    places: tuple[Location, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """The IR after a pass, or after a stage, of one function: the program or one it calls."""

    title: str
    stage: str
    function: str
    lines: tuple[IrLine, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """A program for one target: what runs, the places of its lines, how it came about."""

    target: Target
    artifact: Artifact
    places: Places
    steps: tuple[Shown, ...]


def programs(request: Request, args: Sequence[Any]) -> tuple[Program, Program | None]:
    """NumPy's program for the primal's arguments `args`, and the compiled one if there is one."""
    plain = program(replace(request, backend=NUMPY.name), args)
    if not NATIVE.is_available:
        return plain, None
    native = program(replace(request, backend=NATIVE.name), args)
    return plain, native if native.artifact.compiled else None


def known_program(artifact: Artifact) -> Program:
    """A program that is there already, without the steps of its compilation."""
    return Program(NUMPY, artifact, {line: (loc,) for line, loc in artifact.line_map.items()}, ())


def program(request: Request, args: Sequence[Any]) -> Program:
    """The program of one backend, with all steps of its compilation."""
    thread = threading.get_ident()
    watched: list[Shown] = []
    is_lowered = False

    def observe(step: Step) -> None:
        # Before the first stage has ended the frontend simplifies what it has of loops, often.
        if threading.get_ident() == thread and step.changed and is_lowered:
            watched.append(_shown(step.name, step.stage, step.program))

    def watch(stage: str, result: Any) -> None:
        nonlocal is_lowered
        is_lowered = True
        if isinstance(result, Function):
            watched.append(_shown(stage, "", result))

    with observed(observe):
        artifact, _, emitted = compile_and_emit(request, args, frozenset(), watch)
    if sum(len(line.text) for step in watched for line in step.lines) > _MOST:
        watched = [step for step in watched if not step.stage]
    return Program(request.target, artifact, emitted.places(), tuple(watched))


def _shown(title: str, stage: str, fn: Function) -> Shown:
    lines = tuple(IrLine(str(line), _places(line)) for line in show_lines(fn))
    return Shown(title, stage, fn.name, lines)


def _places(line: str) -> tuple[Location, ...]:
    """The place of a line of IR, and the calls that lead there."""
    found, loc = [], line.stmt.loc if isinstance(line, Line) and line.stmt is not None else None
    while loc is not None:
        found.append(loc)
        loc = loc.caller
    return tuple(found)


__all__ = ["IrLine", "Program", "Shown", "known_program", "program", "programs"]

"""Pass manager: runs a stage's passes over a program, in order or in rounds until none changes it.

    SIMPLIFY = Stage("simplify", Level.VALUES, (Pass("cse", cse), Pass("dce", dce)), rounds=8)
    fn = run(SIMPLIFY, fn)

A *pass* is a function from a program to a program, and gives back the program itself where there
is nothing to do. `srcad.pipeline.passes` has all stages and their order. Switches for a
search for a fault in the compiler, read when srcad is imported:

    SRCAD_VERIFY=1                  verify the program after each pass
    SRCAD_PRINT_AFTER=cse,simplify  print the program after these passes or stages; `all`: each
    SRCAD_DISABLE=cse,licm          leave these passes out; not those that are required

Programs compiled under the last two are neither read from disk nor kept there.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from srcad.ir.calls import called
from srcad.ir.nodes import Function
from srcad.ir.printer import show
from srcad.ir.switches import PRINTED, VERIFIES, disabled_names, named, observers
from srcad.ir.verifier import Level, verify
from srcad.ir.walk import free_values


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass by its name in the field.

    Args:
        takes: what it is given by keyword besides the program, from the context of the run.
        only: a truth of the context without which it is left out.
        callees: on which of the functions that the program calls it runs, in a stage that visits
            them: all, those of checkpoints (which are `recomputed`), or none.
        required: the program would be wrong without it, so it cannot be disabled.
    """

    name: str
    run: Callable[..., Function]
    takes: tuple[str, ...] = ()
    only: str = ""
    callees: Literal["all", "recomputed", "none"] = "all"
    required: bool = False

    def fits(self, callee: Function) -> bool:
        """Whether it runs on a function that the program calls."""
        return self.callees == "all" or (self.callees == "recomputed" and callee.recomputed)


@dataclass(frozen=True, slots=True)
class Stage:
    """Passes in their order.

    Args:
        level: of the programs that each of them returns.
        rounds: how often all passes are run at most; the first round that changes nothing ends it.
        visits_callees: the passes see one function at a time, and run on the functions that a
            program calls, too. Passes of other stages are given the whole program.
    """

    name: str
    level: Level
    passes: tuple[Pass, ...]
    rounds: int = 1
    visits_callees: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One run of a pass, for observers. `changed`: whether the program has another text."""

    stage: str
    name: str
    program: Function
    changed: bool
    seconds: float


Observer = Callable[[Step], None]


def run(stage: Stage, fn: Function, **context: Any) -> Function:
    """The program after a stage.

    Args:
        context: what its passes take by name.
    """
    passes = [p for p in stage.passes if p.required or p.name not in disabled_names]
    passes = [p for p in passes if not p.only or context[p.only]]
    for callee in called(fn) if stage.visits_callees else ():
        fitting = [p for p in passes if p.fits(callee)]
        callee.body = _run(stage, fitting, callee, context).body
    return _run(stage, passes, fn, context)


def _run(stage: Stage, passes: list[Pass], fn: Function, context: dict[str, Any]) -> Function:
    idle = 0
    outer = free_values(fn.body) if VERIFIES else ()
    for step in range(stage.rounds * len(passes)):
        each = passes[step % len(passes)]
        before, fn = fn, _apply(stage, each, fn, context)
        if VERIFIES and fn is not before:
            verify(fn, each.name, stage.level, outer)
        idle = idle + 1 if fn is before else 0
        if idle == len(passes) and stage.rounds > 1:
            break
    if VERIFIES and stage.rounds == 1:  # a pass may have changed what it gave back
        verify(fn, stage.name, stage.level, outer)
    return fn


def _apply(stage: Stage, each: Pass, fn: Function, context: dict[str, Any]) -> Function:
    options = {name: context[name] for name in each.takes}
    if observers:
        return _observed(stage, each, fn, options)
    return each.run(fn, **options)


# Observers ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Call `observer` after each pass that any thread runs meanwhile."""
    observers.append(observer)
    try:
        yield
    finally:
        observers.remove(observer)


@contextlib.contextmanager
def disabled(*names: str) -> Iterator[None]:
    """Leave passes out meanwhile, in all threads."""
    new = set(names) - disabled_names
    disabled_names.update(new)
    try:
        yield
    finally:
        disabled_names.difference_update(new)


def _observed(stage: Stage, each: Pass, fn: Function, options: dict[str, Any]) -> Function:
    before = show(fn)
    start = time.perf_counter()
    made = each.run(fn, **options)
    seconds = time.perf_counter() - start
    step = Step(stage.name, each.name, made, show(made) != before, seconds)
    for observer in tuple(observers):
        observer(step)
    return made


def printer(names: Iterable[str], file: TextIO | None = None) -> Observer:
    """An observer that prints the program after these passes or stages; `all`: where it changed.

    Args:
        file: where to, if not to stderr.
    """
    wanted = frozenset(names)

    def write(step: Step) -> None:
        if wanted & {step.name, step.stage, "all"}:
            note = "" if step.changed else " (unchanged)"
            text = f"# after {step.name} ({step.stage}){note}\n"
            is_shown = step.changed or "all" not in wanted
            (file or sys.stderr).write(text + show(step.program) * is_shown)

    return write


if PRINTED:
    observers.append(printer(PRINTED))


def check_names(stages: Iterable[Stage]) -> None:
    """Check the names in the switches.

    Raises:
        ValueError: one names no pass, or disables one that is required.
    """
    passes = {each.name: each for stage in stages for each in stage.passes}
    optional = {name for name, each in passes.items() if not each.required}
    printed = {*passes, *(stage.name for stage in stages), "all"}
    for variable, allowed in (("SRCAD_DISABLE", optional), ("SRCAD_PRINT_AFTER", printed)):
        if unknown := named(variable) - allowed:
            text = ", ".join(sorted(unknown))
            raise ValueError(f"{variable} names {text}; there are {', '.join(sorted(allowed))}")

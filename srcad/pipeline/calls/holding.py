"""Whether a program may be used for some arguments: its guards, asked without running it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from srcad.errors import SrcadError, error
from srcad.ir.guards import Guard
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.changes import as_read
from srcad.pipeline.calls.dispatch import MISS, build_dispatch


class Guarded(Protocol):
    """A program with the guards under which it may be used: `Artifact`, `Lowered`."""

    @property
    def guards(self) -> tuple[Guard, ...]:
        """What is asked of the arguments and of what the function reads."""

    @property
    def captures(self) -> tuple[str, ...]:
        """Paths of the inputs that are no arguments."""

    @property
    def kept(self) -> tuple[Any, ...]:
        """Objects that no path reaches."""


def holds(program: Guarded, args: Sequence[Any], primal: Callable[..., Any], n_primal: int) -> bool:
    """Whether the guards of a program hold for these arguments."""
    probe = build_dispatch(
        lambda *_: None, primal, n_primal, len(args) - n_primal,
        program.guards, program.captures, program.kept,
    )  # fmt: skip
    return probe(*args) is not MISS


def unsteady(
    artifact: Artifact, args: Sequence[Any], primal: Callable[..., Any], n_primal: int
) -> SrcadError:
    """The error for a program just compiled whose guards do not hold: something that it reads is
    another object each time, as an attribute that a module computes.
    """
    for n, guard in enumerate(artifact.guards, 1):  # noqa: B007 - read after the loop
        first = replace(artifact, guards=artifact.guards[:n], captures=())
        if not holds(first, args, primal, n_primal):
            break
    what = f"`{as_read(guard.path, primal)}`, which changes while it is compiled,"
    return error("E121", None, what=what, fix="read it before the call, and pass what was read")

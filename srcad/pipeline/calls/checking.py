"""The programs of `srcad.debug_nans`: which calls get one, and the error at the user's line.

with debug_nans():
    gradient(x)         another program, by NumPy, with a check after each operation
gradient(x)             the usual one

`SRCAD_DEBUG_NANS=1` in the environment stands for such a `with` around the whole process.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn

from srcad.errors import error
from srcad.ir.guards import rule_version
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.request import Request
from srcad.pipeline.translate import place_of
from srcad.runtime.finite import NotFinite, is_finite, noting

Program = Callable[..., Any]

_everywhere = os.environ.get("SRCAD_DEBUG_NANS", "0") not in ("", "0")
_wanted: ContextVar[bool] = ContextVar("srcad.debug_nans", default=_everywhere)
if _everywhere:
    _detour = rule_version.detour()  # held: it ends with the process
    _detour.__enter__()


@contextmanager
def checking(wanted: bool = True) -> Iterator[None]:
    """Whether calls of this thread, or task, use programs with checks meanwhile."""
    token = _wanted.set(wanted)
    try:
        with rule_version.detour():
            yield
    finally:
        _wanted.reset(token)


def is_checking() -> bool:
    """Whether calls use programs with checks here."""
    return _wanted.get()


def with_located_checks(
    entry: Program, artifact: Artifact, filename: str, request: Request
) -> Program:
    """A program with checks, which raise at the user's line; so does a pullback that it returns."""

    def located(program: Program) -> Program:
        @functools.wraps(program)
        def call(*args: Any) -> Any:
            with noting() as noted:
                try:
                    result = program(*args)
                except NotFinite as found:
                    noted.append(found)
                except Exception:  # follows from what was noted, if anything was
                    if not noted:
                        raise
                else:
                    if not noted or is_finite(result):
                        return result
            _raise(noted[0], artifact, filename)

        return call

    def returning_pullback(*args: Any) -> Any:
        y, pullback, *aux = located(entry)(*args)
        return (y, located(pullback), *aux)

    return returning_pullback if request.kind in ("vjp", "linearize") else located(entry)


def _raise(found: NotFinite, artifact: Artifact, filename: str) -> NoReturn:
    of = f" of `{found.what}`" if found.what else ""
    what = f"the derivative{of}" if found.derived else f"`{found.what}`"
    what = f"{what} makes {found.made}"
    place = place_of(found, filename, artifact.line_map)
    raise error("E702" if found.derived else "E701", place, what=what, notes=found.facts) from None


__all__ = ["checking", "is_checking", "with_located_checks"]

"""Warn of a function that is compiled again and again, because a constant of its programs changes.

f(x, 1), f(x, 2), ..., f(x, 9)      `f` has a program for each of 9 values of `n`
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Sequence
from types import FrameType
from typing import Any

from srcad.pipeline.artifact import Artifact
from srcad.pipeline.request import Request

# Programs that differ in one constant before the caller is warned, once.
MANY = 8


def warn_of_many(request: Request, artifacts: Sequence[Artifact]) -> None:
    """Warn when one program more than `MANY` was compiled for values of the same int or length."""
    if len(artifacts) != MANY + 1:
        return
    values: dict[str, set[Any]] = defaultdict(set)
    for artifact in artifacts:
        for guard in artifact.guards:
            if guard.kind == "static":
                values[guard.path].add(guard.expected)
    changing = [path for path, found in values.items() if len(found) == len(artifacts)]
    if changing:
        named = " and ".join(f"`{_readable(request, path)}`" for path in changing)
        text = (
            f"`{request.name}` has a program for each of {len(artifacts)} values of {named}, and "
            "compiles one more for each new value (srcad explain E123)"
        )
        warnings.warn(text, RuntimeWarning, stacklevel=_levels_to_caller())


def _levels_to_caller() -> int:
    """How many frames of srcad and of its programs stand between `warn_of_many` and the caller."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and _is_of_srcad(frame):
        frame, levels = frame.f_back, levels + 1
    return levels


def _is_of_srcad(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__"))
    return module.partition(".")[0] == "srcad" or frame.f_code.co_filename.startswith("<srcad")


def _readable(request: Request, path: str) -> str:
    """A path by the names of the parameters."""
    # Not above: what is read from disk needs nothing of the compiler.
    from srcad.frontend.reading.signature import signature_of

    names = list(signature_of(request.primal).parameters)
    return re.sub(r"A\[(\d+)\]", lambda found: names[int(found[1])], path)


__all__ = ["MANY", "warn_of_many"]

"""Messages of the logger "srcad": compiles, and which backend runs a program.

logging.basicConfig(level=logging.INFO)

INFO:srcad:grad of loss (model.py:5): compiled in 21 ms
INFO:srcad:grad of loss (model.py:5): compiled again in 18 ms: `x` is float32[:], was float64[:]
INFO:srcad:grad of loss (model.py:5): stays on NumPy: nothing in it is compiled
WARNING:srcad:grad of loss (model.py:5): runs on NumPy: the compiled program failed in 3 calls

A process that has not imported `logging` pays nothing.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import Any

from srcad.errors.cells import cell_name
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.changes import changes, describe_changes
from srcad.pipeline.request import Request


def tell_compiled(
    request: Request, made: Artifact, others: Sequence[Artifact], seconds: float
) -> None:
    """A program was made, beside others of the same function."""
    if not _is_heard():
        return
    how = "read from the cache" if made.from_disk else "compiled"
    text = f"{how} in {1e3 * seconds:.0f} ms"
    if others:
        why = describe_changes(changes(made, others), request.primal)
        text = f"{how} again in {1e3 * seconds:.0f} ms: {why or 'what it reads has changed'}"
    tell(request, text)
    if request.target.compiles and not made.compiled:
        left = "; ".join(made.left)
        tell(request, f"stays on NumPy: nothing in it is compiled{': ' * bool(left)}{left}")


def tell(request: Request, text: str, *, warns: bool = False) -> None:
    """Something about the derivative that `request` asks for."""
    if not _is_heard():
        return
    import logging

    logger = logging.getLogger("srcad")
    if not logger.handlers:  # not on the terminal, unless the user wants it there
        logger.addHandler(logging.NullHandler())
    logger.log(logging.WARNING if warns else logging.INFO, "%s: %s", _title(request), text)


def _is_heard() -> bool:
    logging: Any = sys.modules.get("logging")
    return logging is not None and logging.getLogger("srcad").isEnabledFor(logging.INFO)


def _title(request: Request) -> str:
    code = getattr(inspect.unwrap(request.primal), "__code__", None)
    if code is None:
        return f"{request.kind} of {request.name}"
    file = cell_name(code.co_filename) or code.co_filename.rpartition("/")[2]
    place = f" ({file}:{code.co_firstlineno})"
    return f"{request.kind} of {request.name}{place}"


__all__ = ["tell", "tell_compiled"]

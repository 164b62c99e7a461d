"""What an exception means that comes out of a compiled program.

Refused                 compiled code left the call to NumPy's program, before it wrote anything
the user's              of a signal's handler, say: goes on as it is
any other               of NumPy's operations between compiled functions, of the memory: goes on

Only the first leads to NumPy's program. Compiled code raises it under the name of some exception of
Python's, which is all that Numba can raise; it is known by where it was raised, in machine code.
"""

from __future__ import annotations

from typing import NoReturn

from srcad.interrupts import raise_users_own, users_own
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.finishing import innermost, is_behind, is_machine_code
from srcad.pipeline.translate import translated


class Refused(Exception):  # noqa: N818 - it is no error
    """The compiled program leaves this call to NumPy's; it tells why."""


def meant(problem: BaseException, artifact: Artifact, filename: str) -> BaseException:
    """What an exception of the program in this file means: `Refused`, the user's own, or itself."""
    own = users_own(problem)
    if own is not None:
        return own
    if isinstance(problem, Refused) or not _is_refusal(problem, filename):
        return problem
    if is_behind(problem, artifact, filename):  # it is never run again
        return problem
    return Refused(f"{type(problem).__name__}: {problem}")


def raise_meant(problem: BaseException, artifact: Artifact, filename: str) -> NoReturn:
    """Raise what an exception of a program means in terms of the user's source."""
    raise_users_own(problem)
    assert isinstance(problem, Exception)  # any other is the user's
    means = translated(problem, filename, artifact.line_map)
    if means is problem:
        raise problem
    raise means from None


def _is_refusal(problem: BaseException, filename: str) -> bool:
    """Whether compiled code raised this on purpose, or it is for arguments that it cannot take."""
    inner = innermost(problem)
    if inner is None or isinstance(problem, RuntimeError):
        return False
    frame = inner.tb_frame
    home = str(frame.f_globals.get("__name__", ""))
    is_own = frame.f_code.co_filename == filename or home.startswith("srcad.kernels.")
    if isinstance(problem, MemoryError):
        # Of a tape as large as it can become, of which NumPy's program fills a part. In machine
        # code it is not known what else there was no memory for.
        return is_own and not is_machine_code(frame)
    if is_machine_code(frame):
        return True
    if isinstance(problem, TypeError) and home.startswith("numba."):
        return True
    # What is no integer, or one of more than 64 bits, has no place in machine code.
    # A tape of a loop over `range(n)` has no place there for a negative `n`.
    is_short = isinstance(problem, ValueError) and str(problem).startswith("negative dimensions")
    return is_own and (is_short or isinstance(problem, TypeError | OverflowError))

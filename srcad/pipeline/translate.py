"""Exceptions raised in generated text, told in terms of the user's source.

What NumPy says of shapes becomes a `ShapeError` at the user's line, a result of another type than a
trial gave a `MissingRule`; any other exception keeps its type and gets a note with that line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NoReturn

import numpy as np

from srcad.errors import Location, SrcadError, error
from srcad.interrupts import raise_users_own
from srcad.pipeline.calls.generated import line_map_of

_SHAPES = r"(\(.*\))"
# NumPy's words, the code they mean, and the thing at fault in the words of that code's title.
_MEANINGS: tuple[tuple[str, str, str], ...] = (
    (rf"could not be broadcast together with remapped shapes.*: {_SHAPES}", "E407", "{0}"),
    (rf"could not be broadcast together with shapes {_SHAPES}", "E401", "{0}"),
    (rf"could not broadcast input array from shape {_SHAPES}", "E401", "{0}"),
    (r"matmul: .*size (\d+) is different from (\d+)", "E402", "(..., {1}) and ({0}, ...)"),
    (r"(.*) would need a larger array", "E401", "in {0}"),
    (rf"shapes {_SHAPES} not aligned", "E402", "{0}"),
    (r"cannot reshape array of size (\d+) into shape (.*)", "E404", "{0} entries to {1}"),
    (
        r"concatenation axis must match exactly, but along dimension (\d+), "
        r"the array at index (\d+) has size (\d+) and the array at index (\d+) has size (\d+)",
        "E406",
        "with extents {2} and {4} along axis {0}",
    ),
    (r"all input arrays must have the same shape()", "E406", "that differ"),
    (r"einstein sum (.*)|(einsum.*)", "E407", "{0}"),
    (r"(\w+): Input operand (\d+) .*size (\d+) is different from (\d+)", "E400", "np.linalg.{0}"),
    (r"(index -?\d+ is out of bounds.*)", "E405", "{0}"),
    (r"(axis -?\d+ is out of bounds.*)", "E403", "{0}"),
)
# How `srcad.runtime.as_tried` begins.
_TRIED = "a trial of the function gave"


def translated(problem: Exception, filename: str, line_map: Mapping[int, Location]) -> Exception:
    """`problem` itself with a note of the user's line, or the `ShapeError` that it means."""
    place = place_of(problem, filename, line_map)
    if place is None or isinstance(problem, SrcadError):
        return problem
    if isinstance(problem, NotImplementedError) and str(problem).startswith(_TRIED):
        return error("E207", place, what="this call", notes=(str(problem),))
    shape_error = _as_shape_error(problem, place)
    if shape_error is not None:
        return shape_error
    note = f"while running code generated from {place}: {place.text.strip()}"
    if note not in getattr(problem, "__notes__", ()):
        problem.add_note(note)
    return problem


def raise_located(problem: Exception) -> NoReturn:
    """Raise what an exception means that came out of a program by itself, a pullback say."""
    raise_users_own(problem)
    trace, means = problem.__traceback__, problem
    while trace is not None and means is problem:
        filename = trace.tb_frame.f_code.co_filename
        means = translated(problem, filename, line_map_of(filename) or {})
        trace = trace.tb_next
    if means is problem:
        raise problem
    raise means from None


def place_of(
    problem: BaseException, filename: str, line_map: Mapping[int, Location]
) -> Location | None:
    """The user's line from which the failing generated line comes."""
    trace, place = problem.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            place = line_map.get(trace.tb_lineno, place)
        trace = trace.tb_next
    return place


def _as_shape_error(problem: Exception, place: Location) -> Exception | None:
    # What the user's own `raise` says is the user's.
    if not isinstance(problem, ValueError | IndexError) or place.text.lstrip().startswith("raise"):
        return None
    message = str(problem)
    for pattern, code, template in _MEANINGS:
        found = re.search(pattern, message)
        if found is not None and not isinstance(problem, np.linalg.LinAlgError):
            words = [g or "" for g in found.groups()]
            what = template.format(*words).replace(") (", ") and (").strip()
            return error(code, place, what=what or message, notes=(f"NumPy says: {message}",))
    return None

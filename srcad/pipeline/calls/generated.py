"""The files of generated programs: which code is one, which is srcad's own, which is the user's.

line_map_of("<srcad loss_grad 4d76e86d>")     {12: model.py:3, 14: model.py:4}
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from types import FrameType

from srcad.errors import Location

# By file name. `linecache` has their text for as long.
_programs: dict[str, Mapping[int, Location]] = {}

DISPATCH = "srcad.dispatch"
"""The module of the functions that lead a call to its program."""


def register(filename: str, line_map: Mapping[int, Location]) -> None:
    """Know a program by its file from now on."""
    _programs[filename] = line_map


def line_map_of(filename: str) -> Mapping[int, Location] | None:
    """From a program's lines to the user's; None if the file is no program's."""
    return _programs.get(filename)


def place_of_frame(frame: FrameType, line: int) -> Location | None:
    """The user's place that a line of a program comes from; None for code of any other kind."""
    return (line_map_of(frame.f_code.co_filename) or {}).get(line)


def is_program(frame: FrameType) -> bool:
    """Whether a frame runs a generated program."""
    return frame.f_code.co_filename in _programs


def is_of_srcad(frame: FrameType) -> bool:
    """Whether a frame runs code of srcad's own, which a user has no reason to look at."""
    return package_of(frame) == "srcad" and not is_program(frame)


def package_of(frame: FrameType) -> str:
    """The package that a frame's code belongs to."""
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def levels_to_caller() -> int:
    """How many frames of srcad and of its programs stand between what asks and the caller, as a
    warning's `stacklevel` counts them.
    """
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and (
        package_of(frame) == "srcad" or frame.f_code.co_filename.startswith("<srcad")
    ):
        frame, levels = frame.f_back, levels + 1
    return levels


def shows_own_frames() -> bool:
    """Whether the user wants to see srcad's own frames: `SRCAD_TRACEBACK=full`."""
    return os.environ.get("SRCAD_TRACEBACK") == "full"

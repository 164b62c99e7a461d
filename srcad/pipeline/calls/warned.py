"""Warnings in generated programs, NumPy's, SciPy's and the user's, tell the user's line.

<srcad loss_grad 4d76e86d>:12: RuntimeWarning: divide by zero encountered in log
model.py:3: RuntimeWarning: divide by zero encountered in log

<srcad loss_grad 4d76e86d>:17: RuntimeWarning: invalid value encountered in sqrt
model.py:4: RuntimeWarning: invalid value encountered in sqrt, in the derivative of `np.sqrt`

Python makes a `warnings.WarningMessage` of each warning that its filters let through, however it is
shown or recorded then. The class that is made looks where it comes from: nothing is done for a call
that warns of nothing. Filters see the program's own line and module, `srcad.generated`.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

from srcad.errors import Location
from srcad.pipeline.calls.generated import is_program, package_of, place_of_frame

_BETWEEN = ("srcad", "numpy", "scipy")


class WarningMessage(warnings.WarningMessage):
    """A warning, at the user's line where a generated program warned."""

    def __init__(
        self, message: Any, category: Any, filename: str, lineno: int, *rest: Any, **named: Any
    ) -> None:
        place = _users_place(filename)
        if place is not None:
            filename, lineno = place.file, place.line
            if place.part == "derivative" and place.operation and type(message) is category:
                message = category(f"{message}, in the derivative of `{place.operation}`")
        super().__init__(message, category, filename, lineno, *rest, **named)


def _users_place(filename: str) -> Location | None:
    """The user's place of the program that warns; `filename` is where Python puts the warning."""
    frame, passed = sys._getframe(2), set()
    while frame is not None:
        passed.add(frame.f_code.co_filename)
        if is_program(frame):
            place = place_of_frame(frame, frame.f_lineno)
            if place is not None or filename not in passed:
                return place if filename in passed else None
            # Otherwise it is in a function of srcad's that the program has a copy of.
        elif package_of(frame) not in _BETWEEN:
            return None
        frame = frame.f_back  # type: ignore[assignment]  # None at the end
    return None


def tell_users_lines() -> None:
    """From now on, for the process."""
    if not issubclass(warnings.WarningMessage, WarningMessage):
        warnings.WarningMessage = WarningMessage  # type: ignore[misc]  # a subclass in its place


__all__ = ["tell_users_lines"]

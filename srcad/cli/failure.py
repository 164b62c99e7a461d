"""What went wrong at the command line: a message and an exit code, never a traceback."""

from __future__ import annotations


class Failure(Exception):  # noqa: N818 - not an error of srcad: it never leaves the command line
    """Ends the command with a message: code 2 where the command line itself is at fault."""

    def __init__(self, message: str, *, hint: str = "", code: int = 2) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.code = code

"""What one thread prints is dropped, and what the others print is not; so are warnings of trials.

    with silenced():
        print("dropped")
    with unwarned():
        np.log(-1.0)

`contextlib.redirect_stdout` exchanges `sys.stdout` for all threads: what another one prints would
be lost, and two that do so at a time may leave the wrong stream behind. Here `sys.stdout` is a
stand-in as long as any thread is silent, which hands on what the others write.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from srcad.forks import lock

_silent: ContextVar[bool] = ContextVar("silent", default=False)
_lock = lock()
_inside = 0


class _StandIn:
    """A stream that drops what is written where `_silent` is set."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """As a stream's."""
        return len(text) if _silent.get() else self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """As a stream's."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def silenced() -> Iterator[None]:
    """Drop what this thread prints."""
    global _inside
    with _lock:
        _inside += 1
        if not isinstance(sys.stdout, _StandIn):
            sys.stdout = _StandIn(sys.stdout) if sys.stdout is not None else None
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)
        with _lock:
            _inside -= 1
            # Another stream stands there if it was exchanged meanwhile: that is left alone.
            if _inside == 0 and isinstance(sys.stdout, _StandIn):
                sys.stdout = sys.stdout._stream


@contextmanager
def unwarned() -> Iterator[None]:
    """Drop warnings: of a trial, whose numbers are not the program's."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


__all__ = ["silenced", "unwarned"]

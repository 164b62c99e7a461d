"""Garbage collection while compiling, which makes many objects that all stay until its end.

    gc.get_threshold()      (700, 10, 10): a tenth of the time is spent looking for cycles in them
    with rare_collections(): ...            (50_000, 10, 10)

A collector that is off, or a higher threshold, stays as the caller has it; so does what is set
meanwhile.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from srcad.forks import renewed

_ALLOCATIONS = 50_000  # between two collections
_before: tuple[int, int, int] | None = None  # the thresholds of the caller, while they are raised


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collect rarely meanwhile: in all threads, of which the first one to enter restores it."""
    global _before
    now = gc.get_threshold()
    is_first = _before is None and 0 < now[0] < _ALLOCATIONS
    try:
        if is_first:
            _before = now
            gc.set_threshold(_ALLOCATIONS, *now[1:])
        yield
    finally:
        if is_first:
            _restore()


def _restore() -> None:
    global _before
    if _before is not None and gc.get_threshold() == (_ALLOCATIONS, *_before[1:]):
        gc.set_threshold(*_before)
    _before = None


renewed(_restore)  # a forked process has not the thread that would do it


__all__ = ["rare_collections"]

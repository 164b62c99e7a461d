"""OpenBLAS without threads of its own, where srcad's share out a product.

    with without_threads():             each thread computes its rows by itself
        parallel(part, len(a), work)

A thread of OpenBLAS looks for more work for a tenth of a second after each product, on a core that
srcad's threads then have to share with it: a training step took six times as long. So within
compiled programs one team does all. Where BLAS is another one, or has no threads, `can_be_alone` is
False and nothing changes.

The number of its threads is one for the whole process: products that the user's other threads
compute meanwhile have one too.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable

from srcad.kernels.products.blas import named

_NAMED = tuple(
    (f"{prefix}openblas_get_num_threads{suffix}", f"{prefix}openblas_set_num_threads{suffix}")
    for prefix in ("scipy_", "")
    for suffix in ("64_", "")
)


@functools.cache
def _functions() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """What tells the number of threads, and what sets it; None if that is not OpenBLAS's way."""
    for names in _NAMED:
        get, put = map(named, names)
        if get is not None and put is not None:
            put.restype = None
            return get, put
    return None


def can_be_alone() -> bool:
    """Whether `without_threads` does what it says."""
    return _functions() is not None


class _WithoutThreads:
    """A context that several threads may be in."""

    def __init__(self) -> None:
        self.lock, self.count, self.before = threading.Lock(), 0, 0

    def __enter__(self) -> None:
        functions = _functions()
        if functions is None:
            return
        get, put = functions
        with self.lock:
            self.count += 1
            if self.count == 1:
                self.before = get()
                put(1)

    def __exit__(self, *_: object) -> None:
        functions = _functions()
        if functions is None:
            return
        with self.lock:
            self.count -= 1
            if self.count == 0:
                functions[1](self.before)


_context = _WithoutThreads()


def without_threads() -> _WithoutThreads:
    """The context; it may be entered again within itself."""
    return _context


def _forget() -> None:
    """In a forked process nobody is in it."""
    global _context
    functions = _functions()
    if functions is not None and _context.count:
        functions[1](_context.before)
    _context = _WithoutThreads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


__all__ = ["can_be_alone", "without_threads"]

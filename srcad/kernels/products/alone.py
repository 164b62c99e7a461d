"""OpenBLAS without threads of its own, where srcad's share out a product.

    in_one_thread(parallel, part, len(a), work)     each thread computes its rows by itself

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
from typing import Any

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
    """Whether `in_one_thread` does what it says."""
    return _functions() is not None


class _Uses:
    """How many calls are being made without threads of BLAS, and how many it had before."""

    def __init__(self) -> None:
        self.lock, self.count, self.before = threading.RLock(), 0, 0


class _Use:
    """One of them. A signal may interrupt its beginning and its end, between calls: it is counted,
    and no longer counted, in the same step as that is noted here.
    """

    def __init__(self) -> None:
        self.is_counted = False

    def begin(self, uses: _Uses) -> None:
        functions = _functions()
        if functions is None:
            return
        get, put = functions
        with uses.lock:
            if uses.count == 0:
                uses.before = get()
            uses.count, self.is_counted = uses.count + 1, True
            put(1)

    def end(self, uses: _Uses) -> None:
        functions = _functions()
        if functions is None:
            return
        with uses.lock:
            if self.is_counted:
                if uses.count == 1:
                    functions[1](uses.before)
                uses.count, self.is_counted = uses.count - 1, False


_uses = _Uses()


def in_one_thread(fn: Callable[..., Any], *args: Any) -> Any:
    """Call `fn(*args)` while BLAS has no threads; also within such a call."""
    use, uses = _Use(), _uses
    try:
        use.begin(uses)
        found = fn(*args)
        return found
    finally:
        try:
            use.end(uses)
        except BaseException:  # of a signal's handler: this is done all the same
            use.end(uses)
            raise


def _forget() -> None:
    """In a forked process no thread uses it."""
    global _uses
    functions = _functions()
    if functions is not None and _uses.count:
        functions[1](_uses.before)
    _uses = _Uses()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


__all__ = ["can_be_alone", "in_one_thread"]

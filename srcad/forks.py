"""Locks and caches across `os.fork`: a forked process has one thread, and locks that the others
held are never released.

    _lock = lock()              free in a forked process, whichever thread held it
    importing = waited_for()    a fork waits until it is free
    renewed(_forget)            `_forget()` is called in a forked process

Python holds a lock for each module that it imports, and Numba and LLVM hold their own: if another
thread had one, the forked process would wait for ever. So a fork waits until no thread imports
machine code or reads rules; a forked process imports srcad's other modules again if another
thread had begun to.

`srcad.kernels.threads`, `teams` and `products.alone` renew their own locks, because their text is
copied into standalone modules.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_waited_for: list[Any] = []
_renewals: list[Callable[[], None]] = []


def lock() -> Any:
    """A `threading.RLock`: a signal's handler may run in the thread that holds it and take it
    again.
    """
    made = threading.RLock()
    _locks.add(made)
    return made


def waited_for() -> Any:
    """A lock for short work that a fork must not interrupt. While a thread holds one, it takes
    only those that were made later.
    """
    made = threading.RLock()
    _waited_for.append(made)
    return made


# Held while a program and Numba are imported.
importing = waited_for()


def renewed(renew: Callable[[], None]) -> None:
    """Have a function called in each forked process, after those named before."""
    _renewals.append(renew)


def _wait() -> None:
    for each in _waited_for:
        each.acquire()


def _go_on() -> None:
    for each in reversed(_waited_for):
        each.release()


def _renew() -> None:
    _go_on()
    for each in list(_locks):
        if not each._is_owned():  # by the thread that forks, which will release it
            each._at_fork_reinit()
    _forget_imports()
    for renew in _renewals:
        renew()


def _forget_imports() -> None:
    """Import modules of srcad again if another thread had begun to import them."""
    # Private to CPython: where there is no such table, a lock that is held stays as it is.
    bootstrap = getattr(importlib, "_bootstrap", None)
    begun: dict[str, Any] = getattr(bootstrap, "_module_locks", {})
    for name, reference in list(begun.items()):
        owner = getattr(reference(), "owner", None)
        if name.partition(".")[0] == "srcad" and owner not in (None, threading.get_ident()):
            del begun[name]
            sys.modules.pop(name, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait, after_in_parent=_go_on, after_in_child=_renew)


__all__ = ["importing", "lock", "renewed", "waited_for"]

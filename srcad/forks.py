"""What a forked process needs anew: it has one thread, and what others held nobody gives back.

    _lock = lock()              free in a forked process, whichever thread held it
    importing = waited_for()    a fork waits until nobody holds it
    renewed(_forget)            `_forget()` is called in a forked process

Python's import keeps a lock for each module, and Numba and LLVM keep theirs: a fork's child would
wait for ever for the thread that had one. So a fork waits while machine code is imported, and rules
of SciPy; srcad's other modules, begun by a thread that is not there, are begun again.

`srcad.kernels.threads`, `teams` and `products.alone` care for their own, as they are copied into
modules that stand alone.
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
    """A lock as `threading.RLock`. That a thread may take it again is what a signal's handler
    needs, which may come while its thread has it.
    """
    made = threading.RLock()
    _locks.add(made)
    return made


def waited_for() -> Any:
    """A lock that is held for short work which a fork must not interrupt. Who holds one takes no
    other but those that are made later.
    """
    made = threading.RLock()
    _waited_for.append(made)
    return made


# Held while a program is imported, and Numba with it.
importing = waited_for()


def renewed(renew: Callable[[], None]) -> None:
    """Have a function called in each forked process, behind those that were named before."""
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
        if not each._is_owned():  # by the thread that forks, which will give it back
            each._at_fork_reinit()
    _forget_imports()
    for renew in _renewals:
        renew()


def _forget_imports() -> None:
    """Let modules of srcad be imported again whose import another thread had begun."""
    begun: dict[str, Any] = getattr(importlib, "_bootstrap", None).__dict__.get("_module_locks", {})
    for name, reference in list(begun.items()):
        owner = getattr(reference(), "owner", None)
        if name.partition(".")[0] == "srcad" and owner not in (None, threading.get_ident()):
            del begun[name]
            sys.modules.pop(name, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait, after_in_parent=_go_on, after_in_child=_renew)


__all__ = ["importing", "lock", "renewed", "waited_for"]

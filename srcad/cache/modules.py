"""Programs as files that are imported: Numba keeps machine code beside them.

    module_file("heat_grad-5e1f...", text)      ~/.cache/srcad/heat_grad-5e1f.../heat_grad.py
                                                                    and __pycache__ beside it

Without a cache folder a temporary folder of this process holds them, removed at exit; so it does
where others may have written to the program's folder or to its `__pycache__`.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile

from srcad.cache.folder import usable_folder, warn_unsafe, warn_unwritable
from srcad.interrupts import raise_users_own, suppress_others
from srcad.ownership import inspect_inner, make_own, read_own, write_own


def module_file(key: str, text: str, *, keep: bool = True) -> str:
    """The path of a file with this text. If no file can be written, it is a path that does not
    exist: the text is compiled all the same, and not kept.

    A file that has the text is not written again: Numba keeps machine code for its time stamp.

    Args:
        key: a name, `-` and 32 hexadecimal digits, which stand for the text among other things.
    """
    folder = usable_folder(make=True) if keep else None
    if folder is not None:
        with suppress_others(OSError):
            place = os.path.join(folder, key)
            if all(map(_is_own, (place, os.path.join(place, "__pycache__")))):
                return _written(place, key, text)
    try:
        place = os.path.join(_own_folder(os.getpid()), key)
        make_own(place)
        return _written(place, key, text)
    except OSError as problem:
        raise_users_own(problem)
        warn_unwritable(folder or tempfile.tempdir or "", str(problem))
        return os.path.join("<srcad>", key, _name(key))


def _is_own(folder: str) -> bool:
    """Whether a folder inside the cache folder is the user's alone; makes it, or warns."""
    make_own(folder)
    reason = inspect_inner(folder).reason
    if reason:
        warn_unsafe(folder, reason)
    return not reason


def _written(place: str, key: str, text: str) -> str:
    path = os.path.join(place, _name(key))
    data = text.encode()
    with suppress_others(OSError):
        if read_own(path) == data:
            return path
    write_own(path, data)
    return path


def _name(key: str) -> str:
    return f"{key.rpartition('-')[0]}.py"


@functools.cache
def _own_folder(pid: int) -> str:
    """A folder of this process alone; a fork gets its own."""
    folder = tempfile.mkdtemp(prefix="srcad-")

    def remove() -> None:
        if os.getpid() == pid:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


__all__ = ["module_file"]

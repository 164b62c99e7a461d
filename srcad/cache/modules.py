"""Programs as files that are imported: Numba keeps machine code beside them.

    module_file("heat_grad-5e1f...", text)      ~/.cache/srcad/heat_grad-5e1f.../heat_grad.py
                                                                    and __pycache__ beside it

Without a cache folder they stand in one of this process, which goes with it; so do they where
others may have written to the folder with the program's name, or to the one for machine code in it.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from contextlib import suppress

from srcad.cache.folder import usable_folder, warn_unsafe, warn_unwritable
from srcad.ownership import inspect, make_own, read_own, write_own


def module_file(key: str, text: str, *, keep: bool = True) -> str:
    """The path of a file with this text, which is written unless it is there. Where no file can be
    written at all it is one that does not exist: the text is compiled all the same, and not kept.

    It is not touched when it is there: machine code is kept for the file as it stands.

    Args:
        key: a name, `-` and 32 hexadecimal digits, which stand for the text among other things.
    """
    folder = usable_folder(make=True) if keep else None
    if folder is not None:
        with suppress(OSError):
            place = os.path.join(folder, key)
            if all(map(_is_own, (place, os.path.join(place, "__pycache__")))):
                return _written(place, key, text)
    try:
        place = os.path.join(_own_folder(os.getpid()), key)
        make_own(place)
        return _written(place, key, text)
    except OSError as problem:
        warn_unwritable(folder or tempfile.tempdir or "", str(problem))
        return os.path.join("<srcad>", key, _name(key))


def _is_own(folder: str) -> bool:
    """Whether a folder in the user's own, made if need be, is his alone; if not, a warning."""
    make_own(folder)
    reason = "it is a link" if os.path.islink(folder) else inspect(folder).reason
    if reason:
        warn_unsafe(folder, reason)
    return not reason


def _written(place: str, key: str, text: str) -> str:
    path = os.path.join(place, _name(key))
    data = text.encode()
    with suppress(OSError):
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

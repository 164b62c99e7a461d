"""Programs as files that are imported: Numba keeps machine code beside them.

    module_file("heat_grad-5e1f...", text)      ~/.cache/srcad/heat_grad-5e1f.../heat_grad.py
                                                                    and __pycache__ beside it

Without a cache folder they stand in one of this process, which goes with it.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
import threading
from contextlib import suppress

from srcad.cache.folder import usable_folder


def module_file(key: str, text: str, *, keep: bool = True) -> str:
    """The path of a file with this text, which is written unless it is there.

    It is not touched when it is: machine code is kept for the file as of its date.

    Args:
        key: a name, `-` and 32 hexadecimal digits, which stand for the text among other things.

    Raises:
        CacheError: E501, when the folder that SRCAD_CACHE_DIR names can be changed by others.
    """
    folder = usable_folder(make=True) if keep else None
    if folder is not None:
        with suppress(OSError):
            return _written(folder, key, text)
    return _written(_own_folder(os.getpid()), key, text)


def _written(folder: str, key: str, text: str) -> str:
    place = os.path.join(folder, key)
    with suppress(FileExistsError):
        os.mkdir(place, 0o700)
    path = os.path.join(place, f"{key.rpartition('-')[0]}.py")
    data = text.encode()
    with suppress(OSError), open(path, "rb") as file:
        if file.read() == data:
            return path
    draft = os.path.join(place, f".{os.getpid()}-{threading.get_ident()}.tmp")
    with open(draft, "wb") as file:
        file.write(data)
    os.replace(draft, path)
    return path


@functools.cache
def _own_folder(pid: int) -> str:
    """A folder of this process alone; a fork gets its own."""
    folder = tempfile.mkdtemp(prefix="srcad-")

    def remove() -> None:
        if os.getpid() == pid:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder

"""The cache folder: which one it is, and whether it can be trusted.

What lies there is executed. So it must belong to the user and to nobody else (mode 0700), or it is
not used.
"""

from __future__ import annotations

import os
import stat
import sys
import warnings
from dataclasses import dataclass

from srcad.errors import error

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Folder:
    """`reason` says why a folder is not used, "" when it is; `unsafe`: others could write there."""

    path: str
    reason: str = ""
    unsafe: bool = False


def find_folder(*, make: bool = False) -> Folder:
    """The folder that the environment names, or the platform's; created if need be with `make`."""
    path = os.path.abspath(os.environ.get("SRCAD_CACHE_DIR") or _default_path())
    if os.environ.get("SRCAD_CACHE") == "0":
        return Folder(path, "SRCAD_CACHE=0")
    if make:
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.mkdir(path, 0o700)
        except FileExistsError:
            pass
        except OSError as problem:
            return Folder(path, f"it cannot be created: {problem.strerror}")
    return _inspect(path)


def usable_folder(*, make: bool = False) -> str | None:
    """The path of the folder, None where the cache does without.

    Raises:
        CacheError: E501, when the folder that SRCAD_CACHE_DIR names can be changed by others.

    Warns (E502) with `make` when the folder that SRCAD_CACHE_DIR names cannot be had.
    """
    folder = find_folder(make=make)
    if not folder.reason:
        return folder.path
    if folder.unsafe and os.environ.get("SRCAD_CACHE_DIR"):
        raise error("E501", None, what=f"`{folder.path}`", notes=(folder.reason,))
    if make and os.environ.get("SRCAD_CACHE") != "0":
        warn_unwritable(folder.path, folder.reason)
    return None


def warn_unwritable(path: str, reason: str) -> None:
    """Say that a folder which was asked for is not used; the platform's own goes in silence."""
    if os.environ.get("SRCAD_CACHE_DIR"):
        text = str(error("E502", None, what=f"`{path}`", notes=(reason,)))
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def _inspect(path: str) -> Folder:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return Folder(path)
    except OSError as problem:
        return Folder(path, f"it cannot be read: {problem.strerror}")
    if not stat.S_ISDIR(found.st_mode):
        return Folder(path, "it is no folder")
    if hasattr(os, "geteuid"):
        if found.st_uid != os.geteuid():
            return Folder(path, f"it belongs to user {found.st_uid}", unsafe=True)
        if found.st_mode & _OTHERS:
            mode = stat.S_IMODE(found.st_mode)
            return Folder(path, f"its mode is {mode:04o} instead of 0700", unsafe=True)
    return Folder(path)


def is_own(descriptor: int) -> bool:
    """Whether an open file belongs to the user."""
    return not hasattr(os, "geteuid") or os.fstat(descriptor).st_uid == os.geteuid()


def _default_path() -> str:
    """The platform's folder for caches."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(base, "srcad", "cache")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches", "srcad")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"), "srcad")

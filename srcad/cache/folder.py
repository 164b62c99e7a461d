"""The cache folder: which one it is, and whether it can be trusted.

Its files are executed. So it is used only if it belongs to the user and others can neither write to
it nor replace it (`srcad.ownership`). Without it programs are compiled again in each process.
"""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass

from srcad.errors import error
from srcad.interrupts import raise_users_own
from srcad.ownership import inspect, make_own


@dataclass(frozen=True, slots=True)
class Folder:
    """`reason` says why a folder is not used, "" when it is; `unsafe`: others could write there."""

    path: str
    reason: str = ""
    unsafe: bool = False


def find_folder(*, make: bool = False) -> Folder:
    """The folder that SRCAD_CACHE_DIR names, or the platform's; `make` creates it."""
    path = os.path.abspath(os.environ.get("SRCAD_CACHE_DIR") or _default_path())
    if os.environ.get("SRCAD_CACHE") == "0":
        return Folder(path, "SRCAD_CACHE=0")
    if make:
        try:
            make_own(path)
        except OSError as problem:
            raise_users_own(problem)
            return Folder(path, f"it cannot be created: {problem.strerror}")
    found = inspect(path)
    return Folder(path, found.reason, found.unsafe)


def usable_folder(*, make: bool = False) -> str | None:
    """The path of the folder, or None if it cannot be used.

    Warns (E501) if others can change the folder; with `make` also (E502) if the folder that
    SRCAD_CACHE_DIR names cannot be used.
    """
    folder = find_folder(make=make)
    if not folder.reason:
        return folder.path
    if os.environ.get("SRCAD_CACHE") != "0":
        if folder.unsafe:
            warn_unsafe(folder.path, folder.reason)
        elif make:
            warn_unwritable(folder.path, folder.reason)
    return None


def warn_unsafe(path: str, reason: str) -> None:
    """Warn that a folder or file is not used because others may have written to it."""
    text = str(error("E501", None, what=f"`{path}`", notes=(reason,)))
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def warn_unwritable(path: str, reason: str) -> None:
    """Warn that the folder that SRCAD_CACHE_DIR names is not used; no word of the platform's."""
    if os.environ.get("SRCAD_CACHE_DIR"):
        text = str(error("E502", None, what=f"`{path}`", notes=(reason,)))
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def _default_path() -> str:
    """The platform's folder for caches."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(base, "srcad", "cache")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches", "srcad")
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"), "srcad")

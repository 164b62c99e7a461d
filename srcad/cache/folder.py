"""The cache folder: which one it is, and whether it can be trusted.

What lies there is executed. So it must belong to the user, and nobody else may write there or put
another in its place (`srcad.ownership`), or it is not used: programs are compiled again then.
"""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass

from srcad.errors import error
from srcad.ownership import inspect, make_own


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
            make_own(path)
        except OSError as problem:
            return Folder(path, f"it cannot be created: {problem.strerror}")
    found = inspect(path)
    return Folder(path, found.reason, found.unsafe)


def usable_folder(*, make: bool = False) -> str | None:
    """The path of the folder, None where the cache does without.

    Warns (E501) of a folder that others can change; with `make` also (E502) where the folder that
    SRCAD_CACHE_DIR names cannot be had.
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
    """Say that others may have written what lies in a folder, or a file: it is not used."""
    text = str(error("E501", None, what=f"`{path}`", notes=(reason,)))
    warnings.warn(text, RuntimeWarning, stacklevel=2)


def warn_unwritable(path: str, reason: str) -> None:
    """Say that a folder which was asked for is not used; the platform's own goes in silence."""
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

"""`SRCAD_DUMP=folder`: every program that runs is written there, to be read or compared.

folder/loss_grad-4d76e86d.py         a name for each text
folder/loss_grad-4d76e86d-2.py       where that name is taken: nothing is overwritten

Debuggers know a program by this file, so that breakpoints can be set in it beforehand.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import warnings

from srcad.interrupts import raise_users_own
from srcad.pipeline.artifact import Artifact

_LONGEST = 60
_told: set[str] = set()


def dump(artifact: Artifact) -> str:
    """Write a program; its path, or "" where none is wanted or it cannot be written.

    Warns of a folder that cannot be written to, once.
    """
    folder = os.environ.get("SRCAD_DUMP")
    if not folder:
        return ""
    folder = os.path.abspath(os.path.expanduser(folder))
    data = artifact.text.encode()
    name = re.sub(r"\W", "_", artifact.entry, flags=re.ASCII)[:_LONGEST]
    stem = os.path.join(folder, f"{name}-{hashlib.sha256(data).hexdigest()[:8]}")
    try:
        os.makedirs(folder, exist_ok=True)
        for n in itertools.count(1):
            path = f"{stem}.py" if n == 1 else f"{stem}-{n}.py"
            if _is_written(path, data):
                return path
    except (OSError, ValueError) as problem:
        raise_users_own(problem)
        if folder not in _told:
            _told.add(folder)
            text = f"SRCAD_DUMP: programs cannot be written to `{folder}`: {problem}"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
    return ""


def _is_written(path: str, data: bytes) -> bool:
    """Whether a file holds the program: it is made if it is not there."""
    try:
        with open(path, "xb") as file:
            file.write(data)
    except FileExistsError:
        with open(path, "rb") as file:
            return file.read() == data
    return True


__all__ = ["dump"]

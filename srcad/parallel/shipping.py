"""Machine code on its way to workers: compiled once, here, and taken there as if it lay on disk.

    packed(program)             the files that Numba has kept beside the program's text
    unpack(files, program)      the same files in the cache folder of a worker that has none

What a worker takes is checked as what it kept itself: of this text, these versions, this processor.
Else it compiles.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from srcad.interrupts import suppress_others
from srcad.ownership import write_own
from srcad.pipeline import machine
from srcad.pipeline.artifact import Artifact


@dataclass(frozen=True)
class Files:
    """Files by name, and when the text was written that they are for: Numba compares that."""

    written_ns: int
    codes: tuple[tuple[str, bytes], ...]


def packed(artifact: Artifact) -> Files | None:
    """The machine code of a program that was loaded here, if it was kept."""
    path = Path(machine.path_of(artifact, keep=True))
    with suppress_others(OSError):
        files = sorted(path.parent.glob("__pycache__/*.nb[ci]"))
        codes = tuple((file.name, file.read_bytes()) for file in files)
        return Files(path.stat().st_mtime_ns, codes) if codes else None
    return None


def unpack(files: Files, artifact: Artifact) -> None:
    """Put machine code beside the text of a program, where there is none."""
    path = Path(machine.path_of(artifact, keep=True))
    folder = path.parent / "__pycache__"
    with suppress_others(OSError):
        if not path.exists() or any(folder.glob("*.nb[ci]")):
            return
        os.utime(path, ns=(files.written_ns, files.written_ns))
        folder.mkdir(mode=0o700, exist_ok=True)
        for name, code in files.codes:
            write_own(str(folder / name), code)


__all__ = ["Files", "packed", "unpack"]

"""The files of the cache: written at once or not at all, read only if whole.

    import numpy as np                                   the program, as `.source()` gives it
    ...
    # srcad {'entry': 'loss_grad', 'guards': [...]}      what it needs to be used again
    # sha256 9f86d081884c7d65...                         of the key and all lines above

A file that is torn, changed, or of another key counts as missing, and is written anew.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from srcad.cache.folder import find_folder, usable_folder, warn_unsafe, warn_unwritable
from srcad.interrupts import raise_users_own, suppress_others
from srcad.ownership import NotOwnError, read_own, write_own

if TYPE_CHECKING:
    from pathlib import Path

LIMIT_BYTES = 256 * 2**20
# The folder is measured at the first of so many writes.
_WRITES_BETWEEN_EVICTIONS = 64

_KEY = r"[A-Za-z_]\w*-[0-9a-f]{32}"
_FILE = rf"{_KEY}\.py|\.{_KEY}(\.py)?\.\d+-\d+\.tmp"
_FACTS, _DIGEST = b"\n# srcad ", b"\n# sha256 "

_writes = itertools.count()


@dataclass(frozen=True, slots=True)
class Entry:
    """A program's text, and facts about it: strings, numbers, None, lists and dicts of these."""

    text: str
    meta: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CacheFolder:
    """What `srcad cache info` tells; `reason` says why a folder is not `usable`."""

    directory: Path
    files: int
    bytes: int
    usable: bool
    reason: str


def load(key: str) -> Entry | None:
    """The entry of a key; None when there is none that is whole and of the user alone."""
    folder = usable_folder()
    if folder is None:
        return None
    try:
        return _decode(key, read_own(_path(folder, key)))
    except NotOwnError as problem:
        warn_unsafe(folder, str(problem))
        return None
    except (OSError, ValueError, SyntaxError, MemoryError, RecursionError) as problem:
        raise_users_own(problem)
        return None


def store(key: str, entry: Entry) -> bool:
    """Keep an entry; False when there is no folder for it, or no room: nothing is lost by that."""
    folder = usable_folder(make=True)
    if folder is None:
        return False
    path = _path(folder, key)
    try:
        write_own(path, _encode(key, entry))
    except (OSError, ValueError) as problem:
        raise_users_own(problem)
        warn_unwritable(folder, str(problem))
        return False
    if next(_writes) % _WRITES_BETWEEN_EVICTIONS == 0:
        _evict(folder)
    return True


def info() -> CacheFolder:
    """The folder, what lies in it, and whether it is used."""
    # Imported here: a program that was compiled before starts without it.
    from pathlib import Path

    folder = find_folder()
    sizes = [size for _, size, _ in _files(folder.path)]
    return CacheFolder(Path(folder.path), len(sizes), sum(sizes), not folder.reason, folder.reason)


def clear() -> None:
    """Remove the cache's files; what else lies in the folder stays."""
    for _, _, path in list(_files(find_folder().path)):
        _remove(path)


def _path(folder: str, key: str) -> str:
    name, _, digest = key.rpartition("-")
    if not (name.isidentifier() and name.isascii() and len(digest) == 32 and digest.isalnum()):
        raise ValueError(f"{key!r} is no key: a name, `-` and 32 hexadecimal digits")
    return os.path.join(folder, f"{key}.py")


def _encode(key: str, entry: Entry) -> bytes:
    body = entry.text.encode() + _FACTS + repr(entry.meta).encode()
    return body + _DIGEST + _digest(key, body) + b"\n"


def _decode(key: str, data: bytes) -> Entry | None:
    body, _, digest = data.rpartition(_DIGEST)
    if digest != _digest(key, body) + b"\n":
        return None
    text, _, facts = body.rpartition(_FACTS)
    return Entry(text.decode(), ast.literal_eval(facts.decode()))


def _digest(key: str, body: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\n" + body).hexdigest().encode()


def _files(folder: str) -> Iterator[tuple[float, int, str]]:
    """Age, size and path of each file of the cache, and of each folder of a program in files."""
    with suppress_others(OSError), os.scandir(folder) as items:
        for item in items:
            is_folder = re.fullmatch(_KEY, item.name, re.ASCII) and item.is_dir(
                follow_symlinks=False
            )
            if not is_folder and not re.fullmatch(_FILE, item.name, re.ASCII):
                continue
            with suppress_others(OSError):  # another process removed it
                found = item.stat(follow_symlinks=False)
                size = _size_of(item.path) if is_folder else found.st_size
                yield found.st_mtime, size, item.path


def _size_of(folder: str) -> int:
    """Bytes of the files in the folder of a program, machine code included."""
    beside = os.path.join(folder, "__pycache__")
    inside = [found.stat() for found in os.scandir(folder) if found.is_file()]
    if os.path.isdir(beside):
        inside += [found.stat() for found in os.scandir(beside)]
    return sum(found.st_size for found in inside)


def _evict(folder: str) -> None:
    """Remove the oldest files until the rest fits the limit."""
    files = sorted(_files(folder), reverse=True)
    kept = 0
    for _, size, path in files:
        kept += size
        if kept > LIMIT_BYTES:
            _remove(path)


def _remove(path: str) -> None:
    """Remove a file, or the folder of a program that is imported."""
    with suppress_others(OSError):
        if os.path.isdir(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)

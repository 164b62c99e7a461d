"""Files that only the user can have written: what the cache executes or unpickles.

    inspect("/home/me/.cache/srcad").reason         "" or "its mode is 0777: others may write to it"
    read_own("/home/me/.cache/srcad/loss-2c26.py")  the bytes of a regular file of the user's
    write_own("/home/me/.cache/srcad/loss-2c26.py", data)              whole, or not at all

What is guaranteed, where files have owners (not on Windows):

- `inspect` accepts a directory that belongs to the effective user and is not writable by its group
  or others, if only the user and the system (root and the owner of `/`) can replace it: each folder
  and link on the path from `/` belongs to the user or the system, and each of these folders is
  closed to writes of others, or sticky as `/tmp` is, or lies in a folder of the user's that others
  may not enter. Links are followed under the same conditions. So names in such a folder cannot be
  exchanged between the check and their use.
- `read_own` opens a file without following a link. It checks the open file, not its name: it must
  be regular, belong to the owner and not be writable by others. Then it reads this open file.
  Opening a pipe does not block.

Two gaps remain: the user may change the mode of a folder between check and use, and a process that
opened a file for writing while that was allowed may still write to it.
"""

from __future__ import annotations

import os
import stat
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass

from srcad.interrupts import raise_users_own, suppress_others

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_ENTER = stat.S_IXGRP | stat.S_IXOTH
_MOST_LINKS = 40

# Absent on Windows, where files have no such owners.
_READ = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_DRAFT = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class NotOwnError(PermissionError):
    """A file that others may have written."""


@dataclass(frozen=True, slots=True)
class Finding:
    """`reason` says why a folder is not used, "" when it is; `unsafe`: others could write there."""

    reason: str = ""
    unsafe: bool = False


def inspect(path: str) -> Finding:
    """Whether a folder is the user's alone, or could be created where only the user and the system
    can replace it.
    """
    try:
        return _inspect(os.path.abspath(path))
    except FileNotFoundError:
        return Finding()
    except OSError as problem:
        raise_users_own(problem)
        return Finding(f"it cannot be read: {problem.strerror}")


def inspect_inner(path: str) -> Finding:
    """`inspect` of a folder inside the user's own, which is no link: srcad makes none."""
    return Finding("it is a link", unsafe=True) if os.path.islink(path) else inspect(path)


def read_own(path: str, *, owners: frozenset[int] = frozenset()) -> bytes:
    """What a file holds.

    Args:
        owners: users that are trusted besides the effective one.

    Raises:
        NotOwnError: others may have written it.
        OSError: it is not there, is a link, or cannot be read.
    """
    descriptor = os.open(path, _READ)
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise NotOwnError(f"`{path}` is no regular file")
        if _has_owners() and found.st_uid not in (os.geteuid(), *owners):
            raise NotOwnError(f"`{path}` belongs to user {found.st_uid}")
        if _has_owners() and found.st_mode & _OTHERS_WRITE:
            raise NotOwnError(f"`{path}` has mode {_mode(found)}: others may write to it")
        return file.read()


def write_own(path: str, data: bytes) -> None:
    """Replace a file, or make it: it holds all of `data`, or is as it was.

    Raises:
        OSError: there is no room, or no permission.
    """
    folder, name = os.path.split(path)
    draft = os.path.join(folder, f".{name}.{os.getpid()}-{threading.get_ident()}.tmp")
    with suppress(FileNotFoundError):
        os.unlink(draft)  # of a process of this number that was killed
    try:
        with open(os.open(draft, _DRAFT, 0o600), "wb") as file:
            file.write(data)
        os.replace(draft, path)
    except BaseException:
        with suppress_others(OSError):
            os.unlink(draft)
        raise


def make_own(path: str) -> None:
    """Make a folder that is the user's alone, and those above it; one that is there stays as it is.

    Raises:
        OSError: it cannot be made.
    """
    above = os.path.dirname(path)
    if above != path and not os.path.isdir(above):
        make_own(above)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)


def _has_owners() -> bool:
    return hasattr(os, "geteuid")


def _mode(found: os.stat_result) -> str:
    return f"{stat.S_IMODE(found.st_mode):04o}"


def _inspect(path: str) -> Finding:
    if not _has_owners():
        return Finding("" if stat.S_ISDIR(os.stat(path).st_mode) else "it is no folder")
    system = {0, os.stat("/").st_uid}
    at, rest, links, closed = "/", deque(["", *path.split("/")[1:]]), 0, ""
    while rest:
        at = os.path.normpath(os.path.join(at, rest.popleft()))
        found, is_last = os.lstat(at), not any(part not in ("", ".") for part in rest)
        if stat.S_ISLNK(found.st_mode):
            links += 1
            if found.st_uid not in {*system, os.geteuid()}:
                return _above(at, f"is a link of user {found.st_uid}")
            if links > _MOST_LINKS:
                return Finding("it cannot be read: too many links")
            target = os.readlink(at)
            rest.extendleft(reversed(target.split("/")))
            at = "/" if target.startswith("/") else os.path.dirname(at)
        elif is_last:
            return _of_folder(found)
        elif not f"{at}/".startswith(closed or "//"):
            if found.st_uid not in {*system, os.geteuid()}:
                return _above(at, f"belongs to user {found.st_uid}")
            if found.st_mode & _OTHERS_WRITE and not found.st_mode & stat.S_ISVTX:
                return _above(at, f"has mode {_mode(found)}: others may put another in its place")
            is_own = found.st_uid == os.geteuid()
            closed = f"{at}/" if is_own and not found.st_mode & _OTHERS_ENTER else ""
    return Finding("it is no folder")


def _of_folder(found: os.stat_result) -> Finding:
    """Of the folder itself."""
    if not stat.S_ISDIR(found.st_mode):
        return Finding("it is no folder")
    if found.st_uid != os.geteuid():
        return Finding(f"it belongs to user {found.st_uid}", unsafe=True)
    if found.st_mode & _OTHERS_WRITE:
        return Finding(f"its mode is {_mode(found)}: others may write to it", unsafe=True)
    return Finding()


def _above(path: str, why: str) -> Finding:
    return Finding(f"`{path}` on the way there {why}", unsafe=True)


__all__ = [
    "Finding", "NotOwnError", "inspect", "inspect_inner", "make_own", "read_own", "write_own",
]  # fmt: skip

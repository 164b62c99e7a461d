"""Machine code of functions on disk: one file for each function, signature and processor.

    files = MachineCode(folder, "heat.f-3.py311", stamp, is_trusted)
    files.save(key, code)           heat.f-3.py311.4c1d....nbc, whole or not at all
    files.load(key)                 `code`; None if it is not there, damaged, or may be others'

What a file holds is unpickled and run. So it is read only if it is the user's own
(`srcad.ownership`), and taken only if it is whole: a digest in front covers the rest, the source
and the versions that it was made from, and the key. Whatever else is found counts as missing, and
is replaced when the function has been compiled again.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from srcad.interrupts import raise_users_own
from srcad.ownership import NotOwnError, inspect_inner, read_own, write_own

_MARK = b"srcad machine code 1\n"
_DIGEST_BYTES = hashlib.sha256().digest_size


class MachineCode:
    """The files of one function.

    Args:
        base: how their names begin.
        stamp: of all that the machine code follows from and the key does not say.
        closed: whether the folder must be the user's alone; else files are asked one by one, which
            suits folders of Python code, whose owner is trusted with more than this.
        owners: users whose files are trusted besides the effective user's.
        dump: what pickles `code`.
    """

    def __init__(
        self, folder: str, base: str, stamp: Any, dump: Callable[[Any], bytes], *, closed: bool,
        owners: frozenset[int] = frozenset(),
    ) -> None:  # fmt: skip
        self.folder, self.base, self.dump = folder, base, dump
        self.stamp = repr((stamp, sys.version, base))
        self.closed, self.owners = closed, owners

    def load(self, key: Any) -> Any:
        """What was saved under an equal key; None if that is not there, whole and the user's."""
        path = self._path(key)
        try:
            data = self._read(path)
        except NotOwnError as problem:
            _warn(f"machine code on disk is not used, others may have written it: {problem}")
            return None
        except OSError as problem:
            raise_users_own(problem)
            return None
        start = len(_MARK) + _DIGEST_BYTES
        body = data[start:]
        if data[:start] != _MARK + self._digest(key, body):
            return None
        try:
            return pickle.loads(body)
        except Exception as problem:  # of a class that has changed since
            raise_users_own(problem)
            return None

    def save(self, key: Any, code: Any) -> None:
        """Keep machine code; where that fails, a warning: it is compiled again next time."""
        try:
            self._check_folder()
            with suppress(FileExistsError):
                os.mkdir(self.folder, 0o700)
            body = self.dump(code)
            write_own(self._path(key), _MARK + self._digest(key, body) + body)
        except OSError as problem:
            raise_users_own(problem)
            _warn(f"machine code is not kept in `{self.folder}`: {problem}")

    def _read(self, path: str) -> bytes:
        self._check_folder()
        return read_own(path, owners=self.owners)

    def _check_folder(self) -> None:
        if self.closed and (reason := inspect_inner(self.folder).reason):
            raise NotOwnError(f"`{self.folder}`: {reason}")

    def _path(self, key: Any) -> str:
        name = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return os.path.join(self.folder, f"{self.base}.{name}.nbc")

    def _digest(self, key: Any, body: bytes) -> bytes:
        return hashlib.sha256(f"{self.stamp}\n{key!r}\n".encode() + body).digest()


def _warn(text: str) -> None:
    warnings.warn(text, RuntimeWarning, stacklevel=3)


__all__ = ["MachineCode"]

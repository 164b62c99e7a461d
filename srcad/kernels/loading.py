"""Machine code from Numba's disk cache, loaded without the imports that only compiling needs.

@njit("float64(float64[::1])", cache=True)      even if the code is on disk, Numba first imports
def total(x): ...                               all that it could compile with, and SciPy: that
                                                takes as long as importing Numba itself

Code from disk needs only Numba's runtime; types are resolved on demand. So srcad's functions are
looked up on disk first, and Numba initialises its compiler only if one is missing. Functions of
other packages are left to Numba.

Numba loads code from disk as long as the function's own file is unchanged, whoever wrote the code;
a damaged file crashes the process. So srcad keeps the code in files of its own
(`srcad.kernels.machine_code`), which are ignored unless they are whole and the user's. srcad's
kernels are compiled together with parts from other files, which differ between versions of srcad:
their text must be the same as well, and the BLAS that they call. A program that srcad has written
lies in a folder of its version, and a process without this module may have compiled it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from pathlib import Path
from typing import Any

from srcad.interrupts import raise_users_own, suppress_others
from srcad.kernels.machine_code import MachineCode
from srcad.kernels.products.blas import find_gemm, openblas_core

_MODULES = "srcad."
# Where the parts are that these are compiled with.
_PARTS = ("kernels/compiled", "kernels/products", "native/functions")
# What is overridden below.
_METHODS = ("load_overload", "_load_overload", "save_overload", "_index_key")


@functools.cache
def load_before_compiling() -> bool:
    """Look on disk first, from now on in this process; False where this version of Numba has no
    place for it, and takes from disk what it finds.
    """
    try:
        from numba import __version__ as version
        from numba.core import caching
        from numba.core import dispatcher as numbas
        from numba.core.runtime import rtsys
        from numba.core.serialize import dumps

        dispatcher: Any = numbas  # a module that is given another cache
        kind, nothing = dispatcher.FunctionCache, caching.NullCache
        lacks = [name for name in _METHODS if not hasattr(kind, name)]
    except (ImportError, AttributeError):
        return False
    if lacks:
        return False

    class OwnFiles(kind):  # type: ignore[misc, valid-type]  # Numba's class, imported here alone
        """Numba's cache of one function of srcad's, in files of srcad's."""

        def __init__(self, py_func: Any) -> None:
            super().__init__(py_func)
            impl, is_part = self._impl, str(py_func.__module__).startswith(_MODULES)
            about = (impl.locator.get_source_stamp(), version)
            self.files = MachineCode(
                self._cache_path, impl.filename_base,
                (about, _digest_of_parts() if is_part else ""), dumps,
                closed=not is_part, owners=_owners_of_code() if is_part else frozenset(),
            )  # fmt: skip

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            """What was compiled for a signature; None if nothing was."""
            code = self.files.load(self._index_key(sig, target_context.codegen()))
            if code is None:
                target_context.refresh()
                return None
            with suppress_others(Exception):
                rtsys.initialize(target_context)
                return self._impl.rebuild(target_context, code)
            target_context.refresh()
            try:
                return self._impl.rebuild(target_context, code)
            except Exception as problem:  # the function is compiled again and replaces the file
                raise_users_own(problem)
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            """Keep what was compiled."""
            if self._impl.check_cachable(data):
                self.files.save(self._index_key(sig, data.codegen), self._impl.reduce(data))

    def cache_of(py_func: Any) -> Any:
        if not _is_ours(py_func):
            return kind(py_func)
        try:
            return OwnFiles(py_func)
        except (OSError, RuntimeError) as problem:  # there is no folder, or no source
            raise_users_own(problem)
            return nothing()

    dispatcher.FunctionCache = cache_of
    return True


def _is_ours(py_func: Any) -> bool:
    """Whether a function is srcad's, or of a program that srcad has written."""
    home = str(py_func.__module__)
    folder = os.path.basename(os.path.dirname(py_func.__code__.co_filename))
    return home.startswith(_MODULES) or home == program_module(folder)


def program_module(folder: str) -> str:
    """The name of the module for a program that was written into a folder of this name."""
    return f"srcad_{folder.replace('-', '_')}"


@functools.cache
def _owners_of_code() -> frozenset[int]:
    """The owners of srcad's own files: they can change what srcad runs anyway."""
    if sys.platform == "win32":
        return frozenset()
    return frozenset({0, os.stat(__file__).st_uid})


@functools.cache
def _digest_of_parts() -> str:
    """Of the text of all files with parts, and what BLAS there is for them to call."""
    home, digest = Path(__file__).parents[1], hashlib.sha256()
    for folder in _PARTS:
        for path in sorted(home.joinpath(folder).glob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    widths = {letter: bits for letter, (_, bits) in find_gemm().items()}
    digest.update(f"{openblas_core()} {widths}".encode())
    return digest.hexdigest()

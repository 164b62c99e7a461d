"""Machine code from Numba's disk cache, loaded without the imports that only compiling needs.

@njit("float64(float64[::1])", cache=True)      even if the code is on disk, Numba first imports
def total(x): ...                               all that it could compile with, and SciPy: that
                                                takes as long as importing Numba itself

Code from disk needs only Numba's runtime; types are resolved on demand. So srcad's functions are
looked up on disk first, and Numba initialises its compiler only if one is missing. Functions of
other packages are left to Numba.

Numba loads code from disk as long as the function's own file is unchanged, whatever the
code is; a damaged file crashes the process. So srcad keeps the code in files of its own
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

from srcad.kernels.machine_code import MachineCode
from srcad.kernels.products.blas import find_gemm, openblas_core

_MODULES = "srcad."
# Where the parts are that these are compiled with.
_PARTS = (
    "kernels/numba_adapter.py",
    "kernels/compiled/*.py",
    "kernels/products/*.py",
    "native/functions/*.py",
)


@functools.cache
def load_before_compiling() -> bool:
    """Look on disk first, from now on in this process; False where Numba is not there, or this
    version has no place for it and takes from disk what it finds.
    """
    try:
        from srcad.kernels.numba_adapter import CodeCache, dumps, use_cache, version
    except (ImportError, AttributeError):
        return False

    def cache_of(py_func: Any) -> CodeCache | None:
        if not _is_ours(py_func):
            return None
        is_part = str(py_func.__module__).startswith(_MODULES)

        def open_files(folder: str, name: str, stamp: Any) -> MachineCode:
            return MachineCode(
                folder, name, ((stamp, version), _digest_of_parts() if is_part else ""), dumps,
                closed=not is_part, owners=_owners_of_code() if is_part else frozenset(),
            )  # fmt: skip

        return CodeCache(py_func, open_files)

    return use_cache(cache_of)


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
    for pattern in _PARTS:
        for path in sorted(home.glob(pattern)):
            digest.update(path.name.encode() + path.read_bytes())
    widths = {letter: bits for letter, (_, bits) in find_gemm().items()}
    digest.update(f"{openblas_core()} {widths}".encode())
    return digest.hexdigest()

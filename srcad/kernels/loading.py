"""Machine code from Numba's disk cache, without what only compiling takes.

@njit("float64(float64[::1])", cache=True)      to define it where it was compiled before, Numba
def total(x): ...                               first imports all that it could be compiled with,
                                                and SciPy: as long again as to import Numba

What code on disk needs to run is Numba's runtime; its own types are found when they are asked for.
So srcad's functions are looked for on disk first, and Numba makes itself ready where one is not
there. Functions of others are left to Numba.

Numba takes code from disk as long as the function's own file is unchanged. Ours are made of parts
in other files, which another version of srcad may have otherwise: theirs must be the same too, and
the BLAS that they call. A
program that srcad has written lies in a folder of its version, where a process that has nothing of
this module may have compiled it.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

from srcad.kernels.products.blas import find_gemm, openblas_core

# Modules of srcad, and programs that it has written.
_MODULES = "srcad."
_OURS = (_MODULES, "srcad_")
# Where the parts are that these are compiled with.
_PARTS = ("kernels/compiled", "kernels/products", "native/functions")


@functools.cache
def load_before_compiling() -> None:
    """Look on disk first, from now on in this process, where this version of Numba allows it."""
    try:
        from numba.core import dispatcher
        from numba.core.runtime import rtsys

        kind = dispatcher.FunctionCache
        lacks = [name for name in ("load_overload", "_load_overload") if not hasattr(kind, name)]
    except (ImportError, AttributeError):
        return
    if lacks:
        return

    # Numba is imported here alone: to a type checker `kind` is a variable.
    class DiskFirst(kind):  # type: ignore[misc, valid-type]
        """Numba's cache of one function."""

        def __init__(self, py_func: Any) -> None:
            super().__init__(py_func)
            home = str(py_func.__module__)
            self.is_ours = home.startswith(_OURS)
            files = self._cache_file
            if home.startswith(_MODULES):
                files._source_stamp = (files._source_stamp, _digest_of_parts())

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            """What was compiled for a signature; None if nothing was."""
            if self.is_ours:
                rtsys.initialize(target_context)
                found = self._load_overload(sig, target_context)
                if found is not None:
                    return found
            return super().load_overload(sig, target_context)

    dispatcher.FunctionCache = DiskFirst


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

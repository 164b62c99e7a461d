"""What every program depends on: versions, srcad itself; machine code on processor and BLAS too."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import sys
from typing import Any

import numpy as np

from srcad.interrupts import raise_users_own

Facts = Any  # str, int, bool, None, and lists of these


class Opaque(Exception):  # noqa: N818 - a signal, not an error
    """Something that means nothing to another process."""


@functools.cache
def surroundings() -> Facts:
    """Versions of Python and NumPy, and the state of srcad's own files."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    files = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".py"):
                found = os.stat(os.path.join(folder, name))
                files.append([name, found.st_size, found.st_mtime_ns])
    if not files:
        raise Opaque
    return [sys.version, sys.platform, sys.byteorder, np.__version__, files]


@functools.cache
def scipy_files() -> Facts:
    """Which SciPy is installed, told by its first file: it may have been imported by now or not, by
    Numba for one, and the program is the same.
    """
    try:
        found = importlib.util.find_spec("scipy")
        status = os.stat(found.origin) if found is not None and found.origin else None
    except (ValueError, OSError) as problem:  # SciPy comes from something other than files
        raise_users_own(problem)
        raise Opaque from None
    return None if status is None else [status.st_size, status.st_mtime_ns]


@functools.cache
def compiler_versions() -> tuple[str, ...]:
    """Numba's version, the processor and the BLAS that is called: what machine code depends on."""
    from importlib.metadata import PackageNotFoundError, version

    from srcad.kernels.products.blas import find_gemm, openblas_core

    try:
        numba = version("numba")
    except PackageNotFoundError:
        numba = ""
    # Machine code has no way back from a BLAS function that is not there when it is loaded.
    products = "".join(f"{letter}{bits}" for letter, (_, bits) in find_gemm().items())
    return numba, platform.machine(), _processor(), openblas_core(), products


def _processor() -> str:
    """A digest of what the system tells of the processor; Numba asks it itself, more exactly."""
    try:
        with open("/proc/cpuinfo", "rb") as file:
            lines = file.read().split(b"\n\n", 1)[0].splitlines()
    except OSError as problem:
        raise_users_own(problem)
        return platform.processor()
    told = sorted(line for line in lines if line.startswith((b"flags", b"model name", b"Features")))
    return hashlib.sha256(b"\n".join(told)).hexdigest()[:16]

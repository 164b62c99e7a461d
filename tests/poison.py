"""Uninitialised memory full of patterns, so that tests see when it is read.

    with poisoned("huge"):
        kernels.conv2d_weights(x, g, shape)      a sum that reads unwritten entries overflows

`np.empty` gives such memory in srcad's modules and in generated programs, and so do buffers that
kernels use again. Memory that machine code allocates is filled by the C library, if it is GNU's.
"""

from __future__ import annotations

import ctypes
import sys
import warnings
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np

from srcad.pipeline.artifact import Artifact

# Eight bytes each: of a double, or of two numbers in single precision.
PATTERNS = {
    "quiet": 0xFFFFFFFFFFFFFFFF,
    "signalling": 0x7FF0000000000001,
    "signalling single": 0x7F8000017F800001,
    "infinite": 0x7FF0000000000000,
    "infinite single": 0x7F8000007F800000,
    "subnormal": 0x0000000000000001,
    "subnormal single": 0x0000000100000001,
    "huge": 0x7FEFFFFFFFFFFFFF,
    "huge single": 0x7F7FFFFF7F7FFFFF,
}
# Modules that use buffers again: they make arrays over them.
_REUSING = ("srcad.kernels.recycled", "srcad.kernels.threads")
_M_PERTURB, _PERTURB = -6, 0x80  # mallopt(3): new memory is 0x7f..., 1.4e306 or 3.4e38


def fill(x: np.ndarray[Any, Any], name: str) -> None:
    """Fill an array's memory with a pattern."""
    if x.dtype.hasobject or not x.size:
        return
    raw, whole = x.reshape(-1).view(np.uint8), x.nbytes - x.nbytes % 8
    raw[:whole].view(np.uint64)[...] = PATTERNS[name]  # without a second array
    rest = PATTERNS[name].to_bytes(8, "little")[: x.nbytes - whole]
    raw[whole:] = np.frombuffer(rest, np.uint8)


class _Numpy:
    """NumPy whose uninitialised arrays are full of a pattern."""

    def __init__(self, name: str, reused: bool) -> None:
        self.name, self.reused = name, reused

    def __getattr__(self, name: str) -> Any:
        if name == "ndarray" and self.reused:
            return self._over
        return getattr(np, name)

    def empty(self, *args: Any, **kwargs: Any) -> Any:
        made = np.empty(*args, **kwargs)
        fill(made, self.name)
        return made

    def empty_like(self, *args: Any, **kwargs: Any) -> Any:
        made = np.empty_like(*args, **kwargs)
        if made.flags.contiguous:
            fill(made, self.name)
        return made

    def _over(self, *args: Any) -> Any:
        made = np.ndarray(*args)
        fill(made, self.name)
        return made


@contextmanager
def poisoned(name: str, strict: bool = True) -> Iterator[None]:
    """Fill all new memory with a pattern and raise floating-point warnings.

    Args:
        strict: False if programs give warnings of their own.
    """
    load = Artifact.load

    def loaded(self: Artifact, filename: str, namespace: Any = None) -> Any:
        namespace = {"__name__": "srcad.generated"} if namespace is None else namespace
        made = load(self, filename, namespace)
        if "np" in namespace:
            namespace["np"] = _Numpy(name, False)
        return made

    with ExitStack() as stack, warnings.catch_warnings(), perturbed():
        for key, module in list(sys.modules.items()):
            if key.startswith(("srcad.kernels.", "srcad.runtime.")) and _allocates(module):
                stack.enter_context(patch.object(module, "np", _Numpy(name, key in _REUSING)))
        stack.enter_context(patch.object(Artifact, "load", loaded))
        if strict:
            warnings.simplefilter("error", RuntimeWarning)
        yield


@contextmanager
def perturbed() -> Iterator[None]:
    """Have the C library fill the memory that machine code allocates, if it can."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        yield
        return
    mallopt(_M_PERTURB, _PERTURB)
    try:
        yield
    finally:
        mallopt(_M_PERTURB, 0)


def _allocates(module: ModuleType) -> bool:
    """Whether a module allocates arrays in Python; what Numba compiles keeps NumPy itself."""
    homes = (getattr(x, "__module__", None) or type(x).__module__ for x in vars(module).values())
    of_numba = any(isinstance(home, str) and home.startswith("numba") for home in homes)
    compiled = any(type(x).__module__.startswith("numba") for x in vars(module).values())
    numpy = getattr(module, "np", None)  # inside another `poisoned` it is a `_Numpy`
    return (numpy is np or isinstance(numpy, _Numpy)) and not of_numba and not compiled


def pattern_for(name: str) -> str:
    """A pattern chosen by the name."""
    return list(PATTERNS)[zlib.crc32(name.encode()) % len(PATTERNS)]

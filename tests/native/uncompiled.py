"""Compiled functions run as the Python that they are, with every access to memory checked.

An index outside an array ends the program, as does a negative one; new
memory is full of numbers that nobody computed (NaN), so that reading what was never written shows.
"""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType
from unittest.mock import patch

import numpy as np
from native import plain_teams

from srcad import kernels
from srcad.kernels import teams

UNWRITTEN = {"f": np.nan, "b": True, "c": complex(np.nan, np.nan)}


def unwritten(dtype):
    """What fresh memory is full of: numbers that were not computed."""
    kind = dtype.kind
    return UNWRITTEN[kind] if kind in UNWRITTEN else np.iinfo(dtype).max - np.iinfo(dtype).max // 3


class Strayed(Exception):
    """An access that machine code would have made outside an array, or from its end."""


class Strict(np.ndarray):
    """An array of which compiled code takes one entry at a time."""

    def place(self, index):
        """The index, checked."""
        at = index if isinstance(index, tuple) else (index,)
        if not all(isinstance(i, int | np.integer) for i in at) or len(at) > self.ndim:
            return index
        for i, n in zip(at, self.shape, strict=False):
            if not 0 <= i < n:
                raise Strayed(f"index {index} of an array of shape {self.shape}")
        return index

    def __getitem__(self, index):
        plain_teams.touch(self, index, is_write=False)
        return super().__getitem__(self.place(index))

    def __setitem__(self, index, value):
        plain_teams.touch(self, index, is_write=True)
        if self.dtype.kind in "iu" and isinstance(value, int):
            value = np.array(value).astype(self.dtype)  # machine code leaves out higher bits
        super().__setitem__(self.place(index), value)


class _Narrow:
    """A class of integers, of which machine code keeps the lowest bits."""

    def __init__(self, cls):
        self.dtype = np.dtype(cls)

    def __call__(self, x):
        return np.asarray(x).astype(self.dtype)[()]


NARROW = {f"{u}int{n}": _Narrow(f"{u}int{n}") for u in ("", "u") for n in (8, 16, 32)}


class _Numpy:
    """NumPy with memory that is full of what nobody wrote."""

    def __getattr__(self, name):
        return NARROW[name] if name in NARROW else getattr(np, name)

    @staticmethod
    def empty(shape, dtype=float):
        made = np.empty(shape, dtype).view(Strict)
        plain_teams.keep_alive(made)
        made.fill(unwritten(made.dtype))
        return made


class _Kernels:
    """Kernels, of which memory is full of what nobody wrote too."""

    def __getattr__(self, name):
        return getattr(kernels, name)

    @staticmethod
    def empty(shape, dtype=float):
        return _Numpy.empty(shape, dtype).view(np.ndarray)

    @staticmethod
    def empty_like(x):
        return _Kernels.empty(x.shape, x.dtype)

    @staticmethod
    def together(fn, work, *args):
        """All threads begin here: nothing is compiled that would have others begin."""
        with patch.object(teams, "shared_pool", lambda count: THREADS):
            return kernels.together(fn, work, *args)

    together_multiplying = together


KERNELS = _Kernels()
THREADS = ThreadPoolExecutor(8)
TYPES = re.compile(r"(\w+)(\[[^\]]*\])?")
DTYPES = {"boolean": "bool"}
NUMBERS = {
    "float64": (float, int), "int64": (int,), "boolean": (bool,),
    "complex128": (complex, float, int),
}  # fmt: skip


def check_type(x, name, rank):
    """Refuse an argument that is not what the signature says, as compiled code does."""
    if isinstance(x, np.ndarray):
        fits = x.ndim == rank and x.dtype == DTYPES.get(name, name)
    elif isinstance(x, np.generic):
        fits = rank == 0 and np.can_cast(x.dtype, DTYPES.get(name, name), "safe")
    else:
        fits = rank == 0 and isinstance(x, NUMBERS.get(name, ()))
    if not fits:
        raise TypeError(f"{x!r} is no {name} of {rank} axes")


def njit(*signature, **options):
    """In the place of Numba's decorator."""
    if signature and callable(signature[0]):
        return signature[0]

    types = TYPES.findall(signature[0])

    def decorate(fn):
        def call(*args):
            for x, (name, axes) in zip(args, types, strict=True):
                check_type(x, name, axes.count(":") - axes.count("::1"))
            scope = {**fn.__globals__, "np": _Numpy()}
            run = FunctionType(fn.__code__, scope, fn.__name__)
            if fn.__code__.co_varnames[:2] != ("team", "me"):
                return _plain(run(*map(_strict, args)))
            plain_teams.enter(*args[:2])
            try:
                return _plain(run(args[0], *map(_strict, args[1:])))
            finally:
                plain_teams.leave()

        return call

    return decorate


def _strict(x):
    if isinstance(x, np.ndarray):
        assert x.flags.c_contiguous
        return x.view(Strict)
    # Machine code divides floats as NumPy does.
    return np.float64(x) if type(x) is float else x


def _plain(x):
    if isinstance(x, tuple):
        return tuple(map(_plain, x))
    if isinstance(x, np.ndarray):
        return x.view(np.ndarray)
    return x.item() if isinstance(x, np.generic) else x


def without_numba(text: str) -> str:
    """A module's text with this decorator in the place of Numba's, and NumPy's functions."""
    text = text.replace("from srcad.native.functions import", "from native.plain_functions import")
    text = text.replace(
        "from srcad import kernels", "from native.uncompiled import KERNELS as kernels"
    )
    return re.sub(r"^from numba import", "from native.uncompiled import", text, flags=re.M)

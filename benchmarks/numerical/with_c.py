"""The adjoints of `by_hand.c`, compiled when they are first asked for."""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

FLAGS = ("-O3", "-march=native", "-fopenmp-simd", "-shared", "-fPIC")
Gradient = Callable[..., tuple[float, tuple[np.ndarray, ...]]]


@functools.cache
def library(name: str) -> ctypes.CDLL:
    """A file of C beside this one, compiled."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise ImportError("no C compiler")
    with TemporaryDirectory() as folder:
        made = Path(folder) / "made.so"
        source = Path(__file__).with_name(name)
        subprocess.run([compiler, *FLAGS, "-o", str(made), str(source), "-lm"], check=True)
        return ctypes.CDLL(str(made))


def _function(name: str) -> Any:
    function = getattr(library("by_hand.c"), name)
    function.restype = ctypes.c_double
    return function


def pointer(a: np.ndarray) -> ctypes.c_void_p:
    """Where the entries of an array begin."""
    return ctypes.c_void_p(a.ctypes.data)


def jacobi_1d() -> Gradient:
    """Return the gradient, a function of `a, b, steps`."""
    function = _function("jacobi_1d")

    def gradient(a, b, steps):
        bars = np.empty_like(a), np.empty_like(b)
        arrays = map(pointer, (a, b, *bars))
        return function(ctypes.c_long(len(a)), ctypes.c_long(steps), *arrays), bars

    return gradient


def _of_square(name: str) -> Callable[[], Gradient]:
    def make() -> Gradient:
        function = _function(name)

        def gradient(a):
            a_bar = np.empty_like(a)
            return function(ctypes.c_long(len(a)), pointer(a), pointer(a_bar)), (a_bar,)

        return gradient

    return make


lu = _of_square("lu")
trace_of_tanh = _of_square("trace_of_tanh")
BY_HAND = {"jacobi_1d": jacobi_1d, "lu": lu, "trace_of_tanh": trace_of_tanh}

"""The matrix product of the BLAS that NumPy itself calls, for compiled code: where it lies.

    find_gemm()      {"s": (address of cblas_sgemm, 64), "d": (address of cblas_dgemm, 64)}

NumPy's modules are linked to their BLAS, so that its functions are found through one of them. Its
names say how many bits its integers have. One product is computed and compared: what is found is
called only where it does what it should; nothing is found in a BLAS with other names, nor where
the system does not search what a module is linked to (Windows). Products then stay NumPy's.

Needs no Numba. Copied into modules that stand alone, like `srcad.native.functions`.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
from numpy.linalg import _umath_linalg

# What integers of 64 bits are told by; the plain names have those of C.
NAMED_BY_BITS = (
    ("scipy_cblas_{}gemm64_", 64), ("cblas_{}gemm64_", 64), ("cblas_{}gemm_64", 64),
    ("scipy_cblas_{}gemm", 32), ("cblas_{}gemm", 32),
)  # fmt: skip
CORE_NAMED_BY = tuple(
    f"{prefix}openblas_get_corename{suffix}" for prefix in ("scipy_", "") for suffix in ("64_", "")
)
# CBLAS's numbers for orders.
BY_ROWS = 101
AS_IS = 111
TRANSPOSED = 112


def named(name: str) -> Any:
    """A function of that BLAS, called with the interpreter's lock; None if it has none."""
    try:
        return getattr(ctypes.PyDLL(_umath_linalg.__file__), name, None)
    except OSError:
        return None


@functools.cache
def find_gemm() -> dict[str, tuple[int, int]]:
    """Address and width of integers by the letter of the dtype; empty if it cannot be called."""
    for name, bits in NAMED_BY_BITS:
        if bits == 32 and getattr(_umath_linalg, "_ilp64", False):
            continue  # a plain name with integers of a width that it does not tell
        found = {}
        for letter in ("s", "d"):
            function = named(name.format(letter))
            if function is None or not multiplies(function, letter, bits):
                break
            found[letter] = (ctypes.cast(function, ctypes.c_void_p).value or 0, bits)
        if len(found) == 2:
            return found
    return {}


@functools.cache
def openblas_core() -> str:
    """The processor that OpenBLAS takes the kernels of (`Haswell`, `SkylakeX`); "" for others."""
    for name in CORE_NAMED_BY:
        function = named(name)
        if function is not None:
            function.restype = ctypes.c_char_p
            return (function() or b"").decode()
    return ""


def multiplies(function: Any, letter: str, bits: int) -> bool:
    """Whether a product comes out right: one factor transposed, one a part of its rows."""
    integer = ctypes.c_int64 if bits == 64 else ctypes.c_int32
    number = ctypes.c_float if letter == "s" else ctypes.c_double
    dtype = np.float32 if letter == "s" else np.float64
    x, y = np.arange(6).reshape(3, 2).astype(dtype), np.arange(12).reshape(3, 4).astype(dtype)
    z = np.full((2, 3), np.nan, dtype)
    function.restype = None
    orders = map(ctypes.c_int32, (BY_ROWS, TRANSPOSED, AS_IS))
    scale = number(1), ctypes.c_void_p(x.ctypes.data), integer(2)
    other = ctypes.c_void_p(y.ctypes.data), integer(4), number(0)
    function(
        *orders, *map(integer, (2, 3, 3)), *scale, *other, ctypes.c_void_p(z.ctypes.data),
        integer(3),
    )  # fmt: skip
    return bool(np.array_equal(z, np.matmul(x.T, y[:, :3])))


__all__ = ["AS_IS", "BY_ROWS", "TRANSPOSED", "find_gemm", "openblas_core"]

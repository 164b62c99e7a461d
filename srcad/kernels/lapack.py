"""The LAPACK that NumPy itself calls, for compiled code: where its routines lie.

    find_lapack()      {"dsyevd": (address, 64), "zheevd": (address, 64), ...}

It is in the library of NumPy's BLAS (`srcad.kernels.products.blas`). The same routines with the
same workspace give the same bits: signs of eigenvectors, the order of equal values. One matrix is
decomposed and compared; nothing is found where the system does not search what a module is linked
to (Windows), or where names are others. Decompositions then stay NumPy's.

Needs no Numba. Copied into modules that stand alone, like `srcad.native.functions`.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
from numpy.linalg import _umath_linalg

from srcad.kernels.products.blas import named

# NumPy decomposes in double precision, whatever its arguments have.
ROUTINES = (
    "dsyevd", "zheevd", "dgesdd", "zgesdd", "dgeqrf", "zgeqrf", "dorgqr", "zungqr", "dgelsd",
    "dpotrf", "zpotrf", "dgesv", "zgesv", "zgemm",
)  # fmt: skip
# The suffix of builds with integers of 64 bits; without it they are ints of C.
LAPACK_NAMED_BY_BITS = (
    ("scipy_{}_64_", 64), ("{}_64_", 64), ("scipy_{}_", 32), ("{}_", 32),
)  # fmt: skip


@functools.cache
def find_lapack() -> dict[str, tuple[int, int]]:
    """Address and width of integers by the name of the routine; empty if they cannot be called."""
    for name, bits in LAPACK_NAMED_BY_BITS:
        if bits == 32 and getattr(_umath_linalg, "_ilp64", False):
            continue  # a plain name with integers of a width that it does not tell
        found = {routine: named(name.format(routine)) for routine in ROUTINES}
        if all(found.values()) and decomposes(found["dsyevd"], bits):
            return {
                routine: (ctypes.cast(function, ctypes.c_void_p).value or 0, bits)
                for routine, function in found.items()
            }
    return {}


def decomposes(syevd: Any, bits: int) -> bool:
    """Whether eigenvalues and eigenvectors come out as NumPy's."""
    integer = np.int64 if bits == 64 else np.int32
    a = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 4.0]])
    w, work, whole = np.empty(3), np.empty(64), np.empty(64, integer)
    sizes = [np.array([n], integer) for n in (3, 3, 64, 64, 0)]
    n, lead, size, whole_size, info = (x.ctypes.data_as(ctypes.c_void_p) for x in sizes)
    factor, values, room, whole_room = (
        x.ctypes.data_as(ctypes.c_void_p) for x in (a, w, work, whole)
    )
    syevd.restype = None
    wanted = np.linalg.eigh(a.copy())
    syevd(
        ctypes.c_char_p(b"V"), ctypes.c_char_p(b"L"), n, factor, lead, values, room, size,
        whole_room, whole_size, info,
    )  # fmt: skip
    return not sizes[-1].any() and all(
        np.allclose(found, each, atol=1e-12) for found, each in zip((w, a.T), wanted, strict=True)
    )


__all__ = ["ROUTINES", "find_lapack"]

"""How the loops of this package are compiled: once for a dtype, when they are first needed.

    @loop(lambda array, given: (given, INTEGERS, INTEGER, array))
    def copy_rows(x, rows, n, y): ...

    copy_rows(x.dtype)(x, rows, len(rows), y)

The signature is explicit, so that a call never waits for another compilation, be an argument
writable or not. Numba keeps the machine code on disk beside this file, or in the user's cache.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import from_dtype, njit, types

from srcad.kernels.loading import load_before_compiling

load_before_compiling()

# Sums are rounded once for a product where the machine can; nothing else is reordered.
# C never calls these functions: what lets it would take time to compile.
_OPTIONS = {
    "nogil": True, "error_model": "numpy", "cache": True, "fastmath": {"contract"},
    "no_cfunc_wrapper": True,
}  # fmt: skip

FLAG = types.boolean
INTEGER = types.int64
INTEGERS = types.Array(types.int64, 1, "C", readonly=True)
BYTES = types.Array(types.uint8, 1, "C")
GIVEN_BYTES = types.Array(types.uint8, 1, "C", readonly=True)

Signature = Callable[[Any, Any], tuple[Any, ...]]
Loop = Callable[..., None]


def loop(signature: Signature) -> Callable[[Loop], Callable[[np.dtype[Any]], Loop]]:
    """Make of a function of flat arrays one from a dtype to its compiled form.

    signature: from the types of an array of that dtype, written and only read, to those of the
        arguments.
    """

    def of_function(function: Loop) -> Callable[[np.dtype[Any]], Loop]:
        @functools.cache
        def of_dtype(dtype: np.dtype[Any]) -> Loop:
            entry = from_dtype(dtype)
            array = types.Array(entry, 1, "C")
            given = types.Array(entry, 1, "C", readonly=True)
            compiled: Loop = njit(types.void(*signature(array, given)), **_OPTIONS)(function)
            return compiled

        return functools.wraps(function)(of_dtype)

    return of_function


def part(function: Loop) -> Any:
    """A function that loops are made of: its text becomes part of theirs."""
    return njit(forceinline=True, no_cpython_wrapper=True, **_OPTIONS)(function)


__all__ = ["BYTES", "FLAG", "GIVEN_BYTES", "INTEGER", "INTEGERS", "loop", "part"]

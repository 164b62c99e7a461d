"""Numbers in the precision that the program computes in, where compiled code has another.

mul(x, 0.1)          float32, weak 0.1           x * np.float32(0.1)
mul(x, y)            both float32, as float64    np.float64(x) * np.float64(y)
mul(i, j)            both uint8                  np.int64(np.uint8(i * j))
add(i, n)            uint8, weak n               i + within(n, 0, 255)

Compiled code computes in double precision as soon as one operand is double, in that of its operands
otherwise, and with integers in 64 bits: those of fewer bits are narrow in memory alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.ir import NumberType, Value
from srcad.ir.kinds import dtype_of_atom
from srcad.ir.types import dtype_of
from srcad.native.scalarize.loop_builder import NARROW, Code, Unsuited, scalar
from srcad.native.scalarize.narrow_integers import converted


def weak(x: Any) -> bool:
    """Whether the precision of what stands beside it decides: a number of Python's."""
    t = x.type if isinstance(x, Value) else None
    return isinstance(t, NumberType) or (t is None and not isinstance(x, np.generic))


def cast(code: Code, x: Any, dtype: np.dtype) -> Any:
    """`x` as a number of `dtype`. Of two integers compiled code makes an integer, which may wrap
    around, and of two single numbers a single one, where NumPy computes in double precision.
    """
    if dtype.kind != "c" and _dtype(x).kind == "c":
        raise Unsuited("a complex number as a real one")
    if dtype == np.complex128 and not isinstance(x, Value):
        return complex(x)
    if not isinstance(x, Value):
        if dtype in NARROW:
            return converted(code, x, dtype) if isinstance(x, int | float) else int(dtype.type(x))
        return dtype.type(x) if dtype == np.float32 else (float(x) if dtype.kind == "f" else x)
    if dtype_of(x.type) == dtype:
        return x
    if dtype in NARROW:
        return converted(code, x, dtype)
    return code.op(dtype.type, (x,), scalar(dtype))


def alike(code: Code, operands: Sequence[Any], dtype: np.dtype) -> list[Any]:
    """Operands of which compiled code computes in `dtype`; one double makes the others double."""
    if dtype == np.float64 and any(_dtype(x) == np.float64 for x in operands):
        kept = [isinstance(x, Value) and _dtype(x).kind != "b" for x in operands]
        return [x if keep else cast(code, x, dtype) for x, keep in zip(operands, kept, strict=True)]
    return [cast(code, x, dtype) for x in operands]


def _dtype(x: Any) -> np.dtype:
    return np.dtype(dtype_of_atom(x))

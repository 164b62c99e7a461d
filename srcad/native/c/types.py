"""Types of C for those of the program.

f64, float      double            int, i64, integers of few bits      int64_t; in memory: theirs
f32             float             bool                                bool
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir import NumberType, Value
from srcad.ir.kinds import is_integer
from srcad.ir.types import dtype_of
from srcad.native.scalarize.loop_builder import Unsuited

_MEMORY = {
    "float64": "double", "float32": "float", "bool": "bool",
    **{f"{u}int{n}": f"{u}int{n}_t" for u in ("", "u") for n in (8, 16, 32, 64)},
}  # fmt: skip


def type_of_entry(t: Any) -> str:
    """The type of an entry in memory.

    Raises:
        Unsuited: C99 has none.
    """
    dtype = dtype_of(t)
    if dtype is not None and np.dtype(dtype).kind == "c":
        raise Unsuited("complex numbers")
    if dtype is None or np.dtype(dtype).name not in _MEMORY or np.dtype(dtype).name == "uint64":
        raise Unsuited(f"a value of type {str(t).partition('[')[0]}")
    return _MEMORY[np.dtype(dtype).name]


def type_of_number(t: Any) -> str:
    """The type of a variable: integers have 64 bits."""
    found = type_of_entry(t)
    return "int64_t" if "int" in found else found


def type_of_atom(x: Any) -> str:
    """The type of a variable, or of a constant."""
    if isinstance(x, Value):
        return type_of_number(x.type)
    if isinstance(x, bool | np.bool_):
        return "bool"
    if is_integer(x):
        return "int64_t"
    if isinstance(x, np.float32):
        return "float"
    if isinstance(x, float | np.float64):
        return "double"
    raise Unsuited(f"a constant of type {type(x).__name__}")


def wraps(x: Any) -> bool:
    """Whether a number is an integer of NumPy's, which wraps around."""
    if not isinstance(x, Value):
        return isinstance(x, np.integer)
    return not isinstance(x.type, NumberType) and type_of_number(x.type) == "int64_t"


__all__ = ["type_of_atom", "type_of_entry", "type_of_number", "wraps"]

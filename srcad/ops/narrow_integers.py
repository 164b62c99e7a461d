"""Ints of Python's that the dtype of an array may be too narrow for: NumPy raises OverflowError.

a + 200, np.uint8(300), a[0] = 300      raise: `a` is of int8
a + k, np.uint8(k)                      may raise: `k` is an int that the program computes
b + k                                   does not, of int64: ints of more than 64 bits are rare
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.kinds import is_python_int
from srcad.ir.nodes import Op, Value
from srcad.ir.types import NumberType, dtype_of
from srcad.ops.table import named
from srcad.rules.core.staged import type_of

# Functions that convert ints of Python's to the dtype of the array beside.
_CONVERTING = frozenset(
    {
        *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.pow),
        *(operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift, divmod),
        *named(np, "add subtract multiply floor_divide mod fmod power divmod maximum minimum"),
        *named(np, "fmax fmin gcd lcm bitwise_and bitwise_or bitwise_xor left_shift right_shift"),
    }
)
_STORES = (runtime.index_update, runtime.index_add)
_MAKERS = (np.array, np.asarray, np.asanyarray)


def may_overflow(op: Op) -> bool:
    """Whether an int is too large for the integers among which it is computed with or stored."""
    fn, args = op.fn, op.args
    if fn in _CONVERTING:
        dtypes = [dtype_of(type_of(x)) for x in args if not is_python_int(x)]
        numbers = [x for x in args if is_python_int(x)]
        return len(dtypes) == 1 and any(_is_too_large(x, dtypes[0]) for x in numbers)
    if fn in _STORES:
        return is_python_int(args[2]) and _is_too_large(args[2], dtype_of(type_of(args[0])))
    if isinstance(fn, type) and issubclass(fn, np.integer):
        return len(args) == 1 and is_python_int(args[0]) and _is_too_large(args[0], np.dtype(fn))
    if fn in _MAKERS:
        given = args[1] if len(args) > 1 else op.kwargs.get("dtype")
        return given is not None and _holds_too_large(args[0], np.dtype(given))
    return False


def _holds_too_large(x: Any, dtype: np.dtype) -> bool:
    if isinstance(x, list | tuple):
        return any(_holds_too_large(item, dtype) for item in x)
    return is_python_int(x) and _is_too_large(x, dtype)


def _is_too_large(x: Any, dtype: np.dtype | None) -> bool:
    if dtype is None or dtype.kind not in "iu":
        return False
    if isinstance(x, Value):
        is_extent = isinstance(x.type, NumberType) and x.type.extent is not None
        return dtype.itemsize < 8 and not is_extent
    return not np.iinfo(dtype).min <= x <= np.iinfo(dtype).max


__all__ = ["may_overflow"]

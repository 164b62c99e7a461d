"""Ints of Python's that the dtype of an array may be too narrow for: NumPy raises OverflowError.

a + 200, np.uint8(300), a[0] = 300      raise: `a` is of int8
a + k, np.uint8(k)                      may raise: `k` is an int that the program computes
b + k                                   does not, of int64: ints of more than 64 bits are rare
b + 10**k                               may raise: powers, shifts and factorials are large
"""

from __future__ import annotations

import math
import operator
from collections.abc import Container, Iterator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.kinds import is_python_int
from srcad.ir.nodes import Op, Value
from srcad.ir.types import NumberType, dtype_of
from srcad.ir.walk import values_in
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
# What makes large ints of small ones, and what is large where an int that it is given is.
_GROWING = (operator.pow, pow, operator.lshift, math.factorial, math.comb, math.perm, math.prod)
_KEEPING = (operator.add, operator.sub, operator.mul, operator.neg, abs, min, max, sum)


def is_large(op: Op, large: Container[Value]) -> bool:
    """Whether an operation makes an int that may have more than 64 bits, where those of `large`
    may: squares and cubes have not.
    """
    if len(op.outs) != 1 or not is_python_int(op.out):
        return False
    if op.fn in _GROWING:
        return type(op.args[-1]) is not int or op.args[-1] > 3
    return op.fn in _KEEPING and any(x in large for x in values_in(op.args))


def may_overflow(op: Op, large: Container[Value] = ()) -> bool:
    """Whether an int is too large for the integers among which it is computed with or stored; those
    of `large` may have more than 64 bits.
    """

    def is_too_large(x: Any, dtype: np.dtype | None) -> bool:
        is_one = isinstance(x, Value) and x in large
        return dtype is not None and dtype.kind in "iu" if is_one else _is_too_large(x, dtype)

    fn, args = op.fn, op.args
    if fn in _CONVERTING:
        dtypes = [dtype_of(type_of(x)) for x in args if not is_python_int(x)]
        numbers = [x for x in args if is_python_int(x)]
        return len(dtypes) == 1 and any(is_too_large(x, dtypes[0]) for x in numbers)
    if fn in _STORES:
        return is_python_int(args[2]) and is_too_large(args[2], dtype_of(type_of(args[0])))
    if isinstance(fn, type) and issubclass(fn, np.integer):
        return len(args) == 1 and is_python_int(args[0]) and is_too_large(args[0], np.dtype(fn))
    if fn in _MAKERS:
        given = args[1] if len(args) > 1 else op.kwargs.get("dtype")
        dtype = None if given is None else np.dtype(given)
        return any(is_too_large(x, dtype) for x in _ints_in(args[0]))
    return False


def _ints_in(x: Any) -> Iterator[Any]:
    if isinstance(x, list | tuple):
        for item in x:
            yield from _ints_in(item)
    elif is_python_int(x):
        yield x


def _is_too_large(x: Any, dtype: np.dtype | None) -> bool:
    if dtype is None or dtype.kind not in "iu":
        return False
    if isinstance(x, Value):
        is_extent = isinstance(x.type, NumberType) and x.type.extent is not None
        return dtype.itemsize < 8 and not is_extent
    return not np.iinfo(dtype).min <= x <= np.iinfo(dtype).max


__all__ = ["is_large", "may_overflow"]

"""Integers of few bits: narrow in memory, of 64 bits in the code of an entry.

k[i]              uint8          np.int64(k[i])
k[i] = n          uint8, weak n  k[i] = within(n, 0, 255)

Compiled code computes with integers of 64 bits. What is stored wraps around as NumPy's numbers do;
of Python's, which do not, those out of bounds are refused, and NumPy raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from srcad.ir import NumberType, Value
from srcad.ir.kinds import dtype_of_atom
from srcad.ir.types import dtype_of
from srcad.native.helpers import within
from srcad.native.scalarize.entry_types import NARROW, Unsuited, scalar


class Code(Protocol):
    """What of the code under construction is needed here."""

    naturals: set[Value]

    def op(self, fn: Callable[..., Any], args: Sequence[Any], type_: Any) -> Value:
        """Append an operation with one result."""


def widened(code: Code, number: Value) -> Value:
    """A number from memory or a caller, with 64 bits if it is an integer."""
    dtype = dtype_of(number.type)
    if dtype is None or dtype not in NARROW:
        return number
    wide = code.op(np.int64, (number,), number.type)
    if dtype.kind == "u":
        code.naturals.add(wide)
    return wide


def narrowed(code: Code, x: Any, dtype: np.dtype) -> Any:
    """An integer that wraps around where one of few bits does."""
    if dtype not in NARROW:
        return x
    t = scalar(dtype)
    return code.op(np.int64, (code.op(dtype.type, (x,), t),), t)


def in_bounds(code: Code, x: Any, dtype: np.dtype) -> Any:
    """An integer of Python's where NumPy makes one of few bits of it, or raises."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if isinstance(x, Value):
        return code.op(within, (x, low, high), scalar(dtype))
    if not low <= x <= high:
        raise Unsuited("an integer out of bounds")
    return int(x)


def converted(code: Code, x: Any, dtype: np.dtype) -> Any:
    """A number as an integer of few bits."""
    if _kind(x) == "f" and dtype != np.int32:
        raise Unsuited("a float as an integer of few bits")
    return in_bounds(code, x, dtype) if _is_of_python(x) else narrowed(code, x, dtype)


def stored(code: Code, x: Any, dtype: np.dtype) -> Any:
    """What is stored in an array of such integers: memory takes the lowest bits."""
    if _kind(x) == "f" and dtype != np.int32:
        raise Unsuited("a float stored as an integer of few bits")
    return in_bounds(code, x, dtype) if _is_of_python(x) else x


def _is_of_python(x: Any) -> bool:
    """Whether a number is an integer of Python's."""
    is_weak = isinstance(x.type, NumberType) if isinstance(x, Value) else type(x) is int
    return is_weak and _kind(x) == "i"


def _kind(x: Any) -> str:
    return np.dtype(dtype_of_atom(x)).kind

"""What an array has no room for, of numbers and lists that are stored in it.

x.flat[0] = 300        ValueError, of int8; `x[0] = 300` raises an OverflowError
x[:] = [[1, 2]]        ValueError, of one axis; of `np.array([[1, 2]])` the first is dropped
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.expressions.missing import fails, raise_unless
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, dtype_of
from srcad.rules.core.staged import type_of


def check_entry(frame: Frame, x: Value, index: Abstract, value: Abstract) -> None:
    """Raise what NumPy raises of a number that `x.flat[index] = value` has no room for."""
    dtype = dtype_of(x.type)
    if dtype is None or dtype.kind not in "iu" or not _is_number(value) or _fits(value, dtype):
        return
    problem = _problem(dtype)
    frame.session.emit(operator.getitem, (x, index))  # first, whether there is such an entry
    if not isinstance(value, Value):
        try:
            np.zeros(1, dtype)[0] = value
        except (OverflowError, ValueError):
            raise fails(frame, problem) from None
        return
    least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
    emit = frame.session.emit
    whole = emit(np.trunc, (value,)) if _kind(value) == "f" else value
    holds = emit(operator.le, (least, whole)), emit(operator.le, (whole, greatest))
    raise_unless(frame, emit(operator.and_, holds), type(problem), *problem.args)


def too_deep(axes: int) -> Exception:
    """What NumPy raises of lists inside one another, more of them than there are axes."""
    values: Any = 0
    for _ in range(axes + 1):
        values = [values]
    try:
        np.zeros((1,) * axes)[...] = values
    except (TypeError, ValueError) as problem:
        return problem
    return ValueError("setting an array element with a sequence.")


def _is_number(x: Abstract) -> bool:
    """Whether a real number is stored, of Python's or of NumPy's."""
    return isinstance(x, Value | int | float | np.generic) and _kind(x) in ("i", "u", "f")


def _kind(x: Any) -> str:
    """The kind of the dtype of a number, of Python's as of NumPy's; "" of what is no number."""
    t = type_of(x)
    if isinstance(t, NumberType):
        return np.dtype(t.kind).kind
    return t.dtype.kind if isinstance(t, ArrayType) and t.scalar else ""


def _fits(x: Any, dtype: np.dtype) -> bool:
    """Whether the type of a number says that it is held: so is that of Python's ints of 64 bits."""
    t = type_of(x)
    if isinstance(t, ArrayType):  # unsigned integers take numbers of NumPy's as a cast does
        return dtype.kind == "u" or np.can_cast(t.dtype, dtype)
    is_int = isinstance(x, Value) and isinstance(t, NumberType) and t.kind is int
    return is_int and dtype == np.dtype(np.int64)


def _problem(dtype: np.dtype) -> Exception:
    """What NumPy raises: in the place of the exception of the number, it tells of the entry."""
    try:
        np.zeros(1, dtype).flat[0] = np.iinfo(dtype).max + 1
    except (OverflowError, ValueError) as problem:
        return problem
    return OverflowError()


__all__ = ["check_entry", "too_deep"]

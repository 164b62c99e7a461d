"""Lists and tuples as arguments: NumPy makes arrays of them, or takes them as they are.

np.sum([x, 1.0])            of an array that is made of the list
np.concatenate([x, y])      of two arrays
np.sum(x, axis=[0, 1])      no numbers that vary: an option
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import dtype_of
from srcad.ir.walk import values_in
from srcad.rules.core.call_facts import TAKE_TUPLES
from srcad.rules.core.operators import OPERATORS
from srcad.rules.core.table import name_of

# Functions of a list of arrays.
JOINS = frozenset(
    {
        np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack,
        np.linalg.multi_dot,
    }
)  # fmt: skip
# Functions of several arrays: what they take as one argument need not be one array.
_TAKE_LISTS = JOINS | {
    np.array, np.asarray, np.asanyarray, np.block, np.select, np.choose, np.lexsort,
    np.histogram2d,
}  # fmt: skip
_OPERATORS = frozenset(OPERATORS.values())


def takes_lists(fn: Any) -> bool:
    """Whether a list is no array to a function: it takes several arrays, or is not NumPy's."""
    if fn in _TAKE_LISTS or fn in TAKE_TUPLES:
        return True
    return not (fn in _OPERATORS or name_of(fn).startswith(("np.", "scipy.")))


def is_array_like(x: Any) -> bool:
    """Whether `x` is a list or tuple with an inexact value in it, not one of a shape or axes."""
    if not isinstance(x, list | tuple):
        return False
    dtypes = [dtype_of(v.type) for v in values_in(x)]
    return any(dtype is not None and dtype.kind in "fc" for dtype in dtypes)


def as_list(x: Any) -> Any:
    """A list or tuple with lists all the way down, as IR has what becomes an array."""
    return [as_list(item) for item in x] if isinstance(x, list | tuple) else x


def constant_array(x: Any) -> Any:
    """A list of constants as the array of it; one of values as it is: emitting makes its array.

    So is one of no numbers: what a function makes of it is not what it makes of its array.
    """
    if not isinstance(x, list | tuple) or values_in(x):
        return x
    made = np.asarray(x)
    return made if made.dtype.kind in "biufc" else x


__all__ = ["JOINS", "as_list", "constant_array", "is_array_like", "takes_lists"]

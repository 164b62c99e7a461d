"""Lists and tuples as arguments: NumPy makes arrays of them, or takes them as they are.

np.sum([x, 1.0])            of an array that is made of the list
np.concatenate([x, y])      of two arrays
np.sum(x, axis=[0, 1])      no numbers that vary: an option
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir.types import dtype_of
from srcad.ir.walk import values_in
from srcad.rules.core.call_facts import TAKE_TUPLES
from srcad.rules.core.operators import OPERATORS
from srcad.rules.core.table import RULES, name_of

# Functions of a list of arrays.
_JOINS = frozenset(
    {
        np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack,
        np.linalg.multi_dot,
    }
)  # fmt: skip
# Functions of several arrays: what they take as one argument need not be one array.
_TAKE_LISTS = _JOINS | {
    np.array, np.asarray, np.asanyarray, np.block, np.select, np.choose, np.lexsort,
    np.histogram2d,
}  # fmt: skip
_OPERATORS = frozenset(OPERATORS.values())
_SEQUENCES = (list, tuple)


def _takes_lists(fn: Any) -> bool:
    """Whether a list is no array to a function: it takes several arrays, or is not NumPy's."""
    if fn in _TAKE_LISTS or fn in TAKE_TUPLES:
        return True
    return not (fn in _OPERATORS or name_of(fn).startswith(("np.", "scipy.")))


def _is_array_like(x: Any) -> bool:
    """Whether `x` is a list or tuple with an inexact value in it, not one of a shape or axes."""
    if not isinstance(x, list | tuple):
        return False
    dtypes = [dtype_of(v.type) for v in values_in(x)]
    return any(dtype is not None and dtype.kind in "fc" for dtype in dtypes)


def as_list(x: Any) -> Any:
    """A list or tuple with lists all the way down, as IR has what becomes an array."""
    return [as_list(item) for item in x] if isinstance(x, list | tuple) else x


def with_arrays(
    emit: Callable[..., Any], fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of `fn` with lists of numbers as the arrays that NumPy makes of them.

    Lists of constants where the function is differentiated by an array, or broadcasts all of its
    arguments; of varying numbers anywhere.
    """
    if not any([isinstance(x, _SEQUENCES) for x in (*args, *kwargs.values())]):
        return args, kwargs

    def array_of(x: Any) -> Any:
        if isinstance(x, list | tuple) and values_in(x):
            return emit(np.array, (as_list(x),))
        return constant_array(x)

    def with_array(x: Any) -> Any:
        return array_of(x) if _is_array_like(x) else x

    if fn in _JOINS and args and isinstance(args[0], list | tuple):
        return ([array_of(x) for x in args[0]], *args[1:]), kwargs
    if _takes_lists(fn):
        return args, kwargs
    rule = RULES.get(fn)
    is_ufunc = isinstance(fn, np.ufunc) or (rule is not None and rule.kind == "elementwise")
    arrays = () if rule is None else range(len(args)) if is_ufunc else rule.vjps
    inputs = (array_of(x) if at in arrays else x for at, x in enumerate(map(with_array, args)))
    return tuple(inputs), {key: with_array(x) for key, x in kwargs.items()}


def constant_array(x: Any) -> Any:
    """A list of constants as the array of it; one of values as it is: emitting makes its array.

    So is one of no numbers: what a function makes of it is not what it makes of its array.
    """
    if not isinstance(x, list | tuple) or values_in(x):
        return x
    made = np.asarray(x)
    return made if made.dtype.kind in "biufc" else x


__all__ = ["as_list", "constant_array", "with_arrays"]

"""NumPy's functions that make masked arrays, or are of them: `np.ma`'s, and those of entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.masked.arrays import Masked, log, of_result, parts_of, sqrt


def array(data: Any, mask: Any = False) -> Any:
    """`np.ma.array`, `np.ma.masked_array`."""
    values, before = parts_of(data)
    given = np.asarray(mask, bool)
    if given.ndim != 0 and given.shape != values.shape:
        raise NotImplementedError("a mask of another shape than the data")
    whole = np.logical_or(np.broadcast_to(given, values.shape), before)
    return Masked(values, whole, given.ndim != 0 and not isinstance(data, Masked))


def masked_where(condition: Any, a: Any) -> Any:
    """`np.ma.masked_where`."""
    values, before = parts_of(a)
    given = np.asarray(condition, bool)
    if given.ndim != 0 and given.shape != values.shape:
        raise IndexError("Inconsistent shape between the condition and the input")
    return Masked(values.copy(), np.logical_or(np.broadcast_to(given, values.shape), before))


def masked_invalid(a: Any) -> Any:
    """`np.ma.masked_invalid`."""
    values, _ = parts_of(a)
    return masked_where(~np.isfinite(values), a)


def masked_less(x: Any, value: Any) -> Any:
    """`np.ma.masked_less`."""
    return masked_where(parts_of(x)[0] < value, x)


def masked_greater(x: Any, value: Any) -> Any:
    """`np.ma.masked_greater`."""
    return masked_where(parts_of(x)[0] > value, x)


def masked_less_equal(x: Any, value: Any) -> Any:
    """`np.ma.masked_less_equal`."""
    return masked_where(parts_of(x)[0] <= value, x)


def masked_greater_equal(x: Any, value: Any) -> Any:
    """`np.ma.masked_greater_equal`."""
    return masked_where(parts_of(x)[0] >= value, x)


def masked_not_equal(x: Any, value: Any) -> Any:
    """`np.ma.masked_not_equal`."""
    return masked_where(parts_of(x)[0] != value, x)


def filled(a: Any, fill_value: Any) -> Any:
    """`np.ma.filled`."""
    if isinstance(a, Masked):
        return a.filled(fill_value)
    return a if isinstance(a, np.ndarray) else np.array(a)


def getmaskarray(arr: Any) -> Any:
    """`np.ma.getmaskarray`."""
    return arr._mask.copy() if isinstance(arr, Masked) else np.zeros(np.shape(arr), bool)


def compressed(x: Any) -> Any:
    """`np.ma.compressed`."""
    return array(x).compressed()


def exp(x: Any) -> Any:
    """`np.ma.exp`."""
    return _everywhere(np.exp, x)


def sin(x: Any) -> Any:
    """`np.ma.sin`."""
    return _everywhere(np.sin, x)


def cos(x: Any) -> Any:
    """`np.ma.cos`."""
    return _everywhere(np.cos, x)


def sinh(x: Any) -> Any:
    """`np.ma.sinh`."""
    return _everywhere(np.sinh, x)


def cosh(x: Any) -> Any:
    """`np.ma.cosh`."""
    return _everywhere(np.cosh, x)


def tanh(x: Any) -> Any:
    """`np.ma.tanh`."""
    return _everywhere(np.tanh, x)


def arctan(x: Any) -> Any:
    """`np.ma.arctan`."""
    return _everywhere(np.arctan, x)


def absolute(x: Any) -> Any:
    """`np.ma.absolute`."""
    return _everywhere(np.absolute, x)


def count(obj: Any, axis: Any = None) -> Any:
    """`np.ma.count`."""
    if not isinstance(obj, Masked):
        beyond("`np.ma.count` of an array that is not masked")
    return obj.count(axis)


def _everywhere(fn: Any, x: Any) -> Any:
    """A function that is smooth everywhere, of what counts."""
    values, mask = parts_of(x)
    found = fn(np.where(mask, values.dtype.type(0), values))
    return of_result(found, np.broadcast_to(mask, np.shape(found)))


_OF_BOTH = (sqrt, log, exp, sin, cos, sinh, cosh, tanh, arctan, absolute)  # NumPy's do the same
FUNCTIONS = {
    each.__name__: each
    for each in (
        array, masked_where, masked_invalid, masked_less, masked_greater, masked_less_equal,
        masked_greater_equal, masked_not_equal, filled, getmaskarray, compressed, count, *_OF_BOTH,
    )
}  # fmt: skip
FUNCTIONS["masked_array"] = array
UFUNCS = {each.__name__: each for each in _OF_BOTH}

__all__ = ["FUNCTIONS", "UFUNCS"]

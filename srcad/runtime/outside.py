"""Data that is its values and more, as which derivatives come back: Series of pandas, DataArrays of
xarray, masked arrays, arrays of classes of the user's.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.runtime.fields import array_of

OUTSIDE = ("pandas", "xarray")
VIEW = ".view(__import__('numpy').ndarray)"
_NONE = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def is_outside(x: Any) -> bool:
    """Whether an object is data of such a package, or a masked array."""
    return is_masked(x) or (_package(type(x)) in OUTSIDE and not isinstance(x, _NONE))


def is_masked(x: Any) -> bool:
    """Whether an object is an array of `np.ma`, which NumPy reads when it is asked for."""
    cls = type(x)
    return (_package(cls), cls.__name__) == _MASKED


def is_array_class(cls: type) -> bool:
    """Whether a class is one of the user's with `np.ndarray` behind it, and nothing else of C's."""
    if not issubclass(cls, np.ndarray) or cls is np.ndarray:
        return False
    return [each for each in cls.__mro__ if _package(each) == "numpy"] == [np.ndarray]


def has_values(cls: type) -> bool:
    """Whether objects of a class are derivatives by the values of others."""
    return (_package(cls), cls.__name__) in _MAKERS or is_array_class(cls)


def way_to_values(cls: type) -> str:
    """How the values of an object of such a class are reached, as the end of a path."""
    if is_array_class(cls):
        return VIEW
    return ".data" if issubclass(cls, np.ndarray) else ".values"


def values_of(x: Any) -> Any:
    """The plain array of such an object."""
    return np.ndarray.view(x, np.ndarray) if isinstance(x, np.ndarray) else x.values


def holds_values(x: Any) -> bool:
    """Whether an object is such a one that holds numbers as NumPy does."""
    dtype = x.dtype if has_values(type(x)) else None
    return isinstance(dtype, np.dtype) and dtype.kind in "biufc"


def with_values(x: Any, values: Any) -> Any:
    """An object like `x`, with its labels, of other values; an array where they have other axes."""
    return maker_of(type(x))(x, values)


def maker_of(cls: type) -> Callable[[Any, Any], Any]:
    """What makes an object of such a class like another, of other values."""
    return with_entries if is_array_class(cls) else _MAKERS[_package(cls), cls.__name__]


def with_rows(x: Any, values: Any) -> Any:
    """A Series with the labels of `x`, of other values; an array where they have other axes."""
    return type(x)(values, index=x.index, name=x.name) if values.ndim == 1 else values


def with_axes(x: Any, values: Any) -> Any:
    """A DataArray with the axes of `x`, of other values; an array where they have other axes."""
    return x.copy(data=values) if values.ndim == x.ndim else values


def with_entries(x: Any, values: Any) -> Any:
    """An array of the class of `x`, with its attributes, of other entries; a plain array where they
    have other axes.

    >>> class Info(np.ndarray): pass
    >>> x = np.ones(2).view(Info)
    >>> x.unit = "m"
    >>> with_entries(x, np.zeros(2)).unit
    'm'
    """
    return array_of(type(x), {"": values, **vars(x)}) if values.ndim == x.ndim else values


def with_mask(x: Any, values: Any) -> Any:
    """An array with the mask of `x`, of other values; a plain one where they have other axes."""
    if values.ndim != x.ndim:
        return values
    mask = x.mask
    return np.ma.array(values, mask=mask if mask is np.ma.nomask else np.copy(mask))


_MASKED = "numpy", "MaskedArray"
_MAKERS = {
    ("pandas", "Series"): with_rows,
    ("xarray", "DataArray"): with_axes,
    _MASKED: with_mask,
}


def _package(cls: type) -> str:
    return cls.__module__.partition(".")[0]


__all__ = [
    "OUTSIDE",
    "VIEW",
    "has_values",
    "holds_values",
    "is_array_class",
    "is_masked",
    "is_outside",
    "maker_of",
    "values_of",
    "way_to_values",
    "with_axes",
    "with_entries",
    "with_mask",
    "with_rows",
    "with_values",
]

"""Data of other packages that derivatives come back as: Series of pandas, DataArrays of xarray."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

OUTSIDE = ("pandas", "xarray")
_NONE = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def is_outside(x: Any) -> bool:
    """Whether an object is data of such a package."""
    return _package(type(x)) in OUTSIDE and not isinstance(x, _NONE)


def has_values(cls: type) -> bool:
    """Whether objects of a class are derivatives by the values of others."""
    return (_package(cls), cls.__name__) in _MAKERS


def holds_values(x: Any) -> bool:
    """Whether an object is such a one that holds numbers as NumPy does."""
    dtype = x.dtype if has_values(type(x)) else None
    return isinstance(dtype, np.dtype) and dtype.kind in "biufc"


def with_values(x: Any, values: Any) -> Any:
    """An object like `x`, with its labels, of other values; an array where they have other axes."""
    return maker_of(type(x))(x, values)


def maker_of(cls: type) -> Callable[[Any, Any], Any]:
    """What makes an object of such a class like another, of other values."""
    return _MAKERS[_package(cls), cls.__name__]


def with_rows(x: Any, values: Any) -> Any:
    """A Series with the labels of `x`, of other values; an array where they have other axes."""
    return type(x)(values, index=x.index, name=x.name) if values.ndim == 1 else values


def with_axes(x: Any, values: Any) -> Any:
    """A DataArray with the axes of `x`, of other values; an array where they have other axes."""
    return x.copy(data=values) if values.ndim == x.ndim else values


_MAKERS = {("pandas", "Series"): with_rows, ("xarray", "DataArray"): with_axes}


def _package(cls: type) -> str:
    return cls.__module__.partition(".")[0]


__all__ = [
    "OUTSIDE",
    "has_values",
    "holds_values",
    "is_outside",
    "maker_of",
    "with_axes",
    "with_rows",
    "with_values",
]

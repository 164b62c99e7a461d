"""Data of other packages that derivatives come back as: a Series of pandas."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

OUTSIDE = ("pandas",)
_NONE = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def is_outside(x: Any) -> bool:
    """Whether an object is data of such a package."""
    return type(x).__module__.partition(".")[0] in OUTSIDE and not isinstance(x, _NONE)


def has_values(cls: type) -> bool:
    """Whether objects of a class are derivatives by the values of others: a Series of pandas."""
    return cls.__name__ == "Series" and cls.__module__.partition(".")[0] == "pandas"


def holds_values(x: Any) -> bool:
    """Whether an object is such a one that holds numbers as NumPy does."""
    dtype = x.dtype if has_values(type(x)) else None
    return isinstance(dtype, np.dtype) and dtype.kind in "biufc"


def with_values(x: Any, values: Any) -> Any:
    """An object like `x`, with its labels, of other values; an array where they have other axes."""
    return type(x)(values, index=x.index, name=x.name) if values.ndim == 1 else values


__all__ = ["OUTSIDE", "has_values", "holds_values", "is_outside", "with_values"]

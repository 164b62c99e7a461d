"""Where functions come from: those of NumPy, SciPy and the standard library are never read."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from srcad.frontend.kinds import is_read, is_trusted


def own_name(fn: Any) -> str:
    """The name of a function, or of the class of an object."""
    return str(getattr(fn, "__name__", type(fn).__name__))


def module_of(fn: Any) -> str:
    """The module that a function says it is of."""
    return str(getattr(fn, "__module__", None) or "")


def is_library(fn: Any) -> bool:
    """Whether `fn` belongs to NumPy, SciPy or the standard library: never looked into."""
    if isinstance(fn, types.FunctionType):
        if fn.__module__ in ("builtins", None):
            return False  # made by `exec`
        # Not `__module__`, which a decorator may have copied from what it decorates.
        where = str(fn.__globals__.get("__name__", fn.__module__))
        if where == "functools" and _is_of_total_ordering(fn):
            return False
        return not is_read(where) and _is_trusted_name(where)
    bound = getattr(fn, "__self__", None)
    owner = type(bound) if isinstance(fn, types.BuiltinMethodType) and bound is not None else fn
    if isinstance(bound, types.ModuleType):
        owner = bound
    name = module_of(owner) or own_name(owner)
    if owner is fn and not isinstance(fn, type | types.BuiltinFunctionType):
        name = module_of(fn) or type(fn).__module__
    return _is_trusted_name(name)


def _is_of_total_ordering(fn: Any) -> bool:
    """Whether `functools.total_ordering` gives this comparison to classes."""
    made: dict[str, Any] = getattr(functools, "_convert", {})
    return any(fn is each for pairs in made.values() for _, each in pairs)


def _is_trusted_name(module: str) -> bool:
    root = module.split(".")[0]
    return root != "srcad" and is_trusted(sys.modules.get(root))


__all__ = ["is_library", "module_of", "own_name"]

"""Operators of the user's objects: `a.__add__(b)` or `b.__radd__(a)`, in Python's order."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import RecordObj, is_array_record
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Either, Ref, describe
from srcad.frontend.dispatch import call
from srcad.frontend.objects.members import method_of, python_class
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, dtype_of


def by_method(frame: Frame, fn: Callable[..., Any], a: Abstract, b: Abstract) -> Abstract:
    """`a.__add__(b)` or `b.__radd__(a)` of the user's classes."""
    name = fn.__name__.rstrip("_")
    given = _left_of_object(frame, fn, a, b) if is_numpy(a) else a
    tries = [(a, b, f"__{name}__"), (b, given, f"__r{name}__")]
    if isinstance(a, RecordObj | Ref) and isinstance(b, RecordObj | Ref):
        first, second = python_class(a), python_class(b)
        if first is second:
            tries.pop()
        elif issubclass(second, first) and _overrides(second, first, tries[1][2]):
            tries.reverse()
    for owner, other, method in tries:
        found = method_of(frame, owner, method)
        if found is not None:
            result = call(frame, found, (other,))
            if isinstance(result, Either):
                _check_answers(fn, a, b, result)
            if not (isinstance(result, Ref) and result.obj is NotImplemented):
                return result
    raise error("E132", None, what=f"`{fn.__name__}` of {describe(a)} and {describe(b)}")


def _check_answers(fn: Callable[..., Any], a: Abstract, b: Abstract, result: Either) -> None:
    """Refuse an operator that is NotImplemented by data."""
    if any(isinstance(x, Ref) and x.obj is NotImplemented for x in result.cases.values()):
        raise error("E132", None, what=f"`{fn.__name__}` of {describe(a)} and {describe(b)}")


def takes_kinds(fn: Callable[..., Any], a: RecordObj, b: Either) -> bool:
    """Whether the method of `a` takes what is None or a number by data as it is: inside, Python
    raises for a kind that does not fit. One that answers NotImplemented is asked for each kind.
    """
    method = inspect.getattr_static(a.cls, f"__{fn.__name__.rstrip('_')}__", None)
    if not isinstance(method, types.FunctionType):
        return False
    is_last = "NotImplemented" not in method.__code__.co_names
    return is_last and not any(isinstance(x, RecordObj | Ref) for x in b.cases.values())


def _left_of_object(
    frame: Frame, fn: Callable[..., Any], a: Abstract, b: RecordObj | Ref
) -> Abstract:
    """What `b.__radd__` is given where `a` is an array or a NumPy scalar: a scalar comes as the
    number of Python's that an array of objects holds, unless the class says that NumPy defers.
    """
    cls = python_class(b)
    if is_array_record(b):
        return a
    is_array = isinstance(a, Value) and isinstance(a.type, ArrayType) and not a.type.scalar
    if is_array or getattr(cls, "__array_ufunc__", None) is not None:
        check_defers(b, fn)
    if hasattr(cls, "__array_ufunc__") or getattr(cls, "__array_priority__", _LOWEST) > _LOWEST:
        return a
    if any(hasattr(cls, name) for name in _OF_ARRAYS) or _is_sequence(cls):
        fix = "state `__array_ufunc__ = None` in the class, or put the object on the left"
        what = f"`{fn.__name__}` of a number of NumPy's and {describe(b)}, an array to NumPy,"
        raise error("E132", None, what=what, fix=fix)
    if not isinstance(a, Value):
        return a.item()
    dtype = dtype_of(a.type)
    number = None if dtype is None else _NUMBERS.get(dtype.kind)
    if number is None:
        raise error("E132", None, what=f"`{fn.__name__}` of {describe(a)} and {describe(b)}")
    return frame.session.emit(number, (a,))


_NUMBERS = {"b": bool, "i": int, "u": int, "f": float, "c": complex}
_OF_ARRAYS = ("__array__", "__array_interface__", "__array_struct__", "__buffer__")
_LOWEST = -1_000_000.0  # the `__array_priority__` of scalars


def _is_sequence(cls: type) -> bool:
    return hasattr(cls, "__len__") and hasattr(cls, "__getitem__") and not issubclass(cls, dict)


def _overrides(cls: type, base: type, method: str) -> bool:
    return getattr(cls, method, None) is not getattr(base, method, None)


def check_defers(x: RecordObj | Ref, fn: Callable[..., Any]) -> None:
    """Refuse `array + x` unless NumPy leaves it to `x`: it would add `x` to each entry."""
    cls = python_class(x)
    priority = getattr(cls, "__array_priority__", -1.0)
    if getattr(cls, "__array_ufunc__", cls) is not None and not priority > 0:
        fix = "state `__array_ufunc__ = None` in the class, or put the object on the left"
        raise error("E132", None, what=f"`{fn.__name__}` of an array and {describe(x)}", fix=fix)


def is_numpy(x: Abstract) -> bool:
    """Whether `x` is an array or a NumPy scalar."""
    return isinstance(x, np.generic) or (isinstance(x, Value) and isinstance(x.type, ArrayType))


__all__ = ["by_method", "check_defers", "is_numpy", "takes_kinds"]

"""What Python makes of the results of the methods that its builtins call.

len(o)        of what `__len__` returns: an int that is not negative
float(o)      of what `__float__` returns: a float; `int(o)`, `bool(o)` as well
iter(o)       of what `__iter__` returns: an iterator

A bare class of which the method returns the like says what is made of it, and what is raised.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.closures import Bound
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj, SetObj, View
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Range, describe, is_static
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import fails, raise_unless
from srcad.frontend.objects.class_functions import is_written
from srcad.frontend.objects.members import method_of, python_class
from srcad.frontend.python_types import possible_classes, python_type
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType
from srcad.ops.raising import is_extent

CALLED: dict[Any, str] = {
    len: "__len__", bool: "__bool__", int: "__int__", float: "__float__", complex: "__complex__",
    operator.index: "__index__",
}  # fmt: skip


def asked(frame: Frame, act: Callable[[Any], Any], method: Bound) -> Abstract:
    """`act(x)`, a builtin, of an object whose class has the method for it."""
    found = call(frame, method, ())
    cls = python_class(method.receiver)
    if is_written(cls):
        return found
    name = CALLED[act]
    if is_static(found):
        return _made(frame, act, cls, name, found)
    sample = _sample(frame, found)
    if sample is UNBOUND:
        raise error("E132", None, what=f"`{name}` that returns {describe(found)}")
    made = _made(frame, act, cls, name, sample)
    result = found if type(made) is type(sample) else frame.session.emit(type(made), (found,))
    if act is len:
        _check_sign(frame, result, cls)
    return result


def _made(frame: Frame, act: Callable[[Any], Any], cls: type, name: str, found: Any) -> Any:
    """What `act` makes of an object whose method returns this."""
    try:
        return act(_stand_in(cls, name, found))
    except (TypeError, ValueError, ArithmeticError, Warning) as problem:
        raise fails(frame, problem) from None


def _stand_in(cls: type, name: str, found: Any) -> Any:
    """An object of a class of this name, whose method returns `found`."""
    return type(cls.__name__, (), {name: lambda self: found})()


def _sample(frame: Frame, x: Abstract) -> Any:
    """What is of the class of `x`; `UNBOUND` if it may be of several."""
    if isinstance(x, Value) and isinstance(x.type, ArrayType) and not x.type.scalar:
        shape = x.type.shape
        return UNBOUND if shape is None else np.ones((1,) * len(shape), x.type.dtype)
    classes = possible_classes(frame, x)
    cls = classes.pop() if len(classes) == 1 else None
    if cls in (bool, int, float, complex) or (cls is not None and issubclass(cls, np.generic)):
        return cls(1)
    return cls() if cls in (list, tuple, dict, set, str) else UNBOUND


def _check_sign(frame: Frame, x: Abstract, cls: type) -> None:
    """Raise what Python raises of a length that is negative."""
    if not isinstance(x, Value) or is_extent(x):
        return
    try:
        len(_stand_in(cls, "__len__", -1))
    except ValueError as problem:
        fits = frame.session.emit(operator.ge, (x, 0))
        raise_unless(frame, fits, ValueError, str(problem))


def check_no_result(frame: Frame, x: Abstract) -> None:
    """Raise what Python raises of an `__init__` that returns something."""
    if x is None:
        return
    cls = python_type(frame, x)
    raise fails(frame, TypeError(f"__init__() should return None, not '{cls.__name__}'"))


def check_iterator(frame: Frame, x: Abstract, made: Abstract) -> None:
    """Raise what Python raises of an `__iter__` that returns what is no iterator."""
    if isinstance(x, RecordObj) and is_written(x.cls):
        return
    is_object = isinstance(made, RecordObj) and method_of(frame, made, "__next__") is None
    is_value = isinstance(made, Value) and isinstance(made.type, ArrayType | NumberType)
    if is_object or is_value or isinstance(made, _NO_ITERATORS) or is_static(made):
        cls = python_type(frame, made)
        raise fails(frame, TypeError(f"iter() returned non-iterator of type '{cls.__name__}'"))


_NO_ITERATORS = (ListObj, DictObj, SetObj, View, Range, tuple)

__all__ = ["CALLED", "asked", "check_iterator", "check_no_result"]

"""Attributes: of arrays, numbers, modules, records and the user's own objects."""

from __future__ import annotations

import enum
import functools
import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.dispatch import call
from srcad.frontend.frame import Frame, attribute_of_module, check_conflict, fixed
from srcad.frontend.objects import (
    Abstract,
    Bound,
    DictObj,
    ListObj,
    Method,
    Partial,
    RecordObj,
    Ref,
    ShapeTuple,
    describe,
)
from srcad.frontend.signature import request_of
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType


def attribute(frame: Frame, owner: Abstract, name: str) -> Abstract:
    """`owner.name`."""
    match owner:
        case Value():
            return _of_value(frame, owner, name)
        case RecordObj():
            return _of_record(frame, owner, name)
        case Ref():
            return _of_reference(frame, owner, name)
        case ListObj() | DictObj():
            return Method(owner, name)
        case tuple() | str() | int() | float() | complex() | range() | np.generic() | np.dtype():
            found = getattr(owner, name, None)
            if found is not None:
                return Method(owner, name) if callable(found) else found
    raise missing(name, owner)


def missing(name: str, owner: Abstract) -> Exception:
    """The error for an attribute that is not there or not known."""
    if isinstance(owner, Ref) and isinstance(
        owner.obj, np.random.Generator | np.random.RandomState
    ):
        fix = "draw random numbers outside and pass them as an argument"
        raise error("E121", None, what=f"method `{name}` of a random generator", fix=fix)
    return error("E121", None, what=f"attribute `{name}` of {describe(owner)}")


# Arrays and numbers ------------------------------------------------------------------------------


def shape(frame: Frame, x: Value) -> Abstract:
    """`x.shape`: constants where extents are known, which a test may branch on."""
    assert isinstance(x.type, ArrayType)
    if x.type.shape is None:
        raise error("E123", None, what=f"the number of axes of `{x.name or 'an array'}`")
    if all(isinstance(e, int) for e in x.type.shape):
        return x.type.shape
    whole = frame.session.emit_shape(x)
    extents = tuple(
        e if isinstance(e, int) else frame.session.emit(operator.getitem, (whole, i))
        for i, e in enumerate(x.type.shape)
    )
    return ShapeTuple(extents, x)


def _ndim(frame: Frame, x: Value) -> int:
    assert isinstance(x.type, ArrayType)
    if x.type.shape is None:
        raise error("E123", None, what=f"the number of axes of `{x.name or 'an array'}`")
    return len(x.type.shape)


_ARRAY_ATTRIBUTES: dict[str, Callable[[Frame, Value], Abstract]] = {
    "shape": shape,
    "ndim": _ndim,
    "size": lambda frame, x: frame.session.emit(np.size, (x,)),
    "dtype": lambda frame, x: x.type.dtype,  # type: ignore[union-attr]
    "T": lambda frame, x: x if _ndim(frame, x) < 2 else frame.session.emit(np.transpose, (x,)),
    "mT": lambda frame, x: frame.session.emit(np.swapaxes, (x, -1, -2)),
    "real": lambda frame, x: frame.session.emit(np.real, (x,)),
    "imag": lambda frame, x: frame.session.emit(np.imag, (x,)),
    "itemsize": lambda frame, x: x.type.dtype.itemsize,  # type: ignore[union-attr]
}


def _of_value(frame: Frame, x: Value, name: str) -> Abstract:
    if isinstance(x.type, ArrayType):
        if name in _ARRAY_ATTRIBUTES:
            return _ARRAY_ATTRIBUTES[name](frame, x)
        if callable(getattr(np.ndarray, name, None)):
            return Method(x, name)
    elif isinstance(x.type, NumberType):
        if name in ("real", "imag"):
            if x.type.kind is complex:
                return frame.session.emit(float, (frame.session.emit(getattr(np, name), (x,)),))
            return x if name == "real" else x.type.kind(0)
        if callable(getattr(x.type.kind, name, None)):
            return Method(x, name)
    elif hasattr(str, name):
        return Method(x, name)
    raise missing(name, x)


# Objects -----------------------------------------------------------------------------------------


def _of_record(frame: Frame, x: RecordObj, name: str) -> Abstract:
    if name in x.fields:
        return check_conflict(x.fields[name])
    if name == "_fields" and hasattr(x.cls, "_fields"):
        return x.cls._fields
    if name in ("_replace", "_asdict"):
        return Method(x, name)
    return _of_class(frame, x, x.cls, name)


def _of_reference(frame: Frame, x: Ref, name: str) -> Abstract:
    """An attribute of a module, a class or an object of the user's, read through its path."""
    obj = x.obj
    if isinstance(obj, types.ModuleType):
        return attribute_of_module(frame.session, x, name)
    if not x.path:
        if not hasattr(obj, name):
            raise missing(name, x)
        return fixed(getattr(obj, name))
    if name in x.fields:
        return x.fields[name]
    if isinstance(obj, dict | list | str | tuple) and not hasattr(obj, "_fields"):
        return Method(x, name)
    if isinstance(obj, enum.Enum) and name in ("name", "value"):
        return frame.session.inputs.lift(getattr(obj, name), f"{x.path}.{name}", name)
    in_class = inspect.getattr_static(type(obj), name, None)
    own = name in getattr(obj, "__dict__", {}) or isinstance(in_class, types.MemberDescriptorType)
    if isinstance(obj, type):
        found = _of_class_object(frame, x, obj, name)
    elif own:
        found = frame.session.inputs.lift(getattr(obj, name), f"{x.path}.{name}", name)
    else:
        return _of_class(frame, x, type(obj), name)
    x.fields[name] = found
    return found


def _of_class_object(frame: Frame, x: Ref, cls: type, name: str) -> Abstract:
    """An attribute of a class itself."""
    if not hasattr(cls, name):
        raise missing(name, x)
    found = inspect.getattr_static(cls, name)
    if isinstance(found, classmethod) and isinstance(found.__func__, types.FunctionType):
        path = f"{x.path}.{name}.__func__"
        frame.session.inputs.guard(path, "code", (found.__func__, found.__func__.__code__))
        return Bound(Ref(found.__func__, path), x)
    return frame.session.inputs.lift(getattr(cls, name), f"{x.path}.{name}", name)


def _of_class(frame: Frame, x: Abstract, cls: type, name: str) -> Abstract:
    """What the class of an object gives: methods bound to it, properties evaluated."""
    found = inspect.getattr_static(cls, name, None)
    if found is None:
        raise missing(name, x)
    if request_of(found) is not None:  # a method differentiated by a decorator
        return Partial(class_function(frame, x, cls, name, found), (x,), {})
    if isinstance(found, property | functools.cached_property):
        getter = found.fget if isinstance(found, property) else found.func
        return call(frame, class_function(frame, x, cls, name, getter), (x,))
    if isinstance(found, staticmethod):
        return class_function(frame, x, cls, name, found.__func__)
    if isinstance(found, classmethod) and isinstance(found.__func__, types.FunctionType):
        return Bound(class_function(frame, x, cls, name, found.__func__), _class_of(frame, x, cls))
    if isinstance(found, types.FunctionType):
        return Bound(class_function(frame, x, cls, name, found), x)
    if inspect.isroutine(found) or hasattr(type(found), "__get__"):
        raise missing(name, x)
    if isinstance(x, Ref):
        return frame.session.inputs.lift(getattr(x.obj, name), f"{x.path}.{name}", name)
    owner = _class_of(frame, x, cls)
    return frame.session.inputs.lift(found, f"{owner.path}.{name}", name)


def _class_of(frame: Frame, x: Abstract, cls: type) -> Ref:
    path = f"type({x.path})" if x.path else frame.session.inputs.keep(cls)
    return Ref(cls, path)


# How the function is reached from what the class gives.
_ACCESS: dict[type, str] = {
    property: ".fget",
    functools.cached_property: ".func",
    classmethod: ".__func__",
}


def class_function(frame: Frame, x: Abstract, cls: type, name: str, fn: Any) -> Ref:
    """The function behind a class attribute, guarded against replacement and against hiding it."""
    inputs = frame.session.inputs
    owner = _class_of(frame, x, cls)
    path = f"{owner.path}.{name}"
    found = inspect.getattr_static(cls, name)
    path += _ACCESS.get(type(found), "")
    inputs.guard(path, "is", fn)
    if x.path and isinstance(x, Ref) and not name.startswith("__"):
        inputs.guard(f"{name!r} in getattr({x.path}, '__dict__', ())", "equals", False)
    return Ref(fn, path)


__all__ = ["attribute", "class_function", "missing", "shape"]

"""Attributes: of arrays, numbers, modules, records and the user's own objects."""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.frame import Frame, attribute_of_module, fixed
from srcad.frontend.objects import (
    Abstract,
    Bound,
    DictObj,
    ListObj,
    Method,
    RecordObj,
    Ref,
    ShapeTuple,
    describe,
)
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType


def attribute(frame: Frame, owner: Abstract, name: str) -> Abstract:
    """`owner.name`."""
    if isinstance(owner, Value):
        return _of_value(frame, owner, name)
    if isinstance(owner, RecordObj):
        return _of_record(frame, owner, name)
    if isinstance(owner, Ref):
        return _of_reference(frame, owner, name)
    if isinstance(owner, ListObj | DictObj):
        return Method(owner, name)
    if isinstance(owner, tuple | str | int | float | complex | np.generic | range | np.dtype):
        found = getattr(owner, name, None)
        if found is None:
            raise error("E121", None, what=f"attribute `{name}` of {describe(owner)}")
        return Method(owner, name) if callable(found) else found
    raise error("E121", None, what=f"attribute `{name}` of {describe(owner)}")


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


def _ndim(frame: Frame, x: Value) -> Abstract:
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
            return frame.session.emit(getattr(np, name), (x,))
        if callable(getattr(x.type.kind, name, None)):
            return Method(x, name)
    elif hasattr(str, name):
        return Method(x, name)
    raise error("E121", None, what=f"attribute `{name}` of {describe(x)}")


def _of_record(frame: Frame, x: RecordObj, name: str) -> Abstract:
    if name in x.fields:
        return x.fields[name]
    if name == "_replace":
        return Method(x, name)
    return _of_class(frame, x, x.cls, name)


def _of_reference(frame: Frame, x: Ref, name: str) -> Abstract:
    """An attribute of a module, a class or an object of the user's, read through its path."""
    obj = x.obj
    if isinstance(obj, types.ModuleType):
        return attribute_of_module(frame.session, x, name)
    if not x.path:
        if not hasattr(obj, name):
            raise error("E121", None, what=f"attribute `{name}` of {describe(x)}")
        return fixed(getattr(obj, name))
    if name in x.fields:
        return x.fields[name]
    if isinstance(obj, dict | list | str) or (isinstance(obj, tuple) and not hasattr(obj, "_fields")):
        return Method(x, name)
    in_class = inspect.getattr_static(type(obj), name, None)
    if isinstance(obj, type) or name in getattr(obj, "__dict__", {}) or _is_slot(in_class):
        if not hasattr(obj, name):
            raise error("E121", None, what=f"attribute `{name}` of {describe(x)}")
        found = frame.session.inputs.lift(getattr(obj, name), f"{x.path}.{name}", name)
        x.fields[name] = found
        return found
    return _of_class(frame, x, type(obj), name)


def _is_slot(found: Any) -> bool:
    return isinstance(found, types.MemberDescriptorType)


def _of_class(frame: Frame, x: Abstract, cls: type, name: str) -> Abstract:
    """What the class of an object gives: methods bound to it, properties evaluated."""
    from srcad.frontend.calls import call

    found = inspect.getattr_static(cls, name, None)
    if found is None:
        raise error("E121", None, what=f"attribute `{name}` of {describe(x)}")
    if isinstance(found, property | functools.cached_property):
        getter = found.fget if isinstance(found, property) else found.func
        return call(frame, _class_function(frame, x, cls, name, getter), (x,), {})
    if isinstance(found, staticmethod):
        return _class_function(frame, x, cls, name, found.__func__)
    if isinstance(found, types.FunctionType):
        return Bound(_class_function(frame, x, cls, name, found), x)
    if isinstance(x, Ref):
        return frame.session.inputs.lift(getattr(x.obj, name), f"{x.path}.{name}", name)
    raise error("E121", None, what=f"attribute `{name}` of {describe(x)}")


_ACCESS = {property: ".fget", staticmethod: ".__func__", functools.cached_property: ".func"}


def _class_function(frame: Frame, x: Abstract, cls: type, name: str, fn: Any) -> Ref:
    """The function behind a class attribute, with a guard against its replacement."""
    inputs = frame.session.inputs
    path = f"type({x.path})" if x.path else inputs.keep(cls)
    owner = next(i for i, c in enumerate(cls.__mro__) if name in c.__dict__)
    found = cls.__mro__[owner].__dict__[name]
    path = f"{path}.__mro__[{owner}].__dict__[{name!r}]"
    inputs.guard(path, "is", found)
    return Ref(fn, path + _ACCESS.get(type(found), ""))


__all__ = ["attribute", "shape"]

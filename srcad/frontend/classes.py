"""Instances made inside the program: of namedtuples, dataclasses and exceptions."""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.attributes import class_function
from srcad.frontend.capture import record_fields
from srcad.frontend.dispatch import Args, Kwargs, call, handles_call
from srcad.frontend.expressions import shown
from srcad.frontend.frame import Frame
from srcad.frontend.objects import (
    Abstract,
    DictObj,
    ListObj,
    Raised,
    RecordObj,
    Ref,
    describe,
    is_static,
)


def construct(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs) -> Abstract:
    """`cls(*args, **kwargs)`."""
    cls = callee.obj
    if issubclass(cls, BaseException):
        return Raised(cls, tuple(map(shown, args)))
    if cls is slice:
        return slice(*args)
    if issubclass(cls, np.generic):
        return cls(*args) if all(map(is_static, args)) else frame.session.emit(cls, args, kwargs)
    if hasattr(cls, "_fields") and cls.__new__.__module__.startswith("namedtuple"):
        return _record(frame, callee, args, kwargs)
    if _is_plain_dataclass(cls):
        record = _record(frame, callee, args, kwargs)
        after = inspect.getattr_static(cls, "__post_init__", None)
        if isinstance(after, types.FunctionType):
            call(frame, class_function(frame, record, cls, "__post_init__", after), (record,))
        return record
    raise error("E120", None, what=f"the class `{cls.__name__}`")


def _is_plain_dataclass(cls: type) -> bool:
    """Whether `cls` is a dataclass whose `__init__` is the one made for it."""
    code = getattr(getattr(cls, "__init__", None), "__code__", None)
    return dataclasses.is_dataclass(cls) and code is not None and code.co_filename == "<string>"


def _record(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs) -> RecordObj:
    cls = callee.obj
    signature = inspect.signature(cls)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"`{cls.__name__}` ({reason})") from None
    path = callee.path or frame.session.inputs.keep(cls)
    fields: dict[str, Abstract] = {}
    for name in record_fields(cls):
        if name in bound.arguments:
            fields[name] = bound.arguments[name]
        else:
            fields[name] = _default(frame, cls, path, name)
    return RecordObj(cls, fields)


def _default(frame: Frame, cls: Any, path: str, name: str) -> Abstract:
    """The default of a field: a constant of the class, or a new container."""
    inputs = frame.session.inputs
    if hasattr(cls, "_fields"):
        return inputs.lift(cls._field_defaults[name], f"{path}._field_defaults[{name!r}]", name)
    field = next(f for f in dataclasses.fields(cls) if f.name == name)
    if field.default is not dataclasses.MISSING:
        where = f"{path}.__dataclass_fields__[{name!r}].default"
        return inputs.lift(field.default, where, name)
    if field.default_factory is list:
        return ListObj([])
    if field.default_factory is dict:
        return DictObj({})
    if field.default_factory is not dataclasses.MISSING:
        where = f"{path}.__dataclass_fields__[{name!r}].default_factory"
        return call(frame, inputs.lift(field.default_factory, where, name), ())
    raise error("E120", None, what=f"the class `{cls.__name__}` (field `{name}`)")


@handles_call(RecordObj)
def _call_record(
    frame: Frame, callee: RecordObj, args: Args, kwargs: Kwargs, node: Any
) -> Abstract:
    """`record(*args)` of a class with `__call__`."""
    method = inspect.getattr_static(callee.cls, "__call__", None)
    if not isinstance(method, types.FunctionType):
        raise error("E120", None, what=describe(callee))
    fn = class_function(frame, callee, callee.cls, "__call__", method)
    return call(frame, fn, (callee, *args), kwargs, node)


__all__ = ["construct"]

"""Questions about types, which are known while compiling: `np.ndim(x)`, `np.finfo(x.dtype)`."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import numbers
import types
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.closures import Bound, FunctionObj
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj
from srcad.frontend.abstract.frame import Frame, fixed
from srcad.frontend.abstract.iterators import Iterator
from srcad.frontend.abstract.objects import Abstract, Ref, describe, is_static
from srcad.frontend.expressions.inner_signatures import signature_of_inner
from srcad.frontend.kinds import record_fields
from srcad.frontend.objects.attributes import shape
from srcad.frontend.objects.class_functions import check_end, field_of
from srcad.frontend.python_types import python_type
from srcad.frontend.reading.declarations import import_module
from srcad.frontend.reading.known_signatures import record_of_signature
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, SeqType, TupleType, dtype_of, rank_of
from srcad.runtime.records import is_dataclass, record


def _ndim(frame: Frame, x: Abstract) -> Abstract:
    if is_static(x):
        return np.ndim(x)
    rank = rank_of(x.type) if isinstance(x, Value) else None
    return frame.session.emit(np.ndim, (x,)) if rank is None else rank


def _shape(frame: Frame, x: Abstract) -> Abstract:
    if isinstance(x, Value) and isinstance(x.type, ArrayType) and x.type.shape is not None:
        return shape(frame, x)
    if is_static(x):
        return np.shape(x)
    return () if isinstance(x, Value) else frame.session.emit(np.shape, (x,))


def _is_scalar(frame: Frame, x: Abstract) -> bool:
    if isinstance(x, Value):
        return isinstance(x.type, NumberType) or (isinstance(x.type, ArrayType) and x.type.scalar)
    if is_static(x):
        return np.isscalar(x)
    if isinstance(x, Ref):
        return np.isscalar(x.obj)
    return issubclass(python_type(frame, x), numbers.Number)


def _is_complex(frame: Frame, x: Abstract) -> bool:
    return np.iscomplexobj(np.empty(0, _dtype(frame, x)))


def _is_real(frame: Frame, x: Abstract) -> bool:
    return not _is_complex(frame, x)


def _dtype(frame: Frame, x: Abstract) -> Any:
    """The dtype of a value, or the dtype that an argument means."""
    if not isinstance(x, Value):
        return frame.session.raw(x)
    dtype = dtype_of(x.type)
    if dtype is None or not frame.session.is_certain(x):
        raise error("E123", None, what="this dtype")
    return dtype


def _of_dtypes(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    """A function of dtypes, evaluated now."""

    def handler(frame: Frame, /, *args: Abstract) -> Abstract:
        found = fn(*(_dtype(frame, x) for x in args))
        return fixed(found)

    return handler


def _limits(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    """`np.finfo` or `np.iinfo` of a dtype."""

    def handler(frame: Frame, dtype: Abstract) -> Abstract:
        return fixed(fn(_dtype(frame, dtype)))

    return handler


def _result_type(frame: Frame, /, *args: Abstract) -> Abstract:
    numbers = [
        x.type.kind(0)
        if isinstance(x, Value) and isinstance(x.type, NumberType)
        else _dtype(frame, x)
        for x in args
    ]
    return np.result_type(*numbers)


def _common_type(frame: Frame, /, *args: Abstract) -> Abstract:
    return Ref(np.common_type(*(np.empty(0, _dtype(frame, x)) for x in args)), "")


def _min_scalar_type(frame: Frame, x: Abstract) -> Abstract:
    if isinstance(x, Value) and rank_of(x.type) != 0:
        return _dtype(frame, x)
    return np.min_scalar_type(frame.session.static(x, "what `min_scalar_type` takes"))


def _is_dtype(frame: Frame, dtype: Abstract, kind: Abstract) -> bool:
    return np.isdtype(np.dtype(_dtype(frame, dtype)), frame.session.raw(kind))


def _iterable(frame: Frame, x: Abstract) -> bool:
    """Whether `iter(x)` works: that of arrays without axes does not."""
    if isinstance(x, Value):
        rank = rank_of(x.type)
        return isinstance(x.type, TupleType | SeqType) or (rank is not None and rank > 0)
    if isinstance(x, RecordObj):
        return x.is_tuple
    return not is_static(x) or np.iterable(x)


def _indices(frame: Frame, *shape: Abstract) -> Abstract:
    """`np.ndindex(2, 3)`: the indices of a shape that is known."""
    known = frame.session.static(shape, "the shape in `ndindex`")
    return Iterator(tuple(np.ndindex(*known)))


def _signature(frame: Frame, fn: Abstract) -> RecordObj:
    """`inspect.signature(f)` of a Python function: its parameters, by name."""
    own = signature_of_inner(fn) if isinstance(fn, FunctionObj) else None
    return record_of_signature(own or inspect.signature(_described(frame, fn, "signature")))


def _full_arguments(frame: Frame, fn: Abstract) -> Abstract:
    """`inspect.getfullargspec(f)` of a Python function."""
    fn = fn.fn if isinstance(fn, Bound) else fn  # it names `self`, too
    found = inspect.getfullargspec(_described(frame, fn, "getfullargspec"))
    lists = {name: ListObj(list(getattr(found, name))) for name in ("args", "kwonlyargs")}
    others = {name: fixed(getattr(found, name)) for name in found._fields if name not in lists}
    return RecordObj(type(found), {name: {**lists, **others}[name] for name in found._fields})


def _described(frame: Frame, fn: Abstract, name: str) -> types.FunctionType:
    """A Python function of which the program asks for the parameters, as it is now."""
    if not isinstance(fn, Ref) or not isinstance(fn.obj, types.FunctionType):
        raise error("E120", None, what=f"`inspect.{name}` of {describe(fn)}")
    if fn.path:
        frame.session.inputs.guard(fn.path, "is", fn.obj)
        frame.session.inputs.guard(f"{fn.path}.__code__", "is", fn.obj.__code__)
    return fn.obj


def _method(frame: Frame, function: Abstract, instance: Abstract, /) -> Bound:
    """`types.MethodType(f, obj)` of a Python function."""
    is_function = isinstance(function, FunctionObj) or (
        isinstance(function, Ref) and isinstance(function.obj, types.FunctionType)
    )
    if not is_function or instance is None:
        raise error("E120", None, what=f"a method made of {describe(function)}")
    return Bound(function, instance)


def _type_arguments(frame: Frame, tp: Abstract) -> Abstract:
    """`typing.get_args(float | None)`."""
    return tuple(fixed(each) for each in typing.get_args(frame.session.raw(tp)))


def _cast_for_checkers(frame: Frame, typ: Abstract, val: Abstract) -> Abstract:
    return val


# Records -----------------------------------------------------------------------------------------


def _replace(frame: Frame, x: Abstract, /, **changes: Abstract) -> Abstract:
    fields = _fields(x)
    unknown = set(changes) - set(fields)
    if unknown:
        raise error("E135", None, what=f"field {min(unknown)!r}")
    if hasattr(x.cls, "__post_init__"):
        raise error("E120", None, what="`dataclasses.replace` of a class with `__post_init__`")
    check_end(x.cls)
    return RecordObj(x.cls, {**fields, **changes})


def _record(frame: Frame, cls: Abstract, /, **fields: Abstract) -> Abstract:
    """`record(cls, **fields)`, as `srcad.flatten` writes it: `__init__` is not called."""
    if not isinstance(cls, Ref) or not isinstance(cls.obj, type):
        raise error("E132", None, what="`record`")
    if cls.path:
        frame.session.inputs.class_paths.setdefault(cls.obj, cls.path)
    return RecordObj(cls.obj, fields)


def _as_dict(frame: Frame, x: Abstract) -> Abstract:
    fields = _fields(x)
    if not all(isinstance(item, Value) or is_static(item) for item in fields.values()):
        raise error("E120", None, what="`dataclasses.asdict` of a dataclass with containers")
    return DictObj(fields)


def _as_tuple(frame: Frame, x: Abstract) -> Abstract:
    return tuple(_as_dict(frame, x).items.values())


def _fields(x: Abstract) -> dict[str, Abstract]:
    if not isinstance(x, RecordObj) or not is_dataclass(x.cls):
        raise error("E132", None, what="a function of `dataclasses`")
    return {name: field_of(x, name) for name in record_fields(x.cls)}


TYPE_CALLS: dict[Any, Callable[..., Abstract]] = {
    np.ndim: _ndim,
    np.shape: _shape,
    np.isscalar: _is_scalar,
    np.iscomplexobj: _is_complex,
    np.isrealobj: _is_real,
    np.issubdtype: _of_dtypes(np.issubdtype),
    np.dtype: _of_dtypes(np.dtype),
    np.datetime_data: lambda frame, dtype: np.datetime_data(_dtype(frame, dtype)),
    np.finfo: _limits(np.finfo),
    np.iinfo: _limits(np.iinfo),
    np.can_cast: _of_dtypes(np.can_cast),
    np.promote_types: _of_dtypes(np.promote_types),
    np.result_type: _result_type,
    np.common_type: _common_type,
    np.min_scalar_type: _min_scalar_type,
    np.isdtype: _is_dtype,
    np.iterable: _iterable,
    np.ndindex: _indices,
    inspect.signature: _signature,
    inspect.getfullargspec: _full_arguments,
    importlib.import_module: import_module,
    types.MethodType: _method,
    typing.get_args: _type_arguments,
    typing.cast: _cast_for_checkers,
    record: _record,
    dataclasses.replace: _replace,
    dataclasses.asdict: _as_dict,
    dataclasses.astuple: _as_tuple,
}

"""Instances made inside the program: of namedtuples, dataclasses, exceptions and plain classes.

class Net:
    def __init__(self, w):          net = Net(w)     a record of class `Net`, its `__init__` read
        self.w = w                                   in place: the record has the field `w`
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import inspect
import operator
import sys
import types
from typing import Any, Generic, Protocol

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.containers.containers import (
    ITEMS,
    DictObj,
    Initialiser,
    ListObj,
    RecordObj,
)
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import (
    Abstract,
    Raised,
    Ref,
    describe,
    is_local_class,
    is_static,
)
from srcad.frontend.dispatch import Args, Kwargs, call, handles_call
from srcad.frontend.expressions.missing import fails
from srcad.frontend.expressions.texts import shown
from srcad.frontend.kinds import has_attributes_beside, is_read, is_trusted, record_fields
from srcad.frontend.objects.array_classes import check_array_class
from srcad.frontend.objects.class_functions import (
    check_class,
    check_end,
    class_function,
    definer,
    find,
    function_behind,
    gives,
    is_generated,
    is_written,
)
from srcad.frontend.objects.members import method_of
from srcad.frontend.objects.protocols import check_no_result
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of, rank_of
from srcad.rules import RULES
from srcad.runtime.records import is_dataclass, is_written_in_c


def construct(frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any = None) -> Abstract:
    """`cls(*args, **kwargs)`."""
    cls = callee.obj
    if issubclass(cls, BaseException):
        return Raised(cls, tuple(shown(frame, x) for x in args))
    if cls is slice:
        return slice(*args)
    if issubclass(cls, np.datetime64 | np.timedelta64):
        return _time(frame, cls, args, kwargs)
    if issubclass(cls, np.generic):
        return cls(*args) if all(map(is_static, args)) else _scalar(frame, cls, args, kwargs)
    if callee.path:
        frame.session.inputs.class_paths.setdefault(cls, callee.path)
    check_end(cls)
    if issubclass(cls, tuple) and (cls.__new__.__module__ or "").startswith("namedtuple"):
        return RecordObj(cls, _given(frame, cls, args, kwargs)[0])
    if has_attributes_beside(cls):
        made = RecordObj(cls, {})
        initialise(frame, made, find(cls, "__init__"), args, kwargs, node)
        return made
    meta = find(type(cls), "__call__")
    is_own = meta is not None and isinstance(meta[1], types.FunctionType)
    if meta is not None and is_own and not (is_local_class(cls) or issubclass(cls, enum.Enum)):
        made_by = class_function(frame, Ref(meta[0], ""), meta[0], "__call__", meta[1])
        return call(frame, made_by, (callee, *args), kwargs)
    return construct_plainly(frame, callee, args, kwargs, node)


def construct_plainly(
    frame: Frame, callee: Ref, args: Args, kwargs: Kwargs, node: Any = None
) -> Abstract:
    """`type.__call__(cls, *args, **kwargs)`: what a metaclass leaves to Python."""
    cls = callee.obj
    if cls is types.SimpleNamespace and not args:
        return RecordObj(cls, dict(kwargs))
    if issubclass(cls, enum.Enum) and len(args) == 1 and not kwargs:
        return _member(frame, cls, args[0])
    _check_plain(cls)
    new = _own_new(cls)
    if new is None:
        record: Abstract = _new_record(cls)
        frame.session.homes[record] = frame.session.builder.body
    else:
        record = call(frame, _function_of(frame, cls, "__new__", *new), (callee, *args), kwargs)
        if not isinstance(record, RecordObj) or not issubclass(record.cls, cls):
            return record  # which is left as it is
        cls = record.cls
        if find(cls, "__init__") == (object, object.__init__):
            return record  # which takes what `__new__` takes
    initialise(frame, record, find(cls, "__init__"), args, kwargs, node)
    return record


def _new_record(cls: type) -> RecordObj:
    return RecordObj(cls, {ITEMS: DictObj({})} if issubclass(cls, dict) else {})


def _own_new(cls: type) -> tuple[type, Any] | None:
    """The user's `__new__` of a class that has nothing of C's behind it, with its home."""
    known = find(cls, "__new__")
    fn = getattr(known[1], "__func__", None) if known is not None else None
    is_own = isinstance(fn, types.FunctionType | FunctionObj)
    return (known[0], fn) if known is not None and is_own else None


def _function_of(frame: Frame, cls: type, name: str, home: type, fn: Any) -> Abstract:
    if is_local_class(home):
        return fn
    return class_function(frame, Ref(home, ""), home, name, fn)


def _member(frame: Frame, cls: type[enum.Enum], value: Abstract) -> Ref:
    """`Mode("fast")`: the member of an enumeration that has this value."""
    if isinstance(value, Ref) and isinstance(value.obj, cls):
        return value
    own = find(cls, "_missing_")
    if own is not None and own[0].__module__ != "enum":
        raise error("E120", None, what=f"the class `{cls.__name__}`, with `_missing_`,")
    known = frame.session.static(value, f"what `{cls.__name__}` is called with")
    try:
        return Ref(cls(known), "")
    except ValueError as problem:
        raise fails(frame, problem) from None


def _time(frame: Frame, cls: type[np.generic], args: Args, kwargs: Kwargs) -> Abstract:
    """`np.timedelta64(1, "h")`: a constant; of a date or of a time, a cast."""
    first = args[0] if args else None
    dtype = dtype_of(first.type) if isinstance(first, Value) else None
    if isinstance(first, Value) and dtype is not None and dtype.kind in "mM":
        unit = frame.session.static(args[1], "a unit") if len(args) > 1 else None
        kind = np.dtype(cls)
        wanted = dtype if unit is None else np.dtype(f"{kind.char}8[{unit}]")
        if dtype.kind == kind.kind and rank_of(first.type) == 0:
            return first if wanted == dtype else frame.session.emit(np.astype, (first, wanted))
    known = [frame.session.static(x, f"what `np.{cls.__name__}` is given") for x in args]
    if known and known[0] in ("now", "today"):
        fix = "pass the date as an argument"
        raise error("E120", None, what=f"`np.{cls.__name__}({known[0]!r})`", fix=fix)
    named = {k: frame.session.static(x, f"`{k}=`") for k, x in kwargs.items()}
    try:
        return cls(*known, **named)
    except (TypeError, ValueError) as problem:
        raise fails(frame, problem) from None


def _scalar(frame: Frame, cls: type[np.generic], args: Args, kwargs: Kwargs) -> Abstract:
    """`np.float32(x)`: a cast, written as one for the types without a rule of their own."""
    emit = frame.session.emit
    if cls in RULES or not issubclass(cls, np.inexact) or len(args) != 1:
        return emit(cls, args, kwargs)
    array = emit(np.astype, (emit(np.asarray, args), np.dtype(cls)))
    return emit(operator.getitem, (array, ())) if rank_of(array.type) == 0 else array


def _check_plain(cls: type) -> None:
    """Refuse classes whose instances are not plain objects that `__init__` fills."""
    new = find(cls, "__new__")
    why = None
    if is_local_class(cls) and definer(type(cls), "__call__") is not type:
        why = "a metaclass that has `__call__`"
    elif new is not None and new[0] not in (object, Generic, Protocol) and _own_new(cls) is None:
        why = "`__new__`"
    elif any(map(_is_builtin, cls.__mro__)):
        why = "a builtin class behind it"
    if why is not None:
        raise error("E120", None, what=f"the class `{cls.__name__}`, with {why},")
    check_class(cls)
    if issubclass(cls, np.ndarray):
        check_array_class(cls)
    if getattr(cls, "__abstractmethods__", None):
        raise error("E131", None, what=f"`{cls.__name__}`, which is abstract")


def _is_builtin(cls: type) -> bool:
    """Whether a class is written in C, or belongs to a library that is never looked into."""
    if cls in (object, dict, np.ndarray, Generic, Protocol, abc.ABC) or is_local_class(cls):
        return False
    if is_written(cls):
        return False
    home = _home(cls)
    root = sys.modules.get(home.partition(".")[0])
    return is_written_in_c(cls) or (is_trusted(root) and not is_read(home))


def _home(cls: type) -> str:
    """The module whose text a class is; it may say that it is of another."""
    own = (fn for fn in vars(cls).values() if isinstance(fn, types.FunctionType))
    return next((str(fn.__globals__.get("__name__")) for fn in own), cls.__module__)


def initialise(
    frame: Frame,
    record: RecordObj,
    known: tuple[type, Any] | None,
    args: Args,
    kwargs: Kwargs,
    node: Any = None,
) -> None:
    """`record.__init__(*args, **kwargs)`, found where `known` says."""
    home, init = known or (object, None)
    if home is object:
        if args or kwargs:
            raise error("E131", None, what=f"`{record.cls.__name__}`, which takes no arguments")
    elif is_generated(init):
        fields, init_only = _given(frame, home, args, kwargs)
        record.fields.update(fields)
        after = method_of(frame, record, "__post_init__")
        if after is not None:
            call(frame, after, init_only, {}, node)
    elif isinstance(init, types.FunctionType | FunctionObj):
        fn = function_behind(frame, record, record.cls, "__init__", home, init)
        check_no_result(frame, call(frame, fn, (record, *args), kwargs, node))
    else:
        raise error("E120", None, what=f"the class `{record.cls.__name__}`")


def _given(
    frame: Frame, cls: Any, args: Args, kwargs: Kwargs
) -> tuple[dict[str, Abstract], tuple[Abstract, ...]]:
    """The fields of a new namedtuple or dataclass; what only `__post_init__` gets."""
    try:
        bound = inspect.signature(cls).bind(*args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"`{cls.__name__}` ({reason})") from None
    known = bound.arguments

    def value(name: str) -> Abstract:
        return known[name] if name in known else _default(frame, cls, name)

    fields: dict[str, Abstract] = {}
    for name in getattr(cls, "_fields", None) or record_fields(cls):
        _, own = find(cls, name) or (None, None)
        is_slot = issubclass(cls, tuple) or isinstance(own, types.MemberDescriptorType)
        is_local = isinstance(own, RecordObj) and gives(own, "__get__")
        if not is_slot and (is_local or gives(own, "__set__")):
            what = f"the class `{cls.__name__}` (property or descriptor `{name}`)"
            raise error("E120", None, what=what)
        fields[name] = value(name)
    if has_attributes_beside(cls):
        fields.update(known.get("extra_fields", {}))
        if missing := [name for name in record_fields(cls) if name not in fields]:
            raise error("E131", None, what=f"`{cls.__name__}` (no value for `{missing[0]}`)")
    stated = cls.__dataclass_fields__ if is_dataclass(cls) else ()
    taken = bound.signature.parameters
    init_only = tuple(value(each) for each in stated if each in taken and each not in fields)
    return fields, init_only


def _default(frame: Frame, cls: Any, name: str) -> Abstract:
    """The default of a field: a constant of the class, or a new container."""
    inputs = frame.session.inputs
    path = inputs.path_of(cls)
    if issubclass(cls, tuple):
        default = cls._field_defaults[name]
        if is_local_class(cls):
            return default
        return inputs.lift(default, f"{path}._field_defaults[{name!r}]", name)
    field = cls.__dataclass_fields__[name]
    local = _is_stated_here(cls, name)
    where = f"{path}.__dataclass_fields__[{name!r}]"
    if field.default is not dataclasses.MISSING:
        return field.default if local else inputs.lift(field.default, f"{where}.default", name)
    if field.default_factory is list:
        return ListObj([])
    if field.default_factory is dict:
        return DictObj({})
    if field.default_factory is not dataclasses.MISSING:
        factory: Abstract = field.default_factory
        if not local:
            factory = inputs.lift(factory, f"{where}.default_factory", name)
        return call(frame, factory, ())
    raise error("E120", None, what=f"the class `{cls.__name__}` (field `{name}`)")


def _is_stated_here(cls: type, name: str) -> bool:
    """Whether the dataclass that states a field is one made inside the program."""
    stated = [each for each in cls.__mro__ if name in vars(each).get("__annotations__", ())]
    return bool(stated) and is_local_class(stated[0])


@handles_call(Initialiser)
def _call_initialiser(
    frame: Frame, callee: Initialiser, args: Args, kwargs: Kwargs, node: Any
) -> None:
    """`super().__init__(*args)` of a class behind which a dataclass stands."""
    initialise(frame, callee.receiver, (callee.home, callee.made), args, kwargs, node)


@handles_call(RecordObj)
def _call_record(
    frame: Frame, callee: RecordObj, args: Args, kwargs: Kwargs, node: Any
) -> Abstract:
    """`record(*args)` of a class with `__call__`."""
    method = method_of(frame, callee, "__call__")
    if method is None:
        raise error("E120", None, what=describe(callee))
    return call(frame, method, args, kwargs, node)


__all__ = ["construct", "construct_plainly", "initialise"]

"""What objects, classes and `super()` give under a name: attributes, methods, properties.

net.w           what the program has set, else what the caller's object holds
net.norm        a function of the class, bound to the object
net.energy      a property: its getter is read in place
"""

from __future__ import annotations

import enum
import functools
import inspect
import types
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.errors.misspelt import did_you_mean
from srcad.frontend.abstract.closures import Bound, FunctionObj
from srcad.frontend.abstract.containers.containers import (
    ITEMS,
    Initialiser,
    RecordObj,
    holds_itself,
    is_array_record,
    is_dict_record,
)
from srcad.frontend.abstract.frame import Frame, attribute_of_module, check_conflict, fixed
from srcad.frontend.abstract.objects import (
    UNBOUND,
    Abstract,
    Closed,
    Instance,
    Method,
    Partial,
    Ref,
    Super,
    describe,
    is_local_class,
)
from srcad.frontend.abstract.unassigned import check_attribute
from srcad.frontend.dispatch import call
from srcad.frontend.kinds import path_of_attribute
from srcad.frontend.known_objects import is_known
from srcad.frontend.objects.array_classes import made_anew, of_array, special_method
from srcad.frontend.objects.cached import cached, check_one
from srcad.frontend.objects.class_functions import (
    check_class,
    check_package,
    class_function,
    class_of,
    definer,
    find,
    function_behind,
    is_generated,
    read_in_place,
)
from srcad.frontend.written.dicts import Dict
from srcad.ir.marks import request_of
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType
from srcad.rules import RULES

# Texts that functions are known by.
_OF_FUNCTIONS = ("__name__", "__qualname__", "__module__", "__doc__")


def missing(name: str, owner: Abstract) -> Exception:
    """The error for an attribute that is not there or not known."""
    is_array = isinstance(owner, Value) and isinstance(owner.type, ArrayType)
    notes = did_you_mean(name, dir(np.ndarray)) if is_array else ()
    return error("E121", None, what=f"attribute `{name}` of {describe(owner)}", notes=notes)


def of_record(frame: Frame, x: RecordObj, name: str) -> Abstract:
    """An attribute of an object made inside the program."""
    if name in x.fields:
        return _set_here(frame, x, name)
    if holds_itself(x) and name in x.fields[ITEMS].items:
        return x.fields[ITEMS].items[name]
    if x.is_result and name not in vars(dict):
        fix = f"read one of {', '.join(x.fields)}; of the solution, compute it yourself"
        raise error("E121", None, what=f"`{name}` of {describe(x)}", fix=fix)
    if name == "_fields" and x.is_tuple:
        return x.cls._fields  # type: ignore[attr-defined]  # a namedtuple, not any class
    if name in ("_replace", "_asdict") and x.is_tuple:
        return Method(x, name)
    return _of_class(frame, x, x.cls, name)


def _set_here(frame: Frame, x: RecordObj | Instance, name: str) -> Abstract:
    """An attribute that the program has set."""
    if x.fields[name] is UNBOUND:
        check_one(x, name, python_class(x))
        raise missing(name, x)
    if x.uneven:
        check_one(x, name, python_class(x))
        found = check_attribute(frame.session, x.fields[name], name, python_class(x))
        return check_conflict(found)
    return check_conflict(x.fields[name])


def of_reference(frame: Frame, x: Ref, name: str) -> Abstract:
    """An attribute of a module, a class or an object of the user's, read through its path."""
    obj = x.obj
    if isinstance(obj, types.ModuleType):
        return attribute_of_module(frame.session, x, name)
    if isinstance(obj, type) and name in ("__name__", "__qualname__", "__module__"):
        return getattr(obj, name)
    if isinstance(obj, type) and name == "__mro__":
        path_of = frame.session.inputs.path_of
        return tuple(Ref(each, path_of(each)) for each in obj.__mro__)
    if isinstance(obj, types.FunctionType) and name in _OF_FUNCTIONS:
        if x.path:
            frame.session.inputs.guard(f"{x.path}.{name}", "equals", getattr(obj, name))
        return getattr(obj, name)
    if isinstance(obj, type) and is_local_class(obj):
        return _of_class_object(frame, x, obj, name)
    if not x.path or is_known(x):
        if not hasattr(obj, name):
            raise missing(name, x)
        return fixed(getattr(obj, name))
    if isinstance(obj, np.ufunc) and hasattr(obj, name):
        frame.session.inputs.guard(x.path, "is", obj)
        return fixed(getattr(obj, name))
    if name in x.fields:
        return _set_here(frame, x, name) if isinstance(x, Instance) else x.fields[name]
    if isinstance(obj, dict | list | str | tuple) and not hasattr(obj, "_fields"):
        return Method(x, name)
    if isinstance(obj, enum.Enum) and name in ("name", "value"):
        return frame.session.inputs.lift(getattr(obj, name), f"{x.path}.{name}", name)
    in_class = inspect.getattr_static(type(obj), name, None)
    own = name in getattr(obj, "__dict__", {}) or isinstance(in_class, types.MemberDescriptorType)
    if isinstance(obj, type):
        found = _of_class_object(frame, x, obj, name)
    elif own and not isinstance(in_class, property) and hasattr(obj, name):
        check_class(type(obj))
        path = path_of_attribute(obj, x.path, name)
        found = frame.session.inputs.lift(getattr(obj, name), path, name)
    elif isinstance(in_class, types.FunctionType) and getattr(obj, name) in RULES:
        # A method that has a rule as the method of this very object: `scipy.stats.norm.logpdf`.
        frame.session.inputs.guard(x.path, "is", obj)
        return fixed(getattr(obj, name))
    else:
        return _of_class(frame, x, type(obj), name)
    if not isinstance(x, Instance):
        x.fields[name] = found
    return found


def _of_class_object(frame: Frame, x: Ref, cls: type, name: str) -> Abstract:
    """An attribute of a class itself."""
    check_class(type(cls))
    known = find(cls, name)
    own = find(type(cls), name)  # a property of the metaclass comes before what the class has
    if known is None or (own is not None and hasattr(type(own[1]), "__set__")):
        raise missing(name, x)
    home, found = known
    if is_local_class(home):
        behind: Any = getattr(found, "__func__", None)
        if isinstance(found, classmethod):
            return Bound(behind, x)
        if isinstance(found, staticmethod):
            return behind
        getter = method_of_descriptor(frame, known, name, "__get__")
        if getter is not None:
            return call(frame, getter, (None, x))
        found = check_attribute(frame.session, found, name, cls, of_class=True)
        return check_conflict(found)
    receiver, x = x, Ref(home, frame.session.inputs.path_of(home)) if is_local_class(cls) else x
    if isinstance(found, classmethod) and isinstance(found.__func__, types.FunctionType):
        path = f"{x.path}.{name}.__func__"
        frame.session.inputs.guard(path, "code", (found.__func__, found.__func__.__code__))
        return Bound(Ref(found.__func__, path), receiver)
    return frame.session.inputs.lift(getattr(x.obj, name), f"{x.path}.{name}", name)


def _of_class(
    frame: Frame, x: Abstract, cls: type, name: str, known: tuple[type, Any] | None = None
) -> Abstract:
    """What the class of an object gives: methods bound to it, properties evaluated.

    `known`: where it was found, if that is not the first place.
    """
    check_class(cls)
    check_package(x)
    known = known or find(cls, name)
    if known is not None and known[0] is np.ndarray and isinstance(x, RecordObj):
        return of_array(frame, x, name)
    if name == "__class__":
        return class_of(frame, x, cls)
    if known is None:
        return _by_getattr(frame, x, cls, name)
    home, found = known
    if home is Dict and not is_dict_record(x):
        raise missing(name, x)
    if request_of(found) is not None:  # a method differentiated by a decorator
        return Partial(class_function(frame, x, cls, name, found), (x,), {})
    if isinstance(found, functools.cached_property):
        return cached(frame, x, name, function_behind(frame, x, cls, name, home, found.func))
    if isinstance(found, property):
        if found.fget is None:
            raise missing(name, x)
        return call(frame, function_behind(frame, x, cls, name, home, found.fget), (x,))
    if isinstance(found, staticmethod):
        return function_behind(frame, x, cls, name, home, found.__func__)
    if isinstance(found, classmethod):
        return Bound(
            function_behind(frame, x, cls, name, home, found.__func__), class_of(frame, x, cls)
        )
    if isinstance(found, types.FunctionType | FunctionObj):
        return Bound(function_behind(frame, x, cls, name, home, found), x)
    getter = method_of_descriptor(frame, known, name, "__get__")
    if getter is not None:
        return call(frame, getter, (x, class_of(frame, x, cls)))
    if is_local_class(home):
        found = check_attribute(frame.session, found, name, cls)
        is_method = isinstance(found, Ref) and not isinstance(found.obj, type)
        is_method = is_method and hasattr(type(found.obj), "__get__")
        return Bound(found, x) if is_method else check_conflict(found)
    if inspect.isroutine(found) or hasattr(type(found), "__get__"):
        raise missing(name, x)
    if isinstance(x, Ref) and home is definer(cls, name):
        # What may be changed belongs to the class for every reader; a number is read as an input.
        inputs, owner = frame.session.inputs, x.path
        if isinstance(found, list | dict):
            owner = f"type({x.path})"
            inputs.guard(f"{name!r} in getattr({x.path}, '__dict__', ())", "equals", False)
        return inputs.lift(getattr(x.obj, name), f"{owner}.{name}", name)
    owner = frame.session.inputs.path_of(home)
    return frame.session.inputs.lift(found, f"{owner}.{name}", name)


def method_of_descriptor(
    frame: Frame, known: tuple[type, Any] | None, name: str, method: str
) -> Bound | None:
    """The `__get__` or `__set__` of the user's that an attribute of a class has, found where
    `known` says; None without.
    """
    home, found = known or (object, None)
    if is_local_class(home):
        return method_of(frame, found, method)
    own = find(type(found), method)
    if own is None or not isinstance(own[1], types.FunctionType):
        return None
    inputs = frame.session.inputs
    descriptor = inputs.lift(found, f"{inputs.path_of(home)}.__dict__[{name!r}]", name)
    return method_of(frame, descriptor, method)


def _by_getattr(frame: Frame, x: Abstract, cls: type, name: str) -> Abstract:
    """What a `__getattr__` of the user's gives for a name that is nowhere else, read in place."""
    own = find(cls, "__getattr__")
    if own is None or not isinstance(own[1], types.FunctionType | FunctionObj):
        raise missing(name, x)
    if isinstance(x, Ref) and x.path:  # neither the object nor its class have it in later calls
        static = f"{frame.session.inputs.keep(inspect)}.getattr_static"
        frame.session.inputs.guard(f"{static}({x.path}, {name!r}, None)", "equals", None)
    return call(frame, function_behind(frame, x, cls, "__getattr__", *own), (x, name))


def method_of(frame: Frame, x: Abstract, name: str) -> Bound | None:
    """The method of this name that the class of a user's object has; None if it has none."""
    if not isinstance(x, RecordObj | Ref) or (isinstance(x, Ref) and not x.path):
        return None
    cls = x.cls if isinstance(x, RecordObj) else type(x.obj)
    known = find(cls, name)
    if known is not None:
        check_package(x)
    if (
        isinstance(x, RecordObj)
        and is_array_record(x)
        and (known or (np.ndarray,))[0] is np.ndarray
    ):
        return special_method(frame, x, name)
    if (
        known is None
        or (known[0] is Dict and not is_dict_record(x))
        or not isinstance(known[1], types.FunctionType | FunctionObj)
    ):
        return None
    return Bound(function_behind(frame, x, cls, name, *known), x)


def of_super(frame: Frame, x: Super, name: str) -> Abstract:
    """`super().name`: from the first class after `home` in the order of the receiver's class."""
    receiver = x.receiver
    cls = receiver.obj if _is_class(receiver) else python_class(receiver)
    if _is_class(receiver) and x.home not in cls.__mro__:
        cls = type(cls)  # in a metaclass
    behind = cls.__mro__[cls.__mro__.index(x.home) + 1 :]
    known = next(((each, vars(each)[name]) for each in behind if name in vars(each)), None)
    if known is not None and known[0] is dict and name == "__new__":
        known = (object, object.__new__)
    known = known and read_in_place(cls, *known)
    if known is None:
        raise missing(name, x)
    if known[0] is np.ndarray and name == "__new__" and _is_class(receiver):
        return Closed(made_anew, "ndarray.__new__")
    if known[0] is object and name in ("__init__", "__init_subclass__"):
        return Closed(lambda frame: None, f"object.{name}")
    if known[0] is object and name == "__new__" and _is_class(receiver):
        return Ref(object.__new__, "")
    if known[0] is object and name == "__setattr__" and isinstance(receiver, RecordObj):
        return Bound(Ref(object.__setattr__, ""), receiver)
    if name == "__init__" and isinstance(receiver, RecordObj) and is_generated(known[1]):
        return Initialiser(receiver, *known)
    if known == (type, type.__call__):
        return Bound(Ref(type.__call__, ""), receiver)
    if not _is_class(receiver):
        return _of_class(frame, receiver, cls, name, known)
    home, found = known
    if isinstance(found, classmethod | staticmethod):
        fn = function_behind(frame, receiver, cls, name, home, found.__func__)
        return Bound(fn, receiver) if isinstance(found, classmethod) else fn
    raise missing(name, x)


def _is_class(x: Abstract) -> bool:
    return isinstance(x, Ref) and isinstance(x.obj, type)


def python_class(x: RecordObj | Ref) -> type:
    """The class of a user's object."""
    return x.cls if isinstance(x, RecordObj) else type(x.obj)


__all__ = [
    "method_of",
    "method_of_descriptor",
    "missing",
    "of_record",
    "of_reference",
    "of_super",
    "python_class",
]

"""Classes: where an attribute stands, and the function behind it, as programs reach it."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.containers.containers import RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import (
    UNBOUND,
    Abstract,
    Conflict,
    Instance,
    Ref,
    describe,
    is_local_class,
    is_partial,
)
from srcad.frontend.reading.capture import Inputs
from srcad.frontend.written.dicts import Dict
from srcad.ir.nodes import Value


def find(cls: type, name: str) -> tuple[type, Any] | None:
    """The class that gives an attribute of `cls`, and what stands there."""
    for each in cls.__mro__:
        if name in vars(each) and not (each is dict and name == "__new__"):
            return read_in_place(cls, each, vars(each)[name])
    return None


def read_in_place(cls: type, home: type, found: Any) -> tuple[type, Any]:
    """What stands for a method of `dict` in a class of the user's that is one."""
    if cls is dict or not issubclass(cls, dict) or getattr(found, "__objclass__", None) is not dict:
        return home, found
    stands = vars(Dict).get(found.__name__)
    return (home, found) if stands is None else (Dict, stands)


def definer(cls: type, name: str) -> type | None:
    """The class that gives an attribute of `cls`; None if it has none."""
    found = find(cls, name)
    return None if found is None else found[0]


def gives(x: Any, method: str) -> bool:
    """Whether what a class holds, in Python or here, has a method such as `__set__`."""
    if isinstance(x, RecordObj):
        return find(x.cls, method) is not None
    return hasattr(type(x.obj if isinstance(x, Ref) else x), method)


def field_of(x: RecordObj, name: str) -> Abstract:
    """A field of a dataclass object, where the object itself holds it."""
    if name not in x.fields:
        raise error("E121", None, what=f"`{name}` of {describe(x)}")
    return x.fields[name]


def may_lack(x: Abstract, name: str) -> bool:
    """Whether it is known only where it is read if an object has an attribute: of properties, of
    descriptors, and of what some paths have not set.
    """
    if not isinstance(x, RecordObj | Instance):
        return False
    cls = x.cls if isinstance(x, RecordObj) else type(x.obj)
    if is_written(cls):
        return False
    if name in x.fields and x.uneven and isinstance(x.fields[name], Value):
        return is_partial(x.fields[name])
    _, found = find(cls, name) or (None, None)
    if found is None and isinstance(x, RecordObj) and find(cls, "__getattr__") is not None:
        return name not in x.fields
    if name in x.fields or not gives(found, "__get__"):
        return False
    return not isinstance(found, _NEVER_RAISE) and not isinstance(found, Ref)


# What is there once the class has it; attributes of slots are asked for.
_NEVER_RAISE = (
    types.FunctionType, FunctionObj, classmethod, staticmethod, types.MemberDescriptorType,
    types.GetSetDescriptorType, types.WrapperDescriptorType, types.MethodDescriptorType,
    types.ClassMethodDescriptorType, types.BuiltinFunctionType,
)  # fmt: skip


def value_of_class(inputs: Inputs, cls: type, name: str) -> Abstract:
    """What an object has of its class under a name where it has not set it: data of the class;
    `UNBOUND` if there is nothing, a conflict for what is made for each object, as methods are.
    """
    known = find(cls, name)
    if known is None or isinstance(known[1], types.MemberDescriptorType):
        return UNBOUND if find(cls, "__getattr__") is None else Conflict("E129", f"`{name}`")
    home, found = known
    if isinstance(found, FunctionObj) or gives(found, "__get__"):
        return Conflict("E129", f"`{name}`")
    if is_local_class(home):
        return found
    return inputs.lift(found, f"{inputs.path_of(home)}.{name}", name)


# How to get the array that an object of another package holds.
_ARRAY_OF = {
    "polars": "{}.to_numpy()",
    "torch": "{}.detach().numpy()", "cupy": "{}.get()", "jax": "np.asarray({})",
    "jaxlib": "np.asarray({})", "tensorflow": "{}.numpy()", "dask": "{}.compute()",
}  # fmt: skip


def check_package(x: Abstract) -> None:
    """Refuse to look into an array or a table of another package, at the line that uses it."""
    if not isinstance(x, Ref) or isinstance(x.obj, type | types.ModuleType | types.FunctionType):
        return
    cls = type(x.obj)
    package = cls.__module__.partition(".")[0]
    if package in _ARRAY_OF:
        written = _ARRAY_OF[package].format("x")
        what = f"a {cls.__name__} of {package}"
        raise error("E120", None, what=what, fix=f"pass the array that it holds: `{written}`")


def check_class(cls: type) -> None:
    """Refuse a class that reads attributes in its own way."""
    own = find(cls, "__getattribute__")
    if own is not None and isinstance(own[1], types.FunctionType | FunctionObj):
        raise error("E120", None, what=f"the class `{cls.__name__}`, with `__getattribute__`,")


def check_end(cls: type) -> None:
    """Refuse to make an object that does something when nothing holds it any more."""
    if find(cls, "__del__") is not None:
        raise error("E120", None, what=f"the class `{cls.__name__}`, with `__del__`,")


def class_of(frame: Frame, x: Abstract, cls: type) -> Ref:
    """The class of an object."""
    path = f"type({x.path})" if x.path else frame.session.inputs.path_of(cls)
    return Ref(cls, path)


# How the function is reached from what the class gives.
_ACCESS: dict[type, str] = {
    property: ".fget",
    functools.cached_property: ".func",
    classmethod: ".__func__",
}


def function_behind(
    frame: Frame, x: Abstract, cls: type, name: str, home: type, fn: Any
) -> FunctionObj | Ref:
    """The function behind what the class `home` gives to an object of class `cls`."""
    if home is Dict:
        inputs = frame.session.inputs
        path = f"{class_of(frame, x, cls).path}.{name}"
        inputs.guard(path, "is", inspect.getattr_static(cls, name))
        return Ref(fn, "")
    if is_local_class(home):
        made: FunctionObj | Ref = fn
        return made
    if is_local_class(cls) or definer(cls, name) is not home:
        return class_function(frame, Ref(home, ""), home, name, fn)
    return class_function(frame, x, cls, name, fn)


def class_function(frame: Frame, x: Abstract, cls: type, name: str, fn: Any) -> Ref:
    """The function behind a class attribute, guarded against replacement and against hiding it,
    unless it is srcad's own.
    """
    if is_written(cls):
        return Ref(fn, "")
    inputs = frame.session.inputs
    owner = class_of(frame, x, cls)
    path = f"{owner.path}.{name}"
    found = inspect.getattr_static(cls, name)
    if isinstance(found, property) and fn is found.fset:
        path += ".fset"
    else:
        path += _ACCESS.get(type(found), "")
    inputs.guard(path, "is", fn)
    if x.path and isinstance(x, Ref) and not name.startswith("__"):
        inputs.guard(f"{name!r} in getattr({x.path}, '__dict__', ())", "equals", False)
    return Ref(fn, path)


def is_written(cls: type) -> bool:
    """Whether a class is written to be read in the place of a library's."""
    return cls.__module__.startswith("srcad.frontend.written.")


def is_generated(function: Any) -> bool:
    """Whether `dataclass` made a method: it has no source."""
    code = getattr(function, "__code__", None)
    return code is not None and code.co_filename == "<string>"


__all__ = [
    "check_class", "check_end", "check_package", "class_function", "class_of", "definer",
    "field_of", "find", "function_behind", "gives", "is_generated", "is_written", "read_in_place",
    "value_of_class",
]  # fmt: skip

"""Functions, classes and other objects as facts, the same in every process.

    describe(loss)      -> ["function", ["train", "loss", True], "5f3c..."]
    describe(Mode.A)    -> ["member", ["class", ["train", "Mode", True], ...], "A", ["int", "1"]]

What a program compares by identity must not be taken for another of its kind: two closures of one
function, two classes of one factory. So objects are `Met` in an order, and one that comes again is
told by its number. What cannot be described is `Opaque`.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import hashlib
import inspect
import marshal
import sys
import types
from typing import Any

import numpy as np

from srcad.ir.guards import name_in_module
from srcad.ir.marks import checkpointed, checkpointing_of
from srcad.pipeline.disk.surroundings import Facts, Opaque
from srcad.pipeline.request import Request
from srcad.runtime.records import is_dataclass

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), range)
_WRAPPERS = {
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    property: ("fget", "fset", "fdel"),
    functools.cached_property: ("func",),
}
# What a class has of these differs between processes, or says nothing about its objects.
_PASSED_OVER = {
    "__doc__", "__module__", "__qualname__", "__firstlineno__", "__static_attributes__",
    "__slotnames__", "__annotations_cache__", "_abc_impl",
}  # fmt: skip


class Met:
    """Objects by the order in which they are described."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[int, Any]] = {}

    def number(self, obj: Any) -> int | None:
        """The number of an object that was met before; None for one that is met now."""
        if id(obj) in self._found:
            return self._found[id(obj)][0]
        self._found[id(obj)] = (len(self._found), obj)  # held: its id stays its own
        return None


def describe(obj: Any, met: Met | None = None) -> Facts:
    """A function, class, module, member of an enum or callable object; raises `Opaque`.

    Args:
        met: what was described before it, among which it may be.
    """
    if _is_ruled_by_user(obj):
        raise Opaque
    met = met or Met()
    kind = type(obj)
    if obj is sys.modules:
        return ["modules"]
    if kind is types.ModuleType:
        return ["module", obj.__name__]
    if kind is types.MethodType:  # made anew wherever it is read
        if _is_of_library(obj.__self__):
            # Of a library's object, `scipy.stats.norm.pdf`: the function is that of others too.
            return ["method", describe(obj.__self__, met), obj.__name__]
        return ["method", describe(obj.__func__, met), describe(obj.__self__, met)]
    if isinstance(obj, type):
        return describe_class(obj, met)
    number = met.number(obj)
    return _new(obj, met) if number is None else ["again", number]


def _new(obj: Any, met: Met) -> Facts:
    """An object that was not met before."""
    kind = type(obj)
    wrapped = checkpointed(obj)
    if wrapped is not None:
        return ["checkpoint", repr(checkpointing_of(obj)), describe(wrapped, met)]
    if kind is types.FunctionType:
        return ["function", _place(obj), code_digest(obj.__code__)]
    if kind in (dict, list):  # what is in it may have no guards of its own
        items = obj.items() if kind is dict else enumerate(obj)
        return [kind.__name__, *([_part(key, met), _part(x, met)] for key, x in items)]
    if kind is types.CodeType:
        return ["code", code_digest(obj)]
    if kind in _WRAPPERS:
        parts = [getattr(obj, name) for name in _WRAPPERS[kind]]
        return [kind.__name__, *(part and describe(part, met) for part in parts)]
    request = getattr(obj, "__srcad_request__", None)
    if isinstance(request, Request):
        return ["derivative", repr(request.options()), describe(request.primal, met)]
    if isinstance(obj, enum.Enum):
        return ["member", describe_class(kind, met), obj._name_, _plain(obj._value_)]
    if (place := _place(obj)) is not None and place[-1]:
        return ["object", place, describe_class(kind, met)]
    if _is_users(kind):
        # Its attributes and methods have guards of their own.
        return ["instance", describe_class(kind, met)]
    if (name := name_in_module(obj)) is not None:
        return ["object", name]
    raise Opaque


def _part(x: Any, met: Met) -> Facts:
    """What is in a container: a constant or an object."""
    try:
        return describe_constant(x)
    except Opaque:
        return describe(x, met)


def code_digest(code: types.CodeType) -> str:
    """A digest of code, of what it contains, and of where it stands."""
    return hashlib.sha256(marshal.dumps(_ordered(code), 2)).hexdigest()


def _ordered(constant: Any) -> Any:
    """`constant` without sets, whose order differs between processes."""
    if isinstance(constant, types.CodeType):
        return constant.replace(co_consts=tuple(map(_ordered, constant.co_consts)))
    if isinstance(constant, frozenset):
        return ("frozenset", *sorted(constant, key=repr))
    if isinstance(constant, tuple):
        return tuple(map(_ordered, constant))
    return constant


def describe_constant(x: Any) -> Facts:
    """A constant by its value; raises `Opaque` for what is none."""
    if type(x) in _PLAIN:
        return [type(x).__name__, hex(x) if type(x) is int else repr(x)]
    if type(x) is slice:
        return ["slice", *map(describe_constant, (x.start, x.stop, x.step))]
    if type(x) is tuple:
        return ["tuple", *map(describe_constant, x)]
    if type(x) in (set, frozenset):
        return [type(x).__name__, *sorted(map(describe_constant, x), key=repr)]
    if isinstance(x, np.dtype):
        return ["dtype", describe_dtype(x)]
    if isinstance(x, np.generic):
        return ["scalar", describe_dtype(x.dtype), x.tobytes().hex()]
    raise Opaque


def describe_dtype(dtype: np.dtype[Any]) -> str:
    """A dtype of numbers, which NumPy has a string for, or of fields of these; raises `Opaque` for
    others.
    """
    if dtype.hasobject or dtype.subdtype is not None:
        raise Opaque
    return dtype.str if dtype.names is None else repr(dtype)


def _plain(x: Any) -> Facts:
    """The value of a constant; of what is read elsewhere only what it is."""
    try:
        return describe_constant(x)
    except Opaque:
        return type(x).__qualname__


# Classes -----------------------------------------------------------------------------------------


def describe_class(cls: type, met: Met) -> Facts:
    """A class: a user's with all that its body says of special methods, fields and members, since
    no guard tells that a method is missing.
    """
    number = met.number(cls)
    if number is not None:
        return ["again", number]
    users = sorted(repr(_place(each)) for each in _registered(cls) if _is_users(each))
    if not _is_users(cls):
        return ["class", f"{cls.__module__}.{cls.__qualname__}", users]
    bases = [describe_class(base, met) for base in cls.__bases__]
    meta = describe_class(type(cls), met)
    body = [[name, *_member(name, value)] for name, value in sorted(vars(cls).items())]
    facts = [[each for each in body if len(each) > 1], _fields(cls), _members(cls), users]
    return ["class", _place(cls), bases, meta, hashlib.sha256(repr(facts).encode()).hexdigest()]


def _member(name: str, value: Any) -> Facts:
    """What stands under a name in a class: what Python calls by itself with its code, of others
    what sort they are; nothing for what does not count.
    """
    if name in _PASSED_OVER or (name == "__annotate_func__" and value is None):
        return []
    if name == "__annotations__" and isinstance(value, dict):
        return [list(value)] if value else []  # Python makes an empty one where it is read
    if not (name.startswith("__") and name.endswith("__")):
        return [type(value).__qualname__ if hasattr(type(value), "__get__") else ""]
    return _code(value) or [_plain(value)]


def _code(value: Any) -> Facts:
    """The code in a method, whatever it is wrapped in; none where there is no code."""
    if isinstance(value, types.FunctionType):
        return [code_digest(value.__code__)]
    parts = [getattr(value, name) for name in _WRAPPERS.get(type(value), ())]
    return [digest for part in parts for digest in _code(part)]


def _fields(cls: type) -> Facts:
    """The fields of a named tuple or dataclass, and how they are handled."""
    if not is_dataclass(cls):
        fields = inspect.getattr_static(cls, "_fields", None)
        return [str(name) for name in fields] if isinstance(fields, tuple | list) else None
    fields = [
        [
            f.name,
            f.init,
            f.repr,
            f.hash,
            f.compare,
            f.kw_only,
            *map(_is_given, (f.default, f.default_factory)),
        ]
        for f in dataclasses.fields(cls)
    ]
    return [repr(getattr(cls, "__dataclass_params__", None)), fields]


def _is_given(default: Any) -> bool:
    return default is not dataclasses.MISSING


def _members(cls: type) -> Facts:
    """The names of an enum in their order, with the member and the value that each stands for."""
    if not issubclass(cls, enum.Enum):
        return None
    members = cls.__members__.items()
    return [[name, member._name_, _plain(member._value_)] for name, member in members]


def _registered(cls: type) -> list[type]:
    """The classes that were registered as subclasses of an abstract one."""
    if not isinstance(cls, abc.ABCMeta):
        return []
    dump = getattr(sys.modules.get("_abc"), "_get_dump", None)
    if dump is None:
        raise Opaque
    return [each for known in dump(cls)[0] if (each := known()) is not None]


def _place(obj: Any) -> list[Any] | None:
    """Module and name, and whether `obj` is what is found there."""
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    home = getattr(obj, "__module__", None)
    if home is None and isinstance(obj, np.ufunc):
        home = "scipy.special"
    if not isinstance(name, str) or not isinstance(home, str):
        return None
    found: Any = sys.modules.get(home)
    for part in name.split("."):
        found = inspect.getattr_static(found, part, None)
    return [home, name, found is obj]


def _is_of_library(obj: Any) -> bool:
    """Whether an object, not a class, is a library's."""
    return not isinstance(obj, type) and not _is_users(type(obj))


def _is_users(cls: type) -> bool:
    """Whether a class is Python code of the user's, not of a library or of an extension."""
    return is_users(cls.__module__)


def is_users(module: str) -> bool:
    """Whether a module is the user's, by its name."""
    top = module.split(".")[0]
    return top not in ("numpy", "scipy", "srcad") and top not in sys.stdlib_module_names


def _is_ruled_by_user(obj: Any) -> bool:
    """Whether the user states the rule of a function: its bodies may read anything."""
    registration = sys.modules.get("srcad.rules.core.declaration.registration")
    try:
        return registration is not None and obj in registration.of_users
    except TypeError:
        return False


__all__ = [
    "Met", "code_digest", "describe", "describe_class", "describe_constant", "describe_dtype",
    "is_users",
]  # fmt: skip

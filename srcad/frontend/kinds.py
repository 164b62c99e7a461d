"""Kinds of objects from outside: fixed modules, records, instances of the user's classes."""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import inspect
import math
import sys
import types
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.written import devices
from srcad.ir.guards import ARRAY_CLASSES
from srcad.rules import RULES
from srcad.runtime.records import is_dataclass

_TRUSTED = ("numpy", "scipy", "math", "operator", "builtins", "functools", "itertools", "srcad")


def is_trusted(module: object) -> bool:
    """Whether a module's contents are taken as fixed: NumPy, SciPy, the standard library, srcad."""
    name = getattr(module, "__name__", "")
    return isinstance(module, types.ModuleType) and name.split(".")[0] in _TRUSTED


def is_read(module: str) -> bool:
    """Whether the Python of a trusted module is read, where it has no rule: SciPy's."""
    return module.partition(".")[0] == "scipy"


def numpys(module: types.ModuleType, name: str) -> types.ModuleType | None:
    """The module of NumPy's or SciPy's for which one of CuPy's stands in where `name` is read; None
    for other modules, and for what NumPy has not or has another of.
    """
    top, _, rest = module.__name__.partition(".")
    if top not in ("cupy", "cupyx"):
        return None
    if hasattr(devices, name) and name in devices.__all__:
        return devices
    home = rest or "scipy" if top == "cupyx" else f"numpy.{rest}".rstrip(".")
    try:
        found = importlib.import_module(home)
    except ImportError:
        return None
    return found if hasattr(found, name) and name != "ndarray" else None


def numpys_own(obj: Any) -> Any:
    """NumPy's function of the name that a function has in CuPy; None for other objects."""
    home = getattr(obj, "__module__", None) or type(obj).__module__
    tops = (str(home).partition(".")[0], type(obj).__module__.partition(".")[0])
    module = sys.modules.get("cupy")
    if "cupy" not in tops or module is None or not callable(obj) or isinstance(obj, type):
        return None
    name = next((name for name, each in vars(module).items() if each is obj), "")
    return getattr(np, name, None)


def is_put_there(module: types.ModuleType, name: str, found: Any) -> bool:
    """Whether the user has put something into a module of others: `np.rate = 2.0`."""
    home = getattr(found, "__module__", None)
    if isinstance(home, str):
        top = home.partition(".")[0]
        return top not in _TRUSTED and top not in sys.stdlib_module_names
    if callable(found) or isinstance(found, types.ModuleType):
        return False
    return not name.startswith("_") and name not in getattr(module, "__all__", (name,))


def is_instance_of_class(obj: Any) -> bool:
    """Whether `obj` is an object with attributes of its own, of a class that may be read."""
    if isinstance(obj, type | types.ModuleType | types.FunctionType | types.BuiltinFunctionType):
        return False
    members = (x for each in type(obj).__mro__ for x in vars(each).values())
    slots = any(isinstance(x, types.MemberDescriptorType) for x in members)
    if not callable(obj):
        return slots or hasattr(obj, "__dict__")
    called = inspect.getattr_static(type(obj), "__call__", None)
    known = obj in RULES or is_trusted(sys.modules.get(type(obj).__module__.split(".")[0]))
    return isinstance(called, types.FunctionType) and not known


def is_of_class(obj: Any) -> bool:
    """Whether `obj` is a method of a class written in C, another object whenever it is read:
    `datetime.strptime`.
    """
    return isinstance(obj, types.BuiltinMethodType) and isinstance(obj.__self__, type)


def is_hashable(obj: Any) -> bool:
    """Whether an object has a hash: functions of `ctypes` have none though their class says so, nor
    has a frozen dataclass with an array in it.
    """
    try:
        hash(obj)
    except TypeError:
        return False
    return True


def check_leaf(obj: Any, name: str) -> None:
    """Refuse arrays whose semantics differ from a plain ndarray's."""
    if isinstance(obj, np.ndarray):
        if obj.dtype.hasobject:
            raise error("E309", None, what=f"`{name}`")
        if type(obj) not in ARRAY_CLASSES:
            fix = "pass `np.asarray(x)`, the plain array of the same entries"
            raise error("E308", None, what=f"`{name}` of type {type(obj).__name__}", fix=fix)


def has_source(key: Any) -> bool:
    """Whether the `repr` of a key is Python source for it, as it stands in paths."""
    if type(key) in (tuple, frozenset):
        return all(map(has_source, key))
    return type(key) in (str, int, bool, bytes, type(None)) or (
        type(key) is float and math.isfinite(key)
    )


def is_itself(obj: Any) -> bool:
    """Whether an object is equal to itself alone: a class, a module, a function, a member."""
    kinds = types.ModuleType | types.FunctionType | types.BuiltinFunctionType | enum.Enum
    return type(obj) is type or isinstance(obj, kinds)


def is_constant_sequence(obj: Any) -> bool:
    """Whether `obj` is a tuple with names of C's, of constants: `sys.version_info`."""
    is_one = isinstance(obj, tuple) and hasattr(type(obj), "n_sequence_fields")
    return is_one and all(isinstance(item, int | float | str | None) for item in obj)


def is_record(obj: Any) -> bool:
    """Whether `obj` is a namedtuple or a dataclass instance."""
    if isinstance(obj, tuple):
        return hasattr(type(obj), "_fields")
    return is_dataclass(obj) and not isinstance(obj, type)


def is_sparse_matrix(obj: Any) -> bool:
    """Whether `obj` is a real matrix of `scipy.sparse` in compressed rows or columns."""
    return (
        type(obj).__module__.startswith("scipy.sparse")
        and getattr(obj, "format", None) in ("csr", "csc")
        and obj.ndim == 2
        and obj.dtype.kind in "fi"
    )


def is_rotation(obj: Any) -> bool:
    """Whether `obj` is a rotation of SciPy's, or a stack of them along one axis."""
    module: Any = sys.modules.get("scipy.spatial.transform")
    is_one = module is not None and type(obj) is module.Rotation
    return is_one and has_rotations_in_python(module) and len(obj.shape) <= 1


def has_rotations_in_python(module: Any) -> bool:
    """Whether `scipy.spatial.transform` is that of SciPy 1.17 or later. Earlier ones give other
    types, and take an exponent in single precision.
    """
    return isinstance(module.Rotation.as_matrix, types.FunctionType)


def own_ways(cls: type) -> frozenset[str]:
    """The operators and methods of arrays that such a class has of its own."""
    classes = cls.__mro__[: cls.__mro__.index(np.ndarray)]
    names = (name for each in classes for name in vars(each))
    return frozenset(x for x in names if x not in _NO_WAYS and hasattr(np.ndarray, x))


def unread_way(cls: type) -> str | None:
    """What such a class does in a way that is not followed, where Python or NumPy asks it; None if
    there is nothing of that kind.
    """
    for each in cls.__mro__[: cls.__mro__.index(np.ndarray)]:
        for name, found in vars(each).items():
            is_special = name.startswith("__") and name.endswith("__")
            is_followed = name in _NO_WAYS | _OPERATORS | {"__array_ufunc__"}
            if is_special and not is_followed:
                return name
            is_python = isinstance(found, types.FunctionType | property)
            if hasattr(np.ndarray, name) and name not in _NO_WAYS and not is_python:
                return name
    return None


_NO_WAYS = frozenset(
    {
        "__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__new__", "__init__",
        "__array_finalize__", "__array_priority__", "__annotations__", "__repr__", "__str__",
        "__firstlineno__", "__static_attributes__", "__reduce__", "__setstate__", "__hash__",
    }
)  # fmt: skip
# Operators of two operands: each has a method, one for the right operand (`__radd__`), and one in
# place (`__iadd__`).
BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "lshift", "rshift",
)  # fmt: skip
_OPERATORS = frozenset(
    [f"__{kind}{name}__" for kind in ("", "r", "i") for name in BINARY]
    + [f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert")]
    + ["__abs__", "__getitem__", "__setitem__", "__call__", "__iter__", "__len__", "__contains__"]
)


def is_grid(obj: Any) -> bool:
    """Whether `obj` is a table of SciPy's on a regular grid."""
    module: Any = sys.modules.get("scipy.interpolate")
    return module is not None and type(obj) is module.RegularGridInterpolator


def record_fields(obj: Any) -> tuple[str, ...]:
    """The names of the fields of a namedtuple or dataclass (class or instance)."""
    cls: Any = obj if isinstance(obj, type) else type(obj)
    if issubclass(cls, tuple):
        return (*cls._fields, *getattr(cls, "_extra_fields", ()))
    return tuple(f.name for f in dataclasses.fields(obj))


def has_attributes_beside(cls: type) -> bool:
    """Whether a class is a named tuple of SciPy's, with attributes beside the items."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields") and hasattr(cls, "_extra_fields")


def is_cached_property(cls: type, name: str) -> bool:
    """Whether a class has a cached property of this name."""
    return isinstance(inspect.getattr_static(cls, name, None), functools.cached_property)


def path_of_attribute(obj: Any, path: str, name: str) -> str:
    """The path to an attribute of an object at a path: one that computes no cached property of an
    object which has none yet.
    """
    is_cached = is_cached_property(type(obj), name)
    return f"{path}.__dict__[{name!r}]" if is_cached else f"{path}.{name}"

"""Objects as results: of classes whose `__init__` does more than keep its arguments, and gradients
by an object's attributes.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import functools
import inspect
import numbers
import types
from collections.abc import Callable
from typing import Any

import numpy as np

# Flags of a class in CPython: Py_TPFLAGS_HEAPTYPE, Py_TPFLAGS_DISALLOW_INSTANTIATION.
_MADE_AT_RUN_TIME, _MAKES_NO_OBJECTS = 1 << 9, 1 << 7


def is_dataclass(x: Any) -> bool:
    """Whether a class is a dataclass, or an object is one of its; a `__getattr__` of a metaclass is
    not asked, which may answer anything.
    """
    cls = x if isinstance(x, type) else type(x)
    return any("__dataclass_fields__" in vars(each) for each in cls.__mro__)


def record(cls: type, /, **fields: Any) -> Any:
    """An object with these attributes; `__init__` is not called."""
    made: Any = object.__new__(cls)
    for name, x in fields.items():
        object.__setattr__(made, name, x)
    return made


def with_attributes(x: Any, /, **fields: Any) -> Any:
    """A new named tuple with attributes beside its fields."""
    for name, item in fields.items():
        setattr(x, name, item)
    return x


def attributes(x: Any) -> dict[str, Any]:
    """The attributes that an object itself has, in its own order; those in slots come first."""
    found: dict[str, Any] = {}
    for cls in reversed(type(x).__mro__):
        for name, member in vars(cls).items():
            in_slot = isinstance(member, types.MemberDescriptorType) and name != "__dict__"
            if in_slot and hasattr(x, name):
                found[name] = getattr(x, name)
    found.update(getattr(x, "__dict__", {}))
    return found


def beside_fields(x: Any) -> dict[str, Any]:
    """The attributes of a dataclass object or named tuple that are no fields."""
    cls: Any = type(x)
    own = getattr(x, "__dict__", None)
    if (own is None or own.keys() <= _field_names(cls)) and not has_other_slots(cls):
        return {}
    return {name: item for name, item in attributes(x).items() if name not in _field_names(cls)}


def own_fields(cls: Any) -> tuple[str, ...]:
    """The fields of a dataclass or named tuple that an object itself holds: no properties and the
    like, which hold them elsewhere.
    """
    return _own_fields(cls)


@functools.lru_cache(maxsize=1024)
def _own_fields(cls: Any) -> tuple[str, ...]:
    if issubclass(cls, tuple):
        return tuple(cls._fields)
    names = (field.name for field in dataclasses.fields(cls))
    found = {name: inspect.getattr_static(cls, name, None) for name in names}
    return tuple(name for name, member in found.items() if not _is_computed(member))


def _is_computed(member: Any) -> bool:
    return hasattr(type(member), "__set__") and not isinstance(member, types.MemberDescriptorType)


@functools.lru_cache(maxsize=1024)
def has_other_slots(cls: type) -> bool:
    """Whether a dataclass has slots that are no fields."""
    kind = types.MemberDescriptorType
    members = ((n, x) for each in cls.__mro__ for n, x in vars(each).items() if n != "__dict__")
    return any(isinstance(x, kind) and n not in _field_names(cls) for n, x in members)


@functools.lru_cache(maxsize=1024)
def _field_names(cls: Any) -> frozenset[str]:
    if issubclass(cls, tuple):
        return frozenset(cls._fields)
    return frozenset(field.name for field in dataclasses.fields(cls))


def is_plain_class(cls: type) -> bool:
    """Whether the objects of a class are their attributes, and nothing else."""
    if cls is types.SimpleNamespace:
        return True
    if cls is object or isinstance(cls, enum.EnumMeta) or issubclass(cls, numbers.Number):
        return False
    return not any(map(is_written_in_c, cls.__mro__[:-1]))


def is_written_in_c(cls: type) -> bool:
    """Whether C makes a class, and no `class` statement does. Newer Pythons make more of theirs at
    run time (`defaultdict` from 3.12 on), so the methods are asked too: C's name their class.
    """
    if not cls.__flags__ & _MADE_AT_RUN_TIME or cls.__flags__ & _MAKES_NO_OBJECTS:
        return True
    of_c = (types.MethodDescriptorType, types.WrapperDescriptorType)
    return any(
        isinstance(x, of_c) and x.__objclass__ is cls for x in vars(cls).values()
    ) or isinstance(vars(cls).get("__new__"), types.BuiltinFunctionType)


def is_dict_class(cls: type) -> bool:
    """Whether a class of the user's has `dict` behind it and leaves to that how items are read and
    set.
    """
    if not issubclass(cls, dict) or is_written_in_c(cls):
        return False
    bases = [each for each in cls.__mro__ if is_written_in_c(each)]
    return bases == [dict, object] and all(
        getattr(cls, name) is getattr(dict, name) for name in _READS
    )


_READS = (
    "__getitem__", "__iter__", "__len__", "__contains__", "__new__", "__setitem__", "__delitem__",
    "clear", "items", "keys", "update", "values",
)  # fmt: skip


def is_plain(x: Any) -> bool:
    """Whether an object is its attributes; what gives an array by itself is one: `SparseRows`."""
    return is_plain_class(type(x)) and not hasattr(type(x), "__array__")


def parts(x: Any) -> list[Any]:
    """What a container or a plain object holds directly; nothing for a leaf."""
    if isinstance(x, tuple | list | collections.deque):
        return list(x)
    if isinstance(x, dict):
        return list(x.values())
    return list(attributes(x).values()) if is_plain(x) else []


def rebuilt(x: Any, each: Callable[[Any], Any]) -> Any:
    """`x` with `each` applied to what it holds directly; itself where that changes nothing."""
    held = parts(x)
    items = [each(item) for item in held]
    if all(a is b for a, b in zip(items, held, strict=True)):
        return x
    if isinstance(x, tuple):
        return tuple.__new__(type(x), items)
    if isinstance(x, list | collections.deque | dict):
        made = copy.copy(x)
        made.clear()
        if isinstance(made, dict):
            made.update(zip(x, items, strict=True))
        else:
            made.extend(items)
        return made
    return filled(type(x), dict(zip(attributes(x), items, strict=True)))


def filled(cls: type, fields: dict[str, Any]) -> Any:
    """An object of a plain class with these attributes."""
    if cls is types.SimpleNamespace:
        return types.SimpleNamespace(**fields)
    return record(cls, **fields)


def ordered(x: Any, /, **found: Any) -> Any:
    """An object of the class of `x` with these attributes, in the order that they have in `x`."""
    first = {name: found[name] for name in attributes(x) if name in found}
    return filled(type(x), {**first, **found})


def like(x: Any, /, **found: Any) -> Any:
    """An object as `x` with these attributes; in the others, numbers that vary are zero."""
    own = {
        name: found[name] if name in found else zeros(value)
        for name, value in attributes(x).items()
    }
    return filled(type(x), {**own, **found})


def zeros(x: Any, made: dict[int, Any] | None = None) -> Any:
    """`x` with zeros for the numbers that vary, in whatever containers and objects they stand."""
    made = {} if made is None else made  # by id: objects may refer to each other
    if type(x) in (float, complex):
        return type(x)(0)
    if isinstance(x, np.ndarray | np.generic):
        if x.dtype.kind not in "fc":
            return x
        return x.dtype.type(0) if isinstance(x, np.generic) else np.zeros_like(x, subok=False)
    if isinstance(x, tuple):
        return tuple.__new__(type(x), (zeros(item, made) for item in x))
    if id(x) in made:
        return made[id(x)]
    found: Any
    if isinstance(x, dict):
        found = made[id(x)] = copy.copy(x)
        found.update((key, zeros(item, made)) for key, item in x.items())
        return found
    if isinstance(x, list | collections.deque):
        found = made[id(x)] = copy.copy(x)
        found.clear()
        found.extend(zeros(item, made) for item in x)
        return found
    if not is_plain(x):
        return x
    found = made[id(x)] = filled(type(x), {})
    for name, value in attributes(x).items():
        object.__setattr__(found, name, zeros(value, made))
    return found

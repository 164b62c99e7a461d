"""Attributes of the caller's dataclass objects that are no fields: what `__post_init__` has set, or
a line before the call.

    p.half          read as a field is, once a program asks objects of this class for `half`
    p.norm()        the function of the class; guarded that the object holds no other `norm`

A program reads those alone that it asks for: others, such as a history that grows, may change from
call to call. It is lowered again where it turns out that it asks for one.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Iterator
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.signals import Asks
from srcad.frontend.kinds import record_fields
from srcad.runtime.records import (
    attributes,
    beside_fields,
    has_other_slots,
    is_dataclass,
    is_plain,
    own_fields,
)

ALL = "*"  # asked for where an object is copied, or its `__dict__` is read


class BesideFields:
    """What the program asks objects of each class for, and the caller's objects that it was given.

    Args:
        wanted: classes and names of which it is known that the program asks for them.
    """

    def __init__(self, wanted: frozenset[tuple[type | str, str]]) -> None:
        self._wanted = wanted
        self._asked: set[tuple[type | str, str]] = set(wanted)
        self._objects: dict[str, Any] = {}

    def wanted_of(self, obj: Any, path: str) -> list[str]:
        """The attributes of a dataclass object found at a path that the program reads as fields.

        Raises:
            Asks: the program has asked such an object for another one.
        """
        held = beside_fields(obj)
        if not held and not _may_hold(type(obj)):
            return []
        self._objects[path] = obj
        for name in held:
            self._check(type(obj), name)
        names = [] if isinstance(obj, tuple) else [n for n in held if self._is_wanted(type(obj), n)]
        for name in names:
            if not _may_hide(type(obj), name):
                what = f"a {type(obj).__name__} that holds `{name}`, which its class hides,"
                raise error("E121", None, what=what)
        return names

    def ask(self, cls: type, name: str) -> None:
        """Note that objects of a class are asked for an attribute that is no field.

        Raises:
            Asks: one of the caller's objects holds it.
        """
        if (cls, name) in self._asked or not _is_record(cls) or not _may_hide(cls, name):
            return
        self._asked.add((cls, name))
        for obj in self._of_class(cls):
            if name in beside_fields(obj):
                self._check(cls, name)

    def ask_if_held(self, cls: type, name: str) -> None:
        """Note that objects of a class are asked for an attribute which the program sets, if one of
        the caller's holds it already.

        Raises:
            Asks: one does.
        """
        if _is_record(cls) and any(name in beside_fields(obj) for obj in self._of_class(cls)):
            self.ask(cls, name)

    def ask_all(self, cls: type) -> None:
        """Note that objects of a class are asked for all that they hold.

        Raises:
            Asks: one of the caller's objects holds more than the program has read.
        """
        if not _is_record(cls):
            return
        if has_other_slots(cls):
            raise error("E121", None, what=f"all that a {cls.__name__} holds, in slots of its own,")
        self._asked.add((cls, ALL))
        for obj in self._of_class(cls):
            for name in beside_fields(obj):
                self._check(cls, name)

    def ask_object(self, obj: Any, path: str) -> None:
        """Note that an object of a plain class is read as one made inside is: by all that it holds.

        Raises:
            Asks: it has been read attribute by attribute.
        """
        if (path, ALL) not in self._asked and _is_open(obj):
            raise Asks((path, ALL))

    def is_asked(self, path: str) -> bool:
        """Whether the object at a path is read by all that it holds."""
        return (path, ALL) in self._wanted

    def in_order(self, path: str) -> bool:
        """Whether an object has its fields, then the others, and lacks none."""
        obj = self._objects.get(path)
        own = [] if obj is None else [*own_fields(type(obj)), *beside_fields(obj)]
        return obj is None or own == list(vars(obj))

    def guards(self, *, by_all: bool) -> Iterator[tuple[str, Any]]:
        """What is to equal what in each call, so that no object holds what is read of its class.

        Args:
            by_all: derivatives by the arguments have all that these hold: arguments that hold
                nothing beside their fields do not in any call.
        """
        for path, obj in self._objects.items():
            cls, held = type(obj), beside_fields(obj)
            names = sorted(name for of, name in self._asked if of is cls and name not in held)
            own = getattr(obj, "__dict__", {})
            if ALL in names:
                yield f"tuple(getattr({path}, '__dict__', ()))", tuple(own)
            for name in held:  # not the class in its place
                if self._is_wanted(cls, name) and name in own and _in_class(cls, name):
                    yield f"{name!r} in {path}.__dict__", True
            for name in names:
                if name == ALL:
                    continue
                if isinstance(inspect.getattr_static(cls, name, None), types.MemberDescriptorType):
                    yield f"hasattr({path}, {name!r})", False
                else:
                    yield f"{name!r} in {path}.__dict__", False
            is_lone = by_all and path.startswith("A[") and not held and not isinstance(obj, tuple)
            if is_lone and hasattr(obj, "__dict__"):
                yield f"len({path}.__dict__)", len(vars(obj))

    def _of_class(self, cls: type) -> list[Any]:
        return [obj for obj in self._objects.values() if type(obj) is cls]

    def _is_wanted(self, cls: type, name: str) -> bool:
        return not self._wanted.isdisjoint({(cls, name), (cls, ALL)})

    def _check(self, cls: type, name: str) -> None:
        found = {(cls, name), (cls, ALL)} & self._asked
        if not found or (not issubclass(cls, tuple) and found & self._wanted):
            return
        if issubclass(cls, tuple):
            what = f"attribute `{name}` of a {cls.__name__}, a named tuple that holds more,"
            raise error("E121", None, what=what)
        raise Asks(next(iter(found)))


def _may_hold(cls: type) -> bool:
    """Whether objects of a class may hold more than their fields."""
    return bool(cls.__dictoffset__) or has_other_slots(cls)


@functools.lru_cache(maxsize=1024)
def _is_record(cls: type) -> bool:
    return is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields"))


def _is_open(obj: Any) -> bool:
    """Whether an object is what its attributes are, and the class hides none of them."""
    hiding = (inspect.getattr_static(type(obj), name, None) for name in attributes(obj))
    return is_plain(obj) and not any(
        hasattr(type(x), "__set__") and not isinstance(x, types.MemberDescriptorType)
        for x in hiding
    )


def _in_class(cls: type, name: str) -> bool:
    return inspect.getattr_static(cls, name, None) is not None


def _may_hide(cls: type, name: str) -> bool:
    """Whether an attribute that is no field comes before what the class has, if objects hold it."""
    if name in record_fields(cls):
        return False
    found = inspect.getattr_static(cls, name, None)
    if isinstance(found, types.MemberDescriptorType):
        return True
    if not cls.__dictoffset__:
        return False
    is_special = name.startswith("__") and name.endswith("__")
    return not is_special and not any(hasattr(type(found), x) for x in ("__set__", "__delete__"))


__all__ = ["ALL", "BesideFields"]

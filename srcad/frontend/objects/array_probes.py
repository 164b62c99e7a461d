"""Small arrays with which NumPy is asked what it makes of arrays of the user's classes.

np.add(a, b)      np.add of two small arrays, of classes that stand for those of a and b

Each notes of what it was made: what `__array_finalize__` was given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ARRAY, ListObj, RecordObj, is_array_record
from srcad.frontend.abstract.containers.contents import values_of
from srcad.frontend.abstract.objects import Abstract, Ref, describe
from srcad.frontend.kinds import own_ways
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, shape_of
from srcad.runtime.outside import is_array_class

_SMALL = 3  # for an extent that is not known
_MOST = 10_000  # entries of an array that NumPy is asked with


def asked(fn: Callable[..., Any], args: Any, kwargs: Any, but: str) -> tuple[Probes, Any]:
    """What NumPy makes of small arrays; extents that are not known are such that they fit."""
    shapes = [
        shape_of(x.type) or () for x in values_of((args, tuple(kwargs.values()))) if is_array(x)
    ]
    known = {e for shape in shapes for e in shape if isinstance(e, int)}
    for small in (_SMALL, *sorted(known - {_SMALL}), None):
        probes = Probes(_SMALL if small is None else small, but)
        given = [probes.of(x) for x in args]
        named = {key: probes.of(x) for key, x in kwargs.items()}
        try:
            with np.errstate(all="ignore"):
                return probes, fn(*given, **named)
        except (ArithmeticError, ValueError, TypeError, LookupError):
            if small is None:
                raise
    raise AssertionError


class OwnWay(BaseException):
    """NumPy has asked a class for what it does in its own way."""


def _asks(name: str) -> Any:
    """An attribute of a probe in the place of one that the class has of its own."""

    def ask(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise OwnWay(name)

    return ask if callable(getattr(np.ndarray, name)) else property(ask)


class Probe(np.ndarray[Any, Any]):
    """A small array that notes of what it was made."""

    source: Any = None

    def __array_finalize__(self, obj: Any) -> None:
        self.source = obj


class Probes:
    """Small arrays in place of arguments, and the objects that they stand for."""

    def __init__(self, small: int, but: str) -> None:
        self.small, self.but = small, but
        self.records: list[RecordObj] = []
        self.arrays: list[np.ndarray[Any, Any]] = []

        self.users: dict[type, type] = {}  # their classes, by those of the probes

    def _class_of(self, cls: type) -> Any:
        """What stands for a class: one below what stands for its bases."""
        known = next((probe for probe, user in self.users.items() if user is cls), None)
        if known is not None:
            return known
        behind = [each for each in cls.__bases__ if is_array_class(each)]
        bases = tuple(map(self._class_of, behind)) or (Probe,)
        made = type("Probe", bases, {name: _asks(name) for name in own_ways(cls) - {self.but}})
        own = vars(cls).get("__array_priority__")
        if own is not None:
            type.__setattr__(made, "__array_priority__", own)
        self.users[made] = cls
        return made

    def of(self, x: Abstract) -> Any:
        """What stands for an argument."""
        if is_array_record(x):
            probe = np.ndarray.view(self.of(x.fields[ARRAY]), self._class_of(x.cls))
            self.records.append(x)
            self.arrays.append(probe)
            return probe
        if isinstance(x, tuple):
            return tuple(map(self.of, x))
        if isinstance(x, ListObj) and x.form is None:
            return [self.of(item) for item in x.items]
        if isinstance(x, Value) and isinstance(x.type, ArrayType) and x.type.shape is not None:
            shape = [e if isinstance(e, int) else self.small for e in x.type.shape]
            made = np.ones(shape if np.prod(shape) <= _MOST else [1] * len(shape), x.type.dtype)
            return made[()] if x.type.scalar else made
        if isinstance(x, Value) and isinstance(x.type, NumberType):
            return x.type.kind(0)
        if isinstance(x, slice):
            return slice(*map(self.of, (x.start, x.stop, x.step)))
        if isinstance(x, Ref):
            return x.obj
        if isinstance(x, Value | RecordObj | ListObj):
            raise error("E120", None, what=f"{describe(x)} beside {describe(self.records[0])}")
        return x


__all__ = ["OwnWay", "Probe", "Probes", "asked"]

"""Inputs, captured values and guards: everything a specialisation takes from outside the function's
text.

Numbers and arrays reached by a path (`srcad.ir.guards`) become inputs of the program and are read
anew at each call; everything else that the program was specialised to has a `Guard`, checked at
each call. So a change after the first call gives the new answer.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.objects import Abstract, DictObj, ListObj, Partial, RecordObj, Ref
from srcad.frontend.signals import NeedStatic
from srcad.ir.guards import Guard, GuardKind, leaf_key
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, Dim, NumberType

# An array with a longer axis is never specialised to its length.
MAX_STATIC_EXTENT = 128
_CONSTANTS = (bool, str, bytes, type(None), type(Ellipsis), np.dtype, np.bool_, range, slice)
_TRUSTED = ("numpy", "scipy", "math", "operator", "builtins", "functools", "itertools", "srcad")


def is_trusted(module: object) -> bool:
    """Whether a module's contents are taken as fixed: NumPy, SciPy, the standard library, srcad."""
    name = getattr(module, "__name__", "")
    return isinstance(module, types.ModuleType) and name.split(".")[0] in _TRUSTED


class Inputs:
    """The inputs and guards found so far, by path."""

    def __init__(self, statics: frozenset[str]) -> None:
        self.statics = statics
        self.values: dict[str, Value] = {}
        self.samples: dict[str, Any] = {}
        self.guards: dict[tuple[str, str], Guard] = {}
        self._lifted: dict[str, Abstract] = {}
        self.paths: dict[Value, str] = {}
        self.kept: list[Any] = []
        self.extents: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        self._positional: set[Value] = set()

    def guard(self, path: str, kind: GuardKind, expected: Any) -> None:
        """Note that the program holds only while this stays true."""
        self.guards.setdefault((path, kind), Guard(path, kind, expected))

    def keep(self, obj: Any) -> str:
        """A path to an object that no expression reaches: a class made in a function, say."""
        for i, known in enumerate(self.kept):
            if known is obj:
                return f"K[{i}]"
        self.kept.append(obj)
        return f"K[{len(self.kept) - 1}]"

    def lift(self, obj: Any, path: str, name: str) -> Abstract:
        """The abstract value of `obj`, found at `path`, called `name` in the program."""
        if path not in self._lifted:
            self._lifted[path] = self._lift(obj, path, name)
        return self._lifted[path]

    def _lift(self, obj: Any, path: str, name: str) -> Abstract:
        if isinstance(obj, _CONSTANTS):
            self.guard(path, "equals", obj)
            return obj
        if isinstance(obj, np.ndarray | np.generic) or type(obj) in (int, float, complex):
            return self._input(obj, path, name)
        if type(obj) is list:
            self.guard(path, "length", (list, len(obj)))
            return ListObj(self._items(obj, path, name), path)
        if type(obj) is tuple:
            self.guard(path, "length", (tuple, len(obj)))
            return tuple(self._items(obj, path, name))
        if type(obj) is dict and all(isinstance(key, str | int | bool | tuple) for key in obj):
            self.guard(path, "keys", tuple(obj))
            if len(obj) > 1:  # the order in which they are iterated over
                self.guard(f"tuple({path})", "equals", tuple(obj))
            items = {k: self.lift(v, f"{path}[{k!r}]", _join(name, k)) for k, v in obj.items()}
            return DictObj(items, path)
        if type(obj) in (set, frozenset) and all(
            isinstance(x, (*_CONSTANTS, int, float)) for x in obj
        ):
            self.guard(path, "equals", type(obj)(obj))
            return type(obj)(obj)
        if is_record(obj):
            self.guard(path, "type", type(obj))
            fields = {
                f: self.lift(getattr(obj, f), f"{path}.{f}", _join(name, f))
                for f in record_fields(obj)
            }
            return RecordObj(type(obj), fields, path)
        return self._reference(obj, path)

    def _items(self, obj: Any, path: str, name: str) -> list[Abstract]:
        return [self.lift(item, f"{path}[{i}]", f"{name}_{i}") for i, item in enumerate(obj)]

    def _partial(self, obj: functools.partial[Any], path: str) -> Partial:
        self.guard(path, "is", obj)
        keywords = {k: self.lift(v, f"{path}.keywords[{k!r}]", k) for k, v in obj.keywords.items()}
        args = (self.lift(x, f"{path}.args[{i}]", f"arg_{i}") for i, x in enumerate(obj.args))
        return Partial(self.lift(obj.func, f"{path}.func", "f"), tuple(args), keywords)

    def _reference(self, obj: Any, path: str) -> Abstract:
        if isinstance(obj, functools.partial):
            return self._partial(obj, path)
        if isinstance(obj, types.FunctionType):
            self.guard(path, "code", (obj, obj.__code__))
        elif isinstance(obj, types.MethodType):
            self.guard(f"{path}.__func__", "is", obj.__func__)
        elif callable(obj) or isinstance(obj, types.ModuleType):
            self.guard(path, "is", obj)
        else:
            self.guard(path, "type", type(obj))
        return Ref(obj, path)

    def _input(self, obj: Any, path: str, name: str) -> Abstract:
        check_leaf(obj, name)
        if path in self.statics and type(obj) is int:
            self.guard(path, "static", obj)
            return obj
        self.guard(path, "leaf", leaf_key(obj))
        value = Value(name, self._type(obj, path, f"s{len(self.values)}_"))
        if path.endswith("]") and not path.endswith("']"):
            self._positional.add(value)
        self.values[path] = value
        self.paths[value] = path
        self.samples[path] = obj
        return value

    def _type(self, obj: Any, path: str, prefix: str) -> ArrayType | NumberType:
        """The type of an input: extents are 1 or unknown, and the unknown ones are never 1."""
        if isinstance(obj, np.ndarray):
            return ArrayType(
                obj.dtype,
                tuple(
                    1 if n == 1 else self._extent(f"{path}.shape[{axis}]", n, f"{prefix}{axis}")
                    for axis, n in enumerate(obj.shape)
                ),
            )
        if isinstance(obj, np.generic):
            return ArrayType(obj.dtype, (), scalar=True)
        return NumberType(next(kind for kind in (int, float, complex) if isinstance(obj, kind)))

    def _extent(self, at: str, size: int, symbol: str) -> int | Dim:
        """An unknown extent; the same as that of another axis where the program was specialised to
        that.
        """
        if at in self.statics:
            self.guard(at, "static", size)
            return size
        for fact in self.statics:
            first, _, second = fact.partition(" == ")
            if second == at and first in self.extents:
                self.guard(fact, "equals", self.sizes[first] == size)
                if self.sizes[first] == size:
                    symbol = self.extents[first]
        self.extents[at] = symbol
        self.sizes[at] = size
        return Dim(symbol, never_one=True)

    def assume_equal(self, a: object, b: object) -> None:
        """Ask for a program that knows two extents of inputs to be equal, if they are in this call.

        What is square in every sensible call (the argument of `np.trace`) has a simpler derivative
        then.
        """
        places = [
            next((p for p, s in self.extents.items() if Dim(s, never_one=True) == d), None)
            for d in (a, b)
        ]
        first, second = (
            sorted(p for p in places if p is not None) if None not in places else ("", "")
        )
        fact = f"{first} == {second}"
        if (
            first
            and a != b
            and fact not in self.statics
            and self.sizes[first] == self.sizes[second]
        ):
            raise NeedStatic(frozenset({fact}))

    def extent_path(self, extent: object) -> str | None:
        """The path of the input's extent that is `extent`, perhaps less a constant, if a program
        may depend on it.
        """
        if not isinstance(extent, Dim):
            return None
        at = next((path for path, symbol in self.extents.items() if symbol == extent.symbol), None)
        return at if at is not None and self.sizes[at] <= MAX_STATIC_EXTENT else None

    def take_name(self, value: Value) -> bool:
        """Whether an input is called by its position so far (`params_0`); true once."""
        if value not in self._positional:
            return False
        self._positional.discard(value)
        return True


def check_leaf(obj: Any, name: str) -> None:
    """Refuse arrays whose semantics differ from a plain ndarray's."""
    if isinstance(obj, np.ndarray):
        if obj.dtype.hasobject:
            raise error("E309", None, what=f"`{name}`")
        if type(obj) not in (np.ndarray, np.memmap):
            raise error("E308", None, what=f"`{name}` of type {type(obj).__name__}")


def is_record(obj: Any) -> bool:
    """Whether `obj` is a namedtuple or a dataclass instance."""
    if isinstance(obj, tuple):
        return hasattr(type(obj), "_fields")
    return dataclasses.is_dataclass(obj) and not isinstance(obj, type)


def record_fields(obj: Any) -> tuple[str, ...]:
    """The names of the fields of a namedtuple or dataclass (class or instance)."""
    if hasattr(obj, "_fields"):
        return tuple(obj._fields)
    return tuple(f.name for f in dataclasses.fields(obj))


def _join(name: str, key: object) -> str:
    """The name of an item: the key itself where it is an identifier, as `w` for `params["w"]`."""
    return key if isinstance(key, str) and key.isidentifier() else f"{name}_{key}"


__all__ = ["Inputs", "NeedStatic", "is_record", "is_trusted", "record_fields"]

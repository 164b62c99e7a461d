"""Inputs, captured values and guards: everything a specialisation takes from outside the function's
text.

Numbers and arrays reached by a path (`srcad.ir.guards`) become inputs of the program and are read
anew at each call; everything else that the program was specialised to has a `Guard`, checked at
each call. So a change after the first call gives the new answer.
"""

from __future__ import annotations

import datetime
import enum
import functools
import inspect
import random
import re
import types
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from srcad.devices import generator_classes, is_array
from srcad.errors import error
from srcad.frontend.abstract.containers.containers import (
    ARRAY,
    ITEMS,
    MUTABLE,
    RecordObj,
    SetObj,
    is_dict_record,
)
from srcad.frontend.abstract.objects import (
    UNBOUND,
    Abstract,
    Conflict,
    Instance,
    Partial,
    Ref,
    is_local_class,
)
from srcad.frontend.kinds import (
    check_leaf,
    is_constant_sequence,
    is_instance_of_class,
    is_of_class,
    is_record,
    is_rotation,
    is_sparse_matrix,
    numpys_own,
    path_of_attribute,
    unread_way,
)
from srcad.frontend.reading.beside_fields import BesideFields
from srcad.frontend.reading.changed_inputs import ChangedInputs
from srcad.frontend.reading.containers import joined, lift_container, lift_object
from srcad.frontend.reading.known_signatures import record_of_signature
from srcad.frontend.reading.outside import lift_outside
from srcad.frontend.reading.structured import has_fields, lift_structured
from srcad.frontend.written.scipy import rotations, sparse, sparse_solvers
from srcad.ir.guards import is_below, leaf_key
from srcad.ir.nodes import Value
from srcad.ir.types import ObjectType
from srcad.rules import RULES
from srcad.runtime.outside import VIEW, is_array_class, is_masked, values_of
from srcad.runtime.records import own_fields

MAX_OBJECTS = 100_000  # that a program reads

_DATES = (datetime.date, datetime.datetime, datetime.time, datetime.timedelta)
_CONSTANTS = (bool, str, bytes, type(None), type(Ellipsis), np.dtype, np.bool_, range, slice)


class Inputs(ChangedInputs):
    """The inputs and guards found so far, by path."""

    def __init__(
        self,
        statics: frozenset[str],
        changing: Iterable[object] = (),
        general: frozenset[str] = frozenset(),
        asked: frozenset[tuple[type | str, str]] = frozenset(),
    ) -> None:
        super().__init__(statics, changing, general)
        self.beside = BesideFields(asked)
        self._lifted: dict[str, Abstract] = {}
        self._around: dict[int, str] = {}  # what is being lifted: objects by their names
        self.wholes: dict[str, Value] = {}  # objects as they are
        self.forgotten: dict[str, Value] = {}
        self.left_out: set[str] = set()  # paths of what the program must not read
        self.kept: list[Any] = []
        self.rules_read: set[int] = set()  # those of the users whose bodies are guarded
        self.class_paths: dict[type, str] = {}
        self._first: dict[int, str] = {}
        self.keys: dict[int, Instance] = {}  # objects that are keys of dicts, by their ids
        self._positional: set[Value] = set()

    def keep(self, obj: Any) -> str:
        """A path to an object that no expression reaches: a class made in a function, say."""
        for i, known in enumerate(self.kept):
            if known is obj:
                return f"K[{i}]"
        self.kept.append(obj)
        return f"K[{len(self.kept) - 1}]"

    def path_of(self, cls: type) -> str:
        """A path to a class: that by which the program reached it, if it has; none to one made
        inside.
        """
        if is_local_class(cls):
            return ""
        for known, path in self.class_paths.items():
            if cls is known:
                return path
            if cls in known.__mro__:
                return f"{path}.__mro__[{known.__mro__.index(cls)}]"
        return self.keep(cls)

    def lift(self, obj: Any, path: str, name: str) -> Abstract:
        """The abstract value of `obj`, found at `path`, called `name` in the program.

        Raises:
            ArgumentValueError: E322, for an object that holds itself.
            UnsupportedSyntax: E140, for more objects than can be compiled.
        """
        if path not in self._lifted:
            if self.is_changing(obj):  # one dict, wherever it is found
                self.guard(path, "is", obj)
                known = self.standing_for(obj)
                if known is not None:
                    return known
            if id(obj) in self._around:
                raise error("E322", None, what=f"`{self._around[id(obj)]}`")
            if len(self._lifted) > MAX_OBJECTS:
                raise error("E140", None, what=f"what holds more than {MAX_OBJECTS:,} objects")
            self._around[id(obj)] = name
            try:
                made = self._lifted[path] = self._lift(obj, path, name)
            finally:
                del self._around[id(obj)]
            if isinstance(made, MUTABLE):
                self.note_place(made, obj, path)
            if is_dict_record(made):
                self.note_place(made.fields[ITEMS], obj, path)
        return self._lifted[path]

    def forget(self, paths: Iterable[str]) -> None:
        """Take no inputs from these paths, nor from those behind them, and guard nothing there."""
        for path in paths:
            self.left_out.add(path)
            for known in [known for known in self.values if is_below(known, path)]:
                self.forgotten[known] = self.values.pop(known)
                del self.samples[known]
            for key in [key for key, guard in self.guards.items() if is_below(guard.path, path)]:
                del self.guards[key]

    def known(self, path: str) -> Abstract:
        """What was found at a path; `UNBOUND` if nothing was read there."""
        return self._lifted.get(path, UNBOUND)

    def attribute(self, obj: Any, path: str, name: str) -> Abstract:
        """What an attribute is that the program sets on another path only."""
        held = name in getattr(obj, "__dict__", ())
        known = inspect.getattr_static(type(obj), name, None)
        if held or (known is not None and not hasattr(type(known), "__get__")):
            return self.lift(getattr(obj, name), path_of_attribute(obj, path, name), name)
        if isinstance(known, types.MemberDescriptorType) and hasattr(obj, name):
            return self.lift(getattr(obj, name), f"{path}.{name}", name)
        unset = known is None or isinstance(known, types.MemberDescriptorType)
        if unset:
            self.guard(f"hasattr({path}, {name!r})", "equals", False)
        return UNBOUND if unset else Conflict("E129", f"`{name}`")

    def _lift(self, obj: Any, path: str, name: str) -> Abstract:
        if isinstance(obj, _CONSTANTS) or is_constant_sequence(obj):
            self.guard(path, "equals", obj)
            return obj
        if has_fields(obj):
            return lift_structured(self, obj, path, name)
        if is_array_class(type(obj)) and unread_way(type(obj)) is None:
            return self._array_of_class(obj, path, name)
        is_number = isinstance(obj, np.generic) or type(obj) in (int, float, complex)
        if is_number or (is_array(obj) and not is_masked(obj)):
            return self._input(obj, path, name)
        if type(obj) in (*generator_classes(), random.Random):
            return self._generator(obj, path, name)
        outside = lift_outside(self, obj, path, name)
        if outside is not None:
            return outside
        if is_sparse_matrix(obj):
            return self._sparse_matrix(obj, path, name)
        if is_rotation(obj):
            return self._rotation(obj, path, name)
        if type(obj).__name__ == "SuperLU" and obj.L.dtype == float:
            return self._factors(obj, path, name)
        container = lift_container(self, obj, path, name)
        if container is not None:
            return container
        if type(obj) in (set, frozenset) and all(
            isinstance(x, (*_CONSTANTS, int, float)) for x in obj
        ):
            self.guard(path, "equals", type(obj)(obj))
            return SetObj(dict.fromkeys(obj), path) if type(obj) is set else obj
        if is_record(obj):
            self.guard(path, "type", type(obj))
            return RecordObj(type(obj), self._fields(obj, path, name), path)
        if self.beside.is_asked(path):
            return lift_object(self, obj, path, name)
        return self._reference(obj, path)

    def _fields(self, obj: Any, path: str, name: str) -> dict[str, Abstract]:
        """Those of a dataclass object or named tuple, and what else the program reads of it."""
        found: dict[str, Abstract] = {}
        for f in (*own_fields(type(obj)), *self.beside.wanted_of(obj, path)):
            if hasattr(obj, f):
                at = path_of_attribute(obj, path, f)
                found[f] = self.lift(getattr(obj, f), at, joined(name, f))
            else:
                self.guard(f"hasattr({path}, {f!r})", "equals", False)
        return found

    def whole(self, path: str) -> Value:
        """The object at the path of one that was lifted, to be passed on as it is."""
        if path not in self.wholes:
            self.wholes[path] = Value("held", ObjectType())
            self.paths[self.wholes[path]] = path
        return self.wholes[path]

    def _sparse_matrix(self, obj: Any, path: str, name: str) -> RecordObj:
        """A matrix of SciPy's in compressed form, by its arrays."""
        self.guard(path, "type", type(obj))
        self.guard(f"{path}.shape", "equals", obj.shape)
        parts = ("data", "indices", "indptr")
        fields = {f"_{p}": self.lift(getattr(obj, p), f"{path}.{p}", f"{name}_{p}") for p in parts}
        is_array = type(obj).__name__.endswith("_array")
        cls = sparse.CompressedArray if is_array else sparse.Compressed
        fixed = {"shape": obj.shape, "_by_columns": obj.format == "csc"}
        return RecordObj(cls, {**fields, **fixed})

    def _array_of_class(self, obj: Any, path: str, name: str) -> RecordObj:
        """An array of a class of the user's, by the plain array and its attributes."""
        self.guard(path, "type", type(obj))
        self.guard(f"tuple({path}.__dict__)", "equals", tuple(vars(obj)))
        held = {k: self.lift(v, f"{path}.__dict__[{k!r}]", k) for k, v in vars(obj).items()}
        array = self.lift(values_of(obj), path + VIEW, name)
        return RecordObj(type(obj), {ARRAY: array, **held}, path)

    def _rotation(self, obj: Any, path: str, name: str) -> RecordObj:
        """A rotation of SciPy's, by its quaternion."""
        self.guard(path, "type", type(obj))
        quat = self.lift(obj.as_quat(), f"{path}.as_quat()", name)
        return RecordObj(rotations.HeldRotation, {"_quat": quat})

    def _factors(self, obj: Any, path: str, name: str) -> RecordObj:
        """What `scipy.sparse.linalg.splu` made: an input, as which matrix it solves may differ."""
        self.guard(path, "type", type(obj))
        self.guard(f"{path}.shape", "equals", obj.shape)
        value = self.values[path] = Value(name, ObjectType("SuperLU"))
        self.paths[value] = path
        self.samples[path] = obj
        return RecordObj(sparse_solvers.Factorized, {"_factors": value, "shape": obj.shape})

    def _partial(self, obj: functools.partial[Any], path: str) -> Partial:
        self.guard(path, "is", obj)
        keywords = self.lift(obj.keywords, f"{path}.keywords", "keywords")
        args = (self.lift(x, f"{path}.args[{i}]", f"arg_{i}") for i, x in enumerate(obj.args))
        opens = functools.partial(obj).func is not obj  # as long as it has no attributes
        return Partial(self.lift(obj.func, f"{path}.func", "f"), tuple(args), keywords, opens)

    def _reference(self, obj: Any, path: str) -> Abstract:
        if isinstance(obj, functools.partial):
            return self._partial(obj, path)
        if (same := numpys_own(obj)) is not None:
            self.guard(path, "is", obj)
            return Ref(same, "")
        if isinstance(obj, inspect.Signature):
            self.guard(path, "is", obj)
            return record_of_signature(obj)
        if isinstance(obj, types.FunctionType):
            self.guard(path, "code", (obj, obj.__code__))
        elif isinstance(obj, types.MethodType):
            self.guard(f"{path}.__func__", "is", obj.__func__)
            if obj in RULES:  # of this very object: `scipy.stats.norm.pdf`
                self.guard(f"{path}.__self__", "is", obj.__self__)
        elif isinstance(obj, enum.Enum | re.Match):
            self.guard(path, "is", obj)
        elif type(obj) in (Decimal, Fraction, re.Pattern, *_DATES):
            self.guard(path, "equals", obj)
        elif is_instance_of_class(obj):
            self.guard(path, "type", type(obj))
            self.class_paths.setdefault(type(obj), f"type({path})")
            return Instance(obj, path, original=functools.partial(self.attribute, obj, path))
        elif is_of_class(obj):
            self.guard(f"{path}.__self__", "is", obj.__self__)
            self.guard(f"{path}.__name__", "equals", obj.__name__)
        elif callable(obj) or isinstance(obj, types.ModuleType):
            self.guard(path, "is", obj)
        else:
            self.guard(path, "type", type(obj))
        # One that is guarded to be this very object is read by the path at which it was found
        # first: a function that many modules import is guarded once.
        is_one = isinstance(obj, types.FunctionType | types.ModuleType)
        return Ref(obj, self._first.setdefault(id(obj), path) if is_one else path)

    def _input(self, obj: Any, path: str, name: str) -> Abstract:
        check_leaf(obj, name)
        if path in self.statics and type(obj) in (int, float):
            self.guard(path, "static", obj)
            return obj
        self.guard(path, "leaf", leaf_key(obj))
        value = Value(name, self.type_of(obj, path, f"s{len(self.values)}_"))
        if path.endswith("]") and not path.endswith("']"):
            self._positional.add(value)
        self.values[path] = value
        self.paths[value] = path
        self.samples[path] = obj
        return value

    def _generator(self, obj: Any, path: str, name: str) -> Value:
        """A random generator is an input: which one may differ from call to call."""
        self.guard(path, "type", type(obj))
        value = self.values[path] = Value(name, ObjectType(type(obj).__name__))
        self.paths[value] = path
        self.samples[path] = obj
        return value

    def sizes_left(self) -> frozenset[str]:
        """The paths of int inputs and of extents to which the program is not specialised, but may
        be.
        """
        return self.ints_left() | self.short_extents()

    def ints_left(self) -> frozenset[str]:
        """The paths of int inputs to which the program is not specialised."""
        return frozenset(path for path, x in self.samples.items() if type(x) is int)

    def take_name(self, value: Value) -> bool:
        """Whether an input is called by its position so far (`params_0`); true once."""
        if value not in self._positional:
            return False
        self._positional.discard(value)
        return True


__all__ = ["Inputs"]

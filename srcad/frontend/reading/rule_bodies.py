"""What the bodies of the users' rules read from outside: guarded, for they are called only while a
program is compiled.

    RATE = 4.0
    rules.elementwise(h, lambda y, x: RATE * np.cos(x))     Guard("K[0].__globals__['RATE']", ...)

So a change gives the new derivative, as it gives the new value. Followed are globals, variables of
the functions around, helpers, and what attributes and containers hold. What a body itself may
change is not: it counts its calls, say.
"""

from __future__ import annotations

import dis
import functools
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from srcad.errors.location import INSTALLED
from srcad.frontend.kinds import has_source, is_constant_sequence, is_trusted
from srcad.ir.guards import GuardKind, leaf_key
from srcad.rules import RULES
from srcad.rules.core.declaration.registration import of_users
from srcad.rules.core.table import Rule

_CONSTANTS = (int, float, complex, str, bytes, type(None), type(Ellipsis), np.dtype, np.generic)
_MAX_ITEMS = 64  # of a container or array that is compared at each call
_MAX_DEPTH = 3
_ABSENT = object()
_CHANGING = {
    "add", "append", "appendleft", "clear", "discard", "extend", "fill", "insert", "pop", "popitem",
    "remove", "reverse", "setdefault", "sort", "update",
}  # fmt: skip
_STORING = {"STORE_ATTR", "STORE_SUBSCR", "DELETE_ATTR", "DELETE_SUBSCR"}


class Keeper(Protocol):
    """Where guards are noted, and objects held that no path leads to."""

    rules_read: set[int]

    def guard(self, path: str, kind: GuardKind, expected: Any) -> None:
        """Note that the program holds only while this stays true."""

    def keep(self, obj: Any) -> str:
        """A path to an object that no expression reaches."""


def guard_rule(inputs: Keeper, rule: Rule) -> None:
    """Guard what the bodies of a user's rule read, and those of the rules that they use."""
    if id(rule) in inputs.rules_read:
        return
    inputs.rules_read.add(id(rule))
    names, known = _Names(), -1
    while known != names.count:  # an object's attributes are read by any function that gets it
        known = names.count
        _Reader(inputs, names).see_rule(rule)


class _Names:
    """The names of attributes that functions read, and of those that they set."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.stored: set[str] = set()

    @property
    def count(self) -> int:
        return len(self.read) + len(self.stored)


class _Reader:
    def __init__(self, inputs: Keeper, names: _Names) -> None:
        self._inputs = inputs
        self._names = names
        self._seen: set[int] = set()

    def see_rule(self, rule: Rule) -> None:
        """The functions of the user's that state a rule."""
        if id(rule) in self._seen:
            return
        self._seen.add(id(rule))
        stated = (rule.jvp, *rule.vjps.values(), *rule.partials, rule.joint, rule.body)
        for body in _of_users(stated, {id(rule.fn)}):
            self._follow(body)

    def _follow(self, fn: types.FunctionType) -> None:
        """What a function reads."""
        if id(fn) in self._seen:
            return
        self._seen.add(id(fn))
        reads = _reads(fn.__code__)
        self._names.read |= reads.attributes
        self._names.stored |= reads.stored
        at = self._inputs.keep(fn)
        for name in sorted(reads.names & fn.__globals__.keys()):
            self._see(fn.__globals__[name], f"{at}.__globals__[{name!r}]", reads)
        for i, cell in enumerate(fn.__closure__ or ()):
            try:
                held = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
            if fn.__code__.co_freevars[i] not in reads.stored:
                self._see(held, f"{at}.__closure__[{i}].cell_contents", reads)

    def _see(self, obj: Any, path: str, reads: _Reads, depth: int = 0) -> None:
        guard, cls = self._inputs.guard, type(obj)
        if isinstance(obj, _CONSTANTS) or is_constant_sequence(obj):
            guard(path, "equals", obj)
        elif isinstance(obj, types.ModuleType):
            if not is_library_module(obj):
                guard(path, "is", obj)
                self._see_attributes(obj, path, reads, depth)
        elif isinstance(obj, types.FunctionType):
            guard(path, "code", (obj, obj.__code__))
            self._see_function(obj)
        elif isinstance(obj, types.MethodType):
            guard(f"{path}.__func__", "is", obj.__func__)
            self._see_function(obj.__func__)
            self._see(obj.__self__, f"{path}.__self__", reads, depth)
        elif cls in (list, tuple, dict) and not reads.changes and len(obj) <= _MAX_ITEMS:
            self._see_items(obj, path, reads, depth)
        elif cls is np.ndarray and not reads.changes and _is_small(obj):
            guard(path, "leaf", leaf_key(obj))
            for axis, extent in enumerate(obj.shape if obj.ndim > 1 else ()):
                guard(f"{path}.shape[{axis}]", "equals", extent)
            guard(f"{path}.tobytes()", "equals", obj.tobytes())
        else:
            guard(path, "is", obj)
            self._see_attributes(obj, path, reads, depth)

    def _see_function(self, fn: Any) -> None:
        if not isinstance(fn, types.FunctionType):
            return
        if fn in of_users:
            self.see_rule(RULES[fn])
        elif fn not in RULES and not is_library_module(sys.modules.get(fn.__module__)):
            self._follow(fn)

    def _see_items(self, obj: Any, path: str, reads: _Reads, depth: int) -> None:
        if not isinstance(obj, dict):
            self._inputs.guard(path, "length", (type(obj), len(obj)))
            items = [(i, item) for i, item in enumerate(obj)]
        elif all(type(key) in (str, int, bool) and has_source(key) for key in obj):
            self._inputs.guard(path, "keys", tuple(obj))
            items = [*obj.items()]
        else:
            self._inputs.guard(path, "is", obj)
            return
        for key, item in items:
            if depth < _MAX_DEPTH:
                self._see(item, f"{path}[{key!r}]", reads, depth + 1)

    def _see_attributes(self, obj: Any, path: str, reads: _Reads, depth: int) -> None:
        """The attributes of an object or module that have a name which a function reads."""
        is_open = isinstance(obj, type | types.ModuleType)
        if id(obj) in self._seen or depth > _MAX_DEPTH:
            return
        if not is_open and is_library_module(sys.modules.get(type(obj).__module__)):
            return
        self._seen.add(id(obj))
        held = getattr(obj, "__dict__", {})
        for name in sorted(self._names.read - self._names.stored):
            if name.startswith("__"):
                continue
            known = held.get(name, _ABSENT)
            if known is _ABSENT:
                known = inspect.getattr_static(obj, name, _ABSENT)
            if isinstance(known, types.MemberDescriptorType):
                known = getattr(obj, name, _ABSENT)
            if isinstance(known, property):
                self._see_function(known.fget)
            elif isinstance(known, types.FunctionType) and not is_open:
                self._see_function(known)
            elif known is not _ABSENT and getattr(obj, name, _ABSENT) is known:
                self._see(known, f"{path}.{name}", reads, depth + 1)


class _Reads:
    """The names that code reads and stores, with that of functions inside it."""

    def __init__(self, code: Any) -> None:
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.stored: set[str] = set()
        self.changes = False
        if code is not None:
            self._add(code)
        self.names -= self.stored
        self.changes |= not _CHANGING.isdisjoint(self.attributes)

    def _add(self, code: types.CodeType) -> None:
        for each in dis.get_instructions(code):
            if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                self.names.add(each.argval)
            elif each.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                self.attributes.add(each.argval)
            elif each.opname in ("STORE_GLOBAL", "STORE_DEREF", "STORE_ATTR"):
                self.stored.add(each.argval)
            self.changes |= each.opname in _STORING
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                self._add(inner)


@functools.lru_cache(maxsize=256)
def _reads(code: Any) -> _Reads:
    return _Reads(code)


def _of_users(stated: Any, seen: set[int]) -> Iterator[types.FunctionType]:
    """The functions of users in what srcad has made of them."""
    if stated is None or id(stated) in seen:
        return
    seen.add(id(stated))
    parts: list[Any] = []
    if isinstance(stated, types.FunctionType):
        if not (stated.__module__ or "").startswith("srcad."):
            yield stated
            return
        parts = [cell.cell_contents for cell in stated.__closure__ or ()]
    elif isinstance(stated, functools.partial):
        parts = [stated.func, *stated.args, *stated.keywords.values()]
    elif isinstance(stated, types.MethodType):
        parts = [stated.__func__]
    elif isinstance(stated, tuple | list):
        parts = [*stated]
    elif (type(stated).__module__ or "").startswith("srcad.") and hasattr(stated, "__dict__"):
        parts = [*vars(stated).values()]
    for part in parts:
        yield from _of_users(part, seen)


def _is_small(x: np.ndarray) -> bool:
    return x.size <= _MAX_ITEMS and not x.dtype.hasobject


def is_library_module(module: Any) -> bool:
    """Whether a module is of a library or installed: what it holds stays."""
    name = getattr(module, "__name__", "").partition(".")[0]
    file = getattr(module, "__file__", None) or ""
    is_installed = any(part in file for part in INSTALLED)
    return is_installed or is_trusted(module) or name in sys.stdlib_module_names


__all__ = ["guard_rule", "is_library_module"]

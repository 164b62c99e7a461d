"""Containers from outside: what is guarded of them, and their items lifted.

    [w, b]                     its class and length          ListObj
    {"w": w}                   its keys in their order       DictObj
    deque([x, y], maxlen=2)    its class, length and room    ListObj that knows what it is
    OrderedDict(w=w)           its class and keys            DictObj that knows what it is
    MappingProxyType({"w": w})
    Layer(w, b)                its class, its attributes    RecordObj, where all of it is asked for

Those of `collections` are followed, and are not changed.
"""

from __future__ import annotations

import enum
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Protocol

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import (
    IS_NAMESPACE,
    ITEMS,
    DictObj,
    ListObj,
    RecordObj,
)
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.kinds import has_source, path_of_attribute
from srcad.ir.guards import GuardKind
from srcad.runtime.records import attributes, is_dict_class

_KEYS = (str, int, bool, tuple)
_DICTS = (OrderedDict, defaultdict, Counter, MappingProxyType)


class Reader(Protocol):
    """Where guards are noted and what is found at a path is lifted."""

    general: frozenset[str]

    def guard(self, path: str, kind: GuardKind, expected: Any) -> None:
        """Note that the program holds only while this stays true."""

    def keep(self, obj: Any) -> str:
        """A path to an object that has no source."""

    def lift(self, obj: Any, path: str, name: str) -> Abstract:
        """The abstract value of what is found at a path."""


def lift_container(reader: Reader, obj: Any, path: str, name: str) -> Abstract:
    """The abstract value of a container; None where `obj` is none that is followed."""
    cls = type(obj)
    if cls is list:
        reader.guard(path, "length", (list, len(obj)))
        return ListObj(_items(reader, obj, path, name), path)
    if cls is tuple:
        reader.guard(path, "length", (tuple, len(obj)))
        return tuple(_items(reader, obj, path, name))
    is_captured = not path.startswith("A[")
    if cls is deque:
        reader.guard(path, "type", deque)
        reader.guard(f"(len({path}), {path}.maxlen)", "equals", (len(obj), obj.maxlen))
        items = _items(reader, obj, path, name)
        return ListObj(items, path, cls=deque, maxlen=obj.maxlen, frozen=not is_captured)
    if is_dict_class(cls) and all(_is_key(key, is_captured) for key in obj):
        return _lift_record(reader, obj, path, name)
    is_dict = cls is dict or (cls in _DICTS and (is_captured or cls is not MappingProxyType))
    if is_dict and all(_is_key(key, is_captured) for key in obj):
        return _lift_dict(reader, obj, path, name)
    return None


def _is_key(key: Any, is_captured: bool) -> bool:
    """Whether an item is reached by its key: by its source, or as a member of an enum."""
    is_member = is_captured and isinstance(key, enum.Enum)
    return is_member or (type(key) in _KEYS and has_source(key))


def _lift_dict(reader: Reader, obj: Any, path: str, name: str) -> DictObj:
    if obj is sys.modules and path.startswith("K["):
        # A library asks there whose an array is: NumPy's stays NumPy's, whatever is imported later.
        return DictObj({key: Ref(module, "") for key, module in obj.items()}, path)
    if obj is sys.modules:
        return DictObj(Modules(reader, path), path, frozen=True)
    cls, keys, factory = type(obj), tuple(obj), None
    reader.guard(path, *(("keys", keys) if cls is dict else ("type", cls)))
    has_order = len(keys) > 1 or cls is not dict
    is_general = path in reader.general and cls is dict

    def in_order() -> None:
        reader.guard(f"tuple({path})", "equals", keys)

    if has_order and not is_general:
        in_order()
    if cls is defaultdict:
        place = f"{path}.default_factory"
        factory = reader.lift(obj.default_factory, place, "default_factory")
    items = {}
    for k, v in obj.items():
        is_member = isinstance(k, enum.Enum)
        source, called = (reader.keep(k), k.name) if is_member else (repr(k), joined(name, k))
        items[k] = reader.lift(v, f"{path}[{source}]", called)
    if has_order and is_general:
        items = Ordered(items, in_order)
    is_frozen = cls is not dict and path.startswith("A[")
    return DictObj(items, path, cls=cls, factory=factory, frozen=is_frozen)


def _lift_record(reader: Reader, obj: Any, path: str, name: str) -> RecordObj:
    """An object of a class of the user's with `dict` behind it, and the attributes it has beside
    its items.
    """
    reader.guard(path, "type", type(obj))
    reader.guard(f"tuple({path})", "equals", tuple(obj))
    items = {k: reader.lift(v, f"{path}[{k!r}]", joined(name, k)) for k, v in obj.items()}
    fields: dict[str, Abstract] = {ITEMS: DictObj(items, path)}
    held = vars(obj) if hasattr(obj, "__dict__") else {}
    if held is obj:
        reader.guard(f"{path}.__dict__ is {path}", "equals", True)
        return RecordObj(type(obj), {**fields, IS_NAMESPACE: True}, path)
    if held and path.startswith("A["):
        what = f"`{name}` of type {type(obj).__name__}, with attributes beside its items,"
        raise error("E308", None, what=what, fix="pass its items: `dict(x)`")
    reader.guard(f"tuple(getattr({path}, '__dict__', ()))", "equals", tuple(held))
    beside = {k: reader.lift(v, f"{path}.__dict__[{k!r}]", k) for k, v in held.items()}
    return RecordObj(type(obj), {**fields, **beside}, path)


def lift_object(reader: Reader, obj: Any, path: str, name: str) -> RecordObj:
    """An object of a plain class, by all that it holds."""
    held, own = attributes(obj), tuple(getattr(obj, "__dict__", ()))
    reader.guard(path, "type", type(obj))
    reader.guard(f"tuple(getattr({path}, '__dict__', ()))", "equals", own)
    for slot in held.keys() - own:
        reader.guard(f"hasattr({path}, {slot!r})", "equals", True)
    paths = {key: path_of_attribute(obj, path, key) for key in held}
    fields = {key: reader.lift(x, paths[key], joined(name, key)) for key, x in held.items()}
    return RecordObj(type(obj), fields, path)


def _items(reader: Reader, obj: Any, path: str, name: str) -> list[Abstract]:
    return [reader.lift(item, f"{path}[{i}]", f"{name}_{i}") for i, item in enumerate(obj)]


def joined(name: str, key: object) -> str:
    """The name of an item: the key itself where it is an identifier, as `w` for `params["w"]`."""
    return key if isinstance(key, str) and key.isidentifier() else f"{name}_{key}"


class Ordered(dict[Any, Abstract]):
    """The items of a dict which notes that something depends on their order."""

    def __init__(self, items: Mapping[Any, Abstract], note: Callable[[], None]) -> None:
        super().__init__(items)
        self.note = note

    def __iter__(self) -> Iterator[Any]:
        self.note()
        return super().__iter__()

    def __reversed__(self) -> Iterator[Any]:
        self.note()
        return super().__reversed__()

    def keys(self) -> Any:
        """In their order."""
        self.note()
        return super().keys()

    def values(self) -> Any:
        """In the order of the keys."""
        self.note()
        return super().values()

    def items(self) -> Any:
        """In the order of the keys."""
        self.note()
        return super().items()

    def popitem(self) -> tuple[Any, Abstract]:
        """The last one."""
        self.note()
        return super().popitem()


class Modules(Ordered):
    """The items of `sys.modules`, to which every import adds: it notes which of them are asked for,
    and all where something depends on more than these.
    """

    def __init__(self, reader: Reader, path: str) -> None:
        self.reader, self.path, self.modules = reader, path, dict(sys.modules)
        found = {k: Ref(module, f"{path}[{k!r}]") for k, module in sys.modules.items()}
        super().__init__(found, self._note)
        self.is_noted = False

    def _note(self) -> None:
        if self.is_noted:
            return
        self.is_noted = True
        self.reader.guard(f"tuple({self.path})", "equals", tuple(self.modules))
        for key in self.modules:
            self[key]

    def __contains__(self, key: object) -> bool:
        is_there = super().__contains__(key)
        if isinstance(key, str):
            self.reader.guard(f"{key!r} in {self.path}", "equals", is_there)
        return is_there

    def __getitem__(self, key: Any) -> Abstract:
        return self.reader.lift(self.modules[key], f"{self.path}[{key!r}]", str(key))

    def __len__(self) -> int:
        self.note()
        return super().__len__()

    def get(self, key: Any, default: Abstract = None) -> Abstract:
        """What it holds at a key."""
        if key not in self:
            return default
        return self[key]


__all__ = ["Modules", "Ordered", "joined", "lift_container", "lift_object"]

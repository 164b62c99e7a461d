"""Objects of the caller's that may be changed: where they are found, and what the program changes.

params["w"] = 0.0           the argument is changed: guarded that no other path leads to this dict
x[0] = 1.0                  that `x` may be written, and shares no memory with another array
step(params, params)        refused: what changes is reached in two ways
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from srcad.devices import is_array, is_on_device
from srcad.errors import Location, error
from srcad.frontend.abstract.containers.containers import Container
from srcad.frontend.abstract.containers.contents import contents
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.reading.input_extents import InputExtents
from srcad.ir.guards import are_apart
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType
from srcad.ir.walk import values_in
from srcad.runtime.outside import is_array_class


class ChangedInputs(InputExtents):
    """The inputs found so far, with those that are changed.

    Args:
        statics: as for `InputExtents`.
        changing: captured dicts that the program changes.
        general: as for `InputExtents`.
    """

    def __init__(
        self,
        statics: frozenset[str],
        changing: Iterable[object] = (),
        general: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(statics, general)
        self.values: dict[str, Value] = {}
        self.samples: dict[str, Any] = {}
        self.paths: dict[Value, str] = {}
        # Captured dicts that the program changes, and what stands for them.
        self._changing: dict[int, Any] = {id(obj): None for obj in changing}
        # Containers of the caller with what they hold; where objects that may be changed were
        # found; those that the program changes.
        self.lifted: dict[Container, dict[Any, Abstract]] = {}
        self._places: dict[int, tuple[Any, list[str]]] = {}
        self._changed: dict[str, Any] = {}

    def note_place(self, made: Container, obj: Any, path: str) -> None:
        """Remember where an object that may be changed was found."""
        _, places = self._places.setdefault(id(obj), (obj, []))
        if path not in places:
            places.append(path)
        if path.startswith("A[") or id(obj) in self._changing:
            self.lifted[made] = contents(made, in_order=False)
        if id(obj) in self._changing:
            self._changing[id(obj)] = made
        if len(places) > 1 and not self._changed.keys().isdisjoint(places):
            raise _shared(obj, "a change")

    def captured(self, x: Container) -> Any:
        """The dict that a captured one stands for, to be changed."""
        return next(obj for obj, places in self._places.values() if x.path in places)

    def fix_axes(self, options: Mapping[str, Any]) -> None:
        """Have a program for each value of the inputs that say along which axes a call works: loops
        know their extents then.
        """
        given = values_in((options.get("axis"), options.get("axes")))
        ints = (v for v in given if isinstance(v.type, NumberType) and v.type.kind is int)
        if paths := frozenset(self.paths[v] for v in ints if v in self.paths):
            raise NeedStatic(paths)

    def object_at(self, path: str) -> Any:
        """The object that may be changed that was found at a path; None if there is none."""
        return next((obj for obj, places in self._places.values() if path in places), None)

    @property
    def has_changing(self) -> bool:
        """Whether the program changes a captured dict."""
        return bool(self._changing)

    def is_changing(self, obj: object) -> bool:
        """Whether it is known that the program changes a captured dict."""
        return id(obj) in self._changing

    def standing_for(self, obj: object) -> Any:
        """What stands for a captured dict that the program changes; None before it is found."""
        return self._changing[id(obj)]

    def change(self, x: Container, what: str) -> None:
        """Note that the program changes what a path leads to.

        Raises:
            UnsupportedSyntax: E133, if it is no argument, or is reached in two ways.
        """
        if not x.path.startswith("A["):
            raise error("E133", None, what=what)
        if x.path in self._changed:
            return
        obj, places = next(found for found in self._places.values() if x.path in found[1])
        if len(places) > 1:
            raise _shared(obj, what)
        self._changed[x.path] = obj

    def is_shared(self, path: str) -> bool:
        """Whether what a path leads to is reached in another way as well."""
        return any(path in places and len(places) > 1 for _, places in self._places.values())

    def found_at(self, path: str) -> Any:
        """The container, object or array that was lifted at a path."""
        if path in self.samples:
            return self.samples[path]
        return next(obj for obj, places in self._places.values() if path in places)

    def changed_outside(self, path: str, obj: Any) -> None:
        """Note that what a path leads to is changed by something else than the program."""
        self._changed[path] = obj

    @property
    def has_changes(self) -> bool:
        """Whether an object of the caller's is changed."""
        return bool(self._changed)

    def guard_changed(self) -> None:
        """Guard that no other path leads to what is changed: two names for one object stay two."""
        for path, obj in self._changed.items():
            if is_array(obj) and not is_array_class(type(obj)):  # whose attributes change
                self._guard_apart(path, obj, None)
            for other, places in self._places.values():
                if other is obj and any(place != path for place in places):
                    raise _shared(obj, "a change")
                if other is not obj and type(other) is type(obj):
                    for place in places:
                        self.guard(f"{path} is {place}", "equals", False)

    def guard_apart(self, written: Value, where: Location | None) -> None:
        """Guard that an array which is written may be, and shares no memory with another input.

        Raises:
            UnsupportedSyntax: E136, if it does in this call; E137 for a read-only array.
        """
        path = self.paths[written]
        x = self.samples[path]
        if not is_on_device(x):  # where all are writeable
            if not x.flags.writeable:
                named = f"what stands here, given `{self.values[path].name}`,"
                raise error("E137", where, what=named)
            self.guard(f"{path}.flags.writeable", "equals", True)
        self._guard_apart(path, x, where)

    def _guard_apart(self, path: str, x: Any, where: Location | None) -> None:
        for other, y in self.samples.items():
            if other == path or not is_array(y):
                continue
            if not are_apart(x, y):
                raise error("E136", where, what=f"{self._named(path)} and {self._named(other)}")
            self.guard(f"({path}, {other})", "apart", True)

    def _named(self, path: str) -> str:
        known = self.values.get(path)
        return f"`{path.rpartition('.')[2] if known is None else known.name}`"


def _shared(obj: Any, what: str) -> Exception:
    """The error for a change of an object that is reached in two ways."""
    fix = "pass a copy: two arguments that are one object cannot be changed"
    what = f"{what}, of a {type(obj).__name__} that is reached in two ways,"
    return error("E133", None, what=what, fix=fix)

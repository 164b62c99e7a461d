"""Arguments of functions differentiated inside: where their leaves sit.

{"w": w, "n": 2}         {"w": Slot(0), "n": Static(2)}
Layer(w, 2)              Record(Layer, {"w": Slot(0)}, "#0")      of what is read

What is made like an object has its other attributes, with zeros for the numbers that vary, as
outside (`srcad.runtime.records.like`).
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.containers import (
    ARRAY,
    CONTAINERS,
    DictObj,
    ListObj,
    RecordObj,
    is_array_record,
    is_dict_record,
)
from srcad.frontend.abstract.containers.contents import known_contents, like
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, is_leaf
from srcad.frontend.abstract.results import table_of
from srcad.frontend.objects.class_functions import is_written
from srcad.ir.interface import Record, Slot, Static, map_records, slots
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, dtype_of, is_inexact
from srcad.rules.core.staged import type_of
from srcad.runtime.records import is_dataclass, is_plain_class

Paths = Mapping[str, str]  # of objects, by the names of their records


def is_plain_object(x: Abstract) -> bool:
    """Whether this is an object of a class that is no dataclass, named tuple or dict."""
    if not isinstance(x, RecordObj) or is_dict_record(x) or is_written(x.cls):
        return False
    return is_plain_class(x.cls) and not is_dataclass(x.cls)


def of_what_is_read(tree: Any, reads: Container[str], used: Container[int], paths: Paths) -> Any:
    """`tree` with those attributes of plain objects that the program reads: `reads` are the paths
    of those of the caller's objects, `used` the slots that are read. Arrays of classes keep theirs.
    """

    def kept(record: Record) -> Record:
        if record.like not in paths or ARRAY in record.fields:
            return record
        path = paths[record.like]
        fields = {
            name: part
            for name, part in record.fields.items()
            if (path and f"{path}.{name}" in reads) or any(k in used for k in slots(part))
        }
        return replace(record, fields=fields)

    return map_records(kept, tree)


def completed(frame: Frame, x: Abstract, name: str) -> Abstract:
    """What stands for attribute `name` in a derivative by `x`, which does not depend on it."""
    part = known_contents(x)[name]
    return part if is_array_record(x) and name != ARRAY else zeros(frame, part)


def zeros(frame: Frame, x: Abstract) -> Abstract:
    """`x` with zeros for the numbers that vary: `srcad.runtime.records.zeros`."""
    if isinstance(x, tuple):
        return tuple(zeros(frame, item) for item in x)
    if isinstance(x, CONTAINERS):
        return like(x, {key: zeros(frame, item) for key, item in known_contents(x).items()})
    if not is_leaf(x) or not is_inexact(type_of(x)):
        return x
    if isinstance(x, Value) and isinstance(x.type, ArrayType) and not x.type.scalar:
        return frame.session.emit(np.zeros_like, (x,))
    t = type_of(x)
    return t.kind(0) if isinstance(t, NumberType) else np.dtype(dtype_of(t)).type(0)


def tree_of(
    x: Abstract, values: Sequence[Value], objects: dict[str, Abstract], like_outside: bool
) -> Any:
    """Where the values that stand for the leaves of an argument sit in it.

    Args:
        objects: gets what derivatives are made like, by the names that their records are given:
            arrays of classes, by their entries, and plain objects.
        like_outside: without it, plain objects are records of all attributes.
    """

    def inside(part: Abstract) -> Any:
        return tree_of(part, values, objects, like_outside)

    if isinstance(x, Value):
        return Slot(values.index(x))
    if isinstance(x, tuple):
        return tuple(map(inside, x))
    if isinstance(x, ListObj):
        return list(map(inside, x.items))
    if isinstance(x, DictObj):
        return {key: inside(item) for key, item in x.items.items()}
    if isinstance(x, RecordObj) and is_dict_record(x):
        return table_of(x, inside)
    if isinstance(x, RecordObj):
        name = f"#{len(objects)}" if is_array_record(x) else ""
        if like_outside and is_plain_object(x):
            name = f"#{len(objects)}"
        if name:
            objects[name] = x
        parts = {ARRAY: x.fields[ARRAY]} if is_array_record(x) else known_contents(x)
        return Record(x.cls, {k: inside(item) for k, item in parts.items()}, name)
    return Static(x)


__all__ = ["completed", "of_what_is_read", "tree_of", "zeros"]

"""Arguments of functions differentiated inside: where their leaves sit.

{"w": w, "n": 2}         {"w": Slot(0), "n": Static(2)}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcad.frontend.abstract.containers.containers import (
    DictObj,
    ListObj,
    RecordObj,
    is_dict_record,
)
from srcad.frontend.abstract.containers.contents import known_contents
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.results import table_of
from srcad.ir.interface import Record, Slot, Static
from srcad.ir.nodes import Value


def tree_of(x: Abstract, values: Sequence[Value]) -> Any:
    """Where the values that stand for the leaves of an argument sit in it."""
    if isinstance(x, Value):
        return Slot(values.index(x))
    if isinstance(x, tuple):
        return tuple(tree_of(item, values) for item in x)
    if isinstance(x, ListObj):
        return [tree_of(item, values) for item in x.items]
    if isinstance(x, DictObj):
        return {key: tree_of(item, values) for key, item in x.items.items()}
    if isinstance(x, RecordObj) and is_dict_record(x):
        return table_of(x, lambda item: tree_of(item, values))
    if isinstance(x, RecordObj):
        return Record(
            x.cls, {key: tree_of(item, values) for key, item in known_contents(x).items()}
        )
    return Static(x)


__all__ = ["tree_of"]

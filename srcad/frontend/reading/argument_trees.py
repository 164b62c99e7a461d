"""Arguments among the parameters of a program: where their leaves sit, and under which names."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.frontend.abstract.objects import UNBOUND
from srcad.frontend.kinds import (
    is_grid,
    is_record,
    is_rotation,
    path_of_attribute,
)
from srcad.frontend.reading.capture import Inputs
from srcad.frontend.reading.structured import has_fields
from srcad.ir.guards import are_apart, is_below
from srcad.ir.interface import Fields, Outside, Queue, Record, Slot, Static, Table
from srcad.ir.nodes import Value
from srcad.runtime.fields import made_by
from srcad.runtime.outside import VIEW, is_array_class, is_outside
from srcad.runtime.records import beside_fields, is_dict_class, is_plain_class, own_fields

_NAME = re.compile(r"(?:__dict__\[')?(\w+)")  # of an attribute, where a path goes on from an object


def tell_apart(values: Sequence[Value]) -> None:
    """Number inputs of one name, so that their cotangents are numbered alike: `W_2`, `W_2_bar`."""
    taken = {v.name for v in values}
    seen: set[str] = set()
    last: dict[str, int] = {}  # number of a name; those up to it are taken
    for value in values:
        name, k = value.name, last.get(value.name, 1)
        while value.name in seen or (k > 1 and value.name in taken):
            k += 1
            value.name = f"{name}_{k}"
        seen.add(value.name)
        last[name] = k


def argument_tree(inputs: Inputs, x: Any, path: str, order: dict[str, int]) -> Any:
    """Where the leaves of an argument sit among the program's parameters."""
    if path in order:
        return Slot(order[path])
    if path in inputs.left_out:
        return Static(0)  # whatever it is: it has no gradient, as an int has none
    if type(x) in (list, tuple):
        return type(x)(
            argument_tree(inputs, item, f"{path}[{i}]", order) for i, item in enumerate(x)
        )
    if type(x) is dict:
        return {k: argument_tree(inputs, v, f"{path}[{k!r}]", order) for k, v in x.items()}
    if type(x) in (OrderedDict, defaultdict, Counter):
        items = {k: argument_tree(inputs, v, f"{path}[{k!r}]", order) for k, v in x.items()}
        given = (x.default_factory,) if type(x) is defaultdict else ()
        return Table(type(x), given, items)
    if has_fields(x):
        named = {
            k: Static(None) if x.dtype[k].hasobject
            else argument_tree(inputs, x[k], f"{path}[{k!r}]", order)
            for k in x.dtype.names
        }  # fmt: skip
        return Fields(x.dtype, type(x) is np.recarray, named)
    if is_dict_class(type(x)):
        items = {k: argument_tree(inputs, v, f"{path}[{k!r}]", order) for k, v in dict.items(x)}
        return Table(made_by(x), (type(x),), items)
    if type(x) is deque:
        parts = (argument_tree(inputs, v, f"{path}[{i}]", order) for i, v in enumerate(x))
        return Queue(parts, x.maxlen)
    if is_record(x):
        return _record(inputs, x, path, order)
    if is_outside(x) or is_rotation(x) or is_grid(x) or is_array_class(type(x)):
        read = sorted((p for p in order if is_below(p, path)), key=order.__getitem__)
        is_joint = is_array_class(type(x)) and _shares_memory(inputs, read, path + VIEW)
        return Outside(type(x), {p: Slot(order[p]) for p in read}, path, is_joint=is_joint)
    reads = {p.removeprefix(f"{path}.") for p in order if p.startswith(f"{path}.")}
    names = sorted({_NAME.match(name)[1] for name in reads})  # type: ignore[index]  # all match
    is_plain = is_plain_class(type(x))
    if names or is_plain:
        paths = {n: path_of_attribute(x, path, n) for n in names}
        fields = {n: argument_tree(inputs, getattr(x, n), p, order) for n, p in paths.items()}
        return Record(type(x), fields, path if is_plain else "")
    return Static(x)


def _shares_memory(inputs: Inputs, read: Sequence[str], entries: str) -> bool:
    """Whether what is read of an array of a class, beside its entries, is a view of these."""
    if entries not in read:
        return False
    arrays = [p for p in read if p != entries and isinstance(inputs.samples[p], np.ndarray)]
    return any(are_joint(inputs, entries, path) for path in arrays)


def are_joint(inputs: Inputs, first: str, second: str) -> bool:
    """Whether two arrays of the caller's, by their paths, share memory; the answer is guarded."""
    if not are_apart(inputs.samples[first], inputs.samples[second]):
        shares = f"__import__('numpy').shares_memory({first}, {second})"
        inputs.guard(shares, "equals", True)
        return True
    inputs.guard(f"({first}, {second})", "apart", True)
    return False


def _record(inputs: Inputs, x: Any, path: str, order: dict[str, int]) -> Record:
    """A dataclass object or named tuple: by its fields; one that holds more than these as a plain
    object is, by those fields and what else is read.
    """
    names = [f for f in own_fields(type(x)) if hasattr(x, f)]
    beside = () if isinstance(x, tuple) else tuple(beside_fields(x))
    paths = {n: path_of_attribute(x, path, n) for n in beside}
    paths = {n: f"{path}.{n}" for n in names} | {
        n: p for n, p in paths.items() if inputs.known(p) is not UNBOUND
    }
    fields = {n: argument_tree(inputs, getattr(x, n), p, order) for n, p in paths.items()}
    return Record(type(x), fields, path if beside and is_plain_class(type(x)) else "")


__all__ = ["are_joint", "argument_tree", "tell_apart"]

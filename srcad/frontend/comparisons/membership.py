"""`in`, `count`, `index`: of containers known while compiling, one comparison after the other; of
arrays emitted.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import (
    CONTAINERS,
    DictObj,
    ListObj,
    RecordObj,
    SetObj,
    View,
)
from srcad.frontend.abstract.containers.contents import plain_set
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, describe, is_nan
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.comparisons.equality import are_same, equality, is_or_equals, plain
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import fails
from srcad.frontend.expressions.texts import emit_object, is_text, shown
from srcad.frontend.kinds import is_itself
from srcad.frontend.lists.by_data import check_of_numbers
from srcad.frontend.lists.tables import is_by_data
from srcad.frontend.objects.class_functions import definer
from srcad.frontend.objects.members import method_of
from srcad.frontend.statements.branches import choose
from srcad.frontend.statements.truth import as_bool
from srcad.frontend.written import lists as written
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, dtype_of
from srcad.runtime.effects import raise_


def contains(frame: Frame, item: Abstract, container: Abstract) -> Abstract:
    """`item in container`."""
    if is_text(container) and is_text(item):
        return _in_text(frame, item, container)
    container = plain(frame, container) if isinstance(container, Value) else container
    if isinstance(container, Value):
        return _in_array(frame, item, container)
    if isinstance(container, View) and container.kind == "keys":
        container = container.owner
    elif isinstance(container, View) and container.kind == "values":
        container = tuple(container.items)
    if isinstance(container, View) and isinstance(item, tuple):  # of the items
        known = container.owner.items
        if len(item) != 2 or _key(frame, item[0]) not in known:
            return False
        return is_or_equals(frame, known[_key(frame, item[0])], item[1])
    if isinstance(container, DictObj | SetObj | frozenset) and is_by_data(frame, item):
        keys = container if isinstance(container, frozenset) else container.items
        return contains_any(frame, item, tuple(keys))
    if isinstance(container, DictObj):
        return _has_key(frame, item, container.items)
    method = method_of(frame, container, "__contains__")
    if method is not None:
        return as_bool(frame, call(frame, method, (item,)))
    is_tuple = isinstance(container, RecordObj) and container.is_tuple
    if is_tuple and definer(container.cls, "__contains__") is tuple:
        container = tuple(container.fields.values())
    if isinstance(container, ListObj) and container.form is not None:
        check_of_numbers(container)
        return call(frame, Ref(written.contains, ""), (container, item))
    if isinstance(container, ListObj | tuple):
        items = container.items if isinstance(container, ListObj) else container
        return are_same(frame, [(x, item) for x in items], until=True)
    if isinstance(container, Ref | RecordObj):
        raise error("E132", None, what=f"`in` {describe(container)}")
    if isinstance(container, SetObj | frozenset):
        return _has_key(frame, item, plain_set(container))
    found = frame.session.static(item, "what `in` looks for")
    try:
        return found in frame.session.raw(container)
    except TypeError as reason:
        raise error("E132", None, what=f"`in` ({reason})") from None


def _in_text(frame: Frame, part: Abstract, text: Abstract) -> Abstract:
    """`part in text`, of texts of which only data may know one."""
    if isinstance(part, str) and isinstance(text, str):
        return part in text
    out = Value("", NumberType(bool))
    frame.session.add(Op(operator.contains, (text, part), {}, (out,), frame.session.builder.loc))
    return out


def contains_any(frame: Frame, item: Abstract, items: tuple[Abstract, ...]) -> Abstract:
    """`item in {a, b}`: as of a tuple, where all are numbers or constants with a hash."""
    for x in (item, *items):
        _check_hashable(x)
    return are_same(frame, [(x, item) for x in items], until=True)


def count_in(frame: Frame, items: Sequence[Abstract], item: Abstract) -> Abstract:
    """`items.count(item)`, of a list or tuple."""
    session, known, total = frame.session, 0, None
    for x in items:
        same = is_or_equals(frame, x, item)
        if not isinstance(same, Value):
            known += same
        elif total is None:
            total = session.emit(int, (same,))
        else:
            total = session.emit(operator.add, (total, same))
    return known if total is None else session.emit(operator.add, (total, known))


def place_in(
    frame: Frame, items: Sequence[Abstract], item: Abstract, cls: type, places: Sequence[int]
) -> Abstract:
    """`items.index(item)` of a `cls`, a list or tuple: the first of `places` that has the item."""
    if not places:
        raise _not_there(frame, item, cls)
    first, *others = places
    same = is_or_equals(frame, items[first], item)
    if isinstance(same, Value):
        return choose(frame, same, lambda: first, lambda: place_in(frame, items, item, cls, others))
    return first if same else place_in(frame, items, item, cls, others)


def _not_there(frame: Frame, item: Abstract, cls: type) -> Raising:
    """A `ValueError` with Python's own text, which names the item or does not, by version."""
    try:
        cls().index(_ANY)
    except ValueError as problem:
        before, names_it, after = str(problem).partition(repr(_ANY))
    if not names_it:
        return fails(frame, ValueError(before))
    text = emit_object(frame, str.format, (f"{before}{{!r}}{after}", shown(frame, item)), "str")
    frame.session.effect(raise_, Ref(ValueError, ""), text)
    return Raising()


def _check_hashable(x: Abstract) -> None:
    if isinstance(x, Ref) and is_itself(x.obj):
        return
    is_array = isinstance(x, Value) and isinstance(x.type, ArrayType) and not x.type.scalar
    is_mutable = type(x).__hash__ is None  # a slice has a hash since Python 3.12
    dtype = dtype_of(x.type) if isinstance(x, Value) else None
    is_time = dtype is not None and dtype.kind in "mM"  # equal ones may have several hashes
    if is_array or is_mutable or is_time or isinstance(x, (*CONTAINERS, Ref)):
        raise error("E132", None, what=f"a set with {describe(x)}")
    if isinstance(x, tuple):
        for each in x:
            _check_hashable(each)


def _in_array(frame: Frame, item: Abstract, container: Value) -> Abstract:
    if not isinstance(container.type, ArrayType) or container.type.scalar:
        raise error("E132", None, what=f"`in` {describe(container)}")
    if not frame.session.is_certain(container):
        raise error("E132", None, what=f"`in` {describe(container)}")
    equal = equality(frame, operator.eq, container, item)
    if not isinstance(equal, Value):
        return bool(equal)
    return frame.session.emit(bool, (frame.session.emit(np.any, (equal,)),))


def _key(frame: Frame, item: Abstract) -> Abstract:
    found = frame.session.static(item, "what `in` looks for")
    try:
        hash(found)
    except TypeError as reason:
        raise error("E132", None, what=f"`in` ({reason})") from None
    return found


def _has_key(frame: Frame, item: Abstract, keys: Collection[Any]) -> bool:
    found = _key(frame, item)
    if is_nan(found) and found not in keys and any(map(is_nan, keys)):
        what, fix = "whether NaN is a key, which is one by its identity,", "ask `np.isnan(x)`"
        raise error("E128", None, what=what, fix=fix)
    return found in keys


_ANY = 0.5  # stands for the item that is looked for

__all__ = ["contains", "contains_any", "count_in", "place_in"]

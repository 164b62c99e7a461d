"""What containers hold, by position, key or field: read, replaced, searched for run-time values."""

from __future__ import annotations

from typing import Any

from srcad.frontend.abstract.containers.containers import (
    CONTAINERS,
    Container,
    DictObj,
    Grown,
    ListObj,
    RecordObj,
    SetObj,
)
from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.objects import Abstract, Either, Range
from srcad.ir.nodes import Value


class _Form:
    """The key of a list's `form` among its contents."""

    def __repr__(self) -> str:
        return "items"


FORM = _Form()


def contents(obj: Container, in_order: bool = True) -> dict[Any, Abstract]:
    """The items of a mutable object by position, key or field; the form of a list under `FORM`.

    Args:
        in_order: False where the order of a dict's keys does not matter.
    """
    if isinstance(obj, ListObj) and obj.form is not None:
        return {FORM: obj.form}
    if isinstance(obj, ListObj):
        return dict(enumerate(obj.items))
    if isinstance(obj, DictObj) and not in_order:
        return dict(dict.items(obj.items))
    return dict(obj.items if isinstance(obj, DictObj | SetObj) else obj.fields)


def known_contents(obj: Container) -> dict[Any, Abstract]:
    """The contents of what is known item by item; lowers again where a list is not."""
    if isinstance(obj, ListObj):
        return dict(enumerate(obj.items))
    return contents(obj)


def set_contents(obj: Container, items: dict[Any, Abstract]) -> None:
    """Replace the items of a mutable object."""
    if isinstance(obj, ListObj):
        obj.form = items.get(FORM)
        obj._items[:] = () if FORM in items else items.values()
    elif isinstance(obj, DictObj | SetObj):
        obj.items.clear()
        obj.items.update(items)
    else:
        obj.fields.clear()
        obj.fields.update(items)


def contained(found: Any) -> Abstract:
    """What a library's function gave, a tree of values in Python's containers, as lowering has it.

    Lists and sets are new ones that the program may change; a named tuple is a record of its class.
    """
    if type(found) is set:
        return SetObj(dict.fromkeys(found))
    if type(found) is list:
        return ListObj([contained(item) for item in found])
    if type(found) is tuple:
        return tuple(map(contained, found))
    if isinstance(found, tuple):
        fields: tuple[str, ...] = getattr(found, "_fields")  # noqa: B009 -- of a named tuple
        return RecordObj(type(found), dict(zip(fields, map(contained, found), strict=True)))
    return found


def like(x: Container, items: dict[Any, Abstract]) -> Container:
    """A new container of the kind of `x`."""
    if isinstance(x, ListObj):
        new = ListObj([], cls=x.cls, maxlen=x.maxlen)
        set_contents(new, items)
        return new
    if isinstance(x, DictObj):
        return DictObj(items, cls=x.cls, factory=x.factory)
    if isinstance(x, SetObj):
        return SetObj(items)
    assert isinstance(x, RecordObj)
    return RecordObj(x.cls, items, uneven=x.uneven)


def plain_set(x: Abstract) -> Abstract:
    """A set as Python has it now, for what only reads it; anything else as it is."""
    return set(x.items) if isinstance(x, SetObj) else x


def values_of(x: Abstract) -> list[Value]:
    """The run-time values that an abstract value consists of."""
    if isinstance(x, Value):
        return [x]
    if isinstance(x, tuple):
        return [v for item in x for v in values_of(item)]
    if isinstance(x, slice | Range):
        return values_of((x.start, x.stop, x.step))
    if isinstance(x, Either):
        return values_of((x.code, *x.cases.values()))
    if isinstance(x, Grown):
        return list(x.columns)
    if isinstance(x, Laid):
        return list(x.arrays)
    if isinstance(x, LaidRow):
        return values_of((x.at, x.table))
    return values_of(tuple(contents(x).values())) if isinstance(x, CONTAINERS) else []

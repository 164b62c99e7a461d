"""Sets: their items are known while compiling; which run-time values are equal is not.

names = {x.__name__ for x in modules}     a `SetObj`; a frozenset is a constant
names.remove("numpy")                     changed in place, under all its names
for name in names                         refused, unless there is one at most: they have no order
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.containers.changes import check_changeable
from srcad.frontend.abstract.containers.containers import SetObj, View
from srcad.frontend.abstract.containers.contents import contained, plain_set, values_of
from srcad.frontend.abstract.frame import Frame, fixed
from srcad.frontend.abstract.objects import Abstract, Ref, is_static
from srcad.frontend.dispatch import expression, handles_expression
from srcad.frontend.expressions.missing import missing
from srcad.frontend.kinds import is_itself
from srcad.frontend.lists.tables import is_by_data, key_of, made_by_data, new_set
from srcad.frontend.loops.iteration import is_listed, items_of, iterations
from srcad.ir.nodes import Value


@handles_expression(gast.Set)
def _set_display(frame: Frame, node: gast.Set) -> Abstract:
    return new_set(frame, _keys(frame, [expression(frame, each) for each in node.elts]))


@handles_expression(gast.SetComp)
def _set_comp(frame: Frame, node: gast.SetComp) -> Abstract:
    scopes = iterations(frame, node.generators, "a comprehension")
    return new_set(frame, _keys(frame, [expression(inner, node.elt) for inner in scopes]))


def _keys(frame: Frame, items: list[Abstract]) -> dict[Any, None]:
    """Items as the keys of a `SetObj`, each once."""
    return dict.fromkeys(_key(frame, x) for x in items)


def _key(frame: Frame, x: Abstract) -> Any:
    if isinstance(x, Ref) and is_itself(x.obj):
        return frame.session.raw(x)
    known_by_size = all(map(frame.session.can_be_static, values_of(x)))
    if not (is_static(x) or (isinstance(x, Value | tuple) and known_by_size)):
        raise error("E100", None, what="a set of run-time values")
    return frame.session.static(x, "an item of a set")


def _items(frame: Frame, x: Abstract, what: str) -> dict[Any, None]:
    """The items of any iterable as keys; those of a set, of which the order does not matter."""
    if isinstance(x, SetObj | frozenset):
        return dict.fromkeys(plain_set(x))
    return _keys(frame, items_of(frame, x, what))


def _set(frame: Frame, x: Abstract = ()) -> Abstract:
    if is_listed(x) is False:
        return made_by_data(frame, set, x)
    if not isinstance(x, SetObj | frozenset):
        x = tuple(items_of(frame, x, "the argument of `set`"))
        if any(is_by_data(frame, each) for each in x):
            return made_by_data(frame, set, x)
    return new_set(frame, _items(frame, x, "the argument of `set`"))


def _frozenset(frame: Frame, x: Abstract = ()) -> Abstract:
    return frozenset(_items(frame, x, "the argument of `frozenset`"))


# Methods -----------------------------------------------------------------------------------------


def set_method(
    frame: Frame, x: SetObj | frozenset[Any], name: str, args: tuple[Abstract, ...]
) -> Abstract:
    """`x.name(*args)`."""
    if name in _PURE:
        return contained(getattr(plain_set(x), name)(*_others(frame, args)))
    if not isinstance(x, SetObj) or name not in _CHANGES:
        raise error("E121", None, what=f"method `{name}` of a set")
    check_changeable(frame, x, f"`.{name}(...)`")
    return _CHANGES[name](frame, x, *args)


_PURE = (
    "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset",
    "isdisjoint", "copy",
)  # fmt: skip


def _others(frame: Frame, args: tuple[Abstract, ...]) -> list[Any]:
    """Arguments of a method: of equal items, a set and a list do not always give the same one."""
    return [
        plain_set(x) if isinstance(x, SetObj | frozenset) else list(_items(frame, x, "an argument"))
        for x in args
    ]


def _keys_of(frame: Frame, x: SetObj, item: Abstract) -> dict[Any, None]:
    """An item as the key of a set that it is put into or taken out of."""
    return _keys(frame, [key_of(frame, x, item, "an item of a set") if x.origin else item])


def _add(frame: Frame, x: SetObj, item: Abstract) -> None:
    for key in _keys_of(frame, x, item):
        x.items.setdefault(key)


def _discard(frame: Frame, x: SetObj, item: Abstract) -> None:
    for key in _keys_of(frame, x, item):
        x.items.pop(key, None)


def _remove(frame: Frame, x: SetObj, item: Abstract) -> None:
    for key in _keys(frame, [item]):
        if key not in x.items:
            raise missing(frame, KeyError(key), key)
        del x.items[key]


def _pop(frame: Frame, x: SetObj) -> Abstract:
    if len(x.items) > 1:
        raise error("E127", None, what="`pop` of a set of several items, which have no order,")
    if not x.items:
        raise missing(frame, KeyError("pop from an empty set"), "pop from an empty set", "an item")
    return fixed(x.items.popitem()[0])


def _clear(frame: Frame, x: SetObj) -> None:
    x.items.clear()


def _combining(name: str) -> Callable[..., None]:
    def method(frame: Frame, x: SetObj, *args: Abstract) -> None:
        others = _others(frame, args)
        made = set(x.items)
        getattr(made, name)(*others)
        own = {key: key for key in made}
        given = (key for each in (x.items, *others) for key in each if key in own)
        x.items = dict.fromkeys(own[key] for key in given)

    return method


def combined(
    frame: Frame, fn: Callable[[Any, Any], Any], x: SetObj, other: Abstract, text: str
) -> SetObj:
    """`x |= other` and the like: the set itself."""
    if isinstance(other, View) and other.kind == "keys":
        other = frozenset(other.items)
    if fn not in _OPERATORS or not isinstance(other, SetObj | frozenset):
        raise error("E132", None, what=text)
    check_changeable(frame, x, text)
    _CHANGES[_OPERATORS[fn]](frame, x, other)
    return x


_OPERATORS = {
    operator.or_: "update", operator.and_: "intersection_update",
    operator.sub: "difference_update", operator.xor: "symmetric_difference_update",
}  # fmt: skip
_CHANGES: dict[str, Callable[..., Abstract]] = {
    "add": _add, "discard": _discard, "remove": _remove, "pop": _pop, "clear": _clear,
    **{name: _combining(name) for name in _OPERATORS.values()},
}  # fmt: skip

SET_CALLS: dict[Any, Callable[..., Abstract]] = {set: _set, frozenset: _frozenset}

__all__ = ["SET_CALLS", "combined", "set_method"]

"""Containers of `collections`.

deque([x, y], maxlen=2)          a list that knows what it is
OrderedDict, defaultdict(list)   a dict that knows what it is, and what stands for missing keys
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from collections.abc import Iterator as Items
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.containers.changes import changeable, check_changeable
from srcad.frontend.abstract.containers.containers import DictObj, ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, describe, is_nan
from srcad.frontend.builtins.sets import SET_CALLS
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import missing
from srcad.frontend.lists import changes, edits
from srcad.frontend.lists.tables import is_by_data, key_of, made_by_data, new_dict, pairs_of
from srcad.frontend.loops.iteration import is_listed, items_of, listed
from srcad.frontend.written.lists import may_be_nan
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of

# `collections` -----------------------------------------------------------------------------------


def _ordered_dict(frame: Frame, x: Abstract = (), /, **more: Abstract) -> Abstract:
    return new_dict(frame, pairs_of(frame, x, more), collections.OrderedDict)


def _default_dict(
    frame: Frame, factory: Abstract = None, x: Abstract = (), /, **more: Abstract
) -> Abstract:
    return new_dict(frame, pairs_of(frame, x, more), collections.defaultdict, factory)


def _counter(frame: Frame, x: Abstract = (), /, **more: Abstract) -> Abstract:
    if isinstance(x, DictObj) or more:
        known = x.items if isinstance(x, DictObj) else {}
        return new_dict(frame, {**known, **more}.items(), collections.Counter)
    if is_listed(x) is False:
        return made_by_data(frame, collections.Counter, x)
    items = items_of(frame, x, "the argument of `Counter`")
    if any(is_by_data(frame, each) for each in items):
        return made_by_data(frame, collections.Counter, tuple(items))
    counted = [frame.session.static(each, "what `Counter` counts") for each in items]
    return new_dict(frame, collections.Counter(counted).items(), collections.Counter)


def _deque(frame: Frame, x: Abstract = (), maxlen: Abstract = None) -> Abstract:
    limit = frame.session.static(maxlen, "the `maxlen` of a deque")
    made = ListObj(items_of(frame, x, "the argument of `deque`"), cls=collections.deque)
    made.maxlen = limit
    _trim(made, left=True)
    return made


def missing_item(frame: Frame, x: DictObj, key: Any) -> Abstract:
    """`x[key]` of a key that is not there."""
    if x.cls is collections.Counter:
        return 0
    if x.factory is None:
        raise missing(frame, KeyError(key), key)
    check_changeable(frame, x, f"reading the new key {key!r}")
    x.items[key] = call(frame, x.factory, ())
    return x.items[key]


# Methods -----------------------------------------------------------------------------------------


def _append_left(frame: Frame, x: ListObj, item: Abstract) -> None:
    changeable(frame, x, "appendleft")
    if x.form is not None:
        edits.insert(frame, x, 0, item)
        edits.trim(frame, x, left=False)
        return
    x.items.insert(0, item)
    _trim(x, left=False)


def _append(frame: Frame, x: ListObj, item: Abstract) -> None:
    changeable(frame, x, "append")
    if x.form is not None:
        changes.append(frame, x, item)
        edits.trim(frame, x, left=True)
        return
    x.items.append(item)
    _trim(x, left=True)


def _extend(frame: Frame, x: ListObj, more: Abstract) -> None:
    for item in _items_for(frame, x, more):
        _append(frame, x, item)


def _items_for(frame: Frame, x: ListObj, more: Abstract) -> Items[Abstract]:
    """What a deque is extended with: one item after the other, each of which may read it."""
    found = listed(frame, more, "what a deque is extended with")
    return iter(list(found)) if more is x else found


def _extend_left(frame: Frame, x: ListObj, more: Abstract) -> None:
    for item in _items_for(frame, x, more):
        _append_left(frame, x, item)


def _pop_left(frame: Frame, x: ListObj) -> Abstract:
    return _popped(frame, x, 0, "popleft")


def _pop(frame: Frame, x: ListObj) -> Abstract:
    return _popped(frame, x, -1, "pop")


def _popped(frame: Frame, x: ListObj, place: int, name: str) -> Abstract:
    changeable(frame, x, name)
    if x.form is not None:
        return edits.pop(frame, x, place)
    if not x.items:
        raise missing(frame, IndexError("pop from an empty deque"), place, "an item")
    return x.items.pop(place)


def _rotate(frame: Frame, x: ListObj, n: Abstract = 1) -> None:
    changeable(frame, x, "rotate")
    rotated = collections.deque(x.items)
    rotated.rotate(frame.session.static(n, "the argument of `rotate`"))
    x.items[:] = rotated


def _trim(x: ListObj, *, left: bool) -> None:
    while x.maxlen is not None and len(x.items) > x.maxlen:
        del x.items[0 if left else -1]


def _move_to_end(frame: Frame, x: DictObj, key: Abstract, last: Abstract = True) -> None:
    check_changeable(frame, x, "`.move_to_end(...)`")
    known = key_of(frame, x, key)
    if known not in x.items:
        raise missing(frame, KeyError(known), known)
    item = x.items.pop(known)
    rest = dict(x.items)
    at_end = frame.session.static(last, "`last`")
    x.items.clear()
    x.items.update({**rest, known: item} if at_end else {known: item, **rest})


def _pop_ordered(frame: Frame, x: DictObj, last: Abstract = True) -> Abstract:
    check_changeable(frame, x, "`.popitem(...)`")
    if not x.items:
        raise missing(frame, KeyError("dictionary is empty"), "dictionary is empty", "an item")
    key = list(x.items)[-1 if frame.session.static(last, "`last`") else 0]
    return (key, x.items.pop(key))


_DEQUE: dict[str, Callable[..., Abstract]] = {
    "append": _append, "appendleft": _append_left, "extend": _extend, "extendleft": _extend_left,
    "pop": _pop, "popleft": _pop_left, "rotate": _rotate,
}  # fmt: skip
_ORDERED: dict[str, Callable[..., Abstract]] = {
    "move_to_end": _move_to_end,
    "popitem": _pop_ordered,
}
# What a deque and a `Counter` share with a list and a dict.
_SHARED: dict[type, tuple[str, ...]] = {
    collections.deque: ("clear", "count", "index", "remove", "reverse", "copy"),
    collections.Counter: ("keys", "values", "items", "get", "copy", "pop", "clear"),
}


def method_of_kind(x: ListObj | DictObj, name: str) -> Callable[..., Abstract] | None:
    """A method in which a container of `collections` differs from a list or dict.

    Raises:
        UnsupportedSyntax: E121, for a method that it does not share with them either.
    """
    if x.cls is collections.deque and name in _DEQUE:
        return _DEQUE[name]
    if x.cls is collections.OrderedDict and name in _ORDERED:
        return _ORDERED[name]
    if x.cls in _SHARED and name not in _SHARED[x.cls]:
        raise error("E121", None, what=f"method `{name}` of {describe(x)}")
    return None


def _may_be_nan(frame: Frame, x: Abstract) -> bool:
    """`may_be_nan(x)`: what is looked for in a list, which is refused there when the program runs
    if it is NaN, or before where that is known.
    """
    if is_nan(x):
        what, fix = "whether NaN is in a list, which has it by its identity,", "ask `np.isnan(x)`"
        raise error("E128", None, what=what, fix=fix)
    if not isinstance(x, Value):
        return False
    dtype = None if x in frame.session.kinds else dtype_of(x.type)
    found = dtype is None or dtype.kind not in "biu"
    if found:
        frame.session.check_unhandled()
    return found


CONTAINER_CALLS: dict[Any, Callable[..., Abstract]] = {
    **SET_CALLS,
    collections.OrderedDict: _ordered_dict,
    collections.defaultdict: _default_dict,
    collections.Counter: _counter,
    collections.deque: _deque,
    may_be_nan: _may_be_nan,
}

__all__ = ["CONTAINER_CALLS", "method_of_kind", "missing_item"]

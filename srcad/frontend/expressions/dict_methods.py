"""Methods of dicts of which the keys are known.

params.get("w", 0.0)         what it holds at "w", or 0.0
params.update(other)         refused where the dict is not the program's to change
"""

from __future__ import annotations

from collections.abc import Callable

from srcad.errors import error
from srcad.frontend.abstract.containers.changes import changeable
from srcad.frontend.abstract.containers.containers import DictObj, View
from srcad.frontend.abstract.containers.contents import contents, like
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import missing
from srcad.frontend.lists.tables import key_of, read_table
from srcad.frontend.objects.members import method_of


def _clear(frame: Frame, x: DictObj) -> None:
    changeable(frame, x, "clear").items.clear()


def _keys(frame: Frame, x: DictObj) -> Abstract:
    return View(x, "keys")


def _values(frame: Frame, x: DictObj) -> Abstract:
    return View(x, "values")


def _items(frame: Frame, x: DictObj) -> Abstract:
    return View(x, "items")


def _get(frame: Frame, x: DictObj, key: Abstract, default: Abstract = None) -> Abstract:
    table = read_table(frame, x, key)
    if table is not None:
        return call(frame, method_of(frame, table, "get"), (key, default))
    return x.items.get(frame.session.static(key, "the key of a dict"), default)


def _update(frame: Frame, x: DictObj, /, *other: Abstract, **more: Abstract) -> None:
    if len(other) > 1 or not all(isinstance(each, DictObj) for each in other):
        raise error("E121", None, what="`update` with something that is no dict")
    keys = [key for each in other for key in each.items]
    changeable(frame, x, "update", *keys, *more).items.update(
        *(each.items for each in other), **more
    )


def _pop_key(frame: Frame, x: DictObj, key: Abstract, *default: Abstract) -> Abstract:
    known = key_of(frame, x, key)
    if known not in x.items and not default:
        raise missing(frame, KeyError(known), known)
    return changeable(frame, x, "pop").items.pop(known, *default)


def _setdefault(frame: Frame, x: DictObj, key: Abstract, default: Abstract = None) -> Abstract:
    known = key_of(frame, x, key)
    return changeable(frame, x, "setdefault", known).items.setdefault(known, default)


def _pop_item(frame: Frame, x: DictObj) -> Abstract:
    return changeable(frame, x, "popitem").items.popitem()


def _copy_dict(frame: Frame, x: DictObj) -> Abstract:
    return like(x, contents(x))


DICT: dict[str, Callable[..., Abstract]] = {
    "keys": _keys,
    "values": _values,
    "items": _items,
    "get": _get,
    "update": _update,
    "pop": _pop_key,
    "setdefault": _setdefault,
    "popitem": _pop_item,
    "clear": _clear,
    "copy": _copy_dict,
}

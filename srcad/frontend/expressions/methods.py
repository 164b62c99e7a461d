"""Methods: those of containers and constants here, those of arrays and numbers in their modules."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.changes import changeable
from srcad.frontend.abstract.containers.containers import (
    DictObj,
    Grown,
    ListObj,
    RecordObj,
    SetObj,
    form_of,
    formed,
)
from srcad.frontend.abstract.containers.contents import contents, like, set_contents, values_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import OneShot
from srcad.frontend.abstract.objects import Abstract, Method, Ref, describe, is_static
from srcad.frontend.builtins.library_containers import method_of_kind
from srcad.frontend.builtins.sets import set_method
from srcad.frontend.calls.functions import call_python
from srcad.frontend.calls.handled import handled
from srcad.frontend.comparisons.membership import count_in, place_in
from srcad.frontend.dispatch import call, handles_call
from srcad.frontend.expressions.array_methods import array_method
from srcad.frontend.expressions.dict_methods import DICT
from srcad.frontend.expressions.missing import fails, missing
from srcad.frontend.expressions.number_methods import number_method
from srcad.frontend.expressions.texts import emit_object, joined, settled, shown
from srcad.frontend.known_objects import call_known
from srcad.frontend.laid.reading import AnyLaid, shallow_copy
from srcad.frontend.library.generators import generator_method, method_of_state
from srcad.frontend.library.python_random import method_of_random
from srcad.frontend.lists import edits
from srcad.frontend.lists.by_data import array_form, check_of_numbers, is_by_data
from srcad.frontend.lists.changes import append, check_kept, extend
from srcad.frontend.loops.iteration import items_of, listed
from srcad.frontend.written import lists as written
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType
from srcad.rules.draws import GENERATOR, PYTHON_RANDOM, RANDOM_STATE


@handles_call(Method)
def _call_method(
    frame: Frame, method: Method, args: tuple[Abstract, ...], kwargs: dict[str, Any], node: Any
) -> Abstract:
    """`receiver.name(*args, **kwargs)`."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, Value):
        if isinstance(receiver.type, ArrayType):
            return array_method(frame, receiver, name, args, kwargs)
        if receiver.type == GENERATOR:
            return generator_method(frame, receiver, name, args, kwargs)
        if receiver.type == RANDOM_STATE:
            return method_of_state(frame, receiver, name, args, kwargs)
        if receiver.type == PYTHON_RANDOM:
            return method_of_random(frame, receiver, name, args, kwargs)
        return number_method(frame, receiver, name, args, kwargs)
    if name in _SPECIAL and isinstance(receiver, ListObj | DictObj | tuple | range | str):
        return call(frame, Ref(_SPECIAL[name], ""), (receiver, *args), kwargs)
    has_form = isinstance(receiver, ListObj) and receiver.form is not None
    tables = {ListObj: _LIST, DictObj: DICT}
    table = _FORMED if has_form else tables.get(type(receiver))
    if table is not None:
        own = method_of_kind(receiver, name)
        if own is None and name not in table:
            if has_form:
                form_of(receiver).decline()
            raise error("E121", None, what=f"method `{name}` of {describe(receiver)}")
        handler = partial(own or table[name], frame)
        method_of_class = getattr(receiver.cls, name)
        return handled(handler, method_of_class, f".{name}", (receiver, *args), kwargs)
    if isinstance(receiver, SetObj | frozenset) and not kwargs:
        return set_method(frame, receiver, name, args)
    if isinstance(receiver, RecordObj):
        if args:
            raise error(
                "E131", None, what=f"the method `{name}` (it takes no positional arguments)"
            )
        return _record_method(receiver, name, kwargs)
    return _constant_method(frame, receiver, name, args, kwargs)


# Methods that are called by name as functions are: `max(range(n), key=items.__getitem__)`.
_SPECIAL: dict[str, Any] = {
    "__getitem__": operator.getitem,
    "__setitem__": operator.setitem,
    "__contains__": operator.contains,
    "__len__": len,
}


def _record_method(x: RecordObj, name: str, kwargs: dict[str, Any]) -> Abstract:
    """The methods of every namedtuple."""
    if name == "_asdict":
        if kwargs:
            raise error("E131", None, what="the method `_asdict` (it takes no arguments)")
        return DictObj(dict(x.fields))
    unknown = set(kwargs) - set(x.fields)
    if unknown:
        raise error("E135", None, what=f"field {min(unknown)!r}")
    return RecordObj(x.cls, {**x.fields, **kwargs})


def _constant_method(
    frame: Frame, receiver: Abstract, name: str, args: tuple[Abstract, ...], kwargs: dict[str, Any]
) -> Abstract:
    """A method of a string, tuple or captured container, evaluated now."""
    raw = receiver.obj if isinstance(receiver, Ref) else receiver
    if isinstance(raw, str) and name == "format":
        return _formatted(frame, raw, args, kwargs)
    if isinstance(raw, str) and name == "join" and len(args) == 1 and not kwargs:
        texts = tuple(args[0].items) if isinstance(args[0], ListObj) else args[0]
        return joined(frame, raw, tuple(items_of(frame, texts, "a join of texts")))
    if isinstance(raw, slice):
        known = frame.session.static(raw, "a slice whose `indices` are asked for")
        return known.indices(*(frame.session.static(x, "a length") for x in args), **kwargs)
    if isinstance(raw, tuple) and values_of((raw, args)):
        if name not in _TUPLE:
            raise error("E121", None, what=f"method `{name}` of a tuple of run-time values")
        return _TUPLE[name](frame, raw, *args, **kwargs)
    if isinstance(raw, np.datetime64 | np.timedelta64):
        return call_known(frame, Ref(getattr(raw, name), ""), args, kwargs)
    if values_of(args) or not isinstance(raw, str | tuple | int | float | range):
        raise error("E121", None, what=f"method `{name}` of {describe(receiver)}")
    known = {key: frame.session.raw(x) for key, x in kwargs.items()}
    result = getattr(raw, name)(*(frame.session.raw(x) for x in args), **known)
    return ListObj(result) if isinstance(result, list) else result


def _formatted(
    frame: Frame, template: str, args: tuple[Abstract, ...], kwargs: dict[str, Any]
) -> Abstract:
    """`template.format(*args, **kwargs)`: a constant where all parts are, else at run time."""
    parts = tuple(settled(frame, x) for x in args)
    named = {key: settled(frame, x) for key, x in kwargs.items()}
    if all(map(is_static, (*parts, *named.values()))):
        return template.format(*parts, **named)
    parts = tuple(shown(frame, x) for x in parts)
    named = {key: shown(frame, x) for key, x in named.items()}
    return emit_object(frame, str.format, (template, *parts), "str", named)


# Containers --------------------------------------------------------------------------------------


def _append(frame: Frame, x: ListObj, item: Abstract) -> None:
    changeable(frame, x, "append").items.append(item)


def _extend(frame: Frame, x: ListObj, more: Abstract) -> None:
    if isinstance(more, ListObj) and more.form is not None:
        _extend_formed(frame, x, more)
        return
    if isinstance(more, ListObj | tuple):
        items = items_of(frame, more, "what a list is extended with")
        changeable(frame, x, "extend").items.extend(items)
        return
    changeable(frame, x, "extend")
    for item in listed(frame, more, "what a list is extended with"):  # each may read the list
        call(frame, Method(x, "append"), (item,))


def _append_formed(frame: Frame, x: ListObj, item: Abstract) -> None:
    append(frame, changeable(frame, x, "append"), item)


def _extend_formed(frame: Frame, x: ListObj, more: Abstract) -> None:
    if isinstance(more, OneShot):
        _extend(frame, x, more)
        return
    if not (isinstance(more, ListObj) and more.form is not None):
        more = ListObj(items_of(frame, more, "what a list is extended with"))
    extend(frame, changeable(frame, x, "extend"), more)


def _insert_formed(frame: Frame, x: ListObj, index: Abstract, item: Abstract) -> None:
    edits.insert(frame, changeable(frame, x, "insert"), index, item)


def _pop_formed(frame: Frame, x: ListObj, index: Abstract = -1) -> Abstract:
    return edits.pop(frame, changeable(frame, x, "pop"), index)


def _reverse_formed(frame: Frame, x: ListObj) -> None:
    edits.reverse(frame, changeable(frame, x, "reverse"))


def _clear_formed(frame: Frame, x: ListObj) -> None:
    _replace(frame, x, "clear", ListObj([]))


def _remove_formed(frame: Frame, x: ListObj, item: Abstract) -> None:
    call_python(frame, Ref(written.remove, ""), (x, item), {}, None)


def _index_formed(frame: Frame, x: ListObj, item: Abstract) -> Abstract:
    check_of_numbers(x)
    return call_python(frame, Ref(written.index, ""), (x, item), {}, None)


def _count_formed(frame: Frame, x: ListObj, item: Abstract) -> Abstract:
    check_of_numbers(x)
    return call_python(frame, Ref(written.count, ""), (x, item), {}, None)


def _sort_formed(frame: Frame, x: ListObj, **options: Abstract) -> None:
    _replace(frame, x, "sort", call(frame, Ref(sorted, ""), (x,), options))


def _replace(frame: Frame, x: ListObj, name: str, new: ListObj) -> None:
    """Give a list that a loop has made the items of a new one."""
    check_kept(frame, x)
    if not isinstance(form_of(x), Grown):
        form_of(x).decline()
    set_contents(changeable(frame, x, name), contents(new))


def _insert(frame: Frame, x: ListObj, index: Abstract, item: Abstract) -> None:
    changeable(frame, x, "insert").items.insert(
        frame.session.static(index, "the index of `insert`"), item
    )


def _pop(frame: Frame, x: ListObj, index: Abstract = -1) -> Abstract:
    if is_by_data(frame.session, index) and x.cls is list:
        if not x.items:
            raise fails(frame, IndexError("pop from empty list"))
        form = array_form(frame, x)
        if form is not None:
            changeable(frame, x, "pop").form = form
            return edits.pop(frame, x, index)
    known = frame.session.static(index, "the index of `pop`")
    items = changeable(frame, x, "pop").items
    if not -len(items) <= known < len(items):
        what = "pop index out of range" if items else "pop from empty list"
        raise missing(frame, IndexError(what), known)
    return items.pop(known)


def _reverse(frame: Frame, x: ListObj) -> None:
    changeable(frame, x, "reverse").items.reverse()


def _clear(frame: Frame, x: ListObj) -> None:
    changeable(frame, x, "clear").items.clear()


def _copy_list(frame: Frame, x: ListObj) -> Abstract:
    if isinstance(x.form, AnyLaid):
        return shallow_copy(frame.session, x.form)
    return like(x, contents(x))


_MANY = 64  # beyond, a loop over an array looks for an item, not a branch for each


def _index(
    frame: Frame, x: ListObj | tuple[Abstract, ...], item: Abstract, *ends: Abstract
) -> Abstract:
    items, cls = (x.items, list) if isinstance(x, ListObj) else (x, tuple)
    if len(items) > _MANY and cls is list and not ends and values_of((*items, item)):
        form = array_form(frame, x)
        if form is not None:
            return _index_formed(frame, formed(form), item)
    known = (*(frame.session.static(end, "where `index` looks") for end in ends), None, None)
    return place_in(frame, items, item, cls, range(len(items))[slice(*known[:2])])


def _count(frame: Frame, x: ListObj | tuple[Abstract, ...], item: Abstract) -> Abstract:
    return count_in(frame, x.items if isinstance(x, ListObj) else x, item)


def _remove(frame: Frame, x: ListObj, item: Abstract) -> None:
    form = array_form(frame, x) if values_of((*x.items, item)) and x.cls is list else None
    if form is not None:
        changeable(frame, x, "remove").form = form
        _remove_formed(frame, x, item)
        return
    place = _known(frame, x, "remove").index(frame.session.static(item, "what `remove` takes out"))
    del changeable(frame, x, "remove").items[place]


def _sort(frame: Frame, x: ListObj, **options: Abstract) -> None:
    items = call(frame, Ref(sorted, ""), (ListObj(list(x.items)),), options)
    changeable(frame, x, "sort").items[:] = items.items


def _known(frame: Frame, x: ListObj, name: str) -> list[Any]:
    if values_of(x):
        raise error("E121", None, what=f"method `{name}` of a list of run-time values")
    known: list[Any] = frame.session.raw(x)
    return known


_LIST: dict[str, Callable[..., Abstract]] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "reverse": _reverse,
    "clear": _clear,
    "index": _index,
    "count": _count,
    "remove": _remove,
    "sort": _sort,
    "copy": _copy_list,
}
_TUPLE: dict[str, Callable[..., Abstract]] = {"index": _index, "count": _count}
_FORMED: dict[str, Callable[..., Abstract]] = {
    "append": _append_formed,
    "extend": _extend_formed,
    "insert": _insert_formed,
    "pop": _pop_formed,
    "index": _index_formed,
    "count": _count_formed,
    "remove": _remove_formed,
    "reverse": _reverse_formed,
    "clear": _clear_formed,
    "sort": _sort_formed,
    "copy": _copy_list,
}

"""Dicts and sets whose keys data gives: the function is lowered again with tables in their place.

counts = {}                    a `DictObj` of "f.py:2:13"
counts[int(v)] = 1.0           by data: again, where `{}` of "f.py:2:13" is a `Table`

What stands for them is `srcad.frontend.written.tables`. A dict that is only read, one of the
caller's for example, has a table where a key is by data.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.closures import Bound
from srcad.frontend.abstract.containers.containers import (
    DictObj,
    Grown,
    ListObj,
    RecordObj,
    SetObj,
    as_dict,
    form_of,
    is_dict_record,
)
from srcad.frontend.abstract.containers.contents import values_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Either, Ref, describe, is_static
from srcad.frontend.abstract.session import AS_TABLE
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.calls.functions import call_python
from srcad.frontend.comparisons.beside_arrays import is_text
from srcad.frontend.dispatch import Args, Kwargs, call
from srcad.frontend.expressions.missing import fails
from srcad.frontend.expressions.texts import is_string
from srcad.frontend.loops.iteration import items_of
from srcad.frontend.objects.class_functions import definer, field_of, is_generated
from srcad.frontend.objects.members import method_of
from srcad.frontend.python_types import python_type
from srcad.frontend.written import groups, tables
from srcad.ir.kinds import is_array, is_int_scalar
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, dtype_of

_OF_LISTS = "a table of lists: "
_CLASSES: dict[type, type] = {
    dict: tables.Table, collections.OrderedDict: tables.Ordered,
    collections.Counter: tables.Counts, collections.defaultdict: tables.Defaults,
}  # fmt: skip
_KEY, _A_KEY = "the key of a dict", "a key of a dict"

Pairs = Iterable[tuple[Abstract, Abstract]]


def is_by_data(frame: Frame, key: Abstract) -> bool:
    """Whether no specialisation makes a constant of a key. An object is never one."""
    parts = key if isinstance(key, tuple) else (key,)
    if any(isinstance(part, RecordObj) for part in parts):
        return True
    return not all(map(frame.session.can_be_static, values_of(key)))


def new_dict(frame: Frame, pairs: Pairs, cls: type = dict, factory: Abstract = None) -> Abstract:
    """A dict made here, or the table of one to which data gives keys."""
    table = _new_table(frame, cls, factory)
    if table is not None:
        for key, value in pairs:
            _call(frame, table, "__setitem__", key, value)
        return table
    made = DictObj({}, cls=cls, factory=factory, origin=_origin(frame))
    made.items.update({key_of(frame, made, key, _A_KEY): value for key, value in pairs})
    return made


def pairs_of(frame: Frame, x: Abstract, more: dict[str, Abstract]) -> list[Any]:
    """What `dict(x, **more)` takes."""
    x = as_dict(x)
    if isinstance(x, DictObj):
        return [*{**x.items, **more}.items()]
    if is_dict_record(x):
        raise error("E120", None, what=f"`dict(...)` of {describe(x)}, with `__iter__`,")
    pairs = [items_of(frame, p, "a pair") for p in items_of(frame, x, "the argument of `dict`")]
    return [*map(tuple, pairs), *more.items()]


def new_set(frame: Frame, items: dict[Any, None]) -> Abstract:
    """A set made here, or the table of one to which data gives items."""
    if AS_TABLE + _origin(frame) not in frame.session.inputs.statics:
        return SetObj(items, origin=_origin(frame))
    made = _members()
    _call(frame, made, "update", tuple(items))
    return made


def key_of(frame: Frame, x: Abstract, key: Abstract, what: str = _KEY) -> Any:
    """The key under which something is put into or taken out of a container, known while compiling.

    Raises:
        NeedStatic: it is not, of a dict or set that was made here: that has a table.
    """
    is_own = isinstance(x, DictObj | SetObj) and x.origin and not x.frozen
    if is_own and is_by_data(frame, key):
        raise _again(x.origin)
    return frame.session.static(key, what)


def read_table(frame: Frame, x: DictObj, key: Abstract) -> RecordObj | None:
    """The table of a dict as it is now, of which data gives a `key` that is looked for."""
    if not is_by_data(frame, key) or x.cls not in (dict, collections.OrderedDict):
        return None
    values = list(x.items.values())
    if not (values and all(isinstance(value, ListObj) for value in values)):
        keys = ListObj(list(x.items))
        return RecordObj(tables.Table, {"_keys": keys, "_values": ListObj(values), "_origin": ""})
    made = _groups(groups.SeenGroups, "" if x.frozen else x.origin)
    for known, value in x.items.items():
        _call(frame, made, "__setitem__", known, value)
    return made


def made_by_data(frame: Frame, cls: type, items: Abstract) -> Abstract:
    """`Counter(items)` or `set(items)`, by data."""
    if AS_TABLE + _origin(frame) not in frame.session.inputs.statics:
        raise _again(_origin(frame))
    made = _members() if cls is set else _new_table(frame, cls, None)
    assert made is not None
    _call(frame, made, "update", items)
    return made


def taken(frame: Frame, fn: Any, args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs]:
    """The arguments of a library's function, those that are tables as the lists that it reads.

    sorted(d, key=d.get)     d[k] is the key of k, which is not missing
    """
    key = kwargs.get("key")
    if args and isinstance(key, Bound) and key.receiver is args[0] and _is_get(key):
        kwargs = {**kwargs, "key": method_of(frame, args[0], "__getitem__")}
    return tuple(_taken(frame, fn, x) if isinstance(x, RecordObj) else x for x in args), kwargs


def _is_get(method: Bound) -> bool:
    """Whether a method is `get` of a dict of which data has the keys."""
    return method.fn.obj is tables.Table.get if isinstance(method.fn, Ref) else False


def _taken(frame: Frame, fn: Any, x: RecordObj) -> Abstract:
    if issubclass(x.cls, groups.Shown) and fn is not len:
        return _call(frame, x, "as_list")
    if fn not in (_OF_SETS if x.cls is tables.Members else _TAKE):
        return x
    # What is gone through beside others is no copy: it may change meanwhile.
    is_lazy = fn in (enumerate, zip)
    table = x.fields["_table"] if issubclass(x.cls, tables.View) else x
    if x.cls is tables.Keys or issubclass(x.cls, tables.Keyed):
        return table.fields["_keys"] if is_lazy else _call(frame, table, "_listed")
    if x.cls is tables.Values and issubclass(table.cls, tables.Table):
        return table.fields["_values"] if is_lazy else _call(frame, table, "_listed_values")
    return _call(frame, x, "__iter__") if issubclass(x.cls, tables.View) else x


_OF_SETS = (sorted, min, max, any, all)  # in whichever order
_TAKE = (*_OF_SETS, list, tuple, sum, enumerate, zip, set, frozenset)


def _members() -> RecordObj:
    return RecordObj(tables.Members, {"_keys": ListObj([])})


def _new_table(frame: Frame, cls: type, factory: Abstract) -> RecordObj | None:
    origin, statics = _origin(frame), frame.session.inputs.statics
    is_of_lists = _OF_LISTS + origin in statics
    is_made = isinstance(factory, Ref) and factory.obj is list
    if not is_of_lists and AS_TABLE + origin not in statics:
        return None
    if is_of_lists or is_made:
        return _groups(groups.DefaultGroups if is_made else groups.Groups)
    fields: dict[str, Abstract] = {"_keys": ListObj([]), "_values": ListObj([]), "_origin": origin}
    if cls is collections.defaultdict:
        fields["default_factory"] = factory
    return RecordObj(_CLASSES[cls], fields)


def _groups(cls: type, origin: str = "") -> RecordObj:
    names = ("_keys", "_ids", "_owners", "_items")
    lists = {name: ListObj([]) for name in names}
    return RecordObj(cls, {**lists, "_count": 0, "_origin": origin})


def _call(frame: Frame, table: RecordObj, name: str, *args: Abstract) -> Abstract:
    return call(frame, method_of(frame, table, name), args)


def _origin(frame: Frame) -> str:
    loc = frame.session.builder.loc
    return "" if loc is None else f"{loc.file}:{loc.line}:{loc.col}"


def _again(origin: str) -> NeedStatic:
    return NeedStatic(frozenset({AS_TABLE + origin}))


def _may_be_key(frame: Frame, key: Abstract) -> None:
    """`tables.may_be_key`."""
    if isinstance(key, RecordObj) and key.is_tuple:
        key = tuple(key.fields.values())
    if isinstance(key, tuple):
        for part in key:
            _may_be_key(frame, part)
    elif isinstance(key, RecordObj):
        for part in _hashed(frame, key):
            _may_be_key(frame, part)
    elif is_array(key) or isinstance(key, ListObj | DictObj | SetObj):
        try:
            hash(np.zeros(0) if isinstance(key, Value) else python_type(frame, key)())
        except TypeError as problem:
            raise fails(frame, problem) from None
    elif isinstance(key, Value) and not _is_exact(key):
        path = frame.session.captured(key)
        if path is not None:  # of an object from outside, which is a key
            raise NeedStatic(frozenset({path}))
        fix = "make an int of it: `round(x / width)`; of floats, NaN is found by which object it is"
        raise error("E123", None, what="a key or an item of a set that is no int", fix=fix)


def _hashed(frame: Frame, key: RecordObj) -> list[Abstract]:
    """What the hash of an object is made of. Keys are compared by `==` alone: a hash of the class's
    own may tell equal ones apart.
    """
    cls = key.cls
    if definer(cls, "__hash__") is object:
        return []
    if cls.__hash__ is None:
        raise fails(frame, TypeError(f"unhashable type: '{cls.__name__}'"))
    if not is_generated(cls.__hash__):
        fix = f"use what `{cls.__name__}.__hash__` is made of as the key, a tuple of ints"
        raise error("E123", None, what=f"the hash of a {cls.__name__}", fix=fix)
    made_of = [x for x in dataclasses.fields(cls) if (x.compare if x.hash is None else x.hash)]
    return [field_of(key, x.name) for x in made_of]


def _is_exact(key: Value) -> bool:
    """Whether it is an int, a bool or a text."""
    dtype = dtype_of(key.type)
    kind = key.type.kind if isinstance(key.type, NumberType) else None
    is_int = kind in (int, bool) or (dtype is not None and dtype.kind in "biu")
    return is_int or is_text(key) or is_string(key)


def _holds_numbers(frame: Frame, origin: Abstract, value: Abstract) -> None:
    """`tables.holds_numbers`."""
    if isinstance(value, DictObj | SetObj | RecordObj):
        fix = "use one dict, with both keys in a tuple: `d[i, j]`"
        raise error("E123", None, what=f"{_KEY} of dicts, sets or objects", fix=fix)
    if not isinstance(value, Value | Either | ListObj | tuple) and not is_static(value):
        raise error("E123", None, what=f"{_KEY} of objects")
    if isinstance(value, ListObj) and origin:
        raise NeedStatic(frozenset({_OF_LISTS + str(origin)}))


def _holds_lists(frame: Frame, origin: Abstract) -> None:
    """`tables.holds_lists`."""
    if not origin:
        raise error("E118", None, what="a list of a dict that data has found")
    raise NeedStatic(frozenset({_OF_LISTS + str(origin)}))


def _cannot_compare(frame: Frame, table: Abstract) -> None:
    """`tables.cannot_compare`."""
    fix = "compare what it holds: its length, its sorted keys, a value"
    raise error("E132", None, what=f"`==` of {describe(table)} whose keys data gives", fix=fix)


def _is_empty(frame: Frame, default: Abstract) -> None:
    """`tables.is_empty`."""
    known = default.items if isinstance(default, ListObj) else default
    if known not in ([], ()):
        raise error("E123", None, what="what `get` gives of a dict of lists that has no such key")


def _place_of(frame: Frame, keys: Abstract, key: Abstract) -> Abstract:
    """`tables.place_of`: keys that are ints, or pairs of ints, stand in arrays."""
    form = form_of(keys)
    columns: tuple[Abstract, ...] = ()
    if isinstance(form, Grown) and all(map(_is_of_ints, form.kinds)):
        columns = {0: (form.columns[0],), (0, 1): form.columns}.get(_item_of(form), ())
    parts = key if isinstance(key, tuple) else (key,)
    if not columns or len(parts) != len(columns) or not all(map(is_int_scalar, parts)):
        return call_python(frame, Ref(tables.place_of, ""), (keys, key), {}, None)
    fn = runtime.place_of if len(parts) == 1 else runtime.place_of_pair
    return frame.session.emit(fn, (*parts, *columns))


def _item_of(form: Grown) -> Any:
    return form.item if isinstance(form.item, int | tuple) else None


def _is_of_ints(kind: Any) -> bool:
    return isinstance(kind, NumberType | ArrayType) and is_int_scalar(Value("", kind))


TABLE_CALLS: dict[Any, Callable[..., Abstract]] = {
    tables.holds_numbers: _holds_numbers,
    tables.holds_lists: _holds_lists,
    tables.cannot_compare: _cannot_compare,
    tables.is_empty: _is_empty,
    tables.may_be_key: _may_be_key,
    tables.place_of: _place_of,
}

__all__ = [
    "TABLE_CALLS", "is_by_data", "key_of", "made_by_data", "new_dict", "new_set", "pairs_of",
    "read_table", "taken",
]  # fmt: skip

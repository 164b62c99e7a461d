"""Objects of classes of the user's with `np.ndarray` behind them: their array, and attributes.

    a = Info(x, info="kg")     x.view(Info), then `__array_finalize__(a, x)`, then a.info = "kg"
    b = a[1:] * 2              of class Info: `__array_finalize__(b, a)` gives b.info
    np.concatenate([a, a])     a plain array

Which class a result has, and of what it is made, NumPy is asked with small arrays of a class that
notes it, in place of the user's.
"""

from __future__ import annotations

import math
import operator
import types
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.closures import Bound
from srcad.frontend.abstract.containers.containers import ARRAY, ListObj, RecordObj, is_array_record
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Closed, Ref, ShapeTuple, describe
from srcad.frontend.dispatch import call
from srcad.frontend.kinds import BINARY, own_ways, unread_way
from srcad.frontend.objects.array_probes import OwnWay, Probe, Probes, asked
from srcad.frontend.objects.array_ufuncs import call_operator, numpys_own, overrides
from srcad.frontend.objects.class_functions import find, function_behind
from srcad.frontend.written import lists
from srcad.ir.kinds import index_parts, is_array, is_int_scalar
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, dtype_of, rank_of, shape_of

_CONVERTED: dict[str, Callable[..., Any]] = {"__float__": float, "__int__": int, "__bool__": bool}


def check_array_class(cls: type) -> None:
    """Refuse a class that NumPy asks in a way that is not followed: `__array_ufunc__`."""
    own = unread_way(cls)
    if own is not None:
        what = f"the class `{cls.__name__}`, an array with its own `{own}`,"
        raise error("E120", None, what=what, fix="compute with `np.asarray(x)`")


def new_array(frame: Frame, cls: type, array: Abstract, source: Abstract) -> RecordObj:
    """`array.view(cls)`, of which NumPy calls `__array_finalize__(source)`."""
    check_array_class(cls)
    made = RecordObj(cls, {ARRAY: array})
    known = find(cls, "__array_finalize__")
    if known is not None and isinstance(known[1], types.FunctionType):
        fn = function_behind(frame, made, cls, "__array_finalize__", *known)
        call(frame, fn, (made, source))
    return made


def made_anew(
    frame: Frame, cls: Abstract, shape: Abstract, dtype: Abstract = float, buffer: Abstract = None
) -> RecordObj:
    """`np.ndarray.__new__(cls, shape, dtype, buffer)`."""
    if buffer is None:
        return new_array(frame, cls.obj, call(frame, Ref(np.empty, ""), (shape, dtype)), None)
    known = np.dtype(dtype.obj if isinstance(dtype, Ref) else dtype)
    memory = frame.session.memory
    if not is_array(buffer) or dtype_of(buffer.type) != known or not memory.is_row_by_row(buffer):
        what = f"`{cls.obj.__name__}`, made of a buffer of another dtype or layout,"
        raise error("E120", None, what=what, fix="view the array: `np.asarray(x).view(cls)`")
    if not _has_shape(buffer, shape):  # the first entries
        size = call(frame, Ref(math.prod, ""), (shape if isinstance(shape, tuple) else (shape,),))
        flat = call(frame, Ref(np.reshape, ""), (buffer, -1))
        buffer = call(frame, Ref(operator.getitem, ""), (flat, slice(None, size)))
    return new_array(frame, cls.obj, call(frame, Ref(np.reshape, ""), (buffer, shape)), None)


def _has_shape(x: Value, shape: Abstract) -> bool:
    """Whether it is known that an array has this shape."""
    if isinstance(shape, ShapeTuple):
        return shape.owner is x
    return shape_of(x.type) == (shape if isinstance(shape, tuple) else (shape,))


def plain(x: Abstract) -> Abstract:
    """The array of such an object, also in lists and tuples; anything else as it is."""
    if is_array_record(x):
        return x.fields[ARRAY]
    if isinstance(x, tuple):
        return tuple(map(plain, x))
    if isinstance(x, ListObj) and x.form is None and any(map(_holds, x.items)):
        return ListObj([plain(item) for item in x.items])
    return x


def _holds(x: Abstract) -> bool:
    items = x.items if isinstance(x, ListObj) and x.form is None else x
    return is_array_record(x) or (isinstance(items, list | tuple) and any(map(_holds, items)))


def holds_arrays(args: Any, kwargs: Any) -> bool:
    """Whether there is such an object among arguments."""
    return any(map(_holds, (*args, *kwargs.values())))


def applied(
    frame: Frame,
    fn: Callable[..., Any],
    args: Any,
    kwargs: Any,
    act: Callable[..., Abstract],
    but: str = "",
    own_way: Callable[[], Abstract] | None = None,
) -> Abstract:
    """What `act` makes of the plain arrays, of the class that NumPy gives to what `fn` does.

    Args:
        but: a method of the class's own that is asked for as NumPy has it.
        own_way: is asked where NumPy asks the class for what it does in its own way.
    """
    try:
        probes, found = asked(fn, args, kwargs, but)
    except OwnWay as way:
        if own_way is not None:
            return own_way()
        what = f"`{getattr(fn, '__name__', 'this')}`, which asks `{way}` of the class,"
        raise error("E120", None, what=what, fix="compute with `np.asarray(x)`") from None
    except (ArithmeticError, ValueError, TypeError, LookupError) as problem:
        first = next(x for x in (*args, *kwargs.values()) if _holds(x))
        cls = first.cls.__name__ if isinstance(first, RecordObj) else "in a list"
        what = f"`{getattr(fn, '__name__', 'this')}` of an object of the class `{cls}` ({problem})"
        raise error("E120", None, what=what, fix="compute with `np.asarray(x)`") from None
    made = act(*map(plain, args), **{key: plain(x) for key, x in kwargs.items()})
    return _told(probes, frame, found, made)


def _told(probes: Probes, frame: Frame, found: Any, made: Abstract) -> Abstract:
    """The result as an object of the user's class where NumPy's is one."""
    if isinstance(found, tuple | list) and isinstance(made, tuple | ListObj):
        items = made.items if isinstance(made, ListObj) else made
        pairs = [_told(probes, frame, a, b) for a, b in zip(found, items, strict=True)]
        return ListObj(pairs) if isinstance(made, ListObj) else tuple(pairs)
    if not isinstance(found, Probe):
        return made
    for probe, record in zip(probes.arrays, probes.records, strict=True):
        if found is probe:
            return record
    if not isinstance(made, Value) or not isinstance(made.type, ArrayType) or made.type.scalar:
        made = call(frame, Ref(np.asarray, ""), (made,))
    return new_array(frame, probes.users[type(found)], made, _source(probes, frame, found, made))


def _source(probes: Probes, frame: Frame, found: Any, made: Abstract) -> Abstract:
    """What `__array_finalize__` of a result is given."""
    source = found.source
    for probe, record in zip(probes.arrays, probes.records, strict=True):
        if source is probe:
            return record
    if isinstance(source, Probe):  # made on the way
        return new_array(
            frame, probes.users[type(source)], made, _source(probes, frame, source, made)
        )
    return None if source is None else made


# Attributes and methods --------------------------------------------------------------------------


def of_array(frame: Frame, x: RecordObj, name: str) -> Abstract:
    """An attribute that the class has of `np.ndarray`."""
    if name == "__array_finalize__":
        return Closed(lambda frame, obj: None, name)
    if name == "__array_ufunc__":
        return Closed(numpys_own, name)
    if not callable(getattr(np.ndarray, name)):
        return applied(frame, operator.attrgetter(name), (x,), {}, _get(frame, name), name)

    def called(frame: Frame, *args: Abstract, **kwargs: Abstract) -> Abstract:
        def act(array: Abstract, *args: Abstract, **kwargs: Abstract) -> Abstract:
            return call(frame, _attribute(frame, array, name), args, kwargs)

        return applied(frame, getattr(np.ndarray, name), (x, *args), kwargs, act, name)

    return Closed(called, name)


def _attribute(frame: Frame, array: Abstract, name: str) -> Abstract:
    return call(frame, Ref(getattr, ""), (array, name))


def _get(frame: Frame, name: str) -> Callable[..., Abstract]:
    return lambda array: _attribute(frame, array, name)


# What Python's comparisons are of arrays.
_COMPARED = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal,
}  # fmt: skip


def special_method(frame: Frame, x: RecordObj, name: str) -> Bound | None:
    """A method by which Python computes: `__add__`, `__getitem__`, `__len__`."""
    found = _special(x, name) or _operator(x, name)
    return None if found is None else Bound(cast(Any, Closed(found, name)), x)


def _calling(frame: Frame, fn: Any) -> Callable[..., Abstract]:
    return lambda *given: call(frame, Ref(fn, ""), given)


def _special(x: RecordObj, name: str) -> Callable[..., Abstract] | None:
    array = x.fields[ARRAY]
    if name == "__array__":
        return lambda frame, x, *args: array
    if name == "__len__":
        return lambda frame, x: call(frame, Ref(len, ""), (array,))
    if name == "__iter__" and "__getitem__" in own_ways(x.cls):
        return lambda frame, x: call(frame, Ref(lists.by_index, ""), (x,))
    if name == "__iter__" and rank_of(array.type) == 1:
        return lambda frame, x: call(frame, Ref(iter, ""), (array,))
    if name in _CONVERTED:
        return lambda frame, x: call(frame, Ref(_CONVERTED[name], ""), (array,))
    if name == "__getitem__":
        return lambda frame, x, i: applied(
            frame,
            operator.getitem,
            (x, i),
            {},
            _calling(frame, operator.getitem),
            name,
        )
    if name == "__setitem__":
        return _set_items
    return None


def _set_items(frame: Frame, x: RecordObj, i: Abstract, value: Abstract) -> Abstract:
    """`x[i] = value`: NumPy asks a `__getitem__` of the class's own where that is no entry."""
    array = x.fields[ARRAY]
    is_entry = len(index_parts(i)) == rank_of(array.type) and all(
        map(is_int_scalar, index_parts(i))
    )
    if "__getitem__" in own_ways(x.cls) and not is_entry:
        what = f"`x[i] = ...` of {describe(x)}, which asks `__getitem__` of the class,"
        raise error("E120", None, what=what, fix="write into `np.asarray(x)`")
    return call(frame, Ref(operator.setitem, ""), (array, i, plain(value)))


def _operator(x: RecordObj, name: str) -> Callable[..., Abstract] | None:
    bare = name.strip("_")
    if not hasattr(np.ndarray, name):
        return None
    if bare in ("neg", "pos", "invert", "abs"):
        one: Any = getattr(operator, bare)
        return lambda frame, x: _computed(frame, one, (x,), _calling(frame, one), name)
    if bare in _COMPARED:
        asked, plainly = _COMPARED[bare], getattr(operator, bare)
        return lambda frame, *pair: _computed(frame, plainly, pair, _calling(frame, asked), name)
    kinds = (k for k in ("", "r", "i") if bare.startswith(k) and bare[len(k) :] in BINARY)
    kind = next(kinds, None)
    if kind is None:
        return None
    fn: Any = getattr(operator, f"__{bare[len(kind) :]}__")

    def computed(frame: Frame, x: RecordObj, other: Abstract) -> Abstract:
        if kind == "i" and (overrides(x) or overrides(other)):
            return call_operator(frame, getattr(operator, name), (x, other), changed=x)
        if kind == "i":
            return _in_place(frame, x, call(frame, Ref(fn, ""), (x.fields[ARRAY], plain(other))))
        given = (other, x) if kind == "r" else (x, other)
        return _computed(frame, fn, given, _calling(frame, fn), name)

    return computed


def _computed(
    frame: Frame,
    fn: Callable[..., Any],
    given: tuple[Abstract, ...],
    act: Callable[..., Abstract],
    name: str,
) -> Abstract:
    if any(map(overrides, given)):
        return call_operator(frame, fn, given)
    return applied(frame, fn, given, {}, act, name)


def _in_place(frame: Frame, x: RecordObj, result: Abstract) -> RecordObj:
    """`x += other`, of which the result is in the dtype of the array."""
    array = x.fields[ARRAY]
    if not isinstance(result, Value) or dtype_of(result.type) != dtype_of(array.type):
        raise error("E120", None, what=f"{describe(x)}, changed in place by another dtype,")
    call(frame, Ref(operator.setitem, ""), (array, Ellipsis, result))
    return x


__all__ = [
    "applied", "check_array_class", "holds_arrays", "made_anew", "new_array", "of_array",
    "plain", "special_method",
]  # fmt: skip

"""Builtins and library functions that lowering itself evaluates: `len`, `range`, `zip`, `sum`,
`max`...

Each handler takes the frame and the call's abstract arguments. What is not here and has a rule
becomes an op.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.closures import Generator, Suspended
from srcad.frontend.abstract.containers.containers import (
    DictObj,
    Grown,
    ListObj,
    RecordObj,
    SetObj,
    View,
    form_of,
)
from srcad.frontend.abstract.containers.contents import contents, like, values_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import Enumerate, Iterator, Map, OneShot, Reversed, Zip
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Range, describe, is_static
from srcad.frontend.builtins.folds import FOLDS
from srcad.frontend.builtins.library_containers import CONTAINER_CALLS
from srcad.frontend.builtins.object_calls import OBJECT_CALLS
from srcad.frontend.builtins.operator_calls import OPERATOR_CALLS
from srcad.frontend.builtins.sorting import ORDERED, sort
from srcad.frontend.calls.mapped import MAPPED_CALLS
from srcad.frontend.constants import is_int
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.broadcasts import broadcast
from srcad.frontend.expressions.missing import fails, raise_unless, raised_by, raised_by_class
from srcad.frontend.expressions.powers import power
from srcad.frontend.expressions.sharing import SHARING
from srcad.frontend.expressions.texts import emit_object, is_string, shown, text_of
from srcad.frontend.expressions.type_calls import TYPE_CALLS
from srcad.frontend.iterators.counted import length
from srcad.frontend.iterators.library_iterators import ITERATOR_CALLS
from srcad.frontend.iterators.suspended import all_of
from srcad.frontend.known_objects import known_object
from srcad.frontend.laid.making import listed
from srcad.frontend.laid.reading import AnyLaid, shallow_copy, size_of
from srcad.frontend.library.entrywise import ENTRYWISE_CALLS
from srcad.frontend.lists import open_lists
from srcad.frontend.lists.by_data import items_of_array
from srcad.frontend.lists.opened import Open, Pieces
from srcad.frontend.lists.tables import TABLE_CALLS, new_dict, pairs_of
from srcad.frontend.loops.comprehensions import list_of
from srcad.frontend.loops.iteration import items_of, iterated, iteration_of, taken_from
from srcad.frontend.loops.searches import first_of
from srcad.frontend.objects.members import method_of
from srcad.frontend.objects.protocols import CALLED, asked
from srcad.frontend.python_types import possible_classes, python_type
from srcad.ir.kinds import is_int_scalar
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, ObjectType, SeqType, TupleType


def _len(frame: Frame, x: Abstract) -> Abstract:
    method = method_of(frame, x, "__len__")
    if method is not None:
        return asked(frame, len, method)
    if isinstance(x, ListObj) and isinstance(x.form, AnyLaid):
        return size_of(frame.session, x.form)
    match form_of(x):
        case Value() if is_string(x):
            return _len(frame, text_of(frame, x))
        case Value(type=ArrayType(shape=shape)) if shape != ():
            return length(frame.session, x)
        case Value(type=TupleType(items=items)):
            return len(items)
        case Grown(columns=columns):
            return length(frame.session, columns[0])
        case Open() as form:
            return open_lists.length(form)
        case Pieces() as form:
            form.decline()
        case Value(type=SeqType()):
            return frame.session.emit(len, (x,))
        case Value(type=ObjectType(name="str")):
            n = Value("", NumberType(int))
            frame.session.add(Op(len, (x,), {}, (n,), frame.session.builder.loc))
            return n
        case ListObj() | DictObj() | SetObj() | View():
            return len(x.items)
        case RecordObj() if x.is_tuple:
            return len(x.items)
        case tuple() | str() | range() | bytes() | frozenset():
            return len(x)
        case OneShot() if len(classes := possible_classes(frame, x)) == 1:
            text = f"object of type '{classes.pop().__name__}' has no len()"
            raise fails(frame, TypeError(text))
    refusal = error("E132", None, what=f"`len` of {describe(x)}")
    lacks_it = isinstance(x, Value | int | float | complex | None)
    raise raised_by_class(frame, x, len, refusal) if lacks_it else refusal


# Iterables ---------------------------------------------------------------------------------------


def _range(frame: Frame, *bounds: Abstract) -> Abstract:
    for b in bounds:
        if not (is_int_scalar(b) or (is_int(b) if isinstance(b, Value) else isinstance(b, bool))):
            raise error("E132", None, what=f"`range` of {describe(b)}")
    if not values_of(bounds):
        return range(*bounds)
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    if isinstance(step, Value):
        is_step = frame.session.emit(operator.ne, (step, 0))
        raise_unless(frame, is_step, ValueError, "range() arg 3 must not be zero")
    return Range(start, stop, step)


def _enumerate(frame: Frame, x: Abstract, start: Abstract = 0) -> Abstract:
    return Enumerate(_iterator(frame, x), start)


def _iterator(frame: Frame, x: Abstract) -> Abstract:
    """What `__iter__` of a user's object gives; what it is not, as it is."""
    return x if iteration_of(frame, x) is None else iterated(frame, x)


def _zip(frame: Frame, *parts: Abstract, strict: Abstract = False) -> Abstract:
    if strict is not False and parts:
        parts = tuple(_listed_part(frame, part) for part in parts)
        lengths = [_len(frame, p) for p in parts if not isinstance(p, Generator)]
        if values_of(tuple(lengths)) or len(set(lengths)) > 1:
            raise error("E123", None, what="the length of every part of `zip(strict=True)`")
    parts = tuple(_iterator(frame, part) for part in parts)
    for k, part in enumerate(parts):
        if isinstance(part, OneShot) and any(part is other for other in parts[:k]):
            taken_from(frame, part, "a part of `zip`")
    return Zip(parts)


def _listed_part(frame: Frame, x: Abstract) -> Abstract:
    """The items of what the user's own code yields, so that they can be counted."""
    if isinstance(x, Suspended) or iteration_of(frame, x) is not None:
        return tuple(items_of(frame, x, "a part of `zip(strict=True)`"))
    return x


def _reversed(frame: Frame, x: Abstract) -> Abstract:
    if isinstance(x, OneShot | SetObj | frozenset):
        raise error("E132", None, what=f"`reversed` of {describe(x)}")
    return Reversed(x)


def _iter(frame: Frame, x: Abstract) -> Abstract:
    return x if isinstance(x, OneShot) else Iterator(iterated(frame, x))


def _next(frame: Frame, x: Abstract, default: Abstract = UNBOUND, /) -> Abstract:
    """The next item of an iterator; of a generator expression the first one."""
    own = method_of(frame, x, "__next__")
    if own is not None and default is UNBOUND:
        return call(frame, own, ())
    if not isinstance(x, OneShot):
        raise error("E132", None, what=f"`next` of {describe(x)}")
    if isinstance(x, Generator) and x.items is None:
        return first_of(frame, x, default)
    for item in taken_from(frame, x, "the argument of `next`"):
        return item
    if default is UNBOUND:
        raise fails(frame, StopIteration())
    return default


def _map(frame: Frame, fn: Abstract, first: Abstract, /, *parts: Abstract) -> Abstract:
    return Map(fn, (first, *parts))


def _list(frame: Frame, x: Abstract = ()) -> Abstract:
    x = list_of(frame, x)
    if isinstance(x, ListObj) and isinstance(x.form, AnyLaid) and x.form.axes == 1:
        return shallow_copy(frame.session, x.form)
    if isinstance(form_of(x), Grown):
        return like(x, contents(x))
    made = items_of_array(frame, x) or listed(frame, x)
    if made is not None:
        return made
    return ListObj(items_of(frame, all_of(frame, x), "the argument of `list`"))


def _tuple(frame: Frame, x: Abstract = ()) -> Abstract:
    return tuple(items_of(frame, all_of(frame, x), "the argument of `tuple`"))


def _dict(frame: Frame, x: Abstract = (), /, **more: Abstract) -> Abstract:
    return new_dict(frame, pairs_of(frame, x, more))


def _from_keys(frame: Frame, keys: Abstract, value: Abstract = None) -> Abstract:
    known = items_of(frame, keys, "the argument of `dict.fromkeys`")
    return new_dict(frame, [(k, value) for k in known])


# Numbers -----------------------------------------------------------------------------------------


def _folded(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    """A function of numbers: evaluated on constants, an op on run-time values."""

    def handler(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
        args = tuple(map(known_object, args))
        method = method_of(frame, args[0], f"__{fn.__name__}__") if args else None
        if method is not None and fn in CALLED and len(args) == 1:
            return asked(frame, fn, method)
        if method is not None:
            return call(frame, method, args[1:], kwargs)
        if all(map(is_static, (*args, *kwargs.values()))):
            try:
                return fn(*args, **kwargs)
            except (ArithmeticError, ValueError) as problem:
                raise fails(frame, problem) from None
            except TypeError as problem:
                if frame.session.watchers:
                    raise fails(frame, problem) from None
                raise
        if len(args) == 1 and not kwargs and _is_no_number(frame, args[0]):
            return _of_no_number(frame, fn, args[0])
        _check_containers(frame, fn, args)
        if fn is pow and len(args) == 2:
            return power(frame, fn, *args)
        return frame.session.emit(fn, args, kwargs)

    return handler


def _check_containers(frame: Frame, fn: Callable[..., Any], args: tuple[Abstract, ...]) -> None:
    """Raise what Python raises of lists in place of numbers; beside arrays, NumPy takes them."""
    if any(isinstance(x, Value) and not isinstance(x.type, NumberType) for x in args):
        return
    if any(isinstance(x, np.generic) for x in args) or not any(map(_is_container, args)):
        return
    stand_ins = [python_type(frame, x)() if _is_container(x) else 1 for x in args]
    try:
        fn(*stand_ins)
    except TypeError as problem:
        raise fails(frame, problem) from None


def _is_container(x: Abstract) -> bool:
    return isinstance(x, ListObj | DictObj | SetObj | tuple)


def _is_no_number(frame: Frame, x: Abstract) -> bool:
    """Whether NumPy takes an array for no number: unless each of its extents is 1."""
    shape = x.type.shape if isinstance(x, Value) and isinstance(x.type, ArrayType) else None
    return frame.session.is_certain(x) and any(
        e != 1 if isinstance(e, int) else e.never_one for e in shape or ()
    )


def _of_no_number(frame: Frame, fn: Callable[..., Any], x: Value) -> Abstract:
    """A function of numbers of an array that is none: what it raises, in a `try`."""
    assert isinstance(x.type, ArrayType)
    try:
        return frame.session.emit(fn, (x,), {})
    except SrcadError as refusal:
        stand_in = np.zeros((2,) * len(x.type.shape or ()), x.type.dtype)
        raise raised_by(frame, fn, stand_in, refusal) from None


def _constant(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    """A function of ints and text that gives text or such: evaluated now."""

    def handler(frame: Frame, /, *args: Abstract) -> Abstract:
        return fn(*(frame.session.static(x, f"what `{fn.__name__}` takes") for x in args))

    return handler


def _format(frame: Frame, x: Abstract, spec: Abstract = "") -> Abstract:
    known = frame.session.static(spec, "the second argument of `format`")
    if not isinstance(known, str):
        raise error("E132", None, what=f"`format` by {known!r}")
    if is_static(x):
        return format(x, known)
    return emit_object(frame, str.format, (f"{{:{known}}}", shown(frame, x)), "str")


_LISTS = ("fsum", "prod", "dist", "sumprod")

BUILTINS: dict[Any, Callable[..., Abstract]] = {
    **OBJECT_CALLS,
    **TYPE_CALLS,
    **MAPPED_CALLS,
    **ENTRYWISE_CALLS,
    np.broadcast: broadcast,
    **SHARING,
    **TABLE_CALLS,
    **ITERATOR_CALLS,
    **CONTAINER_CALLS,
    **ORDERED,
    **FOLDS,
    len: _len,
    range: _range,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    iter: _iter,
    next: _next,
    map: _map,
    list: _list,
    tuple: _tuple,
    dict: _dict,
    dict.fromkeys: _from_keys,
    sorted: sort,
    format: _format,
    **{fn: _folded(fn) for fn in (abs, operator.abs, float, int, complex, round, pow, divmod)},
    **{
        fn: _folded(fn)
        for name, fn in vars(math).items()
        if callable(fn) and not name.startswith("_") and name not in _LISTS
    },
    **{fn: _constant(fn) for fn in (bin, chr, hex, oct, ord)},
    # Python 3.12 brings it. It is exact for floats alone: no sum of products that NumPy has is.
    **{fn: _constant(fn) for name in ("sumprod",) if (fn := getattr(math, name, None))},
    **OPERATOR_CALLS,
}

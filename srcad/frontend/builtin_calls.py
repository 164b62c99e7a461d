"""Builtins and library functions that lowering itself evaluates: `len`, `range`, `zip`, `isinstance`, `np.array`...

Each handler takes the frame and the call's abstract arguments. What is not here and has a rule becomes an op.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.branches import truth
from srcad.frontend.comprehensions import accumulate, collect
from srcad.frontend.frame import Frame
from srcad.frontend.loops import length, static_items
from srcad.frontend.objects import (
    Abstract,
    DictObj,
    Enumerate,
    FunctionObj,
    Generator,
    ListObj,
    Map,
    Partial,
    Range,
    RecordObj,
    Ref,
    Reversed,
    Zip,
    describe,
    is_static,
    values_of,
)
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, ObjectType, SeqType, TupleType, rank_of


def items_of(frame: Frame, x: Abstract, what: str) -> list[Abstract]:
    """The items of any iterable; its length must be known while compiling."""
    from srcad.frontend.comprehensions import known_items

    return known_items(frame, x, what, None)


def _len(frame: Frame, x: Abstract) -> Abstract:
    if isinstance(x, Value):
        if isinstance(x.type, ArrayType):
            if x.type.shape == ():
                raise error("E132", None, what="`len` of a number")
            return length(frame, x)
        if isinstance(x.type, TupleType):
            return len(x.type.items)
        if isinstance(x.type, SeqType):
            return frame.session.emit(len, (x,))
    if isinstance(x, ListObj | DictObj):
        return len(x.items)
    if isinstance(x, RecordObj) and hasattr(x.cls, "_fields"):
        return len(x.fields)
    if isinstance(x, tuple | str | range | bytes):
        return len(x)
    if isinstance(x, Ref) and isinstance(x.obj, list | tuple | dict | str | set):
        return len(x.obj)
    raise error("E132", None, what=f"`len` of {describe(x)}")


def _range(frame: Frame, *bounds: Abstract) -> Abstract:
    for b in bounds:
        integer = isinstance(b, Value) and _kind(b) in (int, bool) and rank_of(b.type) == 0
        if not integer and not isinstance(b, int | np.integer):
            raise error("E132", None, what=f"`range` of {describe(b)}")
    if not values_of(bounds):
        return range(*bounds)
    start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    return Range(start, stop, step)


def _kind(x: Value) -> type | None:
    if isinstance(x.type, NumberType):
        return x.type.kind
    return int if isinstance(x.type, ArrayType) and x.type.dtype.kind in "iu" else None


def _enumerate(frame: Frame, x: Abstract, start: Abstract = 0) -> Abstract:
    return Enumerate(_iterable(x), start)


def _zip(frame: Frame, *parts: Abstract, strict: Abstract = False) -> Abstract:
    return Zip(tuple(map(_iterable, parts)))


def _reversed(frame: Frame, x: Abstract) -> Abstract:
    return Reversed(_iterable(x))


def _map(frame: Frame, fn: Abstract, *parts: Abstract) -> Abstract:
    return Map(fn, tuple(map(_iterable, parts)))


def _iterable(x: Abstract) -> Abstract:
    """Generator expressions inside `zip` and its like are collected first."""
    return tuple(collect(x)) if isinstance(x, Generator) else x


def _filter(frame: Frame, fn: Abstract, x: Abstract) -> Abstract:
    from srcad.frontend.calls import call

    kept = []
    for item in items_of(frame, x, "the argument of `filter`"):
        test = item if fn is None else call(frame, fn, (item,), {})
        if frame.session.static(truth(frame.session, test), "the test of `filter`"):
            kept.append(item)
    return ListObj(kept)


def _list(frame: Frame, x: Abstract = ()) -> Abstract:
    return ListObj(list(items_of(frame, x, "the argument of `list`")))


def _tuple(frame: Frame, x: Abstract = ()) -> Abstract:
    return tuple(items_of(frame, x, "the argument of `tuple`"))


def _dict(frame: Frame, x: Abstract = (), **more: Abstract) -> Abstract:
    if isinstance(x, DictObj):
        return DictObj({**x.items, **more})
    pairs = [items_of(frame, p, "a pair") for p in items_of(frame, x, "the argument of `dict`")]
    known = {frame.session.static(k, "a key of a dict"): v for k, v in pairs}
    return DictObj({**known, **more})


def _sum(frame: Frame, x: Abstract, start: Abstract = 0) -> Abstract:
    """`sum`: a loop over generators and arrays, unrolled over containers."""
    from srcad.frontend.expressions import binary
    from srcad.frontend.loops import for_each

    add = functools.partial(binary, frame, operator.add)
    if isinstance(x, Generator) and len(x.node.generators) == 1 and not x.node.generators[0].ifs:
        return accumulate(x, start, add)
    if isinstance(x, Generator):
        x = tuple(collect(x))
    total = [start]
    if static_items(frame, x) is not None or isinstance(x, range):
        for item in items_of(frame, x, "the argument of `sum`"):
            total.append(add(total[-1], item))
        return total[-1]
    inner = Frame(frame.session, frame.file, frame.name, outer=frame, callers=frame.callers)
    inner.env[".total"] = start

    def body(item: Abstract) -> None:
        inner.env[".total"] = add(inner.env[".total"], item)

    for_each(inner, x, body)
    return inner.env[".total"]


def _extreme(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    """`max` and `min` of arguments or of one iterable."""

    def handler(frame: Frame, *args: Abstract, key: Abstract = None, default: Abstract = None) -> Abstract:
        if key is not None:
            raise error("E120", None, what=f"`{fn.__name__}` with `key`")
        items = list(args) if len(args) > 1 else items_of(frame, args[0], f"what `{fn.__name__}` takes")
        if not items and default is not None:
            return default
        if all(map(is_static, items)):
            return fn(items)
        best = items[0]
        for item in items[1:]:
            best = frame.session.emit(fn, (best, item))
        return best

    return handler


def _quantifier(is_all: bool) -> Callable[..., Abstract]:
    def handler(frame: Frame, x: Abstract) -> Abstract:
        if isinstance(x, Value):
            return frame.session.emit(np.all if is_all else np.any, (x,))
        result: Abstract = is_all
        for item in items_of(frame, x, "the argument of `all` or `any`"):
            known = truth(frame.session, item)
            if isinstance(known, Value):
                fn = operator.and_ if is_all else operator.or_
                flag = frame.session.emit(bool, (known,))
                result = flag if isinstance(result, bool) else frame.session.emit(fn, (result, flag))
            elif bool(known) is not is_all:
                return not is_all
        return result

    return handler


def _print(frame: Frame, *args: Abstract, **kwargs: Abstract) -> None:
    session = frame.session
    shown = tuple(x if is_static(x) or isinstance(x, Value) else _shown(x) for x in args)
    atoms = session.atom(shown), session.atom(kwargs)
    session.builder.body.append(Op(print, *atoms, (), session.builder.loc, effect=True))


def _shown(x: Abstract) -> Abstract:
    """A container as `print` gets it."""
    if isinstance(x, ListObj):
        return ListObj([_shown(item) for item in x.items])
    if isinstance(x, DictObj):
        return {key: _shown(item) for key, item in x.items.items()}
    if isinstance(x, tuple):
        return tuple(map(_shown, x))
    return x if is_static(x) or isinstance(x, Value) else describe(x)


def _isinstance(frame: Frame, x: Abstract, classes: Abstract) -> bool:
    wanted = frame.session.raw(classes)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    return any(issubclass(python_type(x), cls) for cls in wanted)


def python_type(x: Abstract) -> type:
    """The class that the run-time object has."""
    if isinstance(x, Value):
        match x.type:
            case ArrayType():
                return x.type.dtype.type if x.type.scalar else np.ndarray
            case NumberType():
                return x.type.kind
            case TupleType():
                return tuple
            case SeqType():
                return list
            case ObjectType():
                return getattr(builtins, x.type.name, object)
    for own, cls in ((ListObj, list), (DictObj, dict)):
        if isinstance(x, own):
            return cls
    if isinstance(x, RecordObj):
        return x.cls
    return type(x.obj) if isinstance(x, Ref) else type(x)


def _type(frame: Frame, x: Abstract) -> Abstract:
    return Ref(python_type(x), "")


def _callable(frame: Frame, x: Abstract) -> bool:
    return isinstance(x, FunctionObj | Partial) or callable(frame.session.raw(x))


def _getattr(frame: Frame, x: Abstract, name: Abstract, *default: Abstract) -> Abstract:
    from srcad.errors import SrcadError
    from srcad.frontend.attributes import attribute

    try:
        return attribute(frame, x, frame.session.static(name, "the name of an attribute"))
    except SrcadError:
        if default:
            return default[0]
        raise


def _hasattr(frame: Frame, x: Abstract, name: Abstract) -> bool:
    missing = object()
    return _getattr(frame, x, name, missing) is not missing


def _partial(frame: Frame, fn: Abstract, *args: Abstract, **kwargs: Abstract) -> Abstract:
    return Partial(fn, args, kwargs)


def _reduce(frame: Frame, fn: Abstract, x: Abstract, *start: Abstract) -> Abstract:
    from srcad.frontend.calls import call

    items = [*start, *items_of(frame, x, "the argument of `reduce`")]
    if not items:
        raise error("E132", None, what="`reduce` of nothing")
    total = items[0]
    for item in items[1:]:
        total = call(frame, fn, (total, item), {})
    return total


def _sorted(frame: Frame, x: Abstract, **kwargs: Abstract) -> Abstract:
    items = items_of(frame, x, "the argument of `sorted`")
    if not all(map(is_static, items)) or any(not is_static(v) for v in kwargs.values()):
        raise error("E120", None, what="`sorted` of run-time values")
    return ListObj(sorted(items, **kwargs))


def _folded(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    """A function of numbers: evaluated on constants, an op on run-time values."""

    def handler(frame: Frame, *args: Abstract, **kwargs: Abstract) -> Abstract:
        if all(map(is_static, (*args, *kwargs.values()))):
            try:
                return fn(*args, **kwargs)
            except (ArithmeticError, ValueError):
                pass
        return frame.session.emit(fn, args, kwargs)

    return handler


def _to_string(frame: Frame, x: Abstract = "") -> Abstract:
    if is_static(x):
        return str(x)
    from srcad.frontend.expressions import emit_object

    return emit_object(frame, str.format, ("{}", x), "str")


def _bool(frame: Frame, x: Abstract = False) -> Abstract:
    known = truth(frame.session, x)
    return frame.session.emit(bool, (known,)) if isinstance(known, Value) else bool(known)


def _product(frame: Frame, *parts: Abstract, repeat: Abstract = 1) -> Abstract:
    lists = [items_of(frame, p, "the arguments of `product`") for p in parts]
    return tuple(itertools.product(*lists, repeat=repeat))


BUILTINS: dict[Any, Callable[..., Abstract]] = {
    len: _len,
    range: _range,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    map: _map,
    filter: _filter,
    list: _list,
    tuple: _tuple,
    dict: _dict,
    sum: _sum,
    max: _extreme(max),
    min: _extreme(min),
    all: _quantifier(True),
    any: _quantifier(False),
    print: _print,
    isinstance: _isinstance,
    type: _type,
    callable: _callable,
    getattr: _getattr,
    hasattr: _hasattr,
    sorted: _sorted,
    str: _to_string,
    bool: _bool,
    functools.partial: _partial,
    functools.reduce: _reduce,
    itertools.product: _product,
    **{fn: _folded(fn) for fn in (abs, float, int, complex, round, pow, divmod)},
    **{
        fn: _folded(fn)
        for name, fn in vars(math).items()
        if callable(fn) and not name.startswith("_") and name not in ("fsum", "prod", "dist")
    },
    **{
        getattr(operator, name): _folded(getattr(operator, name))
        for name in ("add sub mul truediv floordiv mod pow neg pos lt le gt ge eq ne and_ or_ xor").split()
    },
}

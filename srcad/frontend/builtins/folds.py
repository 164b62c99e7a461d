"""Functions that go over the items of one iterable: `sum`, `max`, `all`, `functools.reduce`."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.closures import Generator, Suspended
from srcad.frontend.abstract.containers.containers import ListObj, RecordObj
from srcad.frontend.abstract.containers.contents import plain_set
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Ref, is_partial, is_static
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.expressions import item as item_of
from srcad.frontend.expressions.missing import fails
from srcad.frontend.expressions.operators import binary
from srcad.frontend.iterators.over_generators import is_waiting
from srcad.frontend.iterators.suspended import all_of
from srcad.frontend.loops.iteration import is_listed, items_of, iterated, listed
from srcad.frontend.loops.loops import for_each, is_simple
from srcad.frontend.loops.searches import decided, holds
from srcad.frontend.written import groups, tables
from srcad.frontend.written.extremes import (
    largest,
    largest_by,
    second,
    smallest,
    smallest_by,
)
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, Type, rank_of

_OTHER = object()  # one thing or another, as iterations decide
_BY_DATA = (tables.__name__, groups.__name__)


def ordered(frame: Frame, x: Abstract, what: str) -> list[Abstract]:
    """The items of an iterable whose order does not matter: those of a set sorted."""
    x = plain_set(x)
    if isinstance(x, set | frozenset):
        try:
            return sorted(x)
        except TypeError as reason:
            raise error("E132", None, what=f"sorting a set ({reason})") from None
    return items_of(frame, all_of(frame, x), what)


def _fold(
    frame: Frame, x: Abstract, start: Abstract, step: Callable[[Abstract, Abstract], Abstract]
) -> Abstract:
    """`step` over the items of an iterable, in a loop or unrolled."""
    inner = frame.scope()
    total = ".total"  # no Python name: the user's cannot clash with it
    inner.env[total] = start

    def body(item: Abstract) -> None:
        inner.env[total] = step(inner.env.get(total, _OTHER), item)

    inner.session.frames.append(inner)
    try:
        for_each(inner, x, body)
    finally:
        inner.session.frames.pop()
    return inner.env[total]


def _sum(frame: Frame, x: Abstract, /, start: Abstract = 0) -> Abstract:
    for kind, text in ((str, "strings [use ''"), (bytes, "bytes [use b''")):
        if isinstance(start, kind):
            raise fails(frame, TypeError(f"sum() can't sum {text}.join(seq) instead]"))
    if isinstance(x, range):
        x = tuple(x)
    return _fold(frame, x, start, functools.partial(binary, frame, operator.add))


def _reduce(frame: Frame, fn: Abstract, x: Abstract, *start: Abstract) -> Abstract:
    x = iterated(frame, x)
    if is_waiting(x):
        return _reduce_yielded(frame, fn, x, *start)
    items = listed(frame, x, "the argument of `reduce`")
    total = start[0] if start else next(items, UNBOUND)
    if total is UNBOUND:
        raise error("E132", None, what="`reduce` of nothing")
    for item in items:
        total = call(frame, fn, (total, item))
    return total


def _reduce_yielded(frame: Frame, fn: Abstract, x: Abstract, start: Abstract = UNBOUND) -> Abstract:
    """`reduce` of what a generator yields: where it does so."""

    def step(total: Abstract, item: Abstract) -> Abstract:
        if total is UNBOUND:
            return item
        if total is _OTHER or is_partial(total):  # data decides whether there was one before
            raise error("E122", None, what="what `reduce` has made so far")
        return call(frame, fn, (total, item))

    total = _fold(frame, x, start, step)
    if total is UNBOUND:
        raise error("E132", None, what="`reduce` of nothing")
    if is_partial(total):
        raise error("E123", None, what="whether `reduce` has an item")
    return total


def _extreme(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    """`max` and `min` of arguments or of one iterable."""

    by_order, by_key = (largest, largest_by) if fn is max else (smallest, smallest_by)

    def handler(
        frame: Frame, *args: Abstract, key: Abstract = None, default: Abstract = UNBOUND
    ) -> Abstract:
        has_default = default is not UNBOUND
        fallback = (has_default, default if has_default else None)
        if len(args) == 1 and not _is_unrolled(args[0], key):
            if key is None:
                return call_python(frame, Ref(by_order, ""), (args[0], *fallback), {}, None)
            return call_python(frame, Ref(by_key, ""), (args[0], key, *fallback), {}, None)
        given = args if len(args) > 1 else args[0]
        if key is not None:
            pairs = _with_keys(frame, given, key, f"what `{fn.__name__}` takes")
            items, keys = ([pair[k] for pair in pairs] for k in (0, 1))
        else:
            items = ordered(frame, given, f"what `{fn.__name__}` takes")
        if key is not None and items:
            if not all(map(is_static, keys)):
                given = (tuple(pairs), Ref(second, ""), *fallback)
                best = call_python(frame, Ref(by_key, ""), given, {}, None)
                return item_of(frame, best, 0)
            return items[fn(range(len(items)), key=keys.__getitem__)]
        if not items and has_default:
            return default
        if not items:
            raise _of_nothing(frame, fn)
        if all(map(is_static, items)):
            return fn(items)
        if len(items) > 1 and any(isinstance(item, tuple | RecordObj) for item in items):
            return call_python(frame, Ref(by_order, ""), (tuple(items), *fallback), {}, None)
        best = items[0]
        for item in items[1:]:
            best = frame.session.emit(fn, (best, item))
        return best

    return handler


def _of_nothing(frame: Frame, fn: Callable[..., Any]) -> Exception:
    """What `max` and `min` raise of no items, in Python's words."""
    try:
        fn(())
    except ValueError as problem:
        return fails(frame, problem)
    raise AssertionError


def _with_keys(frame: Frame, x: Abstract, key: Abstract, what: str) -> list[Abstract]:
    """The items of an iterable, each with its key, of which it is asked before the next one."""

    def pair(item: Abstract) -> Abstract:
        return item, call(frame, key, (item,))

    x = iterated(frame, plain_set(x))
    if is_waiting(x):
        return items_of(frame, all_of(frame, x, pair), what)
    if isinstance(x, set | frozenset):
        x = tuple(ordered(frame, x, what))
    return [pair(item) for item in listed(frame, x, what)]


def _is_unrolled(x: Abstract, key: Abstract) -> bool:
    """Whether the items of an iterable are known one by one, or make an array without a key."""
    if isinstance(x, Generator):
        return bool(is_listed(x) and is_simple(x))
    if isinstance(x, ListObj) and x.form is not None:
        return False
    if isinstance(x, Suspended) and x.frame.fn is not None:  # of a dict of which data has the keys
        return x.frame.fn.__module__ not in _BY_DATA
    return key is None or not (isinstance(x, Value) and rank_of(x.type))


def _quantifier(is_all: bool) -> Callable[..., Abstract]:
    """`all` and `any`."""

    def handler(frame: Frame, x: Abstract) -> Abstract:
        if isinstance(x, Value) and _has_truths(x.type) and rank_of(x.type) == 1:
            found = frame.session.emit(np.all if is_all else np.any, (x,))
            return frame.session.emit(bool, (found,))
        x = iterated(frame, x)
        if isinstance(x, Generator) and not (is_listed(x) and is_simple(x)):
            return holds(frame, x, is_all)
        if is_waiting(x) or is_listed(x) is False:
            return holds(frame, x, is_all)
        if isinstance(x, Generator) and any(
            isinstance(n, gast.NamedExpr) for n in gast.walk(x.node)
        ):
            x.frame.share()  # `:=` binds there, on some paths
        return decided(frame, x, listed(frame, x, "the argument of `all` or `any`"), is_all)

    return handler


def _has_truths(t: Type) -> bool:
    """Whether the items of an array are true to NumPy where they are to Python: no records are."""
    return isinstance(t, ArrayType) and t.dtype.kind != "V"


def _math_prod(frame: Frame, x: Abstract, *, start: Abstract = 1) -> Abstract:
    return _fold(frame, x, start, functools.partial(binary, frame, operator.mul))


def _of_vectors(fn: Callable[..., Any]) -> Callable[..., Abstract]:
    """A function of sequences of numbers, given as arrays; evaluated where all is known."""

    def handler(frame: Frame, *parts: Abstract) -> Abstract:
        columns = [
            x if _is_vector(x) else tuple(items_of(frame, x, f"what `{fn.__name__}` takes"))
            for x in parts
        ]
        if is_static(tuple(columns)) and not any(map(_is_vector, columns)):
            return fn(*columns)
        emit = frame.session.emit
        return emit(fn, tuple(x if _is_vector(x) else emit(np.array, (x,)) for x in columns))

    return handler


def _is_vector(x: Abstract) -> bool:
    return isinstance(x, Value) and isinstance(x.type, ArrayType) and rank_of(x.type) == 1


FOLDS: dict[Any, Callable[..., Abstract]] = {
    sum: _sum,
    max: _extreme(max),
    min: _extreme(min),
    all: _quantifier(True),
    any: _quantifier(False),
    functools.reduce: _reduce,
    math.prod: _math_prod,
    **{fn: _of_vectors(fn) for fn in (math.fsum, math.dist)},
}

__all__ = ["FOLDS", "ordered"]

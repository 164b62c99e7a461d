"""Patterns of `match`: what is known while compiling is decided, the rest compared at run time.

case [x, 0]:      a tuple or list of two items? known;  the second is 0? a comparison
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import (
    DictObj,
    Grown,
    ListObj,
    RecordObj,
    form_of,
)
from srcad.frontend.abstract.frame import Frame, errors_at
from srcad.frontend.abstract.kinds_by_data import resolved
from srcad.frontend.abstract.objects import Abstract, Either, Range, Ref, describe
from srcad.frontend.builtins.object_calls import is_instance
from srcad.frontend.comparisons.comparisons import compare
from srcad.frontend.comparisons.identity import identical
from srcad.frontend.dispatch import expression, handles_expression, handles_statement
from srcad.frontend.expressions.by_case import asked
from srcad.frontend.lists.opened import Open, Pieces
from srcad.frontend.loops.iteration import items_of
from srcad.frontend.objects.attributes import attribute, has_attribute
from srcad.frontend.objects.members import python_class
from srcad.frontend.patterns import Capture, Fits, Subject, bound_names
from srcad.frontend.statements.truth import truth
from srcad.ir.nodes import Value
from srcad.ir.types import SeqType, TupleType

# A constant, or the value to test.
Condition = Any
_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


@handles_statement(Subject)
def _subject(frame: Frame, node: Any, rest: list[Any]) -> None:
    frame.subjects[node.key] = expression(frame, node.value)


@handles_expression(Fits)
def _fits(frame: Frame, node: Any) -> Condition:
    return _test(frame, node.pattern, frame.subjects[node.key])


@handles_statement(Capture)
def _capture(frame: Frame, node: Any, rest: list[Any]) -> None:
    _bind(frame, node.pattern, frame.subjects[node.key])


def _test(frame: Frame, pattern: Any, x: Abstract) -> Condition:
    """Whether `x` fits a pattern."""
    with errors_at(frame, pattern):
        match pattern:
            case gast.MatchValue():
                return truth(frame, compare(frame, gast.Eq(), x, expression(frame, pattern.value)))
            case gast.MatchSingleton():
                return _is_singleton(frame, x, pattern.value)
            case gast.MatchAs():
                return pattern.pattern is None or _test(frame, pattern.pattern, x)
            case gast.MatchOr():
                return _any(frame, pattern, x)
        x = resolved(frame.session.codes, x)
        if isinstance(x, Either):
            found: Condition = asked(frame, (x,), partial(_test, frame, pattern))
            return found
        parts = _parts(frame, pattern, x)
        if parts is None:
            return False
        return _all(frame, [partial(_test, frame, p, y) for p, y in parts])


def _bind(frame: Frame, pattern: Any, x: Abstract) -> None:
    """Bind the names of a pattern that `x` fits."""
    match pattern:
        case gast.MatchAs():
            if pattern.pattern is not None:
                _bind(frame, pattern.pattern, x)
            if pattern.name is not None:
                frame.bind(pattern.name, x)
        case gast.MatchOr() if bound_names(pattern):
            # `_any` has found that one of them fits, whatever the numbers are.
            _bind(frame, next(p for p in pattern.patterns if _test(frame, p, x) is True), x)
        case gast.MatchSequence() | gast.MatchMapping() | gast.MatchClass():
            x = resolved(frame.session.codes, x)
            for inner, part in _parts(frame, pattern, x) or ():
                _bind(frame, inner, part)
            if isinstance(pattern, gast.MatchSequence):
                _bind_star(frame, pattern, x)
            elif isinstance(pattern, gast.MatchMapping) and pattern.rest:
                known = {_key(frame, key) for key in pattern.keys}
                rest = {key: item for key, item in x.items.items() if key not in known}
                frame.bind(pattern.rest, DictObj(rest))


# Conditions --------------------------------------------------------------------------------------


def _all(frame: Frame, tests: list[Callable[[], Condition]]) -> Condition:
    """Whether all tests hold; none is made after one that fails while compiling."""
    found: Condition = True
    for test in tests:
        holds = test()
        if not isinstance(holds, Value):
            if not holds:
                return False
        elif found is True:
            found = holds
        else:
            found = _both(frame, operator.and_, found, holds)
    return found


def _any(frame: Frame, pattern: Any, x: Abstract) -> Condition:
    found: Condition = False
    for each in pattern.patterns:
        holds = _test(frame, each, x)
        if not isinstance(holds, Value):
            if holds:
                return True
        elif bound_names(pattern):
            what = "alternatives with names inside a pattern, chosen by run-time values,"
            raise error("E112", frame.at(pattern), what=what)
        else:
            found = holds if found is False else _both(frame, operator.or_, found, holds)
    return found


def _both(frame: Frame, fn: Any, a: Value, b: Value) -> Value:
    flags = (frame.session.emit(bool, (a,)), frame.session.emit(bool, (b,)))
    both: Value = frame.session.emit(fn, flags)
    return both


def _is_singleton(frame: Frame, x: Abstract, value: Any) -> Condition:
    return identical(frame, x, value)


# Parts -------------------------------------------------------------------------------------------


def _parts(frame: Frame, pattern: Any, x: Abstract) -> list[tuple[Any, Abstract]] | None:
    """The patterns inside a pattern with what each must fit; None if `x` has another structure."""
    if isinstance(x, Either):
        raise error("E112", frame.at(pattern), what=f"a pattern for {describe(x)}")
    match pattern:
        case gast.MatchSequence():
            return _sequence_parts(frame, pattern, x)
        case gast.MatchMapping():
            return _mapping_parts(frame, pattern, x)
        case gast.MatchClass():
            return _class_parts(frame, pattern, x)
    raise error("E112", frame.at(pattern), what=f"a `{type(pattern).__name__}`")


def _sequence_parts(frame: Frame, pattern: Any, x: Abstract) -> list[tuple[Any, Abstract]] | None:
    items = _sequence(frame, x)
    if items is None:
        return None
    before, after, starred = _around_star(pattern)
    n = len(before) + len(after)
    if len(items) < n or (not starred and len(items) != n):
        return None
    ends = items[len(items) - len(after) :] if after else []
    return [*zip(before, items, strict=False), *zip(after, ends, strict=True)]


def _sequence(frame: Frame, x: Abstract) -> list[Abstract] | None:
    """The items of what is a sequence for `match`; arrays and strings are none."""
    if isinstance(x, tuple | ListObj | range) or (isinstance(x, RecordObj) and x.is_tuple):
        return items_of(frame, x, "the subject of a sequence pattern")
    if isinstance(x, Value):
        if isinstance(x.type, SeqType) or not frame.session.is_certain(x):
            raise error("E123", None, what="the length of the subject of a sequence pattern")
        return items_of(frame, x, "the subject") if isinstance(x.type, TupleType) else None
    if isinstance(form_of(x), Range | Grown | Open | Pieces):
        raise error("E123", None, what="the length of the subject of a sequence pattern")
    if isinstance(x, RecordObj | Ref) and hasattr(python_class(x), "__getitem__"):
        raise error("E132", None, what=f"a sequence pattern for {describe(x)}")
    # To `match`, numbers, strings, sets, dicts, functions, iterators and views are no sequences.
    return None


def _around_star(pattern: Any) -> tuple[list[Any], list[Any], bool]:
    for i, each in enumerate(pattern.patterns):
        if isinstance(each, gast.MatchStar):
            return pattern.patterns[:i], pattern.patterns[i + 1 :], True
    return pattern.patterns, [], False


def _bind_star(frame: Frame, pattern: Any, x: Abstract) -> None:
    before, after, starred = _around_star(pattern)
    if starred and pattern.patterns[len(before)].name is not None:
        items = _sequence(frame, x) or []
        middle = items[len(before) : len(items) - len(after)]
        frame.bind(pattern.patterns[len(before)].name, ListObj(middle))


def _mapping_parts(frame: Frame, pattern: Any, x: Abstract) -> list[tuple[Any, Abstract]] | None:
    if isinstance(x, RecordObj | Ref) and hasattr(python_class(x), "keys"):
        raise error("E132", None, what=f"a mapping pattern for {describe(x)}")
    if not isinstance(x, DictObj):
        return None
    keys = [_key(frame, key) for key in pattern.keys]
    if not all(key in x.items for key in keys):
        return None
    return [(p, x.items[key]) for p, key in zip(pattern.patterns, keys, strict=True)]


def _key(frame: Frame, node: Any) -> Any:
    return frame.session.static(expression(frame, node), "a key of a mapping pattern")


def _class_parts(frame: Frame, pattern: Any, x: Abstract) -> list[tuple[Any, Abstract]] | None:
    cls = expression(frame, pattern.cls)
    is_one = is_instance(frame, x, cls)
    if isinstance(is_one, Value):
        raise error("E123", None, what=f"the class of {describe(x)}")
    if not is_one:
        return None
    names: list[str] = list(pattern.kwd_attrs)
    patterns = [*pattern.kwd_patterns]
    if pattern.patterns and issubclass(cls.obj, _WHOLE) and "__match_args__" not in vars(cls.obj):
        return [(pattern.patterns[0], x), *_attributes(frame, x, names, patterns)]
    positional = getattr(cls.obj, "__match_args__", ())
    if len(positional) < len(pattern.patterns):
        raise error("E131", None, what=f"`{cls.obj.__name__}` ({len(pattern.patterns)} patterns)")
    names = [*positional[: len(pattern.patterns)], *names]
    if not all(has_attribute(frame, x, name) for name in names):
        return None
    return _attributes(frame, x, names, [*pattern.patterns, *patterns])


def _attributes(
    frame: Frame, x: Abstract, names: list[str], patterns: list[Any]
) -> list[tuple[Any, Abstract]]:
    return [(p, attribute(frame, x, name)) for name, p in zip(names, patterns, strict=True)]

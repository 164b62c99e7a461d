"""`==` and `!=`: of numbers and arrays emitted, of containers one item after the other.

An array decides beside everything else, as in NumPy: a sequence becomes an array, and what is no
number is unequal to each entry. Items of containers are the same if they are one object or equal.
"""

from __future__ import annotations

import enum
import operator
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj, View
from srcad.frontend.abstract.containers.contents import plain_set
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import (
    Abstract,
    CaughtClass,
    Either,
    Range,
    Ref,
    is_nan,
    is_static,
)
from srcad.frontend.comparisons.beside_arrays import beside_numpy, is_text, undefined
from srcad.frontend.comparisons.identity import identical, known_identity
from srcad.frontend.comparisons.user_comparisons import (
    by_method,
    compared_fields,
    has_equality,
    has_generated,
)
from srcad.frontend.expressions.by_case import asked, negation
from srcad.frontend.expressions.object_operators import is_numpy
from srcad.frontend.expressions.operators import arithmetic, fold, is_operand
from srcad.frontend.loops.iteration import tuple_items
from srcad.frontend.objects.class_functions import definer
from srcad.frontend.objects.members import python_class
from srcad.frontend.statements.branches import choose
from srcad.frontend.statements.truth import truth
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, TupleType, is_inexact, rank_of

Operator = Callable[..., Any]
_COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")


def equality(frame: Frame, fn: Operator, a: Abstract, b: Abstract) -> Abstract:
    """`a == b` or `a != b`, as `fn` says: a constant or a value."""
    if isinstance(a, Either) or isinstance(b, Either):
        return asked(frame, (a, b), partial(equality, frame, fn))
    a, b = (plain(frame, x) for x in (a, b))
    answer = known_comparison(frame, fn, a, b)
    if answer is not None:
        return answer
    for x, other in ((a, b), (b, a)):
        if isinstance(x, CaughtClass):  # classes are equal to themselves alone
            same = identical(frame, x, other)
            return same if fn is operator.eq else negation(frame, same)
        if is_numpy(x):
            return beside_numpy(frame, fn, x, other, (a, b))
    if is_text(a) and is_text(b):
        return frame.session.emit(fn, (a, b))
    for x, other in ((a, b), (b, a)):
        if isinstance(x, np.dtype) and isinstance(other, Ref) and isinstance(other.obj, type):
            return bool(fn(x, frame.session.raw(other)))  # `x.dtype == float`
    equal = _equal(frame, a, b)
    return equal if fn is operator.eq else negation(frame, equal)


def known_comparison(frame: Frame, fn: Operator, a: Abstract, b: Abstract) -> Abstract:
    """`a == b`, `a < b` and the like by a method of the user's, of constants, or of numbers and
    arrays; None for others.
    """
    answer = by_method(frame, fn, a, b)
    if answer is not None:
        return answer
    if is_static(a) and is_static(b):
        return None if _have_nans(a, b) else fold(frame, fn, a, b)
    return arithmetic(frame, fn, a, b) if is_operand(a) and is_operand(b) else None


def _have_nans(a: Abstract, b: Abstract) -> bool:
    """Whether two constant containers have NaNs that are not all one object."""
    several = [{id(each) for each in _nans_in(x)} for x in (a, b)]
    return all(several) and len(several[0] | several[1]) > 1


def _nans_in(x: Abstract) -> list[Abstract]:
    if not isinstance(x, tuple | set | frozenset):
        return []
    return [each for item in x for each in ([item] if is_nan(item) else _nans_in(item))]


def plain(frame: Frame, x: Abstract) -> Abstract:
    """What is compared for `x`: the items of a tuple, the keys that a view shows, those of a set,
    the number or text that a member of an enumeration is.
    """
    if isinstance(x, Ref) and _is_plain_member(x.obj):
        return x.obj
    if isinstance(x, Value) and isinstance(x.type, TupleType):
        return tuple_items(frame.session, x)
    if isinstance(x, View) and x.kind == "keys":
        return set(x.items)
    return plain_set(x)


def _is_plain_member(obj: Any) -> bool:
    """Whether `obj` is a member of an `IntEnum` or the like that compares as the number or text."""
    if not isinstance(obj, enum.Enum) or not isinstance(obj, int | str):
        return False
    base = int if isinstance(obj, int) else str
    return all(getattr(type(obj), name) is getattr(base, name) for name in _COMPARISONS)


# Containers and objects ---------------------------------------------------------------------------


def _equal(frame: Frame, a: Abstract, b: Abstract) -> Abstract:
    """`a == b` where neither is an array or both numbers."""
    first, second = (_as_tuple(x) for x in (a, b))
    if first is not None and second is not None:
        same = are_same(frame, list(zip(first, second, strict=False)))
        return _unless(frame, same, False, lambda: len(first) == len(second))
    if isinstance(a, ListObj) and isinstance(b, ListObj):
        if a.cls is not b.cls or len(a.items) != len(b.items):
            return False
        return are_same(frame, list(zip(a.items, b.items, strict=True)))
    if isinstance(a, DictObj) and isinstance(b, DictObj):
        return _equal_dicts(frame, a, b)
    objects = (RecordObj, Ref, FunctionObj)
    if isinstance(a, objects) and isinstance(b, objects):
        return _equal_objects(frame, a, b)
    kinds = [_kind(x) for x in (a, b)]
    if None not in kinds and kinds[0] != kinds[1]:
        return False  # each kind is equal to its own only
    raise undefined(operator.eq, a, b)


def _as_tuple(x: Abstract) -> tuple[Abstract, ...] | None:
    if isinstance(x, RecordObj) and x.is_tuple and definer(x.cls, "__eq__") is tuple:
        return tuple(x.fields.values())
    return x if isinstance(x, tuple) else None


def _kind(x: Abstract) -> str | None:
    """A word for objects that are unequal to all of other words; None where that is not known."""
    if isinstance(x, Value):
        is_number = isinstance(x.type, NumberType)
        return "number" if is_number else "text" if is_text(x) else None
    if isinstance(x, bool | int | float | complex):
        return "number"
    if isinstance(x, RecordObj | Ref):
        if _as_tuple(x) is not None:
            return "tuple"
        return None if has_equality(python_class(x)) else "object"
    if isinstance(x, set | frozenset):
        return "set"
    known = (ListObj, DictObj, FunctionObj, tuple, Range, range, slice)
    if isinstance(x, known):
        name = next(cls.__name__ for cls in known if isinstance(x, cls))
        return name.lower()
    is_constant = isinstance(x, str | bytes | type(None) | type(Ellipsis))
    return type(x).__name__ if is_constant else None


def _equal_dicts(frame: Frame, a: DictObj, b: DictObj) -> Abstract:
    if a.cls is b.cls is Counter:  # what is missing counts as 0
        keys = list(dict.fromkeys([*a.items, *b.items]))
        return are_same(frame, [(a.items.get(k, 0), b.items.get(k, 0)) for k in keys])
    if len(a.items) != len(b.items):
        return False
    pairs: list[tuple[Abstract, Abstract]] = []
    for k, x in a.items.items():
        if k not in b.items:
            return _unless(frame, are_same(frame, pairs), False, lambda: False)
        pairs.append((x, b.items[k]))
    in_order = not (a.cls is b.cls is OrderedDict) or list(a.items) == list(b.items)
    return _unless(frame, are_same(frame, pairs), False, lambda: in_order)


def _equal_objects(frame: Frame, a: Abstract, b: Abstract) -> Abstract:
    """`==` of two objects without a method of the user's for it."""
    if all(isinstance(x, RecordObj) and has_generated(x.cls) for x in (a, b)):
        return _equal_dataclasses(frame, a, b)
    if not any(isinstance(x, RecordObj | Ref) and has_equality(python_class(x)) for x in (a, b)):
        same = known_identity(frame, a, b)
        if same is None:
            raise undefined(operator.eq, a, b)
        return same
    raise undefined(operator.eq, a, b)


def _equal_dataclasses(frame: Frame, a: RecordObj, b: RecordObj) -> Abstract:
    if a.cls is not b.cls:
        return False
    pairs = list(zip(compared_fields(a), compared_fields(b), strict=True))
    if sys.version_info < (3, 13):
        return are_same(frame, pairs)
    return _each_equal(frame, pairs)


def _each_equal(frame: Frame, pairs: Sequence[tuple[Abstract, Abstract]]) -> Abstract:
    """`a.x == b.x and a.y == b.y`, as a dataclass compares from Python 3.13 on."""
    if not pairs:
        return True
    first = equality(frame, operator.eq, *pairs[0])
    if len(pairs) == 1:
        return first
    known = truth(frame, first)
    if not isinstance(known, Value):
        return _each_equal(frame, pairs[1:]) if known else first
    return choose(frame, known, lambda: _each_equal(frame, pairs[1:]), lambda: first)


# Items --------------------------------------------------------------------------------------------


def are_same(
    frame: Frame, pairs: Sequence[tuple[Abstract, Abstract]], *, until: bool = False
) -> Abstract:
    """Whether each pair is one object or equal, asked in turn until one is not; with `until=True`
    whether one of them is, asked until one is.
    """
    combine = operator.or_ if until else operator.and_
    answer: Abstract = not until
    for k, (x, y) in enumerate(pairs):
        if may_raise(frame, x, y):
            rest = pairs[k + 1 :]

            def go_on(x: Abstract = x, y: Abstract = y, rest: Any = rest) -> Abstract:
                first = is_or_equals(frame, x, y)
                return _unless(frame, first, until, lambda: are_same(frame, rest, until=until))

            return _unless(frame, answer, until, go_on)
        equal = is_or_equals(frame, x, y)
        if equal is until:
            return until
        if isinstance(equal, Value):
            known = isinstance(answer, Value)
            answer = frame.session.emit(combine, (answer, equal)) if known else equal
    return answer


def _unless(
    frame: Frame, known: Abstract, decided: bool, go_on: Callable[[], Abstract]
) -> Abstract:
    """`known and go_on()`, or with `decided=True` `known or go_on()`."""
    if not isinstance(known, Value):
        return decided if bool(known) is decided else go_on()
    if decided:
        return choose(frame, known, lambda: True, go_on)
    return choose(frame, known, go_on, lambda: False)


def is_or_equals(frame: Frame, x: Abstract, y: Abstract) -> Abstract:
    """`x is y or bool(x == y)`, by which containers compare their items."""
    same = known_identity(frame, x, y)
    if same or (x is y and is_nan(x)):
        return True
    if _may_be_one_nan(frame, x, y) and not (same is False and is_nan(x) and is_nan(y)):
        _check_kept(frame, x, y)
        return frame.session.emit(runtime.is_or_equals, (x, y))
    equal = truth(frame, equality(frame, operator.eq, x, y))
    if isinstance(equal, Value) and equal.type != NumberType(bool):
        if rank_of(equal.type) == 0:
            return frame.session.emit(bool, (equal,))
        return _asked(frame, equal)
    return equal if isinstance(equal, Value) else bool(equal)


def _asked(frame: Frame, x: Value) -> Value:
    """`bool(x)` of an array, which may raise: asked even where the answer changes nothing."""
    answer = Value("", NumberType(bool))
    session = frame.session
    session.add(Op(bool, session.atom((x,)), {}, (answer,), session.builder.loc, effect=True))
    return answer


def _may_be_one_nan(frame: Frame, x: Abstract, y: Abstract) -> bool:
    """Whether two items may be one object and yet not be equal: NaN, or an array."""
    return _may_be_shared_nan(frame, x) and _may_be_shared_nan(frame, y)


def _may_be_shared_nan(frame: Frame, x: Abstract) -> bool:
    """Whether a value comes from outside or out of a branch: others may be the same object."""
    if not isinstance(x, Value):
        return is_nan(x)
    may_be_nan = is_inexact(x.type) or (rank_of(x.type) != 0 and isinstance(x.type, ArrayType))
    producer = frame.session.memory.producers.get(x)
    return may_be_nan and (producer is None or _gives_back(producer))


def _gives_back(op: Op) -> bool:
    """Whether the result may be the object that is given: `float(x)` and `+x` of a Python float."""
    if op.fn in (min, max):
        return True
    given = op.args[0] if op.args else None
    is_pythons = isinstance(given, Value) and isinstance(given.type, NumberType)
    return op.fn in (float, complex, operator.pos) and is_pythons


def _check_kept(frame: Frame, x: Abstract, y: Abstract) -> None:
    """Refuse NaNs of which the program does not keep which object they are: written, all constants
    are `np.nan`.
    """
    inputs = frame.session.inputs.paths
    sides = [each for each in (x, y) if not isinstance(each, Value)]
    others = [each for each in (x, y) if isinstance(each, Value) and each not in inputs]
    is_kept = len(sides) < 2 and all(each is np.nan for each in sides)
    if not is_kept or (others and (sides or frame.session.has_joined_nan)):
        what, fix = "comparing NaNs, which are equal if they are one object,", "ask `np.isnan(x)`"
        raise error("E128", None, what=what, fix=fix)


def may_raise(frame: Frame, x: Abstract, y: Abstract) -> bool:
    """Whether comparing two items may raise: an array with several entries is neither true nor
    false.
    """
    arrays = [each for each in (x, y) if is_numpy(each) and rank_of_item(each) != 0]
    inside = any(isinstance(each, RecordObj | Ref | tuple | ListObj | DictObj) for each in (x, y))
    return bool(arrays) or inside


def rank_of_item(x: Abstract) -> int | None:
    """The number of axes of an item."""
    return rank_of(x.type) if isinstance(x, Value) else 0


__all__ = [
    "are_same", "equality", "is_or_equals", "known_comparison", "plain",
]  # fmt: skip

"""Comparisons: of numbers and arrays emitted, of containers one item after the other."""

from __future__ import annotations

import dataclasses
import enum
import operator
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.branches import choose, truth
from srcad.frontend.dispatch import call, expression, handles_expression
from srcad.frontend.frame import Frame
from srcad.frontend.iterables import View
from srcad.frontend.iteration import tuple_items
from srcad.frontend.members import find, method_of, python_class
from srcad.frontend.objects import (
    Abstract,
    Bound,
    DictObj,
    Instance,
    ListObj,
    RecordObj,
    Ref,
    describe,
    is_static,
)
from srcad.frontend.operators import arithmetic, fold, is_operand, negation
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, TupleType, rank_of

COMPARE: dict[type, Callable[..., Any]] = {
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
}


@handles_expression(gast.Compare)
def _compare(frame: Frame, node: gast.Compare) -> Abstract:
    return _chain(frame, expression(frame, node.left), list(node.ops), list(node.comparators))


def _chain(frame: Frame, left: Abstract, ops: list[Any], nodes: list[Any]) -> Abstract:
    """`a < b < c` is `a < b and b < c` with `b` evaluated once."""
    if isinstance(ops[0], gast.In | gast.NotIn) and isinstance(nodes[0], gast.Set):
        right = tuple(expression(frame, each) for each in nodes[0].elts)
    else:
        right = expression(frame, nodes[0])
    first = compare(frame, ops[0], left, right)
    if len(ops) == 1:
        return first
    known = truth(frame, first)

    def go_on() -> Abstract:
        return _chain(frame, right, ops[1:], nodes[1:])

    if not isinstance(known, Value):
        return go_on() if known else first
    return choose(frame, known, go_on, lambda: first)


def compare(frame: Frame, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """One comparison."""
    if isinstance(op, gast.Is | gast.IsNot):
        same = _is_same(frame, a, b)
        return same if isinstance(op, gast.Is) else not same
    if isinstance(op, gast.In | gast.NotIn):
        found = _contains(frame, a, b)
        return found if isinstance(op, gast.In) else negation(frame, found)
    fn = COMPARE[type(op)]
    a, b = (set(x.items) if isinstance(x, View) and x.kind == "keys" else x for x in (a, b))
    by_method = _by_method(frame, fn, a, b)
    if by_method is not None:
        return by_method
    if is_operand(a) and is_operand(b):
        return (
            fold(frame, fn, a, b) if is_static(a) and is_static(b) else arithmetic(frame, fn, a, b)
        )
    if fn in (operator.eq, operator.ne):
        equal = _equal(frame, a, b)
        return equal if fn is operator.eq else negation(frame, equal)
    if is_static(a) and is_static(b):
        return fold(frame, fn, a, b)
    return arithmetic(frame, fn, a, b)


# The method of the right operand that answers where the left one has none.
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def _by_method(frame: Frame, fn: Callable[..., Any], a: Abstract, b: Abstract) -> Abstract:
    """`a.__lt__(b)` or `b.__gt__(a)` of the user's classes; None where they have neither."""
    if not any(isinstance(x, RecordObj | Instance) for x in (a, b)):
        return None
    name = fn.__name__
    tries = [(a, b, name), (b, a, _MIRRORED[name])]
    if isinstance(a, RecordObj | Ref) and isinstance(b, RecordObj | Ref):
        first, second = python_class(a), python_class(b)
        if first is not second and issubclass(second, first):
            tries.reverse()
    for owner, other, each in tries:
        method = method_of(frame, owner, f"__{each}__")
        if method is None or _is_generated(method):
            continue
        answer = call(frame, method, (other,))
        if not (isinstance(answer, Ref) and answer.obj is NotImplemented):
            return answer
    if name == "ne":
        equal = _by_method(frame, operator.eq, a, b)
        return None if equal is None else negation(frame, truth(frame, equal))
    return None


def _is_generated(method: Bound) -> bool:
    """Whether `dataclass` made a method: it has no source."""
    code = getattr(getattr(method.fn, "obj", method.fn), "__code__", None)
    return code is not None and code.co_filename == "<string>"


_OWN_IDENTITY = (ListObj, DictObj, RecordObj)


def _is_same(frame: Frame, a: Abstract, b: Abstract) -> bool:
    if a is None or b is None:
        return a is b
    if isinstance(a, Value) or isinstance(b, Value):
        raise error("E128", None, what="`is`")
    if isinstance(a, _OWN_IDENTITY) or isinstance(b, _OWN_IDENTITY):
        known = (x for x in (a, b) if isinstance(x, _OWN_IDENTITY))
        if a is not b and any(x.path or x.frozen for x in known):
            # The caller may pass one object twice; one that is frozen may be one of two.
            raise error("E128", None, what="`is`")
        return a is b
    if isinstance(a, Ref) and isinstance(b, Ref):
        if a is not b and isinstance(a, Instance) and isinstance(b, Instance):
            frame.session.inputs.guard(f"{a.path} is {b.path}", "equals", a.obj is b.obj)
        return a.obj is b.obj
    if is_static(a) and is_static(b) and not isinstance(a, tuple):
        return a is b or (type(a) is type(b) and bool(a == b))
    return a is b


def _contains(frame: Frame, item: Abstract, container: Abstract) -> Abstract:
    """`item in container`: one comparison after the other."""
    if isinstance(container, Value):
        if isinstance(container.type, TupleType):
            container = tuple_items(frame.session, container)
        elif isinstance(container.type, ArrayType):
            return frame.session.emit(np.any, (arithmetic(frame, operator.eq, container, item),))
    if isinstance(container, View) and container.kind == "keys":
        container = container.owner
    elif isinstance(container, View):
        container = tuple(container.items)
    if isinstance(container, DictObj):
        return frame.session.static(item, "what `in` looks for") in container.items
    if isinstance(container, ListObj | tuple):
        items = container.items if isinstance(container, ListObj) else container
        return _any_of(frame, [_equal(frame, item, x) for x in items])
    method = method_of(frame, container, "__contains__")
    if method is not None:
        known = truth(frame, call(frame, method, (item,)))
        return frame.session.emit(bool, (known,)) if isinstance(known, Value) else known
    if isinstance(container, Ref | RecordObj | Value):
        raise error("E132", None, what=f"`in` {describe(container)}")
    found = frame.session.static(item, "what `in` looks for")
    return bool(found in frame.session.raw(container))


def _any_of(frame: Frame, tests: list[Abstract]) -> Abstract:
    unknown = [t for t in tests if isinstance(t, Value)]
    if any(t for t in tests if not isinstance(t, Value)) or not unknown:
        return any(t for t in tests if not isinstance(t, Value))
    found = unknown[0]
    for other in unknown[1:]:
        found = frame.session.emit(operator.or_, (found, other))
    return found


def _equal(frame: Frame, a: Abstract, b: Abstract) -> Abstract:
    """`a == b`, a constant or a value."""
    if a is b and not isinstance(a, Value | float | Ref | RecordObj):
        return True
    if is_operand(a) and is_operand(b):
        if is_static(a) and is_static(b):
            return fold(frame, operator.eq, a, b)
        return arithmetic(frame, operator.eq, a, b)
    a, b = (
        tuple_items(frame.session, x)
        if isinstance(x, Value) and isinstance(x.type, TupleType)
        else x
        for x in (a, b)
    )
    if isinstance(a, tuple) and isinstance(b, tuple):
        return _all_equal(frame, list(a), list(b))
    if isinstance(a, ListObj) and isinstance(b, ListObj) and a.cls is b.cls:
        return _all_equal(frame, a.items, b.items)
    if isinstance(a, DictObj) and isinstance(b, DictObj):
        if set(a.items) != set(b.items):
            return False
        if a.cls is b.cls is OrderedDict and list(a.items) != list(b.items):
            return False
        return _all_equal(frame, list(a.items.values()), [b.items[k] for k in a.items])
    if isinstance(a, RecordObj | Ref) or isinstance(b, RecordObj | Ref):
        return _equal_objects(frame, a, b)
    if is_static(a) and is_static(b):
        return bool(a == b)
    if any(isinstance(x, Value) and not is_operand(x) for x in (a, b)):
        raise error("E132", None, what=f"`==` of {describe(a)} and {describe(b)}")
    return False  # a container and a number, say


def _equal_objects(frame: Frame, a: Abstract, b: Abstract) -> Abstract:
    by_method = _by_method(frame, operator.eq, a, b)
    if by_method is not None:
        return by_method
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return False
    plain = type | types.FunctionType | types.BuiltinFunctionType | types.ModuleType | np.ufunc
    if isinstance(a, Ref) and isinstance(b, Ref) and isinstance(a.obj, plain):
        return a.obj is b.obj
    if isinstance(a, np.dtype) or isinstance(b, np.dtype):
        return bool((a.obj if isinstance(a, Ref) else a) == (b.obj if isinstance(b, Ref) else b))
    if isinstance(a, Ref) and isinstance(b, Ref) and isinstance(a.obj, enum.Enum):
        if type(a.obj).__eq__ in (object.__eq__, enum.Enum.__eq__):
            return a.obj is b.obj
    elif isinstance(a, RecordObj | Instance) and isinstance(b, RecordObj | Instance):
        return _equal_records(frame, a, b)
    elif all(isinstance(x, RecordObj | Instance | tuple) or is_operand(x) for x in (a, b)):
        own = a if isinstance(a, RecordObj | Instance) else b
        if not (isinstance(own, RecordObj) and own.is_tuple) and not _has_equality(own):
            return False
    raise error("E132", None, what=f"`==` of {describe(a)} and {describe(b)}")


def _has_equality(x: RecordObj | Instance) -> bool:
    found = find(python_class(x), "__eq__")
    return found is None or found[0] is not object


def _equal_records(frame: Frame, a: RecordObj | Instance, b: RecordObj | Instance) -> Abstract:
    """`==` of two objects without a method for it: by their fields, or by identity."""
    if not _has_equality(a) and not _has_equality(b):
        return _is_same(frame, a, b)
    if not isinstance(a, RecordObj) or not isinstance(b, RecordObj):
        raise error("E132", None, what=f"`==` of {describe(a)} and {describe(b)}")
    if a.is_tuple and b.is_tuple:
        return _all_equal(frame, list(a.fields.values()), list(b.fields.values()))
    if a.cls is not b.cls or not dataclasses.is_dataclass(a.cls):
        if dataclasses.is_dataclass(a.cls) and dataclasses.is_dataclass(b.cls):
            return False
        raise error("E132", None, what=f"`==` of {describe(a)} and {describe(b)}")
    names = [f.name for f in dataclasses.fields(a.cls) if f.compare]
    return _all_equal(frame, [a.fields[n] for n in names], [b.fields[n] for n in names])


def _all_equal(frame: Frame, xs: list[Abstract], ys: list[Abstract]) -> Abstract:
    if len(xs) != len(ys):
        return False
    found: Abstract = True
    for x, y in zip(xs, ys, strict=True):
        equal = _equal(frame, x, y)
        if isinstance(equal, Value) and rank_of(equal.type) != 0:
            raise error("E128", None, what="`==` of containers")
        if not isinstance(equal, Value):
            if not equal:
                return False
        elif found is True:
            found = equal
        else:
            found = frame.session.emit(operator.and_, (found, equal))
    return found

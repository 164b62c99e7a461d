"""Operators: on constants evaluated now, on numbers and arrays emitted, on containers as Python does."""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.attributes import class_function
from srcad.frontend.branches import choose, truth
from srcad.frontend.dispatch import call, expression, handles_expression
from srcad.frontend.frame import Frame
from srcad.frontend.iteration import tuple_items
from srcad.frontend.objects import (
    Abstract,
    DictObj,
    ListObj,
    RecordObj,
    Ref,
    describe,
    is_static,
    values_of,
)
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, ObjectType, TupleType, rank_of

BINARY: dict[type, Callable[..., Any]] = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
    gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv,
    gast.Mod: operator.mod,
    gast.Pow: operator.pow,
    gast.MatMult: operator.matmul,
    gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_,
    gast.BitXor: operator.xor,
    gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
}
UNARY: dict[type, Callable[..., Any]] = {
    gast.UAdd: operator.pos,
    gast.USub: operator.neg,
    gast.Invert: operator.invert,
}
COMPARE: dict[type, Callable[..., Any]] = {
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
}


@handles_expression(gast.BinOp)
def _binary(frame: Frame, node: gast.BinOp) -> Abstract:
    fn = BINARY[type(node.op)]
    return binary(frame, fn, expression(frame, node.left), expression(frame, node.right))


def binary(frame: Frame, fn: Callable[..., Any], a: Abstract, b: Abstract) -> Abstract:
    """`a op b` as Python does it: numbers, arrays, strings, containers, and objects with such methods."""
    if isinstance(a, Value) and isinstance(a.type, TupleType):
        a = tuple_items(frame.session, a)
    if isinstance(b, Value) and isinstance(b.type, TupleType):
        b = tuple_items(frame.session, b)
    if fn is operator.add and isinstance(a, ListObj) and isinstance(b, ListObj):
        return ListObj([*a.items, *b.items])
    if fn is operator.add and isinstance(a, tuple) and isinstance(b, tuple):
        return (*a, *b)
    if fn is operator.mul and (isinstance(a, ListObj | tuple) or isinstance(b, ListObj | tuple)):
        return _repeat(frame, a, b)
    if fn is operator.or_ and isinstance(a, DictObj) and isinstance(b, DictObj):
        return DictObj({**a.items, **b.items})
    if is_static(a) and is_static(b):
        return fold(frame, fn, a, b)
    if fn is operator.or_ and isinstance(a, Ref) and isinstance(b, Ref):
        return Ref(a.obj | b.obj, "")  # `int | float` in a test of types
    if isinstance(a, RecordObj | Ref) or isinstance(b, RecordObj | Ref):
        return _by_method(frame, fn, a, b)
    if fn is operator.mod and _is_text(a) and isinstance(a, str):
        return emit_object(frame, operator.mod, (a, b), "str")
    if fn is operator.add and _is_text(a) and _is_text(b):
        return emit_object(frame, str.format, ("{}{}", a, b), "str")
    return arithmetic(frame, fn, a, b)


def _is_text(x: Abstract) -> bool:
    return isinstance(x, str) or (isinstance(x, Value) and x.type == ObjectType("str"))


def _by_method(frame: Frame, fn: Callable[..., Any], a: Abstract, b: Abstract) -> Abstract:
    """`a.__add__(b)` or `b.__radd__(a)` of the user's classes."""
    name = fn.__name__.rstrip("_")
    for owner, other, method in ((a, b, f"__{name}__"), (b, a, f"__r{name}__")):
        if not isinstance(owner, RecordObj | Ref):
            continue
        cls = owner.cls if isinstance(owner, RecordObj) else type(owner.obj)
        found = inspect.getattr_static(cls, method, None)
        if isinstance(found, types.FunctionType):
            result = call(frame, class_function(frame, owner, cls, method, found), (owner, other))
            if not (isinstance(result, Ref) and result.obj is NotImplemented):
                return result
    raise error("E132", None, what=f"`{fn.__name__}` of {describe(a)} and {describe(b)}")


def arithmetic(frame: Frame, fn: Callable[..., Any], *args: Abstract) -> Abstract:
    """An operator on numbers and arrays, emitted."""
    for x in args:
        if not is_operand(x):
            opaque = isinstance(x, Value) and isinstance(x.type, ObjectType)
            fix = "tell its type: `srcad.rules.nondiff(f, type_of=lambda x: x)` for one like x"
            what = f"`{fn.__name__}` of {describe(x)}"
            raise error("E132", None, what=what, fix=fix if opaque else None)
    return frame.session.emit(fn, args)


def is_operand(x: Abstract) -> bool:
    """Whether `x` is a number or an array."""
    if isinstance(x, Value):
        return isinstance(x.type, ArrayType | NumberType)
    return isinstance(x, bool | int | float | complex | np.generic)


def _repeat(frame: Frame, a: Abstract, b: Abstract) -> Abstract:
    items, count = (a, b) if isinstance(a, ListObj | tuple) else (b, a)
    if isinstance(count, Value) and rank_of(count.type) != 0:
        raise error("E132", None, what=f"`*` of {describe(items)} and an array")
    n = frame.session.static(count, "the number of repetitions of a list")
    if isinstance(items, ListObj):
        return ListObj(items.items * n)
    return items * n


def fold(frame: Frame, fn: Callable[..., Any], *args: Abstract) -> Abstract:
    """Evaluate an operator on constants now, unless it fails: then it fails at run time, as in Python."""
    try:
        folded = fn(*args)
    except (ArithmeticError, ValueError):
        return frame.session.emit(fn, args)
    except TypeError as reason:
        raise error("E132", None, what=f"`{fn.__name__}` ({reason})") from None
    return folded


@handles_expression(gast.UnaryOp)
def _unary(frame: Frame, node: gast.UnaryOp) -> Abstract:
    x = expression(frame, node.operand)
    if isinstance(node.op, gast.Not):
        return negation(frame, truth(x))
    fn = UNARY[type(node.op)]
    if isinstance(x, RecordObj | Ref):
        cls = x.cls if isinstance(x, RecordObj) else type(x.obj)
        found = inspect.getattr_static(cls, f"__{fn.__name__}__", None)
        if isinstance(found, types.FunctionType):
            method = class_function(frame, x, cls, f"__{fn.__name__}__", found)
            return call(frame, method, (x,))
    return fold(frame, fn, x) if is_static(x) else arithmetic(frame, fn, x)


def negation(frame: Frame, x: Abstract) -> Abstract:
    """`not x`."""
    return frame.session.emit(operator.not_, (x,)) if isinstance(x, Value) else not x


@handles_expression(gast.BoolOp)
def _bool_op(frame: Frame, node: gast.BoolOp) -> Abstract:
    """`a and b and c`: short-circuit, as nested conditional expressions."""
    first, *rest = node.values
    return _short_circuit(frame, isinstance(node.op, gast.And), expression(frame, first), rest)


def _short_circuit(frame: Frame, is_and: bool, x: Abstract, rest: list[Any]) -> Abstract:
    if not rest:
        return x
    known = truth(x)

    def go_on() -> Abstract:
        return _short_circuit(frame, is_and, expression(frame, rest[0]), rest[1:])

    def stop() -> Abstract:
        return x

    if not isinstance(known, Value):
        return go_on() if known is is_and else x
    return choose(frame, known, *((go_on, stop) if is_and else (stop, go_on)))


@handles_expression(gast.IfExp)
def _if_exp(frame: Frame, node: gast.IfExp) -> Abstract:
    cond = truth(expression(frame, node.test))
    if not isinstance(cond, Value):
        return expression(frame, node.body if cond else node.orelse)
    return choose(
        frame, cond, lambda: expression(frame, node.body), lambda: expression(frame, node.orelse)
    )


# Comparisons -------------------------------------------------------------------------------------


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
    known = truth(first)

    def go_on() -> Abstract:
        return _chain(frame, right, ops[1:], nodes[1:])

    if not isinstance(known, Value):
        return go_on() if known else first
    return choose(frame, known, go_on, lambda: first)


def compare(frame: Frame, op: Any, a: Abstract, b: Abstract) -> Abstract:
    """One comparison."""
    if isinstance(op, gast.Is | gast.IsNot):
        same = _is_same(a, b)
        return same if isinstance(op, gast.Is) else not same
    if isinstance(op, gast.In | gast.NotIn):
        found = _contains(frame, a, b)
        return found if isinstance(op, gast.In) else negation(frame, found)
    fn = COMPARE[type(op)]
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


_OWN_IDENTITY = (ListObj, DictObj, RecordObj)


def _is_same(a: Abstract, b: Abstract) -> bool:
    if a is None or b is None:
        return a is b
    if isinstance(a, Value) or isinstance(b, Value):
        raise error("E128", None, what="`is`")
    if isinstance(a, _OWN_IDENTITY) or isinstance(b, _OWN_IDENTITY):
        if a is not b and (getattr(a, "path", "") or getattr(b, "path", "")):
            raise error("E128", None, what="`is`")  # the caller may pass one object twice
        return a is b
    if isinstance(a, Ref) and isinstance(b, Ref):
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
    if isinstance(container, DictObj):
        return frame.session.static(item, "what `in` looks for") in container.items
    if isinstance(container, ListObj | tuple):
        items = container.items if isinstance(container, ListObj) else container
        return _any_of(frame, [_equal(frame, item, x) for x in items])
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
    if isinstance(a, ListObj) and isinstance(b, ListObj):
        return _all_equal(frame, a.items, b.items)
    if isinstance(a, DictObj) and isinstance(b, DictObj):
        if set(a.items) != set(b.items):
            return False
        return _all_equal(frame, list(a.items.values()), [b.items[k] for k in a.items])
    if isinstance(a, RecordObj | Ref) or isinstance(b, RecordObj | Ref):
        return _equal_objects(a, b)
    if is_static(a) and is_static(b):
        return bool(a == b)
    if isinstance(a, Value) and not is_operand(a) or isinstance(b, Value) and not is_operand(b):
        raise error("E132", None, what=f"`==` of {describe(a)} and {describe(b)}")
    return False  # a container and a number, say


def _equal_objects(a: Abstract, b: Abstract) -> bool:
    if a is None or b is None or isinstance(a, str) or isinstance(b, str):
        return False
    plain = type | types.FunctionType | types.BuiltinFunctionType | types.ModuleType | np.ufunc
    if isinstance(a, Ref) and isinstance(b, Ref) and isinstance(a.obj, plain):
        return a.obj is b.obj
    if isinstance(a, np.dtype) or isinstance(b, np.dtype):
        return bool((a.obj if isinstance(a, Ref) else a) == (b.obj if isinstance(b, Ref) else b))
    raise error("E132", None, what=f"`==` of {describe(a)} and {describe(b)}")


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


def emit_object(frame: Frame, fn: Any, args: tuple[Abstract, ...], kind: str) -> Value:
    """Emit a call whose result is no number: a string, say."""
    out = Value("", ObjectType(kind))
    frame.session.add(Op(fn, frame.session.atom(args), {}, (out,), frame.session.builder.loc))
    return out


__all__ = [
    "BINARY",
    "arithmetic",
    "binary",
    "compare",
    "emit_object",
    "fold",
    "negation",
    "values_of",
]

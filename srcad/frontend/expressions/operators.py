"""Operators: on constants evaluated now, on numbers and arrays emitted, on containers as Python
does.
"""

from __future__ import annotations

import operator
import types
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import (
    DictObj,
    ListObj,
    RecordObj,
    View,
)
from srcad.frontend.abstract.containers.contents import contained, plain_set
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Either, Ref, describe, is_static
from srcad.frontend.dispatch import call, expression, handles_expression
from srcad.frontend.expressions.by_case import by_case, negation
from srcad.frontend.expressions.missing import fails
from srcad.frontend.expressions.object_operators import by_method, is_numpy, takes_kinds
from srcad.frontend.expressions.powers import power
from srcad.frontend.expressions.texts import emit_object, is_text, settled, shown
from srcad.frontend.known_objects import operated
from srcad.frontend.laid.asking import added
from srcad.frontend.laid.known import repeated
from srcad.frontend.lists.changes import joined_lists
from srcad.frontend.loops.iteration import tuple_items
from srcad.frontend.objects.members import method_of
from srcad.frontend.statements.branches import choose
from srcad.frontend.statements.conditions import condition
from srcad.frontend.statements.truth import truth
from srcad.ir.nodes import Value
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


@handles_expression(gast.BinOp)
def _binary(frame: Frame, node: gast.BinOp) -> Abstract:
    fn = BINARY[type(node.op)]
    return binary(frame, fn, expression(frame, node.left), expression(frame, node.right))


def binary(frame: Frame, fn: Callable[..., Any], a: Abstract, b: Abstract) -> Abstract:
    """`a op b` as Python does it: numbers, arrays, strings, containers, and objects with such
    methods.
    """
    if isinstance(a, RecordObj) and isinstance(b, Either) and takes_kinds(fn, a, b):
        return by_method(frame, fn, a, b)
    if isinstance(a, Either) or isinstance(b, Either):
        return by_case(frame, (a, b), partial(binary, frame, fn), fn)
    if isinstance(a, Value) and isinstance(a.type, TupleType):
        a = tuple_items(frame.session, a)
    if isinstance(b, Value) and isinstance(b.type, TupleType):
        b = tuple_items(frame.session, b)
    a, b = _beside_array(frame, a, b), _beside_array(frame, b, a)
    if fn is operator.add and isinstance(a, ListObj) and isinstance(b, ListObj):
        if not (a.cls is b.cls is list):
            raise error("E132", None, what=f"`+` of {describe(a)} and {describe(b)}")
        if a.form is not None or b.form is not None:
            made = added(frame, a, b)
            return joined_lists(frame, a, b) if made is None else made
        return ListObj([*a.items, *b.items])
    if fn is operator.add and isinstance(a, tuple) and isinstance(b, tuple):
        return (*a, *b)
    if fn is operator.mul and (isinstance(a, ListObj | tuple) or isinstance(b, ListObj | tuple)):
        return _repeat(frame, a, b)
    if fn is operator.or_ and isinstance(a, DictObj) and isinstance(b, DictObj):
        if not (a.cls is b.cls is dict):
            raise error("E132", None, what=f"`|` of {describe(a)} and {describe(b)}")
        return DictObj({**a.items, **b.items})
    if fn is operator.mod and isinstance(a, str):
        return _formatted(frame, a, settled(frame, b))
    a, b = (_read_as_set(x) for x in (a, b))
    if is_static(a) and is_static(b):
        return contained(fold(frame, fn, a, b))
    if (found := operated(frame, fn, a, b)) is not None:
        return found
    if fn is operator.or_ and all(x is None or _is_type(x) for x in (a, b)):
        first, second = (x.obj if isinstance(x, Ref) else x for x in (a, b))
        return Ref(first | second, "")  # `int | float` in a test of types
    if isinstance(a, RecordObj | Ref) or isinstance(b, RecordObj | Ref):
        return by_method(frame, fn, a, b)
    if fn is operator.add and is_text(a) and is_text(b):
        return emit_object(frame, str.format, ("{}{}", a, b), "str")
    return arithmetic(frame, fn, a, b)


def _read_as_set(x: Abstract) -> Abstract:
    return set(x.items) if isinstance(x, View) and x.kind == "keys" else plain_set(x)


def _beside_array(frame: Frame, x: Abstract, other: Abstract) -> Abstract:
    """A list or tuple beside an array as the array that NumPy makes of it."""
    is_list = isinstance(x, tuple) or (isinstance(x, ListObj) and x.cls is list)
    t = other.type if isinstance(other, Value) else None
    if is_list and isinstance(t, ArrayType) and t.shape:
        return frame.session.emit(np.array, (x,))
    return x


def _formatted(frame: Frame, template: str, parts: Abstract) -> Abstract:
    """`template % parts`."""
    if is_static(parts):
        return fold(frame, operator.mod, template, parts)
    return emit_object(frame, operator.mod, (template, shown(frame, parts)), "str")


def _is_type(x: Abstract) -> bool:
    """Whether it is a class or a union of some, and no class has its own `|`."""
    if not isinstance(x, Ref):
        return False
    is_plain = isinstance(x.obj, type) and type(x.obj).__or__ is type.__or__
    return isinstance(x.obj, types.UnionType) or is_plain


def _check_beside_flat(frame: Frame, fn: Callable[..., Any], args: tuple[Abstract, ...]) -> None:
    """Raise what Python does: `x.flat` has no operators, but an array or a NumPy scalar beside it
    has.
    """
    flat = frame.session.memory.flat
    if not any(is_numpy(x) and not (isinstance(x, Value) and x in flat) for x in args):
        try:
            fn(*(x if is_static(x) else np.zeros(1).flat if x in flat else 1.0 for x in args))
        except TypeError as problem:
            raise fails(frame, problem) from None


def arithmetic(frame: Frame, fn: Callable[..., Any], *args: Abstract) -> Abstract:
    """An operator on numbers and arrays, emitted."""
    if any(isinstance(x, Value) and x in frame.session.memory.flat for x in args):
        _check_beside_flat(frame, fn, args)
    for x in args:
        if not is_operand(x):
            opaque = isinstance(x, Value) and isinstance(x.type, ObjectType)
            fix = "tell its type: `srcad.rules.nondiff(f, type_of=lambda x: x)` for one like x"
            what = f"`{fn.__name__}` of {describe(x)}"
            raise error("E132", None, what=what, fix=fix if opaque else None)
    if fn is operator.pow:
        return power(frame, fn, *args)
    return frame.session.emit(fn, args)


def is_operand(x: Abstract) -> bool:
    """Whether `x` is a number or an array."""
    if isinstance(x, Value):
        return isinstance(x.type, ArrayType | NumberType)
    return isinstance(x, bool | int | float | complex | np.generic)


def _repeat(frame: Frame, a: Abstract, b: Abstract) -> Abstract:
    items, count = (a, b) if isinstance(a, ListObj | tuple) else (b, a)
    if isinstance(items, ListObj) and items.cls is deque:
        raise error("E132", None, what=f"`*` of {describe(items)}")
    if isinstance(count, Value) and rank_of(count.type) != 0:
        raise error("E132", None, what=f"`*` of {describe(items)} and an array")
    try:
        made = repeated(frame, items, count) if isinstance(items, ListObj) else None
        if made is not None:
            return made
        n = frame.session.static(count, "the number of repetitions of a list")
        return ListObj(items.items * n) if isinstance(items, ListObj) else items * n
    except (OverflowError, MemoryError) as problem:
        raise fails(frame, problem) from None


def fold(frame: Frame, fn: Callable[..., Any], *args: Abstract) -> Abstract:
    """Evaluate an operator on constants now, unless it fails: then it fails at run time, as in
    Python.
    """
    try:
        folded = fn(*args)
    except (ArithmeticError, ValueError) as problem:
        raise fails(frame, problem) from None
    except TypeError as reason:
        raise error("E132", None, what=f"`{fn.__name__}` ({reason})") from None
    return folded


@handles_expression(gast.UnaryOp)
def _unary(frame: Frame, node: gast.UnaryOp) -> Abstract:
    x = expression(frame, node.operand)
    if isinstance(node.op, gast.Not):
        return negation(frame, truth(frame, x))
    return unary(frame, UNARY[type(node.op)], x)


def unary(frame: Frame, fn: Callable[..., Any], x: Abstract) -> Abstract:
    """`-x`, `+x` or `~x`."""
    if isinstance(x, Either):
        return by_case(frame, (x,), partial(unary, frame, fn), fn)
    if (found := operated(frame, fn, x)) is not None:
        return found
    method = method_of(frame, x, f"__{fn.__name__}__")
    if method is not None:
        return call(frame, method, ())
    return fold(frame, fn, x) if is_static(x) else arithmetic(frame, fn, x)


@handles_expression(gast.BoolOp)
def _bool_op(frame: Frame, node: gast.BoolOp) -> Abstract:
    """`a and b and c`: short-circuit, as nested conditional expressions."""
    first, *rest = node.values
    return _short_circuit(frame, isinstance(node.op, gast.And), expression(frame, first), rest)


def _short_circuit(frame: Frame, is_and: bool, x: Abstract, rest: list[Any]) -> Abstract:
    if not rest:
        return x
    known = truth(frame, x)

    def go_on() -> Abstract:
        return _short_circuit(frame, is_and, expression(frame, rest[0]), rest[1:])

    def stop() -> Abstract:
        return x

    if not isinstance(known, Value):
        return go_on() if known is is_and else x
    return choose(frame, known, *((go_on, stop) if is_and else (stop, go_on)))


@handles_expression(gast.IfExp)
def _if_exp(frame: Frame, node: gast.IfExp) -> Abstract:
    cond = condition(frame, node.test)
    if not isinstance(cond, Value):
        return expression(frame, node.body if cond else node.orelse)
    return choose(
        frame, cond, lambda: expression(frame, node.body), lambda: expression(frame, node.orelse)
    )


__all__ = [
    "BINARY",
    "arithmetic",
    "binary",
    "fold",
    "is_numpy",
    "is_operand",
    "negation",
    "unary",
]

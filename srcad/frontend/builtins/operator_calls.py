"""The functions of `operator`: what the operators themselves do.

operator.iadd(x, y)      x += y
operator.setitem(x, i, v)     x[i] = v
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, describe, is_static
from srcad.frontend.comparisons.comparisons import compare
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.expressions import item
from srcad.frontend.expressions.operators import binary, negation, unary
from srcad.frontend.loops.iteration import items_of
from srcad.frontend.statements.assign import changed, set_item
from srcad.frontend.statements.deletion import delete_item
from srcad.frontend.statements.truth import as_bool, truth
from srcad.ir.kinds import is_integer
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType

Handler = Callable[..., Abstract]

_BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor",
    "lshift", "rshift",
)  # fmt: skip
_COMPARED = {
    "lt": gast.Lt, "le": gast.LtE, "gt": gast.Gt, "ge": gast.GtE, "eq": gast.Eq, "ne": gast.NotEq,
    "is_": gast.Is, "is_not": gast.IsNot,
}  # fmt: skip


def _binary(fn: Callable[..., Any]) -> Handler:
    return lambda frame, a, b: binary(frame, fn, a, b)


def _in_place(fn: Callable[..., Any], name: str) -> Handler:
    return lambda frame, a, b: changed(frame, fn, a, b, f"`operator.{name}(...)`")


def _compared(op: type) -> Handler:
    return lambda frame, a, b: compare(frame, op(), a, b)


def _contains(frame: Frame, container: Abstract, x: Abstract) -> Abstract:
    return compare(frame, gast.In(), x, container)


def _unary(fn: Callable[..., Any]) -> Handler:
    return lambda frame, x: unary(frame, fn, x)


def _not(frame: Frame, x: Abstract) -> Abstract:
    return negation(frame, truth(frame, x))


def _index(frame: Frame, x: Abstract) -> Abstract:
    """`x` as a Python int, if it is one of any kind."""
    if isinstance(x, Value):
        if isinstance(x.type, NumberType) and x.type.kind is int:
            return x
        if isinstance(x.type, ArrayType) and x.type.shape == () and x.type.dtype.kind in "iu":
            return frame.session.emit(int, (x,))
    elif is_static(x) and is_integer(x):
        return operator.index(x)
    raise error("E132", None, what=f"`index` of {describe(x)}")


def _concat(frame: Frame, a: Abstract, b: Abstract) -> Abstract:
    _check_sequences(a, b, "concat")
    return binary(frame, operator.add, a, b)


def _concat_in_place(frame: Frame, a: Abstract, b: Abstract) -> Abstract:
    _check_sequences(a, b, "iconcat")
    return changed(frame, operator.add, a, b, "`operator.iconcat(...)`")


def _check_sequences(a: Abstract, b: Abstract, name: str) -> None:
    for x in (a, b):
        if not isinstance(x, ListObj | tuple | str):
            raise error("E132", None, what=f"`{name}` of {describe(x)}")


def _count_of(frame: Frame, x: Abstract, wanted: Abstract) -> Abstract:
    total: Abstract = 0
    for each in items_of(frame, x, "the argument of `countOf`"):
        same = as_bool(frame, compare(frame, gast.Eq(), each, wanted))
        total = binary(frame, operator.add, total, same)
    return total


def _index_of(frame: Frame, x: Abstract, wanted: Abstract) -> Abstract:
    for i, each in enumerate(items_of(frame, x, "the argument of `indexOf`")):
        same = as_bool(frame, compare(frame, gast.Eq(), each, wanted))
        if frame.session.static(same, "what `indexOf` looks for"):
            return i
    raise error("E132", None, what="`indexOf` of what is not there")


def _call(frame: Frame, fn: Abstract, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
    return call(frame, fn, args, kwargs)


OPERATOR_CALLS: dict[Any, Handler] = {
    **{getattr(operator, name): _binary(getattr(operator, name)) for name in _BINARY},
    **{getattr(operator, name): _compared(op) for name, op in _COMPARED.items()},
    **{
        getattr(operator, name): _unary(getattr(operator, name))
        for name in ("neg", "pos", "invert")
    },
    operator.inv: _unary(operator.invert),
    operator.contains: _contains,
    operator.not_: _not,
    operator.truth: as_bool,
    operator.index: _index,
    operator.concat: _concat,
    operator.iconcat: _concat_in_place,
    operator.countOf: _count_of,
    operator.indexOf: _index_of,
    operator.getitem: item,
    operator.setitem: set_item,
    operator.delitem: delete_item,
    operator.call: _call,
}
for _name in _BINARY:
    _own = f"i{_name.rstrip('_')}"
    OPERATOR_CALLS[getattr(operator, _own)] = _in_place(getattr(operator, _name), _own)

__all__ = ["OPERATOR_CALLS"]

"""Methods of numbers, and the operators that arrays and numbers have as methods.

x.conjugate()        complex.conjugate(x)
x.is_integer()       x % 1 == 0
x.__add__(y)         x + y
x.__radd__(y)        y + x
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, describe, is_static
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.operators import is_operand
from srcad.ir.nodes import Op, Value
from srcad.ir.types import NUMBER_KINDS, NumberType, ObjectType

Method = Callable[..., Abstract]

# The operators that have a reflected form and one in place.
_BINARY = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor",
    "lshift", "rshift",
)  # fmt: skip
_OTHERS: dict[str, Any] = {
    **{f"__{name}__": getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
    **{f"__{name}__": getattr(operator, name) for name in ("neg", "pos", "invert", "index")},
    "__abs__": abs,
    "__bool__": bool,
    "__ceil__": math.ceil,
    "__complex__": complex,
    "__delitem__": operator.delitem,
    "__divmod__": divmod,
    "__float__": float,
    "__floor__": math.floor,
    "__int__": int,
    "__iter__": iter,
    "__len__": len,
    "__round__": round,
    "__trunc__": math.trunc,
}


# What methods of a text that only data knows give.
_TEXT = ObjectType("str")
TEXT_METHODS: dict[str, type] = {
    **dict.fromkeys(("startswith", "endswith", "isdigit", "isalpha"), bool),
    **dict.fromkeys(("find", "count"), int),
    **dict.fromkeys(("lower", "upper", "strip", "lstrip", "rstrip", "replace"), str),
}


def number_method(
    frame: Frame, x: Value, name: str, args: tuple[Abstract, ...], kwargs: dict[str, Any]
) -> Abstract:
    """`x.name(*args)` of a Python number."""
    kind = TEXT_METHODS.get(name) if x.type == _TEXT and is_static(args) and not kwargs else None
    if kind is not None:
        out = Value("", _TEXT if kind is str else NumberType(kind))
        frame.session.add(Op(getattr(str, name), (x, *args), {}, (out,), frame.session.builder.loc))
        return out
    if isinstance(x.type, ObjectType):
        raise error("E121", None, what=f"method `{name}` of a run-time {x.type.name}")
    method = NUMBER_METHODS.get(name)
    if method is None or kwargs:
        raise error("E121", None, what=f"method `{name}` of a number")
    return method(frame, x, *args)


def _called(fn: Any) -> Method:
    def method(frame: Frame, x: Value, *args: Abstract) -> Abstract:
        _check_operands(frame, x, args, fn)
        return call(frame, Ref(fn, ""), (x, *args))

    return method


def _reflected(fn: Any) -> Method:
    def method(frame: Frame, x: Value, other: Abstract) -> Abstract:
        _check_operands(frame, x, (other,), fn)
        return call(frame, Ref(fn, ""), (other, x))

    return method


def _contains(frame: Frame, x: Value, item: Abstract) -> Abstract:
    _check_operands(frame, x, (item,), operator.contains)
    found = call(frame, Ref(operator.contains, ""), (x, item))
    return call(frame, Ref(bool, ""), (found,))


# How many operands a method has besides its object.
_TAKES: dict[Any, int] = {
    **dict.fromkeys((operator.neg, operator.pos, operator.invert, operator.index, abs, bool), 0),
    **dict.fromkeys((math.ceil, math.floor, math.trunc, complex, float, int, iter, len), 0),
}


def _check_operands(frame: Frame, x: Value, args: tuple[Abstract, ...], fn: Any) -> None:
    """Refuse operands for which the method itself gives `NotImplemented`: Python asks the other
    operand then, or raises.
    """
    if len(args) > _TAKES.get(fn, 1) or not all(map(is_operand, args)):
        raise error("E132", None, what=f"this method of {describe(x)} with such arguments")
    if not isinstance(x.type, NumberType):
        return
    wider = NUMBER_KINDS[: 2 + max(0, NUMBER_KINDS.index(x.type.kind) - 1)]
    is_unordered = x.type.kind is complex and fn in _ORDERS
    if is_unordered or any(python_number(frame, arg) not in wider for arg in args):
        raise error("E132", None, what=f"this method of {describe(x)} and a number of another kind")


_ORDERS = (operator.lt, operator.le, operator.gt, operator.ge)


def python_number(frame: Frame, x: Abstract) -> type | None:
    """The class of a Python number; None for other values."""
    if not isinstance(x, Value):
        return type(x)
    is_one = isinstance(x.type, NumberType) and frame.session.is_certain(x)
    return x.type.kind if is_one and isinstance(x.type, NumberType) else None


def _conjugate(frame: Frame, x: Value) -> Abstract:
    is_complex = isinstance(x.type, NumberType) and x.type.kind is complex
    return frame.session.emit(complex.conjugate, (x,)) if is_complex else x


def is_integer(frame: Frame, x: Value) -> Abstract:
    """`x.is_integer()`; False of NaN and infinity, whose remainder is NaN."""
    rest = frame.session.emit(operator.mod, (x, 1))
    return frame.session.emit(bool, (frame.session.emit(operator.eq, (rest, 0)),))


def _of_ints(fn: Any) -> Method:
    return lambda frame, x: frame.session.emit(fn, (x,))


OPERATORS: dict[str, Method] = {
    **{name: _called(fn) for name, fn in _OTHERS.items()},
    "__rdivmod__": _reflected(divmod),
    "__contains__": _contains,
}
for _name in _BINARY:
    _fn = getattr(operator, f"__{_name}__")
    OPERATORS[f"__{_name}__"] = _called(_fn)
    OPERATORS[f"__r{_name}__"] = _reflected(_fn)
    OPERATORS[f"__i{_name}__"] = _called(getattr(operator, f"__i{_name}__"))

NUMBER_METHODS: dict[str, Method] = {
    **OPERATORS,
    "conjugate": _conjugate,
    "is_integer": is_integer,
    "bit_length": _of_ints(int.bit_length),
    "bit_count": _of_ints(int.bit_count),
}

__all__ = ["NUMBER_METHODS", "OPERATORS", "TEXT_METHODS", "is_integer", "number_method"]

"""Ufunc overrides: what classes with `np.ndarray` behind them do by `__array_ufunc__`.

np.sqrt(x)        Info.__array_ufunc__(x, np.sqrt, "__call__", x)
1 - x             Info.__array_ufunc__(x, np.subtract, "__call__", 1, x)
x **= 2           Info.__array_ufunc__(x, np.square, "__call__", x, out=(x,))
super().__array_ufunc__(np.add, "__call__", np.asarray(x), 1)     np.add(np.asarray(x), 1)

Which ufunc an operator is, NumPy is asked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ARRAY, RecordObj, is_array_record
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, describe, is_static
from srcad.frontend.dispatch import Kwargs, call
from srcad.frontend.objects.class_functions import find, function_behind
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, dtype_of, rank_of

_NAME = "__array_ufunc__"
_POWERS = (operator.pow, operator.ipow)


def overrides(x: Abstract) -> bool:
    """Whether NumPy asks an object instead of computing with its entries."""
    return is_array_record(x) and getattr(x.cls, _NAME) is not np.ndarray.__array_ufunc__


def call_override(frame: Frame, ufunc: Any, inputs: Sequence[Abstract], kwargs: Kwargs) -> Abstract:
    """What those objects answer among the operands of a ufunc: the first that has an answer.

    Raises:
        CallMismatch: E132, none has one.
    """
    outs = outs_of(kwargs)
    kwargs = {key: x for key, x in kwargs.items() if key != "out"}
    if any(x is not None for x in outs):
        kwargs["out"] = outs
    for x in _in_order([*inputs, *outs]):
        known = find(x.cls, _NAME)
        assert known is not None
        method = function_behind(frame, x, x.cls, _NAME, *known)
        found = call(frame, method, (x, Ref(ufunc, ""), "__call__", *inputs), kwargs)
        if not (isinstance(found, Ref) and found.obj is NotImplemented):
            return found
    what = f"`np.{ufunc.__name__}`, to which each `{_NAME}` answers NotImplemented,"
    raise error("E132", None, what=what)


def outs_of(kwargs: Kwargs) -> tuple[Abstract, ...]:
    """What a ufunc is to write: the items of `out=`, which may be one array."""
    out = kwargs.get("out")
    return out if isinstance(out, tuple) else () if out is None else (out,)


def _in_order(operands: Sequence[Abstract]) -> list[RecordObj]:
    """One object of each class that is asked: from left to right, but a class before its bases."""
    found: list[RecordObj] = []
    for x in operands:
        if not isinstance(x, RecordObj) or not overrides(x) or any(y.cls is x.cls for y in found):
            continue
        at = next((k for k, y in enumerate(found) if issubclass(x.cls, y.cls)), len(found))
        found.insert(at, x)
    return found


def numpys_own(
    frame: Frame, ufunc: Abstract, method: Abstract, *inputs: Abstract, **kwargs: Abstract
) -> Abstract:
    """`np.ndarray.__array_ufunc__`: the ufunc itself, of operands that are not asked.

    Raises:
        UnsupportedSyntax: E120, for another of its methods.
    """
    if not isinstance(ufunc, Ref) or method != "__call__":
        raise error("E120", None, what=f"`{_NAME}` of another method than `__call__`")
    if any(map(overrides, (*inputs, *outs_of(kwargs)))):
        return Ref(NotImplemented, "")
    return call(frame, ufunc, inputs, kwargs)


def call_operator(
    frame: Frame, fn: Callable[..., Any], given: Sequence[Abstract], changed: Abstract = None
) -> Abstract:
    """An operator of such an object; `changed`: the one that it changes in place."""
    ufunc, count = _asked(fn, given)
    inputs = given if len(given) == count else [next(filter(overrides, given))]
    return call_override(frame, ufunc, inputs, {} if changed is None else {"out": changed})


class _Asked(BaseException):
    """NumPy has asked, instead of a ufunc with so many operands."""


class _Asking(np.ndarray[Any, Any]):
    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        raise _Asked(ufunc, len(inputs))


class _Beside(np.ndarray[Any, Any]):
    """It is no base of the other: of a class below its own Python asks the right operand first."""


def _asked(fn: Callable[..., Any], given: Sequence[Abstract]) -> tuple[Any, int]:
    """The ufunc that an operator is, and how many of the operands it takes."""
    if fn in _POWERS and isinstance(given[1], Value) and not rank_of(given[1].type):
        raise error("E120", None, what="a power by data of an array that is asked for it")
    try:
        fn(*map(_small, given))
    except _Asked as asked:
        ufunc, count = asked.args
        return ufunc, count
    except TypeError:
        pass
    raise error("E132", None, what=f"`{fn.__name__}` of {' and '.join(map(describe, given))}")


def _small(x: Abstract) -> Any:
    """A small array or a number in the place of an operand."""
    if is_array_record(x):
        return _small(x.fields[ARRAY]).view(_Asking if overrides(x) else _Beside)
    if isinstance(x, Value) and isinstance(x.type, ArrayType):
        return np.ones([1] * (rank_of(x.type) or 0), dtype_of(x.type))
    if isinstance(x, Value) and isinstance(x.type, NumberType):
        return x.type.kind(1)
    return x if is_static(x) else object()


__all__ = ["call_operator", "call_override", "numpys_own", "outs_of", "overrides"]

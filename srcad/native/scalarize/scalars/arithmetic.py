"""Arithmetic of one entry: what NumPy's numbers give, and what Python's numbers raise.

x / y, x // y      of NumPy's numbers     infinity or NaN where y is 0; 0 of integers
                   of Python's            refused where y is 0
                   of either kind         refused, too (`weak_scalars`)
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.ir import ArrayType, NumberType, Op, Value
from srcad.ir.types import dtype_of
from srcad.native.helpers import divide, nonzero
from srcad.native.numpy_semantics import quotient
from srcad.native.scalarize.loop_builder import Code, Unsuited, scalar
from srcad.native.scalarize.narrow_integers import narrowed
from srcad.native.scalarize.scalars.choice import Writer
from srcad.native.scalarize.scalars.precision import alike, cast


def type_of_entry(op: Op) -> Any:
    """The type of one entry of what an operation makes."""
    t = op.out.type
    return scalar(t.dtype) if isinstance(t, ArrayType) else t


def in_precision(fn: Any) -> Writer:
    """An operator in the precision of its result."""

    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        t = type_of_entry(op)
        dtype = dtype_of(t)
        assert dtype is not None
        if dtype == np.bool_:
            raise Unsuited("arithmetic of truths")
        if isinstance(t, NumberType):
            return code.op(fn, operands, t)
        return narrowed(code, code.op(fn, alike(code, operands, dtype), t), dtype)

    return write


def division(code: Code, operands: Sequence[Any], op: Op) -> Any:
    """`a / b`, which raises for zeros that are numbers of Python's."""
    if isinstance(op.out.type, NumberType):
        if isinstance(operands[1], int | float) and operands[1]:
            return code.op(operator.truediv, operands, op.out.type)
        return code.op(divide, operands, op.out.type)
    return in_precision(operator.truediv)(code, operands, op)


def guarded(fn: Any) -> Writer:
    """What refuses where Python raises, of numbers that may be Python's (`weak_scalars`)."""

    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        if fn is divide and not isinstance(operands[1], Value) and operands[1]:
            return in_precision(operator.truediv)(code, operands, op)
        if dtype_of(op.out.type) == np.float32:
            x, y = alike(code, operands, np.dtype(np.float32))
            if not isinstance(y, Value):
                raise Unsuited("a division by zero")
            return code.op(
                operator.truediv, (x, code.op(nonzero, (y,), y.type)), scalar(np.float32)
            )
        dtype = np.dtype(np.int64 if np.dtype(dtype_of(op.out.type)).kind in "iu" else np.float64)
        made = code.op(fn, [cast(code, x, dtype) for x in operands], type_of_entry(op))
        return narrowed(code, made, np.dtype(dtype_of(op.out.type)))

    return write


def whole_division(python: Any, of_ints: Any, of_floats: Any) -> Writer:
    """A quotient that is whole, or what is left: of Python's numbers it raises."""

    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        t = type_of_entry(op)
        if isinstance(t, NumberType):
            return of_python(python)(code, operands, op)
        dtype = np.dtype(dtype_of(t))
        if dtype.kind not in "iuf" or (dtype == np.float32 and of_floats is quotient):
            raise Unsuited("a quotient of truths, or in single precision")
        fn, wide = (of_floats, np.float64) if dtype.kind == "f" else (of_ints, np.int64)
        given = [cast(code, x, dtype) for x in operands]
        return cast(code, code.op(fn, given, scalar(wide)), dtype)

    return write


def of_python(twin: Any) -> Writer:
    """A function of Python's numbers, which raises what Python raises."""

    def write(code: Code, operands: Sequence[Any], op: Op) -> Any:
        t = op.out.type
        if len(operands) != twin.__code__.co_argcount:
            raise Unsuited("a logarithm with a base")
        if not isinstance(t, NumberType) or t.kind is bool:
            raise Unsuited("an operation that raises for numbers of Python's")
        if any(dtype_of(x.type) == np.bool_ for x in operands if isinstance(x, Value)):
            raise Unsuited("arithmetic of truths")
        if t.kind is float:
            operands = [as_float(code, x) for x in operands]
        return code.op(twin, operands, t)

    return write


def as_float(code: Code, x: Any) -> Any:
    """`float(x)`, which compiled code leaves single where `x` is."""
    if not isinstance(x, Value):
        return float(x)
    if dtype_of(x.type) == np.float64:
        return x
    is_single = dtype_of(x.type) == np.float32
    return code.op(np.float64 if is_single else float, (x,), NumberType(float))


def rounded(code: Code, operands: Sequence[Any], op: Op) -> Any:
    """To so many decimals: multiplied by a power of ten, or divided if it is negative."""
    t = type_of_entry(op)
    x, decimals = operands[0], operands[1] if len(operands) > 1 else 0
    if type(decimals) is not int or np.dtype(dtype_of(t)).kind != "f":
        raise Unsuited("decimals that are not known, or of integers")
    dtype = np.dtype(dtype_of(t))
    there, back = (operator.mul, operator.truediv)[:: 1 if decimals >= 0 else -1]
    power = cast(code, 10.0 ** abs(decimals), dtype)
    x = cast(code, x, dtype)
    if decimals == 0:
        return code.op(np.rint, (x,), t)
    return code.op(back, (code.op(np.rint, (code.op(there, (x, power), t),), t), power), t)

"""Powers of one entry: products for small ones, roots, and what Python's numbers raise.

x ** 3             x * x * x
x ** 0.5           np.sqrt(x), of arrays
n ** k             refused where it does not fit 64 bits
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.ir import ArrayType, NumberType, Op, Value
from srcad.ir.types import dtype_of
from srcad.native.helpers import finite_power, finite_product
from srcad.native.python_semantics import float_power, int_power
from srcad.native.scalarize.loop_builder import Code, Unsuited
from srcad.native.scalarize.narrow_integers import narrowed
from srcad.native.scalarize.scalars.arithmetic import as_float, guarded, type_of_entry
from srcad.native.scalarize.scalars.choice import select
from srcad.native.scalarize.scalars.precision import alike, cast


def power(code: Code, operands: Sequence[Any], op: Op) -> Any:
    """`x ** n`."""
    base, exponent = operands
    t = type_of_entry(op)
    dtype = np.dtype(dtype_of(t))
    if t == NumberType(int):
        return code.op(int_power, operands, t)
    if dtype.kind != "f":
        raise Unsuited("powers of integers")
    n: Any = exponent if isinstance(exponent, int | float | np.generic) else None
    if n is not None and n in (1, 2, 3, 4):
        x = cast(code, base, dtype)
        power = _product(code, x, int(n), t)
        return power if isinstance(t, ArrayType) or n == 1 else _of_python(code, power, x, t)
    if isinstance(t, NumberType) and not (n is not None and n >= 0 and n == int(n)):
        return code.op(float_power, [as_float(code, x) for x in operands], t)
    if n == 0.5:
        return _root(code, cast(code, base, dtype), op)
    if n == -1:
        return code.op(operator.truediv, (cast(code, 1, dtype), cast(code, base, dtype)), t)
    if n is None and np.dtype(dtype_of(exponent.type)).kind != "f":
        # By an int, compiled code multiplies, and divides by the product, which may be 0.
        operands = (base, cast(code, exponent, dtype))
    return code.op(operator.pow, alike(code, operands, dtype), t)


def _root(code: Code, x: Any, op: Op) -> Any:
    """`x ** 0.5`: of one number it is 0.0 of -0.0, infinite of minus infinity; `np.sqrt` is not."""
    t = type_of_entry(op)
    is_one = isinstance(op.out.type, ArrayType) and op.out.type.scalar
    if not (is_one and op.fn is operator.pow) and op.fn is not np.float_power:
        return code.op(np.sqrt, (x,), t)
    dtype = np.dtype(dtype_of(t))
    root = code.op(np.sqrt, (code.op(operator.add, (x, cast(code, 0.0, dtype)), t),), t)
    infinity = cast(code, math.inf, dtype)
    is_least = code.op(operator.eq, (x, cast(code, -math.inf, dtype)), NumberType(bool))
    return select(code, is_least, infinity, root, t)


def _of_python(code: Code, power: Any, x: Any, t: Any) -> Any:
    """A small power of a number that is, or may be, one of Python's."""
    return code.op(finite_product, (power, x), t)


def guarded_power(code: Code, operands: Sequence[Any], op: Op) -> Any:
    """A power of a number that may be one of Python's (`weak_scalars`)."""
    base, exponent = operands
    if isinstance(exponent, Value) or exponent not in (1, 2, 3, 4):
        return guarded(finite_power)(code, operands, op)
    t = type_of_entry(op)
    x = cast(code, base, np.dtype(dtype_of(t)))
    return _of_python(code, _product(code, x, int(exponent), t), x, t)


def _product(code: Code, x: Any, n: int, t: Any) -> Any:
    if n == 1:
        return x
    half = _product(code, x, n // 2, t)
    square = code.op(operator.mul, (half, half), t)
    return code.op(operator.mul, (square, x), t) if n % 2 else square


def square(code: Code, operands: Sequence[Any], op: Op) -> Any:
    """`x * x`."""
    t = type_of_entry(op)
    return narrowed(code, _product(code, operands[0], 2, t), np.dtype(dtype_of(t)))


__all__ = ["guarded_power", "power", "square"]

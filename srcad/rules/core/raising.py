"""Which operations may raise by the *values* that they are given, whatever shapes these have.

x[i]                             the index may lie beyond the end
a / n, a % n, a // n             of Python numbers: the divisor may be zero
np.zeros(n)                      no extent is negative
int(x), math.log(x)              NaN is no integer; functions of `math` have domains
np.linalg.inv(a)                 the matrix may be singular

Arithmetic of arrays and of NumPy scalars raises nothing: it warns (`np.errstate` apart). What
raises by shapes alone is not told here, nor is a result that is too large for a Python float.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Final

import numpy as np

from srcad import kernels, runtime
from srcad.ir.kinds import index_parts
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import NumberType, TupleType, dtype_of
from srcad.rules.core.sequences import OnlyItem
from srcad.rules.core.staged import type_of
from srcad.rules.core.table import RULES, name_of

_DIVISIONS: Final = (operator.truediv, operator.floordiv, operator.mod, divmod)
_POWERS: Final = (operator.pow, pow, np.power)
_SHIFTS: Final = (operator.lshift, operator.rshift)
# Arithmetic that raises for some of Python's numbers.
RAISING: Final = frozenset((*_DIVISIONS, *_POWERS, *_SHIFTS))
_TO_INTEGERS: Final = (int, round, math.floor, math.ceil, math.trunc)
_OF_SHAPES: Final = (np.zeros, np.ones, np.empty, np.full)
SUBSCRIPTS: Final = (operator.getitem, runtime.index_update)

# Of `math` and `cmath`: those that are defined for each number.
_EVERYWHERE: Final[frozenset[str]] = frozenset(
    {
        *("asinh", "atan", "atan2", "cbrt", "copysign", "degrees", "dist", "erf", "erfc", "fabs"),
        *("frexp", "gcd", "hypot", "isfinite", "isinf", "isnan", "lcm", "ldexp", "modf"),
        *("nextafter", "phase", "polar", "radians", "tanh", "ulp"),
    }
)
# Of `np.linalg`: those that are sums of products. A decomposition may not converge.
_ARITHMETIC: Final[frozenset[Any]] = frozenset(
    {
        *(np.linalg.matmul, np.linalg.tensordot, np.linalg.outer, np.linalg.vecdot),
        *(np.linalg.cross, np.linalg.multi_dot, np.linalg.trace, np.linalg.diagonal),
        *(np.linalg.matrix_transpose, np.linalg.det, np.linalg.slogdet, np.linalg.qr),
        *(np.linalg.vector_norm,),
    }
)
# Positions, counts and bounds that are entries of arrays; functions that look at entries.
_BY_VALUE: Final[frozenset[Any]] = frozenset(
    {
        *(np.take, np.take_along_axis, np.choose, np.ravel_multi_index, np.unravel_index),
        *(np.repeat, np.bincount, np.digitize, np.asarray_chkfinite, kernels.embedding),
        *(runtime.complex_eig, runtime.complex_eigvals, runtime.square_root, runtime.logarithm),
    }
)
# Where the result counts, what the derivative computes raises the same: it is a quotient by the
# same number, or reads the result.
_TELLING: Final[frozenset[Any]] = frozenset(
    {
        *(operator.getitem, runtime.index_update, operator.truediv, operator.pow, pow, math.pow),
        *(math.exp, math.exp2, math.expm1, math.sqrt, math.sin, math.cos, math.tan, math.gamma),
        *(math.sinh, math.cosh, np.take, np.take_along_axis, np.choose, kernels.embedding),
    }
)


def raises_by_value(op: Op) -> bool:
    """Whether an operation may raise for some of the values that have its arguments' types."""
    fn, args = op.fn, op.args
    if isinstance(fn, Function):
        return False
    if fn in SUBSCRIPTS:
        return _may_miss(args[0], args[1])
    numbers = all(_is_python_number(a) for a in args)
    if fn in _DIVISIONS:
        return numbers and not _is_nonzero(args[1])
    if fn in _POWERS:
        return _may_fail_to_raise(args[0], args[1], numbers and fn is not np.power)
    if fn in _SHIFTS:
        return numbers and not _is_natural(args[1])
    if fn is np.arange:
        return not _is_nonzero(args[2] if len(args) > 2 else op.kwargs.get("step", 1))
    if type(fn).__hash__ is not None and fn in _OF_SHAPES:
        return _may_be_negative(args[0] if args else op.kwargs.get("shape"))
    if fn in _TO_INTEGERS:
        # An integer of an array is one of its entry, which may be NaN.
        of = dtype_of(type_of(args[0])) if args else None
        return len(args) == 1 and (of is None or of.kind not in "iub")
    return _is_of_values(fn, op)


def _may_be_negative(shape: Any) -> bool:
    """Whether an extent of a new array may be negative."""
    parts = shape if isinstance(shape, tuple | list) else (shape,)
    return any(_is_python_number(x) and not _is_extent(x) for x in parts)


def _is_extent(x: Any) -> bool:
    t = type_of(x)
    return isinstance(t, NumberType) and t.extent is not None


def _is_of_values(fn: Any, op: Op) -> bool:
    """Whether a function that is no operator looks at values."""
    if isinstance(fn, OnlyItem):
        fn = fn.fn
    if type(fn).__hash__ is None or fn in _BY_VALUE:
        return True
    if fn is np.linalg.norm:
        return _order_of_norm(op) in (2, -2, "nuc")
    name = name_of(fn)
    module, _, last = name.rpartition(".")
    if module in ("math", "cmath"):
        return last not in _EVERYWHERE
    if module in ("np.linalg", "scipy.linalg"):
        return fn not in _ARITHMETIC
    return fn not in RULES and not isinstance(fn, np.ufunc)


def _order_of_norm(op: Op) -> Any:
    order = op.args[1] if len(op.args) > 1 else op.kwargs.get("ord")
    return None if isinstance(order, Value) else order


def is_told_by_derivative(op: Op) -> bool:
    """Whether the derivative by an argument of an operation raises where the operation does."""
    fn = op.fn.fn if isinstance(op.fn, OnlyItem) else op.fn
    return fn in _TELLING or name_of(fn).startswith(("np.linalg.", "scipy.linalg."))


def _may_miss(x: Any, index: Any) -> bool:
    """Whether a part of a subscript's index may lie beyond an end."""
    if isinstance(type_of(x), TupleType) and isinstance(index, int):
        return False  # checked when the type was inferred
    parts = index_parts(index)
    return not all(map(is_harmless, parts))


def is_harmless(part: Any) -> bool:
    """Whether a part of an index cannot lie beyond an end, or is refused by its shape alone."""
    if part is None or part is Ellipsis:
        return True
    if isinstance(part, slice):
        return part.step is None or (type(part.step) is int and part.step != 0)
    dtype = dtype_of(type_of(part)) if isinstance(part, Value | list | np.ndarray) else None
    return dtype is not None and dtype.kind == "b"


def _is_python_number(x: Any) -> bool:
    return isinstance(type_of(x), NumberType)


def _is_nonzero(x: Any) -> bool:
    return not isinstance(x, Value) and x != 0


def _is_natural(x: Any) -> bool:
    return type(x) in (int, bool) and x >= 0


def _may_fail_to_raise(base: Any, exponent: Any, is_of_python: bool) -> bool:
    """Whether a power may be refused: Python's zero to a negative one, NumPy's integers to one."""
    if is_of_python:
        is_constant = not isinstance(exponent, Value)
        if is_constant and not isinstance(exponent, complex) and exponent >= 0:
            return False
        return not _is_nonzero(base)
    kinds = [dtype_of(type_of(x)) for x in (base, exponent)]
    whole = all(k is not None and k.kind in "iu" for k in kinds)
    return whole and not _is_natural(exponent)


__all__ = ["SUBSCRIPTS", "is_harmless", "is_told_by_derivative", "raises_by_value"]

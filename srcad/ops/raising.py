"""Which operations may raise by the *values* that they are given, whatever shapes these have.

x[i]                             the index may lie beyond the end
a / n, a % n, a // n             of Python numbers: the divisor may be zero
np.zeros(n)                      no extent is negative
int(x), math.log(x)              NaN is no integer; functions of `math` have domains
np.sum(x, axis=[0])              an option of another kind than it has to be
np.linalg.inv(a)                 the matrix may be singular

Arithmetic of arrays and of NumPy scalars raises nothing: it warns (`np.errstate` apart). What
raises by shapes alone is not told here, nor is a result that is too large for a Python float.
"""

from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from srcad import kernels, runtime
from srcad.ir.kinds import index_parts, is_int_scalar
from srcad.ir.nodes import Block, Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, TupleType, dtype_of, rank_of
from srcad.ir.walk import statements
from srcad.ops.constant_calls import raises_as_it_is
from srcad.ops.narrow_integers import may_overflow
from srcad.ops.table import named, row_of, state_also
from srcad.rules.core.declaration.registration import of_users
from srcad.rules.core.sequences import whole
from srcad.rules.core.staged import is_number, type_of
from srcad.rules.core.table import RULES
from srcad.runtime.effects import caught, ensure_bound, raise_

Classes = tuple[type[BaseException], ...]

state_also({"raises": "division"}, operator.truediv, operator.floordiv, operator.mod, divmod)
state_also({"raises": "power"}, operator.pow, pow, np.power)
state_also({"raises": "shift"}, operator.lshift, operator.rshift)
state_also({"raises": "subscript"}, operator.getitem, runtime.index_update)
state_also({"raises": "integer"}, int, round, math.floor, math.ceil, math.trunc)
state_also({"raises": "extent"}, np.zeros, np.ones, np.empty, np.full)
state_also({"raises": "step"}, np.arange)
state_also({"raises": "order"}, np.linalg.norm)
state_also({"raises": "never"}, np.shape, np.ndim, np.size, np.transpose, np.asarray, isinstance)
state_also(
    {"raises": "mixed"},
    *(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.not_),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    operator.truth,
)
# Positions, counts and bounds that are entries of arrays; functions that look at entries.
state_also(
    {"raises": "values"},
    *(np.take, np.take_along_axis, np.choose, np.ravel_multi_index, np.unravel_index),
    *(np.repeat, np.bincount, np.digitize, np.asarray_chkfinite, kernels.embedding),
    *(np.tri, np.fft.fftshift, np.fft.ifftshift),
    *(runtime.complex_eig, runtime.complex_eigvals, runtime.complex_roots),
    *(runtime.square_root, runtime.logarithm, runtime.only_residual, runtime.spline_values),
)
# Functions of `math` and `cmath` that are defined for each number.
_EVERYWHERE = """asinh atan atan2 cbrt copysign degrees dist erf erfc fabs frexp gcd hypot isfinite
    isinf isnan lcm ldexp modf nextafter phase polar radians tanh ulp"""
# Functions of `np.linalg` that are sums of products. A decomposition may not converge.
_ARITHMETIC = """matmul tensordot outer vecdot cross multi_dot trace diagonal matrix_transpose det
    slogdet qr vector_norm"""
# Functions of `np.linalg` whose derivative by one argument may not read the other, or the result.
_BY_THE_OTHER = named(np.linalg, "matmul vecdot cross matrix_power norm")


def _functions(module: Any, but: str) -> list[Any]:
    """The functions of a module of which nothing is said above, apart from those named."""
    left_out = named(module, but)
    names = getattr(module, "__all__", vars(module))
    found = [getattr(module, name) for name in names]
    found = [fn for fn in found if callable(fn) and not isinstance(fn, type)]
    return [fn for fn in found if fn not in left_out and not row_of(fn).raises]


for _module, _names in ((math, _EVERYWHERE), (cmath, _EVERYWHERE), (np.linalg, _ARITHMETIC)):
    state_also({"raises": "values"}, *_functions(_module, _names))

# Where the result counts, what the derivative computes raises the same: it is a quotient by the
# same number, or reads the result.
state_also(
    {"raised_by_derivative": True},
    *(operator.getitem, runtime.index_update, operator.truediv, operator.pow, pow, math.pow),
    *(math.exp, math.exp2, math.expm1, math.sqrt, math.sin, math.cos, math.tan, math.gamma),
    *(math.sinh, math.cosh, np.take, kernels.embedding),
    *(fn for fn in named(np.linalg, " ".join(np.linalg.__all__)) if fn not in _BY_THE_OTHER),
)


def raises_by_value(op: Op) -> bool:
    """Whether an operation may raise for some of the values that have its arguments' types."""
    fn, args = whole(op.fn), op.args
    if isinstance(fn, Function):
        return False
    if _has_odd_option(op) or _has_odd_argument(op) or may_overflow(op):
        return True
    match row_of(fn).raises:
        case "never" | "mixed":
            return False
        case "values":
            return True
        case "subscript":
            return may_miss(args[0], args[1])
        case "division":
            return all(map(is_number, args)) and not _is_nonzero(args[1])
        case "power":
            is_of_python = fn is not np.power and all(map(is_number, args))
            return _may_fail_to_raise(args[0], args[1], is_of_python)
        case "shift":
            return all(map(is_number, args)) and not _is_natural(args[1])
        case "step":
            return not _is_nonzero(args[2] if len(args) > 2 else op.kwargs.get("step", 1))
        case "extent":
            return _may_be_negative(args[0] if args else op.kwargs.get("shape"))
        case "integer":  # an integer of an array is one of its entry, which may be NaN, or several
            t = type_of(args[0])
            if isinstance(t, ArrayType) and not t.scalar:
                return True
            of = dtype_of(t)
            if len(args) > 1:  # digits
                return not _is_integer(args[1])
            return of is None or of.kind not in "iub"
        case "order":
            return _order_of_norm(op) in (2, -2, "nuc")
        case "":  # a rule is for sums and products, unless its row tells otherwise
            return fn not in RULES and not isinstance(fn, np.ufunc)


def _has_odd_option(op: Op) -> bool:
    """Whether an option is of a kind that functions of NumPy refuse: they look at it when called,
    and a derivative may not pass it on.
    """
    return bool(op.kwargs) and any(
        name in _OPTIONS and not isinstance(x, Value) and not _OPTIONS[name](x)
        for name, x in op.kwargs.items()
    )


def _has_odd_argument(op: Op) -> bool:
    """Whether an argument is of a kind that the function refuses, as its derivative need not.

    np.round(a, 1.5)        decimals that are no integer
    np.take(a, None)        no positions
    np.astype(1.5, "f4")    a number of Python's, which has no such method
    """
    fn, args = whole(op.fn), op.args
    if fn is np.round:
        return len(args) > 1 and not _is_integer(args[1])
    if fn is np.take:
        return len(args) > 1 and args[1] is None
    return fn is np.astype and is_number(args[0])


def _is_integer(x: Any) -> bool:
    dtype = dtype_of(type_of(x)) if isinstance(x, Value | np.generic) else None
    return isinstance(x, int) or (dtype is not None and dtype.kind in "iub")


def _is_axis(x: Any) -> bool:
    parts = x if isinstance(x, tuple) else (x,)
    return x is None or all(isinstance(part, Value) or _is_integer(part) for part in parts)


_OPTIONS = {
    "axis": _is_axis,
    "decimals": _is_integer,
    "keepdims": _is_integer,
    "kind": (None, "quicksort", "heapsort", "mergesort", "stable").__contains__,
}


def may_raise(op: Op) -> bool:
    """Whether an operation may raise at all, as far as a `try` around it has to know: NumPy raises
    what `np.errstate` tells it to.

    shape(x), transpose(x), add(1.5, k)      never
    everything else                          perhaps
    """
    if op.effect:
        return op.fn is not caught
    if op.fn is operator.getitem and isinstance(op.args[0], Value):
        return not (isinstance(op.args[0].type, TupleType) and isinstance(op.args[1], int))
    match row_of(op.fn).raises:
        case "never":
            return may_overflow(op)
        case "mixed":  # an int that changes at run time may be too large for a float
            kinds = {_kind(arg) for arg in op.args if not _is_small(arg)}
            return len(kinds) != 1 or None in kinds
        case _:
            return True


def may_raise_any(op: Op, exceptions: tuple[type[BaseException], ...]) -> bool:
    """Whether an operation that may raise may raise one of these exceptions, or of their kind.

    raise_(ValueError)      that one
    add(x, y), exp(x)       what arithmetic raises: no `IndexError`
    sum(x), getitem(x, i)   anything but what the types tell, which are known
    """
    if op.fn is has_written:
        return _is_related((FloatingPointError, Warning), exceptions)
    if op.fn is ensure_bound or (op.fn is raise_ and isinstance(op.args[0], type)):
        return always_raises(op, exceptions)
    if op.effect or isinstance(op.fn, Function) or op.fn in of_users or raises_as_it_is(op):
        return True
    if isinstance(op.fn, np.ufunc) or op.fn is np.where or op.fn in _OPERATORS:
        return _is_related(_OF_ARITHMETIC, exceptions)
    is_of_numpy = op.fn in _ITEMS or str(getattr(op.fn, "__module__", "")).startswith("numpy")
    never = _BY_TYPE if is_of_numpy else (NameError, ImportError)
    return not all(issubclass(each, never) for each in exceptions)


def _is_related(raised: Classes, exceptions: Classes) -> bool:
    return any(issubclass(a, b) or issubclass(b, a) for a in raised for b in exceptions)


def has_written() -> None:
    """Stands for what is computed into an array, at the time when that is written."""


def always_raises(op: Op, exceptions: tuple[type[BaseException], ...]) -> bool:
    """Whether what an operation raises, if anything, is one of these exceptions."""
    if op.fn is raise_ and isinstance(op.args[0], type):
        return issubclass(op.args[0], exceptions)
    if op.fn is ensure_bound:
        return issubclass(op.args[1] if len(op.args) > 1 else UnboundLocalError, exceptions)
    return False


# NumPy's functions look nothing up by keys of their callers'.
_BY_TYPE = (NameError, ImportError, AttributeError, TypeError, KeyError)
_ITEMS = (operator.getitem, runtime.index_update)
_OF_ARITHMETIC = (ArithmeticError, ValueError, MemoryError, Warning)
_OPERATORS = frozenset(
    {
        *(abs, pow, divmod),
        *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
        *(operator.mod, operator.pow, operator.matmul, operator.neg, operator.abs),
        *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
        *(operator.and_, operator.or_),
    }
)


def raising_ops(block: Block) -> Iterator[Op]:
    """The operations in `block`, at any depth, that may raise."""
    return (stmt for stmt in statements(block) if isinstance(stmt, Op) and may_raise(stmt))


def _is_small(atom: Any) -> bool:
    return type(atom) in (int, bool) and abs(atom) < 2**53


def _kind(atom: Any) -> type | None:
    """The class of a Python number; None for everything else. Bools count as ints."""
    is_number = isinstance(atom, Value) and isinstance(atom.type, NumberType)
    kind = atom.type.kind if is_number else type(atom)
    return int if kind is bool else kind if kind in (int, float) else None


def _may_be_negative(shape: Any) -> bool:
    """Whether an extent of a new array may be negative."""
    parts = shape if isinstance(shape, tuple | list) else (shape,)
    return any(is_number(x) and not is_extent(x) for x in parts)


def is_extent(x: Any) -> bool:
    """Whether a number is an extent, and so not negative."""
    t = type_of(x)
    return isinstance(t, NumberType) and t.extent is not None


def _order_of_norm(op: Op) -> Any:
    order = op.args[1] if len(op.args) > 1 else op.kwargs.get("ord")
    return None if isinstance(order, Value) else order


def is_told_by_derivative(op: Op, *, by_last: bool = False) -> bool:
    """Whether the derivative by an argument of an operation raises where the operation does.

    Args:
        by_last: it is a tangent, by the last argument. That of a store writes values of the same
            shape, which have to fit; by the array alone it writes zeros.
    """
    if op.fn is runtime.index_update and rank_of(type_of(op.args[2])) != 0 and not by_last:
        return False
    if whole(op.fn) is np.pad and rank_of(type_of(op.args[0])) == 0:
        return False  # it is its own derivative, however many times it is padded
    if _has_odd_option(op) or _has_odd_argument(op):
        return False
    return row_of(whole(op.fn)).raised_by_derivative and not any(map(is_text, op.args))


def may_miss(x: Any, index: Any) -> bool:
    """Whether a part of a subscript's index may lie beyond an end."""
    if isinstance(type_of(x), TupleType) and isinstance(index, int):
        return False  # checked when the type was inferred
    parts = index_parts(index)
    return has_two_dots(parts) or not all(map(is_harmless, parts))


def has_two_dots(parts: Iterable[Any]) -> bool:
    """Whether an index has more than one `...`, which NumPy refuses."""
    return sum(part is Ellipsis for part in parts) > 1


def is_harmless(part: Any) -> bool:
    """Whether a part of an index cannot lie beyond an end, or is refused by its shape alone."""
    if part is None or part is Ellipsis:
        return True
    if isinstance(part, slice):
        if part.step is not None and (type(part.step) is not int or part.step == 0):
            return False
        return all(x is None or is_int_scalar(x) for x in (part.start, part.stop))
    dtype = dtype_of(type_of(part)) if isinstance(part, Value | list | np.ndarray) else None
    return dtype is not None and dtype.kind == "b"


def is_text(x: Any) -> bool:
    """Whether it is a text, or an array of texts: written among numbers it may be none."""
    dtype = dtype_of(type_of(x)) if isinstance(x, Value | np.ndarray) else None
    return isinstance(x, str | bytes) or (dtype is not None and dtype.kind in "SU")


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
    whole = all(k is not None and k.kind in "biu" for k in kinds)
    return whole and not _is_natural(exponent)

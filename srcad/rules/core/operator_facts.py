"""Type facts of operators: Python's rules among numbers and tuples, NumPy's with arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.ir.types import (
    NUMBER_KINDS,
    ArrayType,
    Dim,
    Extent,
    NumberType,
    ObjectType,
    TupleType,
    Type,
    shape_of,
)
from srcad.rules.core.facts import (
    TypeFunction,
    array_or_scalar,
    as_type,
    broadcast_shapes,
    ufunc_type,
)


def _number_result(
    fn: Callable[..., Any], types: Sequence[NumberType], args: tuple[object, ...]
) -> NumberType:
    kinds = [t.kind for t in types]
    kind = max(kinds, key=NUMBER_KINDS.index)
    if kind not in (bool, int) and fn in _OF_INTEGERS:
        names = " and ".join(each.__name__ for each in kinds)
        raise TypeError(f"unsupported operand type(s) for {fn.__name__}: {names}")
    if fn is operator.truediv:
        kind = max(kind, float, key=NUMBER_KINDS.index)
    elif fn is operator.pow and kind is int and isinstance(args[1], int) and args[1] < 0:
        kind = float
    elif fn in _COMPARISONS or fn is operator.not_:
        kind = bool
    elif kind is bool and fn not in _LOGIC:
        kind = int
    return NumberType(kind, _number_extent(fn, args))


def _number_extent(fn: Callable[..., Any], args: tuple[object, ...]) -> Extent | None:
    """`n - k` of an extent n is that of an array shortened by k, as long as it is not negative."""
    if fn not in (operator.add, operator.sub) or len(args) != 2:
        return None
    n, k = args[::-1] if fn is operator.add and isinstance(args[0], int) else args
    if isinstance(n, NumberType) and isinstance(n.extent, Dim) and type(k) is int:
        by = k if fn is operator.sub else -k
        return n.extent.shortened(by) if by >= 0 else n.extent.lengthened(-by)
    return None


_WHOLE = (operator.floordiv, operator.mod)  # which complex numbers have not
_FLOAT64 = ArrayType(np.dtype(float), (), scalar=True)
_COMPLEX_WITH_FLOAT64 = [NumberType(complex), _FLOAT64]
_COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
_EQUALITY = (operator.eq, operator.ne)
_LOGIC = (operator.and_, operator.or_, operator.xor)
_OF_INTEGERS = (*_LOGIC, operator.lshift, operator.rshift, operator.invert)


def operator_type(fn: Callable[..., Any], ufunc: np.ufunc) -> TypeFunction:
    """The type function of an operator: Python's rules among numbers, the ufunc's with arrays."""
    of_arrays = ufunc_type(ufunc)

    def type_of(*args: object) -> Any:
        types = [as_type(a) for a in args]
        if fn in _COMPARISONS and any(_text_kind(t) for t in types):
            return _text_comparison(fn, ufunc, types)
        if fn in _EQUALITY and _has_no_loop(ufunc, types):
            return array_or_scalar(np.dtype(bool), broadcast_shapes(*map(shape_of, types)))
        is_number = isinstance(types[0], NumberType)
        if is_number and types == _COMPLEX_WITH_FLOAT64 and fn not in _WHOLE:
            types[1] = NumberType(float)  # `float64` is a `float`, which `complex` itself takes
        if any(isinstance(t, ArrayType) for t in types):
            return of_arrays(*types)
        numbers = [t for t in types if isinstance(t, NumberType)]
        if len(numbers) == len(types):
            return _number_result(fn, numbers, args)
        return _object_result(fn, types, args)

    return type_of


def _text_kind(t: Type) -> str:
    """Whether `t` is text: "U" for strings, "S" for bytes, else nothing."""
    if isinstance(t, ArrayType):
        return t.dtype.kind if t.dtype.kind in "US" else ""
    return {"str": "U", "bytes": "S"}.get(t.name, "") if isinstance(t, ObjectType) else ""


def _text_comparison(fn: Callable[..., Any], ufunc: np.ufunc, types: list[Type]) -> Type:
    """The type of a comparison of strings or bytes with each other, or with something else.

    Texts of two kinds are unequal, entry by entry. A `np.str_` compares as the `str` it is.
    """
    kinds = [_text_kind(t) for t in types]
    if fn not in _EQUALITY and kinds[0] != kinds[1]:
        names = " and ".join(map(str, types))
        raise TypeError(f"{ufunc.__name__} of {names}")
    numeric = [isinstance(t, ArrayType) for t, kind in zip(types, kinds, strict=True) if not kind]
    if not any(isinstance(t, ArrayType) and not t.scalar for t in types) and not any(numeric):
        return NumberType(bool)
    shapes = (() if isinstance(t, ObjectType) else shape_of(t) for t in types)
    return array_or_scalar(np.dtype(bool), broadcast_shapes(*shapes))


def _has_no_loop(ufunc: np.ufunc, types: list[Type]) -> bool:
    """Whether entries of two dtypes cannot be compared: a date and a number are unequal."""
    kinds = {t.dtype.kind for t in types if isinstance(t, ArrayType)}
    if not kinds & set("mM"):
        return False
    try:
        ufunc_type(ufunc)(*types)
    except TypeError:
        return True
    return False


def _object_result(fn: Callable[..., Any], types: list[Type], args: tuple[object, ...]) -> Type:
    """Tuples and other objects compare; tuples concatenate and repeat."""
    match types:
        case [TupleType(items=a), TupleType(items=b)] if fn is operator.add:
            return TupleType((*a, *b))
        case [TupleType(items=a), NumberType()] if fn is operator.mul and isinstance(args[1], int):
            return TupleType(a * args[1])
    if fn in _COMPARISONS:
        return NumberType(bool)
    return ObjectType()


def same_kind_type(ufunc: np.ufunc) -> TypeFunction:
    """The type function of `abs` and its like: a number gives a number of its kind."""
    of_arrays = ufunc_type(ufunc)

    def type_of(*args: object) -> Any:
        types = [as_type(a) for a in args]
        numbers = [t for t in types if isinstance(t, NumberType)]
        if len(numbers) < len(types):
            return of_arrays(*args)
        kind = max((t.kind for t in numbers), key=NUMBER_KINDS.index)
        return NumberType({bool: int, complex: float}.get(kind, kind))

    return type_of

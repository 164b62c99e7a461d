"""Type facts: how dtypes and extents of results follow from those of arguments.

A *type function* takes what a call takes, with each array or number replaced by its `Type`
(constants stay as they are), and returns the `Type` of the result (a tuple of them for several
results). It stands beside the rule of its function. The ones shared by many rules are here.
"""

from __future__ import annotations

import itertools
import math
import operator
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.ir.types import (
    ArrayType,
    Dim,
    Extent,
    NumberType,
    ObjectType,
    Shape,
    TupleType,
    Type,
    dtype_of,
    operand,
    shape_of,
)
from srcad.rules.core.sequences import refilled

TypeFunction = Callable[..., Any]


class UncoveredError(Exception):
    """Raised by a type function for a use that its rule does not cover, with what it is."""


class _Program(threading.local):
    """The program of a thread, which lowers one at a time."""

    def __init__(self) -> None:
        self.decide: Callable[[Dim], bool] | None = None


_program = _Program()
# One for all programs and threads: a program that was lowered long ago, or elsewhere, goes on to
# get extents when it is differentiated or compiled, and none may be one that it has.
_numbers = itertools.count(1)


@contextmanager
def start_program(decide: Callable[[Dim], bool]) -> Iterator[None]:
    """`decide` says whether an extent is 0, by which the program is specialised."""
    before = _program.decide
    _program.decide = decide
    try:
        yield
    finally:
        _program.decide = before


def is_zero(extent: Extent) -> bool:
    """Whether an extent is 0, where a function does something else then (E123 if not known)."""
    if isinstance(extent, int) or extent.floor > 0:
        return extent == 0
    if _program.decide is None:
        raise error("E123", None, what="whether an array is empty")
    return _program.decide(extent)


def is_zero_or_none(extent: Extent) -> bool | None:
    """Whether an extent is 0; None where data decides."""
    try:
        return is_zero(extent)
    except SrcadError as undecided:
        if undecided.code != "E123":
            raise
        return None


def unknown_extent() -> Dim:
    """An extent about which nothing is known, different from every other."""
    return Dim(f"?{next(_numbers)}")


def type_of_constant(value: object) -> Type:
    """The type of a Python or NumPy constant."""
    if isinstance(value, np.ndarray):
        return ArrayType(value.dtype, tuple(value.shape))
    if isinstance(value, np.generic):
        return ArrayType(value.dtype, (), scalar=True)
    if type(value) in (bool, int, float, complex):
        return NumberType(type(value), value if type(value) is int and value >= 0 else None)
    if isinstance(value, tuple):
        return TupleType(tuple(type_of_constant(item) for item in value))
    return ObjectType(type(value).__name__)


def as_type(x: object) -> Type:
    """`x` if it is a type, else the type of the constant `x` (lists become arrays, as in NumPy)."""
    if isinstance(x, _TYPES):
        return x
    return type_of_constant(np.asarray(x) if isinstance(x, list) else x)


_TYPES = (ArrayType, NumberType, TupleType, ObjectType)


def stated_type(x: Any) -> Any:
    """What a type function gives, as types: `float` is a Python float, `np.float64` a scalar of
    NumPy's, an array stands for one of its dtype and shape; several results in their container.
    """
    if isinstance(x, Type):
        return x
    if isinstance(x, list | tuple):
        return refilled(x, map(stated_type, x))
    if isinstance(x, type) and issubclass(x, np.generic):
        return ArrayType(np.dtype(x), (), scalar=True)
    if isinstance(x, type) and x in (bool, int, float, complex):
        return NumberType(x)
    return type_of_constant(x)


def extent_of(x: object) -> Extent:
    """The extent that an int (a constant or the type of a value) stands for."""
    if isinstance(x, int):
        return x
    if isinstance(x, NumberType) and x.extent is not None:
        return x.extent
    return unknown_extent()


def shape_from(x: object) -> Shape | None:
    """The shape that a shape argument (int, tuple of ints, or a type of these) stands for."""
    if isinstance(x, TupleType):
        return tuple(map(_integral_extent, x.items))
    if isinstance(x, tuple | list):
        return tuple(map(_integral_extent, x))
    if isinstance(x, bool) or (isinstance(x, NumberType) and x.kind is bool):
        raise TypeError("expected a sequence of integers or a single integer, got a bool")
    if isinstance(x, int | NumberType | np.integer):
        return (_integral_extent(int(x) if isinstance(x, np.integer) else x),)
    if isinstance(x, ArrayType | np.ndarray):
        if len(shape_of(as_type(x)) or ()) > 1:
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        _integral_extent(x)
    return None


def _integral_extent(x: object) -> Extent:
    dtype = dtype_of(as_type(x))
    if dtype is not None and dtype.kind in "fc":
        raise TypeError(f"{dtype} cannot be interpreted as an integer")
    return extent_of(x)


def broadcast_extents(a: Extent, b: Extent) -> Extent:
    """The extent of two axes broadcast together; raises `ShapeError` where they never fit."""
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if isinstance(a, int) and isinstance(b, int):
        raise error("E401", None, what=f"with extents {a} and {b}")
    if isinstance(a, int) or (isinstance(a, Dim) and a.never_one):
        return a if isinstance(a, int) or not isinstance(b, int) else b
    if isinstance(b, int) or b.never_one:
        return b
    return _either(a, b)


def _either(a: Dim, b: Dim) -> Dim:
    """The extent of axes of which it is not known whether one is 1; no part counts twice."""
    mine, others = a.parts or (a,), b.parts or (b,)
    if len(mine) == len(others) == 1:
        return Dim(f"{operand(a)}|{operand(b)}", parts=(a, b))
    parts = sorted({*mine, *others}, key=str)
    for known in (a, b):
        if len(known.parts) == len(parts):
            return known
    return Dim("|".join(map(operand, parts)), parts=tuple(parts))


def broadcast_shapes(*shapes: Shape | None) -> Shape | None:
    """The broadcast of `shapes`, None if one is unknown."""
    known = [s for s in shapes if s is not None]
    if len(known) < len(shapes):
        return None
    if known and all(s == known[0] for s in known[1:]):
        return known[0]
    rank = max(map(len, known), default=0)
    padded = [(1,) * (rank - len(s)) + s for s in known]
    result: list[Extent] = []
    for extents in zip(*padded, strict=True):
        extent = extents[0]
        for other in extents[1:]:
            extent = broadcast_extents(extent, other)
        result.append(extent)
    return tuple(result)


def array_or_scalar(dtype: np.dtype, shape: Shape | None) -> ArrayType:
    """An array type as NumPy's functions return it: a NumPy scalar where the rank is 0."""
    return ArrayType(dtype, shape, scalar=shape == ())


def promote(*types: Type) -> np.dtype:
    """The dtype of mixed arguments (NEP 50: Python numbers are weak)."""
    strong = [t.dtype for t in types if isinstance(t, ArrayType)]
    weak = [t.kind(0) for t in types if isinstance(t, NumberType)]
    return np.result_type(*strong, *weak)


def _loop_dtype(t: Type) -> Any:
    """What `ufunc.resolve_dtypes` wants to be told of an argument."""
    if isinstance(t, NumberType):
        return np.dtype(bool) if t.kind is bool else t.kind
    return dtype_of(t)


def ufunc_type(ufunc: np.ufunc) -> TypeFunction:
    """The type function of a ufunc: its loop table gives the dtype, broadcasting the shape."""

    def type_of(*args: object, **options: object) -> Any:
        if options:
            raise UncoveredError(f"`{next(iter(options))}=`")
        types = [as_type(a) for a in args]
        dtypes = ufunc.resolve_dtypes((*map(_loop_dtype, types), *(None,) * ufunc.nout))
        shape = broadcast_shapes(*map(shape_of, types))
        outs = tuple(array_or_scalar(d, shape) for d in dtypes[ufunc.nin :])
        return outs[0] if ufunc.nout == 1 else outs

    return type_of


def float_type(x: object, *_: object, **__: object) -> Type:
    """The result has the shape of the first argument and its dtype, float64 for integers."""
    t = as_type(x)
    return array_or_scalar(np.result_type(dtype_of(t) or float, np.float16), shape_of(t))


def truth_type(x: object, *_: object, **__: object) -> Type:
    """The result has the shape of the first argument and is Boolean."""
    return array_or_scalar(np.dtype(bool), shape_of(as_type(x)))


def real_part_type(x: object) -> Type:
    """The result is the first argument with the dtype of its real part."""
    t = as_type(x)
    if isinstance(t, ArrayType):
        return ArrayType(np.zeros((), t.dtype).real.dtype, t.shape, t.scalar)
    return NumberType(float) if t == NumberType(complex) else t


def real_only(type_of: TypeFunction) -> TypeFunction:
    """`type_of` for real arguments; complex ones, for which the rule does not hold, are refused."""

    def of_real(*args: object, **options: object) -> Any:
        for arg in args:
            dtype = dtype_of(as_type(arg))
            if dtype is not None and dtype.kind == "c":
                raise UncoveredError("complex arguments")
        return type_of(*args, **options)

    return of_real


def same_type(x: object, *_: object, **__: object) -> Type:
    """The result has the type of the first argument."""
    return as_type(x)


def normalize_axes(axis: object, rank: int) -> tuple[int, ...]:
    """`axis` (None, an int or a tuple) as a sorted tuple of ints in `range(rank)`."""
    if axis is None:
        return tuple(range(rank))
    given = axis if isinstance(axis, tuple | list) else (axis,)
    axes = []
    for a in given:
        index = operator.index(a)
        if not -max(rank, 1) <= index < max(rank, 1):  # one of a number stands for none
            raise error("E403", None, what=f"{index} is out of range for an array with {rank} axes")
        axes.append(index % max(rank, 1))
    if len(set(axes)) < len(axes):
        raise ValueError("duplicate value in 'axis'")
    return tuple(sorted(axes))


def reduced_shape(shape: Shape | None, axis: object, keepdims: object) -> Shape | None:
    """The shape after a reduction over `axis`."""
    if shape is None:
        return () if axis is None and not keepdims else None
    axes = normalize_axes(axis, len(shape))
    if keepdims:
        return tuple(1 if i in axes else e for i, e in enumerate(shape))
    return tuple(e for i, e in enumerate(shape) if i not in axes)


def size_of_shape(shape: Iterable[Extent]) -> Extent:
    """The number of entries, if every extent is known."""
    extents = list(shape)
    if all(isinstance(e, int) for e in extents):
        return math.prod(e for e in extents if isinstance(e, int))
    others = [e for e in extents if e != 1]
    if len(others) == 1:
        return others[0]
    never_one = any(isinstance(e, int) or e.never_one for e in others)
    return Dim("*".join(map(operand, others)), never_one=never_one)


def show_shape(shape: Shape) -> str:
    """A shape as NumPy writes it."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def resized_type(x: object, shape: object) -> Type:
    """The type of an array like `x` of another shape."""
    return ArrayType(dtype_of(as_type(x)) or np.dtype(float), shape_from(shape))


def bool_type(*_: object, **__: object) -> Type:
    """The type function of tests."""
    return NumberType(bool)


def told_by_source(*_: object, **__: object) -> Type:
    """The type function of what only its source tells; an object, where that cannot be read."""
    return ObjectType()

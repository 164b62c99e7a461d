"""Type functions by trial: a function without one is called on stand-ins, and its result looked at.

probe(np.kron, f64[n], f64[m])      f64[?]: NumPy gave a vector of floats for vectors of ones
check_kept(dscal, 2.0, f64[n])      refused: the vector was doubled
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import ArrayType, NumberType, TupleType, Type, shape_of
from srcad.rules.core.facts import (
    TypeFunction,
    UncoveredError,
    as_type,
    broadcast_shapes,
    type_of_constant,
    unknown_extent,
)
from srcad.rules.core.sequences import refilled
from srcad.rules.core.table import name_of
from srcad.silence import silenced, unwarned


def elementwise_type(fn: Callable[..., Any]) -> TypeFunction:
    """The type function of an elementwise `fn` that has none: its dtype from a call on ones."""

    def type_of(*args: object, **options: object) -> Type:
        types = [as_type(a) for a in args]
        with silenced():
            found = _probed_type(fn(*(stand_in(t, 1) for t in types), **options))
        if not isinstance(found, ArrayType):
            return found
        return ArrayType(found.dtype, broadcast_shapes(*map(shape_of, types)), found.scalar)

    return type_of


def probe(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result type of a function without a type function, found by calling it on stand-ins.

    Every array type becomes a small array of positive numbers, every number type a one. The
    result's rank and dtype are kept, its extents are unknown.
    """
    positional = [stand_in(a, 3) for a in args]
    options = {name: stand_in(x, 3) for name, x in kwargs.items()}
    with silenced():  # it prints when the program runs
        result = fn(*positional, **options)
    if isinstance(result, list | tuple):
        return refilled(result, map(_probed_type, result))
    return _probed_type(result)


def check_kept(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Call a function on stand-ins to see whether it writes into them. No two of these are alike,
    since `dcopy` writes what is there already, and matrices lie by rows, then by columns, which is
    where functions of Fortran write.

    Raises:
        UnsupportedSyntax: E116, it does.
    """
    for order in "CF":
        numbers = count(1)
        given = _told_apart([stand_in(x, 3) for x in (*args, *kwargs.values())], numbers, order)
        before = _copied(given)
        with silenced(), unwarned(), suppress(Exception):
            fn(*given[: len(args)], **dict(zip(kwargs, given[len(args) :], strict=True)))
        if not _is_same(before, given):
            name = name_of(fn).removeprefix("function ")  # of Fortran's
            what = f"`{name}`, which writes into what it is given,"
            fix = "write what it does to the array with NumPy: `b *= 2.0`, `b[...] = a`"
            raise error("E116", None, what=what, fix=fix)
        if not any(isinstance(x, np.ndarray) and x.ndim > 1 for x in given):
            break


def _told_apart(x: Any, numbers: Iterator[int], order: Any) -> Any:
    """What a trial gives, with arrays and floats that differ from each other."""
    if isinstance(x, list | tuple):
        items = [_told_apart(item, numbers, order) for item in x]
        return items if isinstance(x, list) else tuple(items)
    if isinstance(x, np.ndarray) and x.dtype.kind in "iufc":
        k = next(numbers)
        return np.array(x * (1 + k / 8) if x.dtype.kind in "fc" else x + k, x.dtype, order=order)
    return x * (1 + next(numbers) / 8) if type(x) is float else x


def _copied(x: Any) -> Any:
    """A list of what is in it, with copies of the arrays."""
    if isinstance(x, list | tuple):
        return [_copied(item) for item in x]
    return x.copy() if isinstance(x, np.ndarray) else x


def _is_same(before: Any, after: Any) -> bool:
    if isinstance(before, list):
        pairs = zip(before, after, strict=False)
        return len(before) == len(after) and all(_is_same(*pair) for pair in pairs)
    if isinstance(before, np.ndarray):
        return bool(before.shape == after.shape and before.tobytes() == after.tobytes())
    return True


def stand_in(arg: object, extent: int) -> object:
    """A value of the argument's type, with `extent` for an extent that is not known."""
    match arg:
        case ArrayType(shape=None):
            raise UncoveredError("an array whose number of axes is not known")
        case ArrayType():
            extents = (e if isinstance(e, int) and extent > 1 else extent for e in arg.shape or ())
            sample = _sample(tuple(extents), arg.dtype)
            return sample[()] if arg.scalar else sample
        case NumberType():
            return arg.kind(1)
        case TupleType():
            return tuple(stand_in(item, extent) for item in arg.items)
        case tuple() | list():
            return type(arg)(stand_in(item, extent) for item in arg)
        case _:
            return arg


def _sample(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Positive numbers; square matrices are symmetric and positive definite."""
    if dtype.kind not in "fc":
        return np.ones(shape, dtype)
    values = np.linspace(0.5, 1.5, math.prod(shape)).reshape(shape)
    if len(shape) >= 2 and shape[-1] == shape[-2]:
        values = values + np.swapaxes(values, -1, -2) + 4 * shape[-1] * np.eye(shape[-1])
    return values.astype(dtype)


def _probed_type(value: object) -> Type:
    if isinstance(value, np.ndarray) and type(value) is not np.ndarray:
        raise UncoveredError(f"arrays of class `{type(value).__name__}`")
    t = type_of_constant(value)
    if isinstance(t, ArrayType) and t.dtype.kind == "O":
        raise UncoveredError("arrays of objects")
    if isinstance(t, ArrayType) and t.shape:
        return ArrayType(t.dtype, tuple(unknown_extent() for _ in t.shape))
    return NumberType(t.kind) if isinstance(t, NumberType) else t

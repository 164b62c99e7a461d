"""Type functions by trial: a function without one is called on stand-ins, and its result looked at.

probe(np.kron, f64[n], f64[m])      f64[?]: NumPy gave a vector of floats for vectors of ones
check_kept(dscal, 2.0, f64[n])      refused: the vector was doubled

A function of the user's is called once for arguments of the same types in a program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import count
from types import CodeType
from typing import Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.interrupts import raise_users_own
from srcad.ir.keys import freeze
from srcad.ir.types import ArrayType, NumberType, TupleType, Type, shape_of
from srcad.ir.walk import map_tree
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
from srcad.runtime.effects import changed_since, contents_of
from srcad.silence import silenced, unwarned


def elementwise_type(fn: Callable[..., Any]) -> TypeFunction:
    """The type function of an elementwise `fn` that has none: its dtype from a call on ones."""

    def type_of(*args: object, **options: object) -> Type:
        types = [as_type(a) for a in args]

        def tried() -> Type:
            with silenced(), unwarned():
                return _probed_type(fn(*(stand_in(t, 1) for t in types), **options))

        found: Type = _once(fn, tuple(types), options, tried)
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


def probe_once(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The same of a function of the user's, which must not write into its arguments."""

    def tried() -> Any:
        given = _scaled([stand_in(x, 3) for x in (*args, *kwargs.values())], count(1))
        before = contents_of(given)
        options = dict(zip(kwargs, given[len(args) :], strict=True))
        with silenced(), unwarned():
            result = fn(*given[: len(args)], **options)
        if changed_since(before):
            raise _writes(fn)
        if any(isinstance(x, np.ndarray) and x.ndim > 1 for x in given) and _is_compiled(fn):
            check_kept(fn, args, kwargs)
        if isinstance(result, list | tuple):
            return refilled(result, map(_probed_type, result))
        return _probed_type(result)

    types = _once(fn, args, kwargs, tried)
    if isinstance(types, list | tuple):
        return refilled(types, map(_with_other_extents, types))
    return _with_other_extents(types)


def is_entrywise(
    fn: Any, args: tuple[Any, ...], options: dict[str, Any], has_axis: Sequence[bool], rank: int
) -> bool:
    """Whether an elementwise function of the user's gives of arrays with an axis more what it gives
    of each part, seen by a trial with two parts: one that takes numbers alone does not, nor does
    one that looks at the first axis.

    Args:
        has_axis: which arguments, whose types are those of a part, get an axis.
        rank: the axes that arguments of a part are broadcast to.
    """

    def tried() -> bool:
        scale = 1 + next(_scales) / 64  # memory that is used again has no right values
        first = [_varied(stand_in(x, 3), scale) for x in args]
        second = [
            _varied(x, 2.0) if mapped else x for x, mapped in zip(first, has_axis, strict=True)
        ]
        both = [
            _stacked(a, b, rank) if mapped else a
            for a, b, mapped in zip(first, second, has_axis, strict=True)
        ]
        given = {name: stand_in(x, 3) for name, x in options.items()}
        try:
            with silenced(), unwarned():
                parts = [np.asarray(fn(*each, **given)) for each in (first, second)]
                found = fn(*both, **given)
        except Exception as problem:
            raise_users_own(problem)
            return False
        expected = np.stack(parts)
        return (
            isinstance(found, np.ndarray)
            and (found.shape, found.dtype) == (expected.shape, expected.dtype)
            and np.allclose(found, expected, rtol=1e-6, equal_nan=True)
        )

    return bool(_once(fn, (*args, tuple(has_axis), rank), options, tried, "entrywise"))


_scales = count(1)


def _varied(x: Any, scale: float) -> Any:
    """A stand-in with other numbers."""
    dtype = getattr(x, "dtype", None)
    if isinstance(x, float) or (dtype is not None and dtype.kind in "fc"):
        return np.asarray(x * scale, dtype)[()] if dtype is not None else x * scale
    return x


def _stacked(a: Any, b: Any, rank: int) -> Any:
    both = np.stack([a, b])
    return both.reshape(2, *(1,) * (rank + 1 - both.ndim), *both.shape[1:])


def _with_other_extents(t: Any) -> Any:
    """A type that a trial gave, as another result has it."""
    if not isinstance(t, ArrayType) or not t.shape:
        return t
    return ArrayType(t.dtype, tuple(unknown_extent() for _ in t.shape), t.scalar)


def _is_compiled(fn: Any) -> bool:
    """Whether a function may be compiled, or hand arrays to one that writes into matrices only
    where they lie by columns, as those of Fortran do.
    """
    code = getattr(fn, "__code__", None)
    codes = [code]
    for each in codes:
        if each is None:
            return True
        names = " ".join((*each.co_names, *(str(x) for x in each.co_consts if type(x) is tuple)))
        if any(part in names for part in ("lapack", "blas", "overwrite")):
            return True
        known = (getattr(fn, "__globals__", {}).get(name) for name in each.co_names)
        if any(type(x).__name__ == "fortran" for x in known):
            return True
        codes += [x for x in each.co_consts if isinstance(x, CodeType)]
    return False


def _once(
    fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], tried: Callable[[], Any], what: str = ""
) -> Any:
    """What a trial gives: for a program, that of arguments of the same types before."""
    known = _known.get()
    key = fn, what, freeze(map_tree(_kind, (args, kwargs)))
    if known is None or key not in known:
        for ask in before_trial:
            ask(fn)
        found = tried()
        if known is None:
            return found
        known[key] = found, args, kwargs  # which hold what the key has the ids of
    return known[key][0]


def _kind(x: Any) -> Any:
    """What a trial depends on: a type without the extents that are not known."""
    if not isinstance(x, ArrayType):
        return (x.kind,) if isinstance(x, NumberType) else x
    shape = None if x.shape is None else tuple(n if type(n) is int else None for n in x.shape)
    return ArrayType, x.dtype, x.scalar, shape


_known: ContextVar[dict[Any, Any] | None] = ContextVar("known trials", default=None)
# They may refuse to call a function of the user's.
before_trial: list[Callable[[Any], None]] = []


@contextmanager
def trials_of_program() -> Iterator[None]:
    """Inside, what trials give is remembered."""
    token = _known.set(_known.get() or {})
    try:
        yield
    finally:
        _known.reset(token)


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
        before = contents_of(given)
        with silenced(), unwarned(), suppress(Exception):
            fn(*given[: len(args)], **dict(zip(kwargs, given[len(args) :], strict=True)))
        if changed_since(before):
            raise _writes(fn)
        if not any(isinstance(x, np.ndarray) and x.ndim > 1 for x in given):
            break


def _writes(fn: Any) -> SrcadError:
    name = name_of(fn).removeprefix("function ")  # of Fortran's
    what = f"`{name}`, which writes into what it is given,"
    fix = "write what it does to the array with NumPy: `b *= 2.0`, `b[...] = a`"
    return error("E116", None, what=what, fix=fix)


def _told_apart(x: Any, numbers: Iterator[int], order: Any) -> Any:
    """What a trial gives, with arrays and floats that differ from each other."""
    if isinstance(x, list | tuple):
        items = [_told_apart(item, numbers, order) for item in x]
        return items if isinstance(x, list) else tuple(items)
    if isinstance(x, np.ndarray) and x.dtype.kind in "iufc":
        k = next(numbers)
        return np.array(x * (1 + k / 8) if x.dtype.kind in "fc" else x + k, x.dtype, order=order)
    return x * (1 + next(numbers) / 8) if type(x) is float else x


def _scaled(x: Any, numbers: Iterator[int]) -> Any:
    """What a trial gives, with arrays of floats that differ from each other."""
    if isinstance(x, list | tuple):
        items = [_scaled(item, numbers) for item in x]
        return items if isinstance(x, list) else tuple(items)
    if isinstance(x, np.ndarray) and x.dtype.kind in "fc":
        return np.asarray(x * (1 + next(numbers) / 8), x.dtype)
    return x


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

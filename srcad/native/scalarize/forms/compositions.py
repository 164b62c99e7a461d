"""Functions that are another one, or a few: what they are made of takes their place.

np.fliplr(a)            np.flip(a, axis=1)
np.linalg.trace(a)      np.trace(a)
np.degrees(x)           x * (180.0 / np.pi)
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op, Value
from srcad.ir.types import dtype_of, shape_of
from srcad.ir.walk import values_in
from srcad.native.scalarize.forms.calls import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    KINDS,
    SINGLE,
    Choice,
    Chosen,
    Formula,
    is_any,
    options,
    rank,
)
from srcad.rules.core.staged import call, type_of, unwrap


def sum_of_diagonal(a: Any) -> Any:
    """`np.trace(a)`."""
    return np.sum(np.diagonal(a))


def mean_of_all(x: Any) -> Any:
    """`np.mean(x)` of complex numbers."""
    return np.sum(x) / np.size(x)


def degrees(x: Any) -> Any:
    """`np.degrees(x)`."""
    return x * (180.0 / np.pi)


def radians(x: Any) -> Any:
    """`np.radians(x)`."""
    return x * (np.pi / 180.0)


def with_an_axis(x: Any) -> Any:
    """`np.atleast_1d(x)` of a number."""
    return np.reshape(x, (1,))


def as_row(x: Any) -> Any:
    """`np.atleast_2d(x)` of a vector."""
    return x[None, :]


def as_slab(x: Any) -> Any:
    """`np.atleast_3d(x)` of a vector."""
    return x[None, :, None]


def with_last_axis(x: Any) -> Any:
    """`np.atleast_3d(x)` of a matrix."""
    return x[:, :, None]


def product_with_rows(a: Any, b: Any) -> Any:
    """`np.inner(a, b)` of a matrix and a matrix."""
    return np.matmul(a, np.transpose(b))


def outer_of_entries(a: Any, b: Any) -> Any:
    """`np.outer(a, b)` of arrays."""
    return np.outer(*(x if x.ndim == 1 else np.ravel(x) for x in (a, b)))


def outer_of_number(a: Any, b: Any) -> Any:
    """`np.outer(a, b)` of a number and a vector."""
    return np.outer(*(np.reshape(x, (1,)) if rank(unwrap(x)) == 0 else x for x in (a, b)))


def of_ranks(a: Any, b: Any) -> Any:
    """`np.kron(a, b)` of arrays of several ranks."""
    n = max(a.ndim, b.ndim)
    return np.kron(*(x[(*(None,) * (n - x.ndim), ...)] if x.ndim < n else x for x in (a, b)))


def by_mask(mask: Any, x: Any) -> Any:
    """`np.extract(mask, x)` of matrices."""
    return np.extract(np.ravel(mask), np.ravel(x))


def quotient_and_rest(a: Any, b: Any) -> Any:
    """`np.divmod(a, b)`."""
    return np.floor_divide(a, b), np.remainder(a, b)


def range_along(a: Any, axis: int, keepdims: bool) -> Any:
    """`np.ptp(a, axis)`."""
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


def joined_along(a: Any, b: Any, axis: int) -> Any:
    """`np.append(a, b, axis)`."""
    return np.concatenate((a, b), axis=axis)


def joined_flat(a: Any, b: Any) -> Any:
    """`np.append(a, b)` of several axes."""
    return np.concatenate([np.ravel(x) if x.ndim > 1 else x for x in (a, b)])


def moved_to_middle(x: Any, axes: Sequence[int]) -> Any:
    """`np.fft.fftshift(x, axes)`."""
    for axis in axes:
        x = np.roll(x, x.shape[axis] // 2, axis=axis)
    return x


def moved_from_middle(x: Any, axes: Sequence[int]) -> Any:
    """`np.fft.ifftshift(x, axes)`."""
    for axis in axes:
        x = np.roll(x, -(x.shape[axis] // 2), axis=axis)
    return x


def at_least(x: Any, least: Any) -> Any:
    """`np.clip(x, least, None)`."""
    return np.maximum(x, least)


def at_most(x: Any, most: Any) -> Any:
    """`np.clip(x, None, most)`."""
    return np.minimum(x, most)


def taken_along(x: Any, places: Any, axis: int) -> Any:
    """`np.take(x, places, axis)`."""
    return x[(*(slice(None),) * axis, places)]


def length(*xs: Any) -> Any:
    """`math.hypot(*xs)` of three numbers or more."""
    return reduce(partial(call, math.hypot), xs)


def logarithm_to(x: Any, base: Any) -> Any:
    """`math.log(x, base)`."""
    return call(math.log, x) / call(math.log, base)


def filled_like(a: Any, value: Any, dtype: np.dtype) -> Any:
    """`np.full_like(a, value)`."""
    return call(np.full, np.shape(a), value, dtype=dtype)


def _alias(fn: Callable[..., Any], *ranks: int, **more: Any) -> Choice:
    """Another function of the same arguments, which are arrays of so many axes."""

    def choose(op: Op) -> Chosen | None:
        is_fit = not values_in(op.kwargs) and len(op.args) >= len(ranks)
        fits = zip(op.args, ranks, strict=False)
        if not is_fit or not all(is_any(x, KINDS, n) for x, n in fits):
            return None
        return Formula(partial(fn, **more, **op.kwargs)), op.args

    return choose


def _by_ranks(choices: dict[tuple[int, ...], Callable[..., Any]], *kinds: np.dtype) -> Choice:
    """What it is by the numbers of axes of the arguments."""

    def choose(op: Op) -> Chosen | None:
        fn = choices.get(tuple(map(rank, op.args)))
        is_fit = fn is not None and not op.kwargs
        is_fit = is_fit and all(is_any(x, kinds or KINDS, rank(x)) for x in op.args)
        return (Formula(fn), op.args) if fn is not None and is_fit else None

    return choose


def _of_floats(fn: Callable[..., Any], count: int) -> Choice:
    def choose(op: Op) -> Chosen | None:
        is_fit = not op.kwargs and len(op.args) == count
        is_fit = is_fit and all(is_any(x, (FLOAT,), *range(5)) for x in op.args)
        return (Formula(fn), op.args) if is_fit else None

    return choose


def _same(x: Any) -> Any:
    return x


def _of_ranks(op: Op) -> Chosen | None:
    ranks = tuple(map(rank, op.args))
    is_fit = not op.kwargs and ranks in ((1, 2), (2, 1))
    is_fit = is_fit and all(is_any(x, (FLOAT,), 1, 2) for x in op.args)
    return (Formula(of_ranks), op.args) if is_fit else None


def _by_mask(op: Op) -> Chosen | None:
    mask, x = op.args
    is_fit = is_any(mask, (BOOL,), 2, 3) and is_any(x, KINDS, 2, 3) and not op.kwargs
    return (Formula(by_mask), op.args) if is_fit else None


def _pow(op: Op) -> Chosen | None:
    return (Formula(operator.pow), op.args) if len(op.args) == 2 and not op.kwargs else None


def _divmod(op: Op) -> Chosen | None:
    """Of Python's numbers both operations raise where this does."""
    fits = [is_any(x, (FLOAT,), *range(5)) for x in op.args]
    numbers = [type(x) in (int, float) or isinstance(type_of(x), NumberType) for x in op.args]
    if len(op.args) != 2 or op.kwargs or not any(fits):
        return None
    is_fit = all(fit or number for fit, number in zip(fits, numbers, strict=True))
    return (Formula(quotient_and_rest), op.args) if is_fit else None


def _range_along(op: Op) -> Chosen | None:
    found = options(op, 1, axis=None, out=None, keepdims=False)
    if found is None or type(found[0]) is not int or found[1] is not None:
        return None
    is_fit = type(found[2]) is bool and is_any(op.args[0], (FLOAT, SINGLE, INT), 1, 2, 3)
    return (Formula(range_along), (op.args[0], found[0], found[2])) if is_fit else None


def _joined_along(op: Op) -> Chosen | None:
    found = options(op, 2, axis=None)
    if not all(is_any(x, (FLOAT,), 1, 2, 3) for x in op.args[:2]):
        return None
    if found == (None,) and max(map(rank, op.args[:2])) > 1:
        return Formula(joined_flat), op.args[:2]
    is_fit = found is not None and type(found[0]) is int
    return (Formula(joined_along), (*op.args[:2], *(found or ()))) if is_fit else None


def _shifted(fn: Callable[..., Any]) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, axes=None)
        if found is None or not is_any(op.args[0], KINDS, 1, 2, 3):
            return None
        axes = tuple(range(rank(op.args[0]))) if found[0] is None else found[0]
        axes = (axes,) if type(axes) is int else tuple(axes)
        if any(type(k) is not int for k in axes):
            return None
        return Formula(fn), (op.args[0], tuple(k % rank(op.args[0]) for k in axes))

    return choose


def _filled_like(op: Op) -> Chosen | None:
    found = options(op, 2, dtype=None)
    dtype = dtype_of(type_of(op.out))
    is_fit = found is not None and isinstance(op.args[0], Value) and dtype in (FLOAT, SINGLE)
    shape = shape_of(type_of(op.args[0])) if is_fit else None
    is_fit = bool(shape) and rank(op.args[1]) in (-1, 0)
    return (Formula(filled_like), (*op.args[:2], dtype)) if is_fit else None


def _clip(op: Op) -> Chosen | None:
    """An end that is None leaves a maximum or a minimum."""
    found = options(op, 1, a_min=None, a_max=None)
    if found is None or sum(end is None for end in found) != 1:
        return None
    form, end = (at_most, found[1]) if found[0] is None else (at_least, found[0])
    is_fit = is_any(op.args[0], (FLOAT,), *range(5))
    is_fit = is_fit and (type(end) in (int, float) or is_any(end, (FLOAT,), *range(5)))
    return (Formula(form), (op.args[0], end)) if is_fit else None


def _take(op: Op) -> Chosen | None:
    found, n = options(op, 2, axis=None), rank(op.args[0])
    if found is None or n < 1 or not is_any(op.args[0], KINDS, n):
        return None
    places, axis = op.args[1], 0 if found[0] is None and n == 1 else found[0]
    is_fit = type(axis) is int and (type(places) is int or is_any(places, (INT,), 1, 2))
    return (Formula(taken_along), (op.args[0], places, axis % n)) if is_fit else None


def _length(op: Op) -> Chosen | None:
    is_fit = len(op.args) > 2 and not op.kwargs
    return (Formula(length), op.args) if is_fit else None


def _logarithm(op: Op) -> Chosen | None:
    return (Formula(logarithm_to), op.args) if len(op.args) == 2 and not op.kwargs else None


_Choices = dict[tuple[int, ...], Callable[..., Any]]
_AT_LEAST_TWO: Final[_Choices] = {
    (0,): lambda x: np.reshape(x, (1, 1)), (1,): as_row,
    **{(n,): _same for n in (2, 3, 4)},
}  # fmt: skip
_AT_LEAST_THREE: Final[_Choices] = {
    (0,): lambda x: np.reshape(x, (1, 1, 1)), (1,): as_slab, (2,): with_last_axis,
    (3,): _same, (4,): _same,
}  # fmt: skip
_ANY_RANK: Final[_Choices] = {(n,): _same for n in (1, 2, 3, 4)}

COMPOSITIONS: Final[dict[Any, Choice]] = {
    np.trace: _by_ranks({(2,): sum_of_diagonal}, COMPLEX, SINGLE),
    np.mean: _by_ranks({(1,): mean_of_all, (2,): mean_of_all}, COMPLEX),
    np.degrees: _of_floats(degrees, 1), np.radians: _of_floats(radians, 1),
    np.fliplr: _alias(np.flip, 2, axis=1),
    np.flipud: _by_ranks({(n,): partial(np.flip, axis=0) for n in (1, 2, 3)}),
    np.atleast_1d: _by_ranks({(0,): with_an_axis} | _ANY_RANK),
    np.ravel: _by_ranks({(0,): with_an_axis, (1,): _same}),
    np.atleast_2d: _by_ranks(_AT_LEAST_TWO), np.atleast_3d: _by_ranks(_AT_LEAST_THREE),
    np.ascontiguousarray: _by_ranks({(0,): with_an_axis} | _ANY_RANK),
    np.clip: _clip, np.take: _take, math.hypot: _length, math.log: _logarithm,
    np.full_like: _filled_like, pow: _pow, np.divmod: _divmod, divmod: _divmod,
    np.linalg.trace: _alias(np.trace, 2), np.linalg.outer: _alias(np.outer, 1, 1),
    np.linalg.cross: _alias(np.cross, 1, 1), np.linalg.tensordot: _alias(np.tensordot),
    np.linalg.matmul: _alias(np.matmul), np.linalg.diagonal: _alias(np.diagonal, 2),
    **{fn: _alias(partial(np.swapaxes, axis1=-1, axis2=-2))
       for fn in (np.matrix_transpose, np.linalg.matrix_transpose)},
    np.inner: _by_ranks({(2, 2): product_with_rows, (2, 1): np.matmul}, FLOAT, SINGLE),
    np.outer: _by_ranks({(2, 2): outer_of_entries, (1, 2): outer_of_entries,
                         (2, 1): outer_of_entries, (0, 1): outer_of_number,
                         (1, 0): outer_of_number}),
    np.extract: _by_mask, np.kron: _of_ranks, np.ptp: _range_along, np.append: _joined_along,
    np.fft.fftshift: _shifted(moved_to_middle), np.fft.ifftshift: _shifted(moved_from_middle),
}  # fmt: skip

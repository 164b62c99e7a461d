"""Arrays that are their argument, of another shape or with other memory; what is made of numbers.

np.broadcast_arrays(a, b)     np.broadcast_to each, to the shape of both
np.asfortranarray(a)          a
np.asarray(2.5)               an array without axes
np.full(s, v)                 np.broadcast_to(v, s)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op
from srcad.ir.types import dtype_of, shape_of
from srcad.native.scalarize.forms.calls import (
    COMPLEX,
    FLOAT,
    INT,
    KINDS,
    RANKS,
    SINGLE,
    Choice,
    Chosen,
    Formula,
    is_any,
    is_array,
    must,
    must_agree,
    options,
    rank,
)
from srcad.rules.core.staged import call, type_of


def same(x: Any) -> Any:
    """What an array is already."""
    return x


def without_axes(x: Any, dtype: np.dtype) -> Any:
    """`np.asarray(x)` of a number."""
    return np.reshape(call(np.full, (1,), x, dtype=dtype), ())


def checked(x: Any) -> Any:
    """`np.asarray_chkfinite(x)`."""
    must(np.all(np.isfinite(x)))
    return x


def broadcast(*arrays: Any) -> Any:
    """`np.broadcast_arrays(*arrays)`."""
    n = max(x.ndim for x in arrays)
    extents: list[Any] = [1] * n
    for x in arrays:
        told = shape_of(type_of(x)) or ()
        for k, extent in enumerate(told, n - x.ndim):
            if extent != 1 and type(extents[k]) is int and extents[k] == 1:
                extents[k] = x.shape[k - n]
            elif extent != 1:
                must_agree(extents[k], x.shape[k - n])
    return tuple(np.broadcast_to(x, tuple(extents)) for x in arrays)


def open_grid(*vectors: Any, order: tuple[int, ...]) -> Any:
    """`np.meshgrid(*vectors, sparse=True)`."""
    n = len(vectors)
    places = ((*(None,) * k, slice(None), *(None,) * (n - 1 - k)) for k in order)
    return tuple(np.copy(x[place]) for x, place in zip(vectors, places, strict=True))


def padded(x: Any, widths: Any, value: Any) -> Any:
    """`np.pad(x, widths, constant_values=value)`."""
    inside = np.pad(np.ones_like(x), widths)
    return np.where(inside != 0.0, np.pad(x, widths), value)


def full(value: Any, dtype: np.dtype, *shape: Any) -> Any:
    """`np.full(shape, value)` of an array."""
    return call(np.copy, np.broadcast_to(np.astype(value, dtype), shape))


def full_like(a: Any, value: Any, dtype: np.dtype) -> Any:
    """`np.full_like(a, value)` of an array."""
    return full(value, dtype, *a.shape)


# Which form a call has ---------------------------------------------------------------------------


def _same(op: Op) -> Chosen | None:
    """Of an array that has what is asked for: nothing tells how it lies in memory."""
    x, made = (type_of(a) for a in (op.args[0], op.out))
    is_fit = is_any(op.args[0], KINDS, *RANKS) and shape_of(x) == shape_of(made)
    is_fit = is_fit and dtype_of(x) == dtype_of(made) and len(op.args) == 1
    return (Formula(same), op.args[:1]) if is_fit else None


def _of_reals(op: Op) -> Chosen | None:
    return _same(op) if is_any(op.args[0], (FLOAT, SINGLE, INT), *RANKS) else None


def _of_number(op: Op) -> Chosen | None:
    """An array without axes, of a number."""
    found, x = options(op, 1, dtype=None), op.args[0]
    is_number = type(x) in (int, float) or isinstance(type_of(x), NumberType)
    is_fit = found is not None and (is_number or is_any(x, KINDS, 0))
    dtype = dtype_of(type_of(op.out))
    return (Formula(without_axes), (x, dtype)) if is_fit and dtype in KINDS else None


def _with_axis(op: Op) -> Chosen | None:
    """`np.asfortranarray` of a number."""
    is_fit = len(op.args) == 1 and not op.kwargs and is_any(op.args[0], KINDS, 0)
    return (Formula(partial(np.reshape, shape=(1,))), op.args) if is_fit else None


def _either(*choices: Choice) -> Choice:
    def choose(op: Op) -> Chosen | None:
        return next((found for each in choices if (found := each(op)) is not None), None)

    return choose


def _checked(op: Op) -> Chosen | None:
    is_plain = options(op, 1, dtype=None, order=None) == (None, None)
    is_fit = is_plain and is_any(op.args[0], (FLOAT, SINGLE, COMPLEX), *RANKS)
    return (Formula(checked), op.args[:1]) if is_fit else None


def _broadcast(op: Op) -> Chosen | None:
    is_fit = len(op.args) > 1 and all(is_any(x, KINDS, 0, *RANKS) for x in op.args)
    is_fit = is_fit and not op.kwargs
    return (Formula(broadcast), op.args) if is_fit else None


def _open_grid(op: Op) -> Chosen | None:
    found = {"indexing": "xy", "sparse": False, "copy": True} | op.kwargs
    is_fit = all(is_any(x, KINDS, 1) for x in op.args)
    if not is_fit or found["sparse"] is not True or len(op.args) < 2 or len(found) > 3:
        return None
    order = tuple(range(len(op.args)))
    if found["indexing"] == "xy":
        order = (1, 0, *order[2:])
    return Formula(partial(open_grid, order=order)), op.args


def _padded(op: Op) -> Chosen | None:
    found = options(op, 2, mode="constant", constant_values=0)
    if found is None or found[0] != "constant" or not is_array(op.args[0], FLOAT, *RANKS):
        return None
    is_fit = type(found[1]) in (int, float) or is_array(found[1], FLOAT, 0)
    is_fit = is_fit and not (isinstance(found[1], int | float) and found[1] == 0)
    return (Formula(padded), (*op.args[:2], found[1])) if is_fit else None


def _no_imaginary_part(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 1 and is_any(op.args[0], (FLOAT, SINGLE, INT), *RANKS)
    return (Formula(np.zeros_like), op.args) if is_fit else None


def _cast(op: Op) -> Chosen | None:
    """`np.require(x, dtype)` of another dtype."""
    found, dtype = options(op, 1, dtype=None, requirements=None), dtype_of(type_of(op.out))
    is_fit = found is not None and found[1] is None and dtype in KINDS
    is_fit = is_fit and is_any(op.args[0], KINDS, *RANKS) and rank(op.out) == rank(op.args[0])
    return (Formula(lambda x: np.astype(x, dtype)), op.args[:1]) if is_fit else None


def _full(op: Op) -> Chosen | None:
    found, shape = options(op, 2, dtype=None), op.args[0]
    dtype, shape = dtype_of(type_of(op.out)), shape if isinstance(shape, tuple) else (shape,)
    is_fit = found is not None and is_any(op.args[1], (FLOAT, INT), *RANKS)
    is_fit = is_fit and all(type(n) is int or rank(n) == 0 for n in shape)
    return (Formula(full), (op.args[1], dtype, *shape)) if is_fit and dtype in KINDS else None


def _full_like(op: Op) -> Chosen | None:
    found, dtype = options(op, 2, dtype=None), dtype_of(type_of(op.out))
    is_fit = found is not None and is_any(op.args[1], (FLOAT, INT), *RANKS)
    is_fit = is_fit and is_any(op.args[0], KINDS, *RANKS) and dtype in KINDS
    return (Formula(full_like), (*op.args[:2], dtype)) if is_fit else None


def _of_zero_axes(fn: Callable[..., Any]) -> Choice:
    """A reduction of a number, as that of a vector of it."""

    def choose(op: Op) -> Chosen | None:
        is_fit = len(op.args) == 1 and not op.kwargs and is_array(op.args[0], FLOAT, 0)
        form = Formula(lambda x: fn(np.reshape(x, (1,))))
        return (form, op.args) if is_fit else None

    return choose


MADE: Final[dict[Any, Choice]] = {
    np.array: _of_number, np.asarray: _of_number, np.asanyarray: _of_number,
    np.require: _either(_same, _cast), np.pad: _padded, np.imag: _no_imaginary_part,
    np.real_if_close: _of_reals,
    np.asfortranarray: _either(_same, _with_axis), np.asarray_chkfinite: _checked,
    np.broadcast_arrays: _broadcast, np.meshgrid: _open_grid,
    np.full: _full, np.full_like: _full_like,
    **{fn: _of_zero_axes(fn)
       for fn in (np.mean, np.nansum, np.nanmean, np.nanmax, np.nanmin, np.ptp)},
}  # fmt: skip

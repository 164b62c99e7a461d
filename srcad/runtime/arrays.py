"""Helpers of emitted code: for facts known at run time only, and for scattered cotangents."""

from __future__ import annotations

from typing import Any

import numpy as np


def unbroadcast(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum `g` down to `shape`, from which it was broadcast."""
    if np.shape(g) == shape:
        return g
    lead = np.ndim(g) - len(shape)
    ones = tuple(i + lead for i, n in enumerate(shape) if n == 1 and np.shape(g)[i + lead] != 1)
    return np.sum(g, axis=(*range(lead), *ones), keepdims=True).reshape(shape)


def stop_gradient(x: Any) -> Any:
    """`x`, treated as a constant where it is differentiated."""
    return x


def attached(*args: Any, backward: Any) -> Any:
    """The first arguments, whose adjoint `backward` tells from the others."""
    return args[: backward.results] if backward.several else args[0]


def own_dtype(x: Any) -> Any:
    """`x`, whose cotangent is cast to the dtype of `x`."""
    return x


def plain_array(x: Any) -> Any:
    """An array in a file as a plain one, in the same memory."""
    return np.asarray(x)


def array_of_file(x: Any) -> Any:
    """An array of class `np.memmap`, as NumPy makes it of one in a file."""
    return x if isinstance(x, np.memmap) else x.view(np.memmap)


def own_array(x: Any) -> Any:
    """A copy of `x`, a new array where another path has the caller's."""
    return np.array(x) if isinstance(x, np.ndarray) else x


def own_view(x: Any) -> Any:
    """A view of `x` that is another object."""
    return x[...] if isinstance(x, np.ndarray) else x


def as_tried(x: Any, kind: str, dtype: str = "", rank: int = 0, count: int | None = None) -> Any:
    """`x`, which a function without a rule gave, if it is of the class of a trial, and an array of
    its dtype (any, where none is given) and number of axes; `count`: with so many samples.

    Raises:
        NotImplementedError: it is another, because values decide on it: a refusal, which no
            `except` of the program takes (`srcad.frontend.abstract.session`).
        TypeError: a function for all samples gave another.
        ValueError: it has not as many samples.
    """
    found = type(x).__name__
    is_array = found == kind == "ndarray"
    if found != kind or (is_array and (dtype not in ("", x.dtype.name) or x.ndim != rank)):
        tried = f"{rank} axes of {dtype}" if kind == "ndarray" else kind
        now = f"{x.ndim} axes of {x.dtype.name}" if found == "ndarray" else found
        if count is not None:
            raise TypeError(f"the function for all samples gave {now}, not {tried}")
        raise NotImplementedError(
            f"a trial of the function gave {tried}, this call gives {now}: state its rule with "
            "`type_of=`, or call it outside"
        )
    if count is not None and len(x) != count:
        raise ValueError(f"the function for all samples gave {len(x)}, not {count}")
    return x


def add_at(a: Any, index: Any, values: Any) -> None:
    """Add `values` to `a` at `index` in place; repeated indices add up."""
    parts = index if isinstance(index, tuple) else (index,)
    if all(p is None or p is Ellipsis or isinstance(p, int | np.integer | slice) for p in parts):
        a[index] += values
    elif np.size(a):  # an index of no entries is out of bounds to `np.add.at`
        np.add.at(a, index, values)


def scatter(values: Any, shape: tuple[int, ...], index: Any) -> Any:
    """Zeros of `shape` with `values` added at `index`, repeated or not: transposes `x[index]`."""
    a = np.zeros(shape, np.asarray(values).dtype)
    add_at(a, index, values)
    return a


def index_add(a: Any, index: Any, values: Any) -> Any:
    """A copy of `a` with `values` added at `index` (repeated indices add up). Emitted in place."""
    a = np.array(a)
    add_at(a, index, values)
    return a


def index_update(a: Any, index: Any, values: Any) -> Any:
    """A copy of `a` after `a[index] = values`; of repeated indices the last wins."""
    a = np.array(a)
    a[index] = values
    return a


def with_real(z: Any, values: Any) -> Any:
    """A copy of `z` after `z.real = values`."""
    z = np.array(z)
    z.real = values
    return z


def with_imag(z: Any, values: Any) -> Any:
    """A copy of `z` after `z.imag = values`."""
    z = np.array(z)
    z.imag = values
    return z


def last_writes(shape: tuple[int, ...], index: Any) -> Any:
    """Which of the values that `a[index] = values` writes are not overwritten by a later one."""
    order = np.empty(shape, np.intp)
    numbers = np.arange(order[index].size).reshape(order[index].shape)
    order[index] = numbers
    return order[index] == numbers


def scatter_along_axis(values: Any, shape: tuple[int, ...], indices: Any, axis: int) -> Any:
    """Zeros of `shape` with `values` added along an axis: transposes `take_along_axis`."""
    index = list(np.ogrid[tuple(slice(n) for n in shape)])
    index[axis] = indices
    a = np.zeros(shape, np.asarray(values).dtype)
    np.add.at(a, tuple(index), values)
    return a


def overlapped(values: Any, shape: tuple[int, ...], window: Any, axis: Any = None) -> Any:
    """Zeros of `shape` with windows added where they lie: transposes `sliding_window_view`."""
    a = np.zeros(shape, np.asarray(values).dtype)
    lengths = tuple(window) if np.iterable(window) else (window,)
    axes = range(a.ndim) if axis is None else axis if np.iterable(axis) else (axis,)
    for offsets in np.ndindex(*lengths):
        part = values[(..., *offsets)]
        starts = [0] * a.ndim
        for at, start in zip(axes, offsets, strict=True):
            starts[at] += start  # an axis may be given twice
        a[tuple(slice(at, at + n) for at, n in zip(starts, part.shape, strict=True))] += part
    return a


def by_strides(x: Any, shape: tuple[int, ...], steps: tuple[int, ...]) -> Any:
    """A view of an array that lies row by row: `steps` entries further along each axis.

    Raises:
        ValueError: it reaches beyond the array.
    """
    x = np.ascontiguousarray(x)
    ends = [(n - 1) * step for n, step in zip(shape, steps, strict=True)]
    if 0 not in shape and (min(ends, default=0) < 0 or sum(ends) >= x.size):
        raise ValueError("the view by strides reaches beyond the array")
    strides = tuple(step * x.itemsize for step in steps)
    return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)


def sum_by_strides(values: Any, shape: tuple[int, ...], steps: tuple[int, ...]) -> Any:
    """Zeros of `shape` with values added where such a view has them: transposes `by_strides`."""
    a = np.zeros(shape, np.asarray(values).dtype)
    places = by_strides(np.arange(a.size).reshape(shape), np.shape(values), steps)
    np.add.at(a.reshape(-1), places, values)
    return a


def first_places(a: Any) -> Any:
    """Where the entries of `np.unique(a)` stand first in `a`, taken row by row."""
    return np.unique(a, return_index=True)[1]


def order_of(keys: Any, reverse: bool) -> Any:
    """The order in which `sorted` puts items that have these keys: equal ones stay as they are."""
    if np.any(keys != keys):  # among NaN the order depends on which Python compares
        places = range(len(keys))
        return np.array(sorted(places, key=keys.tolist().__getitem__, reverse=reverse), np.intp)
    if reverse:
        return len(keys) - 1 - np.argsort(keys[::-1], kind="stable")[::-1]
    return np.argsort(keys, kind="stable")


def place_of(key: Any, keys: Any) -> int:
    """Where a number stands first in an array; -1 where it does not."""
    return _first(keys == key)


def place_of_pair(first: Any, second: Any, firsts: Any, seconds: Any) -> int:
    """Where two numbers stand first beside each other in two arrays; -1 where they do not."""
    return _first((firsts == first) & (seconds == second))


def _first(found: Any) -> int:
    if not len(found):
        return -1
    place = int(found.argmax())
    return place if found[place] else -1


def inverse(c: Any) -> Any:
    """`1 / c` of a float; refused where that is infinite and `c` is not zero."""
    with np.errstate(divide="ignore", over="ignore"):
        found = np.divide(1, c)
    if np.isinf(found) and c != 0:
        raise OverflowError("a divisor has no inverse")
    return found

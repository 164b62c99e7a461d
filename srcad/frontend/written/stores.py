"""NumPy's functions that write into their argument, in terms of stores: read in place, as a user's
function is, where a program calls them.

    np.fill_diagonal(a, v)        a[...] = <a with v on its diagonal>
"""

from __future__ import annotations

from typing import Any

import numpy as np


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """`np.copyto`."""
    dst[...] = src


def copyto_where(dst: Any, src: Any, where: Any) -> None:
    """`np.copyto` of some entries."""
    dst[...] = np.where(where, np.asarray(src, dst.dtype), dst)


def _check_alike(a: Any, mask: Any, name: str) -> None:
    if np.size(mask) != a.size:
        raise ValueError(f"{name}: mask and data must be the same size")


def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """`np.put`: entries of the flat array; values are repeated as needed."""
    if isinstance(ind, np.ndarray) and ind.dtype.kind not in "biu":
        raise TypeError("Cannot cast array data to indices")
    if np.size(v) == 0:
        return
    at = np.ravel(np.asarray(ind).astype(np.intp))
    if mode == "wrap":
        at = at % a.size
    if mode == "clip":
        at = np.clip(at, 0, a.size - 1)
    flat = np.reshape(a, (-1,)).copy()
    values = np.ravel(np.asarray(v, a.dtype))
    flat[at] = np.take(values, np.arange(at.size) % values.size)
    a[...] = np.reshape(flat, a.shape)


def place(arr: Any, mask: Any, vals: Any) -> None:
    """`np.place`: the first values go to the entries of the mask, in order."""
    _check_alike(arr, mask, "place")
    if np.size(vals) == 0:
        if np.any(mask):
            raise ValueError("Cannot insert from an empty array!")
        return
    order = np.cumsum(np.ravel(mask)) - 1
    values = np.take(np.ravel(np.asarray(vals, arr.dtype)), order % np.size(vals))
    arr[...] = np.where(np.reshape(mask, arr.shape), np.reshape(values, arr.shape), arr)


def putmask(a: Any, mask: Any, values: Any) -> None:
    """`np.putmask`: each entry of the mask takes the value at its own place."""
    _check_alike(a, mask, "putmask")
    if np.size(values) == 0:
        return
    repeated = np.take(np.ravel(np.asarray(values, a.dtype)), np.arange(a.size) % np.size(values))
    a[...] = np.where(np.reshape(mask, a.shape), np.reshape(repeated, a.shape), a)


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """`np.fill_diagonal`."""
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if np.size(val) == 0:
        return
    if a.ndim == 2 and wrap:
        at = np.arange(0, a.size, a.shape[1] + 1)
        flat = np.reshape(a, (-1,)).copy()
        flat[at] = np.take(np.ravel(np.asarray(val, a.dtype)), np.arange(at.size) % np.size(val))
        a[...] = np.reshape(flat, a.shape)
    else:
        if a.ndim > 2 and any(n != a.shape[0] for n in a.shape):
            raise ValueError("All dimensions of input must be of equal length")
        k = np.arange(min(a.shape))
        if np.ndim(val) == 0:
            a[(k,) * a.ndim] = val
        else:
            a[(k,) * a.ndim] = np.take(np.ravel(np.asarray(val, a.dtype)), k % np.size(val))


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None = -1) -> None:
    """`np.put_along_axis`."""
    if axis is None:
        flat = np.reshape(arr, (-1,)).copy()
        flat[indices] = values
        arr[...] = np.reshape(flat, arr.shape)
    else:
        if np.ndim(indices) != arr.ndim:
            raise ValueError("`indices` and `arr` must have the same number of dimensions")
        if not -arr.ndim <= axis < arr.ndim:
            raise np.exceptions.AxisError(axis, arr.ndim)
        arr[along_axis(arr, indices, axis % arr.ndim)] = values


def along_axis(arr: Any, indices: Any, axis: int) -> Any:
    """The index of which `indices` is the part along the axis."""
    parts = []
    for k in range(arr.ndim):
        if k == axis:
            parts.append(indices)
        else:
            shape = [1] * arr.ndim
            shape[k] = -1
            parts.append(np.reshape(np.arange(arr.shape[k]), shape))
    return tuple(parts)


def unary_at(ufunc: Any, a: Any, indices: Any) -> None:
    """`ufunc.at` of one operand: entries named twice are changed twice."""
    at = np.ravel(indices)
    for k in range(len(at)):
        a[at[k]] = ufunc(a[at[k]])


def binary_at(ufunc: Any, a: Any, indices: Any, b: Any) -> None:
    """`ufunc.at` of two operands."""
    at = np.ravel(indices)
    values = np.broadcast_to(b, a[indices].shape).copy().reshape((-1, *a.shape[1:]))
    for k in range(len(at)):
        a[at[k]] = ufunc(a[at[k]], values[k])


def unary_at_places(ufunc: Any, a: Any, indices: Any) -> None:
    """`ufunc.at` of one operand, with one list of indices for each axis."""
    for k in range(len(indices[0])):
        place = tuple([part[k] for part in indices])
        a[place] = ufunc(a[place])


def binary_at_places(ufunc: Any, a: Any, indices: Any, b: Any) -> None:
    """`ufunc.at` of two operands, with one list of indices for each axis."""
    values = np.broadcast_to(b, a[indices].shape).copy()
    for k in range(len(indices[0])):
        place = tuple([part[k] for part in indices])
        a[place] = ufunc(a[place], values[k])


def apply_along_axis(func1d: Any, axis: int, arr: Any, args: Any, kwargs: Any) -> Any:
    """`np.apply_along_axis`: the axis makes place for those of the function's results."""
    rows = np.moveaxis(arr, axis, -1)
    count = 1
    for n in rows.shape[:-1]:
        count = count * n
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    flat = np.reshape(rows, (count, rows.shape[-1]))
    made = np.array([func1d(flat[k], *args, **kwargs) for k in range(flat.shape[0])])
    if made.ndim == 1:
        return np.reshape(made, rows.shape[:-1])
    if made.ndim == 2:
        return np.moveaxis(np.reshape(made, (*rows.shape[:-1], -1)), -1, axis)
    ends = tuple(range(arr.ndim - 1, arr.ndim - 2 + made.ndim))
    places = tuple(range(axis, axis + made.ndim - 1))
    return np.moveaxis(np.reshape(made, rows.shape[:-1] + made.shape[1:]), ends, places)


def vectorized(entry: Any, size: int, asks_the_first: bool) -> Any:
    """The array of `entry(i)` for each place in arrays of this size."""
    if asks_the_first and size == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    return np.array([entry(i) for i in range(size)])


def fromiter(iter: Any, dtype: Any, count: int = -1, *, like: Any = None) -> Any:
    """`np.fromiter`, which takes no more than `count` items."""
    items = list(iter) if count < 0 else [v for _, v in zip(range(count), iter, strict=False)]
    if len(items) < count:
        raise ValueError(
            f"iterator too short: Expected {count} but iterator had only {len(items)} items."
        )
    y = np.array(items, dtype=dtype)
    if y.ndim > 1:
        raise ValueError("setting an array element with a sequence.")
    return y


def _enumerated_1(x: Any) -> Any:
    for i in range(x.shape[0]):
        yield (i,), x[i]


def _enumerated_2(x: Any) -> Any:
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            yield (i, j), x[i, j]


def _enumerated_3(x: Any) -> Any:
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                yield (i, j, k), x[i, j, k]


# `np.ndenumerate` by the number of axes.
ENUMERATED = {1: _enumerated_1, 2: _enumerated_2, 3: _enumerated_3}

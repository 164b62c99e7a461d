"""NumPy's functions for options that their rules leave out, in terms of calls without: read in
place, as a user's function is, where a program gives such an option.

    np.var(x, mean=m)                  np.sum((x - m) ** 2) / x.size
    np.concatenate(xs, dtype=t)        np.concatenate([x.astype(t) for x in xs])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written.labelled import holds

_NO: Any = None  # an option that was not given

# Joining -----------------------------------------------------------------------------------------


def _cast(x: Any, dtype: Any, casting: Any) -> Any:
    x = np.asarray(x)
    if dtype is None:
        return x
    if not np.can_cast(x.dtype, dtype, casting):
        raise TypeError("Cannot cast array data according to the rule of `casting=`")
    return x.astype(dtype)


def _all_cast(arrays: Any, dtype: Any, casting: Any) -> Any:
    return [_cast(x, dtype, casting) for x in arrays]


def concatenate(
    arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind"
) -> Any:
    """`np.concatenate`."""
    return np.concatenate(_all_cast(arrays, dtype, casting), axis)


def stack(arrays: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """`np.stack`."""
    return np.stack(_all_cast(arrays, dtype, casting), axis)


def hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """`np.hstack`."""
    return np.hstack(_all_cast(tup, dtype, casting))


def vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """`np.vstack`."""
    return np.vstack(_all_cast(tup, dtype, casting))


# Products ----------------------------------------------------------------------------------------


def _laid_out(y: Any, order: Any) -> Any:
    return y if order == "K" or np.ndim(y) == 0 else np.asarray(y, order=order)


def matmul(
    x1: Any, x2: Any, *, casting: Any = "same_kind", order: Any = "K", dtype: Any = None,
    subok: bool = True,
) -> Any:  # fmt: skip
    """`np.matmul`."""
    return _laid_out(np.matmul(_cast(x1, dtype, casting), _cast(x2, dtype, casting)), order)


def vecdot(
    x1: Any, x2: Any, *, casting: Any = "same_kind", order: Any = "K", dtype: Any = None,
    subok: bool = True, axis: int = -1,
) -> Any:  # fmt: skip
    """`np.vecdot`."""
    a, b = _cast(x1, dtype, casting), _cast(x2, dtype, casting)
    product: Any = np.vecdot
    return _laid_out(product(a, b, axis=axis), order)


def matvec(
    x1: Any, x2: Any, *, casting: Any = "same_kind", order: Any = "K", dtype: Any = None,
    subok: bool = True,
) -> Any:  # fmt: skip
    """`np.matvec`."""
    return _laid_out(np.matvec(_cast(x1, dtype, casting), _cast(x2, dtype, casting)), order)


def vecmat(
    x1: Any, x2: Any, *, casting: Any = "same_kind", order: Any = "K", dtype: Any = None,
    subok: bool = True,
) -> Any:  # fmt: skip
    """`np.vecmat`."""
    return _laid_out(np.vecmat(_cast(x1, dtype, casting), _cast(x2, dtype, casting)), order)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """`np.trace`."""
    return np.sum(np.diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


def linalg_trace(x: Any, *, offset: int = 0, dtype: Any = None) -> Any:
    """`np.linalg.trace`."""
    return np.sum(np.diagonal(x, offset, -2, -1), axis=-1, dtype=dtype)


# Statistics --------------------------------------------------------------------------------------


def _freedom(ddof: Any, correction: Any) -> Any:
    if correction is None:
        return ddof
    if ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    return correction


def _as_inexact(a: Any, dtype: Any) -> Any:
    x = np.asarray(a)
    if dtype is not None:
        return x.astype(dtype)
    return x.astype(np.float64) if x.dtype.kind in "biu" else x


def _of_moments(a: Any, dtype: Any) -> Any:
    """The data of a variance. Of complex data, NumPy computes the mean alone in a real dtype."""
    if dtype is not None:
        holds(np.asarray(a), "biuf")
    return _as_inexact(a, dtype)


def _squared(d: Any) -> Any:
    return d.real**2 + d.imag**2 if d.dtype.kind == "c" else d * d


def _number(n: Any, like: Any) -> Any:
    return np.asarray(n).astype(like.dtype)


def var(
    a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False, *,
    where: Any = True, mean: Any = _NO, correction: Any = _NO,
) -> Any:  # fmt: skip
    """`np.var`."""
    ddof = _freedom(ddof, correction)
    if where is True and mean is None and dtype is None:
        return np.var(a, axis, ddof=ddof, keepdims=keepdims)
    x = _of_moments(a, dtype)
    kept = np.broadcast_to(where, x.shape)
    m = np.mean(x, axis, keepdims=True, where=where) if mean is None else mean
    s = np.sum(_squared(x - m), axis, keepdims=keepdims, where=where)
    n = np.sum(kept, axis, keepdims=keepdims)
    return s / _number(np.maximum(n - ddof, 0), s)


def std(
    a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False, *,
    where: Any = True, mean: Any = _NO, correction: Any = _NO,
) -> Any:  # fmt: skip
    """`np.std`."""
    ddof = _freedom(ddof, correction)
    if where is True and mean is None and dtype is None:
        return np.std(a, axis, ddof=ddof, keepdims=keepdims)
    return np.sqrt(np.var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean))


def _filled(a: Any, fill: float) -> Any:
    x = np.asarray(a)
    return x if x.dtype.kind in "biu" else np.where(np.isnan(x), x.dtype.type(fill), x)


def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False, *,
    where: Any = True, mean: Any = _NO, correction: Any = _NO,
) -> Any:  # fmt: skip
    """`np.nanvar`."""
    x = _of_moments(a, dtype)
    kept = np.logical_and(~np.isnan(x), where)
    clean = np.where(kept, x, x.dtype.type(0))
    n = np.sum(kept, axis, keepdims=keepdims)
    if mean is None:
        total = np.sum(clean, axis, keepdims=True)
        mean = total / _number(np.sum(kept, axis, keepdims=True), total)
    s = np.sum(_squared(np.where(kept, clean - mean, x.dtype.type(0))), axis, keepdims=keepdims)
    free = n - _freedom(ddof, correction)
    left = s / _number(np.where(free > 0, free, 1), s)
    return np.where(free > 0, left, s.dtype.type(np.nan))[()]


def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False, *,
    where: Any = True, mean: Any = _NO, correction: Any = _NO,
) -> Any:  # fmt: skip
    """`np.nanstd`."""
    ddof = _freedom(ddof, correction)
    return np.sqrt(np.nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean))


def nansum(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = 0,
    where: Any = True,
) -> Any:  # fmt: skip
    """`np.nansum`."""
    x = _filled(a, 0)
    return np.sum(x, axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


def nanprod(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = 1,
    where: Any = True,
) -> Any:  # fmt: skip
    """`np.nanprod`."""
    x = _filled(a, 1)
    return np.prod(x, axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """`np.nanmean`."""
    x = _as_inexact(a, dtype)
    kept = np.logical_and(~np.isnan(x), where)
    total = np.sum(np.where(kept, x, x.dtype.type(0)), axis, keepdims=keepdims)
    return total / _number(np.sum(kept, axis, keepdims=keepdims), total)


def nanmax(
    a: Any, axis: Any = None, keepdims: Any = False, initial: Any = _NO, where: Any = True
) -> Any:
    """`np.nanmax`, of a first value."""
    x = _filled(a, -np.inf)
    return np.max(x, axis, keepdims=keepdims, initial=initial, where=where)


def nanmin(
    a: Any, axis: Any = None, keepdims: Any = False, initial: Any = _NO, where: Any = True
) -> Any:
    """`np.nanmin`, of a first value."""
    x = _filled(a, np.inf)
    return np.min(x, axis, keepdims=keepdims, initial=initial, where=where)


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: Any = False, *,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    """`np.average`, with the sum of the weights."""
    y = np.average(a, axis, weights, keepdims=keepdims)
    if weights is None:
        return y, _number(np.size(a) / np.size(y) + np.zeros_like(y), y)[()]
    w = np.asarray(weights)
    if axis is not None and w.ndim == 1:
        w = np.moveaxis(np.broadcast_to(w, np.moveaxis(np.asarray(a), axis, -1).shape), -1, axis)
    total = np.sum(np.broadcast_to(w, np.shape(a)), axis, keepdims=keepdims)
    return y, _number(total, y)[()]

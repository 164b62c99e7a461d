"""More of them: functions that choose, arrange and make entries.

np.take(x, i, mode="wrap")         np.take(x, i % x.size)
"""

from __future__ import annotations

from typing import Any

import numpy as np

# `copy=False` refuses what is no array; before NumPy 2 it was a wish.
REFUSES_COPIES = np.lib.NumpyVersion(np.__version__) >= "2.0.0"


def take(a: Any, indices: Any, axis: Any = None, mode: str = "raise") -> Any:
    """`np.take`."""
    x = np.asarray(a)
    n = x.size if axis is None else x.shape[axis]
    if mode == "wrap":
        indices = np.asarray(indices) % n
    if mode == "clip":
        indices = np.clip(indices, 0, n - 1)
    return np.take(x, indices, axis)


def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """`np.nan_to_num`, which writes into its argument; since NumPy 2 that has to be an array."""
    if REFUSES_COPIES and not copy and not isinstance(x, np.ndarray):
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    y = np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    if copy or not isinstance(x, np.ndarray):
        return y
    x[...] = y
    return x if x.ndim else y


def astype(x: Any, dtype: Any, *, copy: bool = True, device: Any = None) -> Any:
    """`np.astype`."""
    return np.astype(x, dtype, copy=copy)


def fftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    """`np.fft.fftfreq`."""
    return np.fft.fftfreq(n, d)


def rfftfreq(n: Any, d: Any = 1.0, device: Any = None) -> Any:
    """`np.fft.rfftfreq`."""
    return np.fft.rfftfreq(n, d)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    """`np.linspace`."""
    y = np.moveaxis(np.linspace(start, stop, num, endpoint, dtype=dtype), 0, axis)
    if not retstep:
        return y
    parts = num - 1 if endpoint else num
    if parts > 0:
        return y, (np.asarray(stop) * 1.0 - np.asarray(start) * 1.0) / parts
    return y, np.nan


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """`np.interp` of periodic data."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    period = abs(period)
    x, xp = np.asarray(x) % period, np.asarray(xp) % period
    order = np.argsort(xp)
    xp, fp = xp[order], np.asarray(fp)[order]
    xp = np.concatenate((xp[-1:] - period, xp, xp[0:1] + period))
    return np.interp(x, xp, np.concatenate((fp[-1:], fp, fp[0:1])))


def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """`np.searchsorted`."""
    a, sorter = np.asarray(a), np.asarray(sorter)
    if sorter.size != a.size:
        raise ValueError("sorter.size must equal a.size")
    return np.searchsorted(a[sorter], v, side)


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """`np.sort`."""
    return np.sort(a, axis)


def intersect1d(
    ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """`np.intersect1d`, with the places of what it finds."""
    if assume_unique:
        a, b = np.ravel(ar1), np.ravel(ar2)
        first, second = np.arange(a.size), np.arange(b.size)
    else:
        a, first = np.unique(ar1, return_index=True)
        b, second = np.unique(ar2, return_index=True)
    both = np.concatenate((a, b))
    order = np.argsort(both, kind="stable")
    both = both[order]
    found = both[1:] == both[:-1]
    places = order[:-1][found], order[1:][found] - a.size
    return both[:-1][found], first[places[0]], second[places[1]]


def eye(
    N: Any, M: Any = None, k: int = 0, dtype: Any = float, order: Any = "C", *,  # noqa: N803 -- NumPy's name
    device: Any = None,
) -> Any:  # fmt: skip
    """`np.eye`."""
    return np.asarray(np.eye(N, M, k, dtype), order=order)


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True,
    shape: Any = None, *, device: Any = None,
) -> Any:  # fmt: skip
    """`np.full_like`."""
    if order == "K":
        return np.full_like(a, fill_value, dtype, shape=shape)
    x = np.asarray(a)
    size = x.shape if shape is None else shape
    return np.full(size, fill_value, x.dtype if dtype is None else dtype, order)


def asarray_chkfinite(a: Any, dtype: Any = None, order: Any = None) -> Any:
    """`np.asarray_chkfinite`."""
    return np.asarray(np.asarray_chkfinite(a, dtype), order=order)


def mask_indices(n: int, mask_func: Any, k: Any = 0) -> Any:
    """`np.mask_indices`."""
    return np.nonzero(mask_func(np.ones((n, n), int), k) != 0)


def real_if_close(a: Any, eps: float, tol: Any = 100) -> Any:
    """`np.real_if_close` of complex numbers of a precision: data says whether they are real."""
    bound = eps * tol if tol > 1 else tol
    return a.real if np.all(np.absolute(a.imag) < bound) else a

"""NumPy's functions that join arrays, of the parts of one array: read in place of NumPy's.

np.vstack(x)      x[:, None], or the first two axes in one
np.stack(x, 1)    np.moveaxis(x, 0, 1)
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _parts(x: Any) -> Any:
    if len(x) == 0:
        raise ValueError("need at least one array to concatenate")
    return x


def concatenate(arrays: Any, axis: Any = 0) -> Any:
    """`np.concatenate`."""
    x = _parts(arrays)
    if axis is None:
        return x.flatten()
    if x.ndim < 2:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    if axis < -(x.ndim - 1) or axis >= x.ndim - 1:
        raise np.exceptions.AxisError(axis, x.ndim - 1)
    at = axis % (x.ndim - 1)
    shape = x.shape
    joined = (*shape[1 : at + 1], shape[0] * shape[at + 1], *shape[at + 2 :])
    return np.array(np.reshape(np.moveaxis(x, 0, at), joined))


def stack(arrays: Any, axis: Any = 0) -> Any:
    """`np.stack`."""
    x = _parts(arrays)
    if axis < -x.ndim or axis >= x.ndim:
        raise np.exceptions.AxisError(axis, x.ndim)
    return np.array(np.moveaxis(x, 0, axis))


def vstack(tup: Any) -> Any:
    """`np.vstack`."""
    x = _parts(tup)
    if x.ndim == 1:
        return np.array(x[:, None])
    return np.array(x) if x.ndim == 2 else concatenate(x)


def hstack(tup: Any) -> Any:
    """`np.hstack`."""
    x = _parts(tup)
    if x.ndim == 1:
        return np.array(x)
    return concatenate(x, 0 if x.ndim == 2 else 1)


def dstack(tup: Any) -> Any:
    """`np.dstack`."""
    x = _parts(tup)
    if x.ndim == 1:
        return np.array(x[None, None])
    if x.ndim == 2:
        return np.array(x.T[None])
    return np.array(np.moveaxis(x, 0, 2)) if x.ndim == 3 else concatenate(x, 2)


def column_stack(tup: Any) -> Any:
    """`np.column_stack`."""
    x = _parts(tup)
    if x.ndim == 1:
        return np.array(x[None])
    return np.array(x.T) if x.ndim == 2 else concatenate(x, 1)


__all__ = ["column_stack", "concatenate", "dstack", "hstack", "stack", "vstack"]

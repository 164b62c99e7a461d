"""Rows in order: an array sorted along what is reduced, and the entries that are taken there.

median(a, axis=0)      s = sort(transpose(a), axis=-1)
                       y = (s[..., (n - 1) // 2] + s[..., n // 2]) / 2
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import dtype_of
from srcad.rules.core.facts import normalize_axes
from srcad.rules.core.staged import as_array, call, is_number, rank_or_none, type_of

NOTE = "equal entries in the order of argsort"


def in_rows(a: Any, axis: Any) -> Any:
    """The array with what is reduced as its last axis."""
    if axis is None:
        return np.reshape(a, -1)
    axes = normalize_axes(axis, a.ndim)
    kept = [i for i in range(a.ndim) if i not in axes]
    moved = a if axes[0] >= len(kept) else np.transpose(a, (*kept, *axes))
    return moved if len(axes) == 1 else np.reshape(moved, (*(a.shape[i] for i in kept), -1))


def with_axes(y: Any, a: Any, axis: Any, keepdims: Any, q_rank: int = 0) -> Any:
    """A result with the reduced axes kept, after those of `q`."""
    if not keepdims:
        return y
    axes = normalize_axes(axis, a.ndim)
    return np.expand_dims(y, tuple(k + q_rank for k in axes))


def may_be_nan(a: Any) -> bool:
    """Whether the dtype of an array has a NaN."""
    dtype = dtype_of(type_of(a))
    return dtype is not None and dtype.kind in "fc"


def or_nan(y: Any, s: Any, is_empty: bool | None = False) -> Any:
    """`y`, and NaN where a sorted row, which may have no entries, ends with one."""
    if not may_be_nan(s):
        return y[()] if rank_or_none(y) == 0 else y
    if is_empty is None:
        return np.where(np.any(np.isnan(s[..., -1:]), axis=-1), np.nan, y)[()]
    last = s[..., -1]
    return np.where(np.isnan(last), last, y)[()]


def array_of(a: Any) -> Any:
    """The array of a number or a list; what is an array as it is."""
    a = as_array(a)
    if isinstance(a, float | int):
        return np.asarray(a)
    return np.reshape(a, ()) if is_number(a) else a


def refuse_overwriting(overwrite_input: Any) -> None:
    """Refuse `overwrite_input=True`."""
    if overwrite_input:
        what = "`overwrite_input=True`, after which the array holds its entries in some order,"
        raise error("E116", None, what=what, fix="leave `overwrite_input=` out")


def count_present(s: Any) -> Any:
    """How many entries of each row are no NaN."""
    return np.sum(np.logical_not(np.isnan(s)), axis=-1, keepdims=True)


def entries_at(s: Any, at: Any) -> Any:
    """The entries of each row at its own places."""
    return call(np.take_along_axis, s, at, axis=-1) if s.ndim > 1 else s[at]


def without_last(y: Any) -> Any:
    """Without the last axis, of one entry."""
    return y[..., 0] if y.ndim > 1 else y[0]

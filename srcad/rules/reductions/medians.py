"""Medians: median, and nanmedian, which leaves NaN out.

Made of `np.sort` and the one or two entries in the middle. Among equal entries the derivative is
that of the order which `np.argsort` gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import dtype_of, shape_of
from srcad.rules.core.facts import is_zero_or_none, normalize_axes
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import call, type_of
from srcad.rules.core.table import Case
from srcad.rules.reductions.ordered_rows import (
    NOTE,
    array_of,
    count_present,
    entries_at,
    in_rows,
    may_be_nan,
    or_nan,
    refuse_overwriting,
    with_axes,
    without_last,
)
from srcad.rules.reductions.reductions import NAN_AXES

# ---- medians


def _countable(a: Any) -> Any:
    """The array, of truth values as numbers."""
    a = array_of(a)
    return a.astype(np.float64) if dtype_of(type_of(a)) == np.dtype(bool) else a


def _sorted(a: Any, axis: Any, overwrite_input: Any) -> tuple[Any, Any, bool | None]:
    """The array, its sorted rows, and whether nothing is reduced (`_is_empty`)."""
    refuse_overwriting(overwrite_input)
    a = _countable(a)
    return a, np.sort(in_rows(a, axis), axis=-1), _is_empty(a, axis)


def _median(
    a: Any, axis: Any = None, *, overwrite_input: Any = False, keepdims: Any = False
) -> Any:
    a, s, is_empty = _sorted(a, axis, overwrite_input)
    if is_empty:
        return with_axes(np.mean(s, axis=-1), a, axis, keepdims)
    n = s.shape[-1]
    if is_empty is None:  # a slice of none, one or two entries
        y = np.mean(s[..., (n - 1) // 2 : n // 2 + 1], axis=-1)
    else:
        y = _mean(s[..., (n - 1) // 2], s[..., n // 2])
    return with_axes(or_nan(y, s, is_empty), a, axis, keepdims)


def _is_empty(a: Any, axis: Any) -> bool | None:
    """Whether nothing is reduced; None where data decides."""
    axes = range(a.ndim) if axis is None else normalize_axes(axis, a.ndim)
    found = [is_zero_or_none((shape_of(type_of(a)) or ())[k]) for k in axes]
    return True if True in found else None if None in found else False


def _mean(low: Any, high: Any) -> Any:
    """The mean of two entries: of integers, as NumPy adds them, in double precision."""
    dtype = dtype_of(type_of(low))
    if dtype is not None and dtype.kind in "iu":
        low, high = low.astype(np.float64), high.astype(np.float64)
    return (low + high) / 2


def _nanmedian(
    a: Any, axis: Any = None, *, overwrite_input: Any = False, keepdims: Any = False
) -> Any:
    a, s, is_empty = _sorted(a, axis, overwrite_input)
    if is_empty:
        return with_axes(np.nanmean(s, axis=-1), a, axis, keepdims)
    if is_empty is None:  # the entry that is taken where there is no other
        dtype = dtype_of(type_of(s)) if may_be_nan(s) else np.float64
        blank = call(np.full, (*s.shape[:-1], 1), np.nan, dtype)
        s = np.concatenate((s, blank), axis=-1)
    n = count_present(s)
    low, high = (entries_at(s, np.maximum(at, 0)) for at in ((n - 1) // 2, n // 2))
    return with_axes(without_last(_mean(low, high)), a, axis, keepdims)


_CASES = NAN_AXES[:-3]
composed(np.median, _median, cases=(*_CASES, Case((5,))), note=NOTE)
composed(np.nanmedian, _nanmedian, cases=(*_CASES, Case((5,)), *NAN_AXES[-3:]), note=NOTE)

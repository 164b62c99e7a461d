"""Functions of vectors for many vectors at once, in rows: each with tables of its own.

for i in range(len(x)):
    y[i] = np.interp(x[i], xp[i], fp[i])        y = interp_rows(x, xp, fp)
"""

from __future__ import annotations

from typing import Any

import numpy as np


def entries_of_rows(table: Any, at: Any) -> Any:
    """`table[i][at[i]]` for each row, of whatever shape `at[i]` is; one vector is every row."""
    if np.ndim(table) == 1:
        return table[at]
    return table[np.arange(len(table)).reshape(-1, *[1] * (np.ndim(at) - 1)), at]


def search_rows(a: Any, v: Any, side: str = "left") -> Any:
    """`np.searchsorted(a[i], v[i], side)` for each row, all by one bisection."""
    n = np.shape(a)[1]
    low, high = np.zeros(np.shape(v), np.intp), np.full(np.shape(v), n)
    for _ in range(n.bit_length()):
        middle = (low + high) // 2
        at = entries_of_rows(a, np.minimum(middle, n - 1))
        # NaN comes last.
        is_before = (at < v) | ((v != v) & (at == at))
        if side == "right":
            is_before = ~((v < at) | ((at != at) & (v == v)))
        is_open = low < high
        low = np.where(is_open & is_before, middle + 1, low)
        high = np.where(is_open & ~is_before, middle, high)
    return low


def interp_rows(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """`np.interp(x[i], xp[i], fp[i])` for each row; a table that is one vector serves all rows."""
    x, xp, fp = (np.asarray(each, float) for each in (x, xp, fp))
    search = np.searchsorted if xp.ndim == 1 else search_rows
    at = np.clip(search(xp, x, side="right") - 1, 0, xp.shape[-1] - 2)
    low, high = entries_of_rows(xp, at), entries_of_rows(xp, at + 1)
    below, above = entries_of_rows(fp, at), entries_of_rows(fp, at + 1)
    with np.errstate(all="ignore"):  # as NumPy, which warns of nothing here
        slope = (above - below) / (high - low)
        y = slope * (x - low) + below
        y = np.where(np.isnan(y), slope * (x - high) + above, y)
    y = np.where(np.isnan(y) & (below == above) | (x == low), below, y)
    first, last = entries_of_rows(xp, 0 * at), entries_of_rows(xp, 0 * at - 1)
    at_first, at_last = entries_of_rows(fp, 0 * at), entries_of_rows(fp, 0 * at - 1)
    y = np.where(x == last, at_last, y)
    y = np.where(x < first, at_first if left is None else left, y)
    y = np.where(x > last, at_last if right is None else right, y)
    return np.where(np.isnan(x), x, y)


def polyval_rows(p: Any, x: Any) -> Any:
    """`np.polyval(p[i], x[i])` for each row, by Horner's method."""
    y = np.zeros_like(x)
    for k in range(np.shape(p)[1]):
        y = y * x + p[:, k].reshape(-1, *[1] * (np.ndim(x) - 1))
    return y


def convolve_rows(a: Any, v: Any, mode: str = "full") -> Any:
    """`np.convolve(a[i], v[i], mode)` for each row, in mode "full" or "valid"."""
    if len(a) and min(np.shape(a)[1], np.shape(v)[1]) == 0:
        return np.convolve(a[0], v[0])  # which raises
    if np.shape(v)[1] > np.shape(a)[1]:
        a, v = v, a
    m = np.shape(v)[1]
    around = m - 1 if mode == "full" else 0
    padded = np.pad(a, ((0, 0), (around, around)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, max(m, 1), axis=1)
    return np.einsum("ijk,ik->ij", windows, v[:, ::-1])

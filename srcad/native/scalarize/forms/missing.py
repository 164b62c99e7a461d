"""Reductions that leave out NaN: `np.nanmax`, `np.nanmean` and their kin, by axis too.

np.nanmax(v)             the largest entry that is a number
np.nanmean(a, axis=1)    the mean of those of each row

Where there is no number at all NumPy warns or raises: the call is left to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcad.ir import Op
from srcad.native.scalarize.forms.calls import FLOAT, Choice, Chosen, is_array, options, rank


def place_of_extreme(v: Any, is_largest: bool) -> Any:
    """`np.nanargmax(v)`, or `np.nanargmin`."""
    best = -1
    for k in range(len(v)):
        if v[k] == v[k]:
            if best < 0:
                best = k
            elif is_largest:
                if v[k] > v[best]:
                    best = k
            elif v[k] < v[best]:
                best = k
    if best < 0:
        raise ValueError("no number")
    return np.int64(best)


def reduced(v: Any, how: str, less: float) -> Any:
    """One of these reductions of a vector; variances are of so many degrees of freedom less."""
    if how == "largest":
        return v[place_of_extreme(v, True)]
    if how == "smallest":
        return v[place_of_extreme(v, False)]
    total, count = np.float64(0.0), 0
    for k in range(len(v)):
        if v[k] == v[k]:
            total += v[k]
            count += 1
    if how == "sum":
        return total
    if count <= less:
        raise ValueError("no number, or too few")
    mean = total / count
    if how == "mean":
        return mean
    total = np.float64(0.0)
    for k in range(len(v)):
        if v[k] == v[k]:
            total += (v[k] - mean) * (v[k] - mean)
    return np.sqrt(total / (count - less)) if how == "deviation" else total / (count - less)


def reduced_rows(a: Any, how: str, less: int) -> Any:
    """One of these reductions of each row of a matrix."""
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = reduced(a[i], how, less)
    return out


def reduced_columns(a: Any, how: str, less: int) -> Any:
    """One of these reductions of each column of a matrix."""
    out = np.empty(a.shape[1])
    for j in range(a.shape[1]):
        out[j] = reduced(a[:, j], how, less)
    return out


def kept(v: Any, how: str, less: int) -> Any:
    """The reduction of a vector as an array of one entry."""
    out = np.empty(1)
    out[0] = reduced(v, how, less)
    return out


def kept_rows(a: Any, how: str, less: int) -> Any:
    """The reductions of rows as a column."""
    return reduced_rows(a, how, less)[:, None]


def kept_columns(a: Any, how: str, less: int) -> Any:
    """The reductions of columns as a row."""
    return reduced_columns(a, how, less)[None, :]


_FORMS: Final[dict[Any, Callable[..., Any]]] = {
    (1, None, False): reduced, (1, 0, False): reduced, (1, -1, False): reduced,
    (1, None, True): kept, (1, 0, True): kept, (1, -1, True): kept,
    (2, 0, False): reduced_columns, (2, 1, False): reduced_rows, (2, -1, False): reduced_rows,
    (2, 0, True): kept_columns, (2, 1, True): kept_rows, (2, -1, True): kept_rows,
}  # fmt: skip


def _by_axis(how: str) -> Choice:
    has_freedom = how in ("deviation", "variance")

    def choose(op: Op) -> Chosen | None:
        more = {"dtype": None, "out": None, "ddof": 0} if has_freedom else {}
        found = options(op, 1, axis=None, **more, keepdims=False)
        if found is None or not is_array(op.args[0], FLOAT, 1, 2):
            return None
        less = found[3] if has_freedom else 0
        form = _FORMS.get((rank(op.args[0]), found[0], found[-1]))
        is_plain = (
            type(less) in (int, float)
            and less >= 0
            and (not has_freedom or found[1:3] == (None, None))
        )
        return (form, (op.args[0], how, less)) if form is not None and is_plain else None

    return choose


def _place(is_largest: bool) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, axis=None)
        is_fit = found is not None and found[0] in (None, 0, -1)
        is_fit = is_fit and is_array(op.args[0], FLOAT, 1)
        return (place_of_extreme, (op.args[0], is_largest)) if is_fit else None

    return choose


MISSING: Final[dict[Any, Choice]] = {
    np.nanmax: _by_axis("largest"), np.nanmin: _by_axis("smallest"), np.nanmean: _by_axis("mean"),
    np.nansum: _by_axis("sum"), np.nanstd: _by_axis("deviation"), np.nanvar: _by_axis("variance"),
    np.nanargmax: _place(True), np.nanargmin: _place(False),
}  # fmt: skip

"""Sorted arrays, and where to find numbers in them.

np.sort(v)               runs that are merged, longer ones each time
np.searchsorted(v, xs)   a bisection for each
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcad.ir import Op
from srcad.native.scalarize.forms.calls import FLOAT, Choice, Chosen, is_array, options
from srcad.native.scalarize.loop_forms import found_left, found_right, interpolated


def order(v: Any) -> Any:
    """The places of the entries, sorted; NaN comes last. What is equal keeps its order."""
    places = np.empty(len(v), dtype=np.int64)
    for k in range(len(v)):
        places[k] = k
    return sorted_again(v, places)


def sorted_again(v: Any, given: Any) -> Any:
    """Places in the order of their entries; those of equal entries keep theirs."""
    n = len(v)
    places, merged = given.copy(), np.empty(n, dtype=np.int64)
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, stop = min(start + width, n), min(start + 2 * width, n)
            i, j = start, middle
            for k in range(start, stop):
                takes_left = i < middle
                if i < middle and j < stop:
                    a, b = v[places[i]], v[places[j]]
                    takes_left = not (b < a or (a != a and b == b))
                if takes_left:
                    merged[k] = places[i]
                    i += 1
                else:
                    merged[k] = places[j]
                    j += 1
        for k in range(n):
            places[k] = merged[k]
        width *= 2
    return places


def sorted_vector(v: Any) -> Any:
    """`np.sort(v)`."""
    return v[order(v)]


def sorted_columns(a: Any) -> Any:
    """`np.sort(a, axis=0)` of a matrix."""
    out = np.empty(a.shape)
    for j in range(a.shape[1]):
        places = order(a[:, j])
        for i in range(a.shape[0]):
            out[i, j] = a[places[i], j]
    return out


def sorted_rows(a: Any) -> Any:
    """`np.sort(a)` of a matrix."""
    out = np.empty(a.shape)
    for i in range(a.shape[0]):
        places = order(a[i])
        for j in range(a.shape[1]):
            out[i, j] = a[i, places[j]]
    return out


def places_sorted(v: Any) -> Any:
    """`np.argsort(v)`, where it does not depend on the algorithm.

    Of up to 16 entries NumPy keeps the order of equal ones whatever it is.
    """
    places = order(v)
    if len(v) > 16:
        for k in range(1, len(v)):
            if v[places[k]] == v[places[k - 1]]:
                raise ValueError("equal entries")
    return places


def places_in_rows(a: Any, is_stable: bool) -> Any:
    """`np.argsort(a, axis=1)` of a matrix."""
    out = np.empty(a.shape, dtype=np.int64)
    for i in range(a.shape[0]):
        places = order(a[i]) if is_stable else places_sorted(a[i])
        for j in range(a.shape[1]):
            out[i, j] = places[j]
    return out


def places_in_columns(a: Any, is_stable: bool) -> Any:
    """`np.argsort(a, axis=0)` of a matrix."""
    out = np.empty(a.shape, dtype=np.int64)
    for j in range(a.shape[1]):
        places = order(a[:, j]) if is_stable else places_sorted(a[:, j])
        for i in range(a.shape[0]):
            out[i, j] = places[i]
    return out


def all_found(a: Any, v: Any, is_left: bool) -> Any:
    """`np.searchsorted(a, v)` of a vector."""
    out = np.empty(len(v), dtype=np.int64)
    for i in range(len(v)):
        if is_left:
            out[i] = found_left(a, v[i])
        else:
            out[i] = found_right(a, v[i])
    return out


def interpolated_within(x: Any, xs: Any, ys: Any, left: Any, right: Any) -> Any:
    """`np.interp(x, xs, ys, left, right)` of a number."""
    if left is not None and x < xs[0]:
        return np.float64(left)
    if right is not None and x > xs[len(xs) - 1]:
        return np.float64(right)
    return interpolated(x, xs, ys)


def all_interpolated_within(x: Any, xs: Any, ys: Any, left: Any, right: Any) -> Any:
    """`np.interp(x, xs, ys, left, right)` of a vector."""
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = interpolated_within(x[i], xs, ys, left, right)
    return out


def all_interpolated(x: Any, xs: Any, ys: Any) -> Any:
    """`np.interp` of a vector."""
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = interpolated(x[i], xs, ys)
    return out


def _sort(op: Op) -> Chosen | None:
    found = options(op, 1, axis=-1)
    if found is None or not is_array(op.args[0], FLOAT, 1, 2):
        return None
    if is_array(op.args[0], FLOAT, 1):
        return (sorted_vector, op.args[:1]) if found[0] in (-1, 0) else None
    forms = {-1: sorted_rows, 1: sorted_rows, 0: sorted_columns}
    form = forms.get(found[0]) if type(found[0]) is int else None
    return None if form is None else (form, op.args[:1])


def _argsort(op: Op) -> Chosen | None:
    found = options(op, 1, axis=-1, kind=None)
    if found is None or not is_array(op.args[0], FLOAT, 1, 2) or type(found[0]) is not int:
        return None
    if is_array(op.args[0], FLOAT, 2):
        in_columns = found[0] in (-2, 0)
        form = places_in_columns if in_columns else places_in_rows
        is_stable = found[1] in ("stable", "mergesort")
        is_fit = is_stable or found[1] in (None, "quicksort")
        return (form, (op.args[0], is_stable)) if is_fit and -3 < found[0] < 2 else None
    if found[0] not in (-1, 0):
        return None
    if found[1] in ("stable", "mergesort"):
        return order, op.args[:1]
    return (places_sorted, op.args[:1]) if found[1] in (None, "quicksort") else None


def search(op: Op) -> Chosen | None:
    """The form of `np.searchsorted`."""
    found = options(op, 2, side="left")
    if found is None or found[0] not in ("left", "right") or not is_array(op.args[0], FLOAT, 1):
        return None
    is_left = found[0] == "left"
    if is_array(op.args[1], FLOAT, 1):
        return all_found, (*op.args[:2], is_left)
    if not is_array(op.args[1], FLOAT, 0):
        return None
    return (found_left if is_left else found_right), op.args[:2]


def _interp(op: Op) -> Chosen | None:
    found = options(op, 3, left=None, right=None)
    if found is None or not all(is_array(x, FLOAT, 1) for x in op.args[1:3]):
        return None
    is_vector = is_array(op.args[0], FLOAT, 1)
    if not is_vector and not is_array(op.args[0], FLOAT, 0):
        return None
    if found == (None, None):
        return (all_interpolated if is_vector else interpolated), op.args[:3]
    if not all(x is None or is_array(x, FLOAT, 0) for x in found):
        return None
    return (all_interpolated_within if is_vector else interpolated_within), (*op.args[:3], *found)


SORTING: Final[dict[Any, Choice]] = {
    np.sort: _sort,
    np.argsort: _argsort,
    np.searchsorted: search,
    np.interp: _interp,
}

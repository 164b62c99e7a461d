"""Entries that belong together: equal ones, those of one bin, those of one segment.

np.unique(v)                  the entries in order, each once
np.bincount(x)                as many bins as there are entries up to the largest
np.add.reduceat(v, starts)    the sum of each segment
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op
from srcad.native.scalarize.forms.arranging import repeated
from srcad.native.scalarize.forms.calls import (
    BOOL,
    FLOAT,
    INT,
    Choice,
    Chosen,
    Form,
    Formula,
    emitted,
    is_any,
    is_array,
    options,
    rank,
)
from srcad.native.scalarize.forms.sorting import order, sorted_again
from srcad.rules.core.staged import call

_SPARE = 64  # bins


def _check_told_apart(now: Any, before: Any) -> None:
    """Refuse entries of which NumPy's order tells which one stands for both."""
    if now != now or before != before:
        raise ValueError("an entry that equals none")
    if now == 0 and before == 0 and np.signbit(now) != np.signbit(before):
        raise ValueError("zeros of both signs")


def _sizes_of_groups(v: Any, places: Any) -> Any:
    """At the first of equal entries, in order, how many they are; at the others 0."""
    n = len(v)
    sizes = np.zeros(n, dtype=np.int64)
    first = 0
    for k in range(n):
        _check_told_apart(v[places[k]], v[places[first]])
        if v[places[k]] != v[places[first]]:
            first = k
        sizes[first] += 1
    return sizes


def _numbers_of_groups(sizes: Any, places: Any) -> Any:
    """For each entry the number of its group."""
    numbers = np.empty(len(places), dtype=np.int64)
    count = -1
    for k in range(len(places)):
        if sizes[k] > 0:
            count += 1
        numbers[places[k]] = count
    return numbers


def distinct(v: Any, with_first: bool, with_inverse: bool, with_counts: bool) -> Any:
    """`np.unique(v)` of a vector without NaN."""
    places = order(v)
    sizes = _sizes_of_groups(v, places)
    is_first = sizes > 0
    values = v[places][is_first]
    if with_first and with_inverse and with_counts:
        return values, places[is_first], _numbers_of_groups(sizes, places), sizes[is_first]
    if with_first and with_inverse:
        return values, places[is_first], _numbers_of_groups(sizes, places)
    if with_first and with_counts:
        return values, places[is_first], sizes[is_first]
    if with_inverse and with_counts:
        return values, _numbers_of_groups(sizes, places), sizes[is_first]
    if with_first:
        return values, places[is_first]
    if with_inverse:
        return values, _numbers_of_groups(sizes, places)
    return (values, sizes[is_first]) if with_counts else values


def first_places(v: Any) -> Any:
    """`runtime.first_places(v)`: where each of the distinct entries stands first."""
    return distinct(v, True, False, False)[1]


def order_of(v: Any, is_reversed: bool) -> Any:
    """`runtime.order_of(v, is_reversed)`: of `sorted`, where equal ones stay as they are."""
    n = len(v)
    for k in range(n):
        if v[k] != v[k]:
            raise ValueError("an entry that equals none")
    if not is_reversed:
        return order(v)
    places = order(v[::-1])
    out = np.empty(n, dtype=np.int64)
    for k in range(n):
        out[k] = n - 1 - places[n - 1 - k]
    return out


def place_of(key: Any, keys: Any) -> int:
    """`runtime.place_of(key, keys)`."""
    for place in range(len(keys)):
        if keys[place] == key:
            return place
    return -1


def place_of_pair(first: Any, second: Any, firsts: Any, seconds: Any) -> int:
    """`runtime.place_of_pair(first, second, firsts, seconds)`."""
    for place in range(len(firsts)):
        if firsts[place] == first and seconds[place] == second:
            return place
    return -1


def _bins_of(x: Any, least: int) -> Any:
    """Which bins there are, of as many as there are entries and a few more. A loop has room for
    these; of more bins it leaves the call to NumPy.
    """
    n = len(x) + least + _SPARE
    length = least
    for i in range(len(x)):
        if x[i] < 0 or x[i] >= n:
            raise ValueError("a bin beyond")
        length = max(length, int(x[i]) + 1)
    is_bin = np.zeros(n, dtype=np.bool_)
    for k in range(length):
        is_bin[k] = True
    return is_bin


def counts_of_all(x: Any, least: int) -> Any:
    """`np.bincount(x, minlength=least)`."""
    is_bin = _bins_of(x, least)
    out = np.zeros(len(is_bin), dtype=np.int64)
    for i in range(len(x)):
        out[x[i]] += 1
    return out[is_bin]


def sums_of_all(x: Any, weights: Any, least: int) -> Any:
    """`np.bincount(x, weights, least)`."""
    if len(weights) != len(x):
        raise ValueError("other weights")
    is_bin = _bins_of(x, least)
    out = np.zeros(len(is_bin))
    for i in range(len(x)):
        out[x[i]] += weights[i]
    return out[is_bin]


def order_by_two(last: Any, first: Any) -> Any:
    """`np.lexsort((last, first))`: by `first`, and by `last` where these are equal."""
    if len(last) != len(first):
        raise ValueError("keys of other lengths")
    return sorted_again(first, order(last))


def order_by_three(last: Any, second: Any, first: Any) -> Any:
    """`np.lexsort((last, second, first))`."""
    if len(last) != len(first):
        raise ValueError("keys of other lengths")
    return sorted_again(first, order_by_two(last, second))


def segment_sums(v: Any, starts: Any) -> Any:
    """`np.add.reduceat(v, starts)`: of a segment that does not begin before the next, one entry."""
    n, count = len(v), len(starts)
    out = np.empty((count, *v.shape[1:]))
    for k in range(count):
        start = starts[k]
        stop = starts[k + 1] if k + 1 < count else n
        if start < 0 or start >= n or stop < 0 or stop > n:
            raise IndexError("a segment out of bounds")
        out[k] = np.sum(v[start : max(stop, start + 1)], axis=0)
    return out


def segments_along(a: Any, starts: Any, axis: int) -> Any:
    """`np.add.reduceat(a, starts, axis)`, of a list of starts too."""
    starts = emitted(a, np.array, starts) if isinstance(starts, list) else starts
    found = call(np.add.reduceat, np.moveaxis(a, axis, 0) if axis else a, starts)
    return np.moveaxis(found, 0, axis) if axis else found


def repeated_by(v: Any, times: Any) -> Any:
    """`np.repeat(v, times, axis=0)`: the k-th entry, or row, `times[k]` times."""
    if len(times) != len(v):
        raise ValueError("other counts")
    length = 0
    for i in range(len(times)):
        if times[i] < 0:
            raise ValueError("a negative count")
        length += int(times[i])
    out = np.empty((length, *v.shape[1:]), dtype=v.dtype)
    at = 0
    for i in range(len(v)):
        for _ in range(int(times[i])):
            out[at] = v[i]
            at += 1
    return out


def _unique(op: Op) -> Chosen | None:
    found = options(
        op, 1, return_index=False, return_inverse=False, return_counts=False, axis=None
    )  # fmt: skip
    if found is None or not is_any(op.args[0], (FLOAT, INT), 1) or found[3] is not None:
        return None
    flags = found[:3]
    return (distinct, (op.args[0], *flags)) if all(type(x) is bool for x in flags) else None


def bincount_of_all(op: Op) -> Chosen | None:
    """The form of `np.bincount` without a least number of bins that is known to be enough."""
    found = options(op, 1, weights=None, minlength=0)
    if found is None or type(found[1]) is not int or not is_array(op.args[0], INT, 1):
        return None
    if found[0] is None:
        return counts_of_all, (op.args[0], found[1])
    return (sums_of_all, (op.args[0], *found)) if is_array(found[0], FLOAT, 1) else None


def _lexsort(op: Op) -> Chosen | None:
    found, keys = options(op, 1, axis=-1), op.args[0]
    if found is None or found[0] not in (-1, 0) or not isinstance(keys, list | tuple):
        return None
    forms: dict[int, Form] = {2: order_by_two, 3: order_by_three}
    form = forms.get(len(keys))
    is_fit = all(is_any(key, (FLOAT, INT, BOOL), 1) for key in keys)
    return (form, tuple(keys)) if form is not None and is_fit else None


def _segments(op: Op) -> Chosen | None:
    found, (a, starts), n = options(op, 2, axis=0), op.args[:2], rank(op.args[0])
    if found is None or type(found[0]) is not int or not is_array(a, FLOAT, 1, 2, 3):
        return None
    if isinstance(starts, list | tuple | np.ndarray) and np.asarray(starts).dtype == INT:
        starts = [*map(int, starts)]
    elif not is_array(starts, INT, 1):
        return None
    if isinstance(starts, list) or found[0] % n:
        return Formula(segments_along), (a, starts, found[0] % n)
    return segment_sums, (a, starts)


def _repeat(op: Op) -> Chosen | None:
    found = options(op, 2, axis=None)
    if found is None or not is_any(op.args[0], (FLOAT, INT), 1, 2, 3):
        return None
    if found[0] == 0 and rank(op.args[0]) > 1 and is_array(op.args[1], INT, 1):
        return repeated_by, op.args[:2]
    if rank(op.args[0]) > 1 or found[0] not in (None, -1, 0):
        return None
    if type(op.args[1]) is int and op.args[1] >= 0:
        return repeated, op.args[:2]
    return (repeated_by, op.args[:2]) if is_array(op.args[1], INT, 1) else None


def _of_vector(form: Form) -> Choice:
    """A form for one vector, with what else is known while it is compiled."""

    def choose(op: Op) -> Chosen | None:
        is_fit = not op.kwargs and is_any(op.args[0], (FLOAT, INT), 1)
        is_fit = is_fit and all(type(x) is bool for x in op.args[1:])
        return (form, op.args) if is_fit else None

    return choose


def _among(form: Form) -> Choice:
    """A form for numbers that are looked for in as many vectors of ints."""

    def choose(op: Op) -> Chosen | None:
        vectors = op.args[len(op.args) // 2 :]
        return (form, op.args) if all(is_array(x, INT, 1) for x in vectors) else None

    return choose


GROUPS: Final[dict[Any, Choice]] = {
    np.unique: _unique,
    np.lexsort: _lexsort,
    runtime.first_places: _of_vector(first_places),
    runtime.place_of: _among(place_of),
    runtime.place_of_pair: _among(place_of_pair),
    runtime.order_of: _of_vector(order_of),
    np.repeat: _repeat,
    np.add.reduceat: _segments,
}

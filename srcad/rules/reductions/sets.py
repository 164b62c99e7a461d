"""Arrays as sets, and other orders of entries: unique, union1d, isin, partition, lexsort, ...

An entry that stands in an array more than once moves with its first place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.types import ArrayType, NumberType, Type, shape_of
from srcad.rules.arrays.shaping import extents, like
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.array_arguments import constant_array
from srcad.rules.core.facts import (
    UncoveredError,
    array_or_scalar,
    as_type,
    real_only,
    unknown_extent,
)
from srcad.rules.core.registry import composed, nondiff, rule
from srcad.rules.core.staged import as_array, call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.reductions.sorting import positions_type

# ---- unique


def _normalize(
    ar: Any, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False,
    axis: Any = None, *, equal_nan: Any = True, sorted: Any = True,
) -> Arguments:  # fmt: skip
    if axis is not None:
        raise TypeError("an axis is not covered")
    if equal_nan is not True or sorted is not True:
        raise TypeError("`equal_nan=` and `sorted=` are not covered")
    options = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    return (constant_array(ar),), {key: True for key, asked in options.items() if asked}


def _unique_type(
    ar: object, return_index: Any = False, return_inverse: Any = False, return_counts: Any = False
) -> Any:
    t = as_type(ar)
    values = like(t, (unknown_extent(),))
    places = ArrayType(np.dtype(np.intp), values.shape)
    inverse = ArrayType(np.dtype(np.intp), shape_of(t))
    asked = ((return_index, places), (return_inverse, inverse), (return_counts, places))
    others = tuple(found for wanted, found in asked if wanted)
    return (values, *others) if others else values


def _unique_jvp(ts: Any, y: Any, ar: Any, **options: Any) -> Any:
    moved = np.reshape(ts[0], -1)[call(runtime.first_places, ar)]
    return (moved, *[ZERO] * len(options)) if options else moved


def _unique_vjp(
    g: Any, y: Any, ar: Any, return_index: Any = False, return_inverse: Any = False,
    return_counts: Any = False,
) -> Any:  # fmt: skip
    g = g[0] if return_index or return_inverse or return_counts else g
    if g is ZERO:
        return ZERO
    flat = call(runtime.scatter, g, (call(np.size, ar),), call(runtime.first_places, ar))
    return np.reshape(flat, extents(ar))


nondiff(runtime.first_places, type_of=positions_type, cases=[Case((5,)), Case((2, 3))])


def _order_type(keys: object, reverse: object) -> Type:
    return ArrayType(np.dtype(np.intp), shape_of(as_type(keys)))


def _place_type(*args: object) -> Type:
    return NumberType(int)


_KEYS = np.array([4, 2, 7])
nondiff(runtime.place_of, type_of=_place_type, cases=[Case(2, _KEYS), Case(3, _KEYS)])
nondiff(
    runtime.place_of_pair,
    type_of=_place_type,
    cases=[Case(2, 4, _KEYS, _KEYS[::-1]), Case(4, 7, _KEYS, _KEYS[::-1])],
)
nondiff(runtime.order_of, type_of=_order_type, cases=[Case((5,), False), Case((4,), True)])
rule(
    np.unique,
    jvp=_unique_jvp,
    ar=_unique_vjp,
    type_of=real_only(_unique_type),
    normalize=_normalize,
    note="of equal entries the first",
    cases=[
        Case((5,)),
        Case((2, 3)),
        Case((4,), return_inverse=True),
        Case((2, 3), return_index=True, return_inverse=True, return_counts=True),
    ],
)


def _joined(ar1: Any, ar2: Any) -> Any:
    return np.concatenate([np.reshape(as_array(ar), -1) for ar in (ar1, ar2)])


def _union1d(ar1: Any, ar2: Any) -> Any:
    return np.unique(_joined(ar1, ar2))


def _setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    a = np.reshape(as_array(ar1), -1) if assume_unique else np.unique(as_array(ar1))
    return a[np.logical_not(call(np.isin, a, as_array(ar2)))]


def _each_once(ar1: Any, ar2: Any, assume_unique: Any) -> Any:
    if assume_unique:
        return np.sort(_joined(ar1, ar2))
    return np.sort(_joined(np.unique(as_array(ar1)), np.unique(as_array(ar2))))


def _intersect1d(
    ar1: Any, ar2: Any, assume_unique: Any = False, return_indices: Any = False
) -> Any:
    if return_indices:
        raise UncoveredError("`return_indices=`")
    both = _each_once(ar1, ar2, assume_unique)
    return both[:-1][both[1:] == both[:-1]]


def _setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Any:
    both = _each_once(ar1, ar2, assume_unique)
    end = np.isnan(both[:1]) | True
    changes = np.concatenate((end, both[1:] != both[:-1], end))
    return both[np.logical_and(changes[1:], changes[:-1])]


composed(np.union1d, _union1d, domain=(-50.0, 50.0), cases=[Case((3,), (4,)), Case((2, 2), (3,))])
composed(
    np.setdiff1d,
    _setdiff1d,
    domain=(-50.0, 50.0),
    cases=[Case((4,), (3,)), Case((4,), (3,), assume_unique=True)],
)
composed(np.intersect1d, _intersect1d, cases=[Case((3,), (3,))])
composed(np.setxor1d, _setxor1d, domain=(-50.0, 50.0), cases=[Case((3,), (2,))])


# ---- orders


def _partition(a: Any, kth: Any, axis: Any = -1, kind: str = "introselect") -> Any:
    a = as_array(a)
    if axis is None:
        a, axis = np.reshape(a, -1), -1
    order = call(np.argpartition, a, kth, axis=axis)
    return a[order] if a.ndim == 1 else call(np.take_along_axis, a, order, axis=axis)


composed(
    np.partition,
    _partition,
    note="the order on each side of the entry is that of argpartition",
    cases=[Case((5,), 2), Case((3, 4), 1, axis=0), Case((2, 3), 4, axis=None)],
)


def _lexsort_type(keys: Any, axis: int = -1) -> Type:
    if isinstance(keys, list | tuple):
        return array_or_scalar(np.dtype(np.intp), shape_of(as_type(keys[-1])))
    shape = shape_of(as_type(keys))
    return array_or_scalar(np.dtype(np.intp), None if shape is None else shape[1:])


def _isin_type(element: object, test_elements: object, *_: object, **__: object) -> Type:
    shape = shape_of(as_type(element))
    return ArrayType(np.dtype(bool), shape, scalar=False)


nondiff(np.lexsort, type_of=_lexsort_type, cases=[Case([(4,), (4,)]), Case((2, 3))])
nondiff(np.isin, type_of=_isin_type, cases=[Case((3, 4), (2,)), Case((3,), (2,), invert=True)])
nondiff(np.array_equiv, type_of=lambda a1, a2: NumberType(bool), cases=[Case((3,), (3,))])

"""Entries put in, left out or repeated: insert, delete, resize, trim_zeros, unstack, block.

np.insert(a, [1, 3], v)     np.concatenate((v, a))[np.argsort(places, kind="stable")]
np.delete(a, 2)             np.concatenate((a[:2], a[3:]))
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.ir.types import NumberType, dtype_of
from srcad.rules.arrays.arranging import at_axis
from srcad.rules.arrays.shaping import call_beside
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.compose import known, raise_unless_equal
from srcad.rules.core.facts import UncoveredError, normalize_axes
from srcad.rules.core.registry import composed
from srcad.rules.core.staged import (
    Staged,
    as_array,
    call,
    find_builder,
    is_number,
    rank_or_none,
    type_of,
)
from srcad.rules.core.table import Case


def _flat(arr: Any, axis: Any) -> tuple[Any, int]:
    """The array and the axis along which it is changed."""
    arr = as_array(arr)
    if axis is None:
        return (arr if arr.ndim == 1 else np.reshape(arr, -1)), 0
    return arr, normalize_axes(axis, arr.ndim)[0]


def _as_index(obj: Any) -> Any:
    """Lists of indices as arrays."""
    if isinstance(obj, list | tuple):
        return np.asarray(obj, None if len(obj) else np.intp)
    return obj


def _is_mask(obj: Any) -> bool:
    dtype = None if isinstance(obj, slice) else dtype_of(type_of(obj))
    return dtype is not None and dtype.kind == "b"


def _places(obj: Any, n: Any) -> Any:
    """The indices that an index stands for, none of them negative; an int stays one."""
    if isinstance(obj, slice):
        return call(np.arange, n)[obj]
    if _is_mask(obj):
        return call(np.flatnonzero, obj)
    if isinstance(obj, Staged):
        places = np.where(obj < 0, obj + n, obj)
        return places if obj.ndim else places[()]
    if np.ndim(obj) == 0:
        i = operator.index(obj)
        return i if i >= 0 else n - -i
    return np.where(obj < 0, obj + n, obj) if np.any(obj < 0) else obj


# ---- insert, delete


_OTHER_MASK = (
    "boolean array argument obj to delete must be one dimensional and match the axis length"
)


def _raise_beyond(x: Any, axis: int, index: Any) -> None:
    """Raise what NumPy raises of an index beyond an end of an axis."""
    x[at_axis(axis, index)]


def _distances(obj: Any, places: Any) -> Any:
    """How far indices are from the end that they count from; at most the length of the array."""
    return places if _is_mask(obj) else np.abs(_array(obj))


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    arr, along = _flat(arr, axis)
    n = arr.shape[along]
    obj = _as_index(obj)
    places = _places(obj, n)
    if not isinstance(obj, slice):
        _raise_beyond(call_beside(arr, np.arange, n + 1), 0, _distances(obj, places))
    is_one = rank_or_none(places) == 0
    several = None if is_one else places.shape[0]
    single = is_one or (isinstance(several, int) and several == 1)  # all values go to one place
    if isinstance(values, Staged) and is_number(values):
        values = _cast(values, arr)  # an int that does not fit raises; one of an array wraps around
    values = _converted(values, arr)
    rank = values.ndim
    if rank < arr.ndim:
        values = np.reshape(values, (*[1] * (arr.ndim - rank), *values.shape))
    if single:
        values = np.moveaxis(values, 0, along) if is_one and along else values
        places = places if is_one else places[0]
        count = values.shape[along]
    else:
        count = places.shape[0]
    whole = (*arr.shape[:along], count, *arr.shape[along + 1 :])
    values = call(np.broadcast_to, values, whole)
    if single:
        before = arr[at_axis(along, slice(None, places))]
        return np.concatenate((before, values, arr[at_axis(along, slice(places, None))]), along)
    keys = np.concatenate((places, call(np.arange, n)))
    order = call(np.argsort, keys, kind="stable")
    return np.concatenate((values, arr), axis=along)[at_axis(along, order)]


def _converted(values: Any, arr: Any) -> Any:
    """The values as an array of the dtype of the one that they are put into: NumPy casts arrays; it
    refuses numbers of Python's that are out of bounds.
    """
    dtype = dtype_of(type_of(arr))
    if dtype is None or dtype.kind in "fc" or isinstance(values, np.ndarray | np.generic):
        return _cast(_array(values), arr)
    if isinstance(values, Staged) and not is_number(values):
        return _cast(_array(values), arr)
    if find_builder((values,)) is not None:
        if dtype == np.int64 and all(map(_is_int, _leaves(values))):
            return call(np.asarray, values, dtype)
        raise UncoveredError("numbers of Python's that may be out of bounds")
    try:
        return np.array(values, dtype)
    except (OverflowError, TypeError, ValueError) as why:
        if isinstance(values, int):  # which raises as the program runs
            return _cast(_array(values), arr)
        raise UncoveredError(str(why)) from None


def _is_int(x: Any) -> bool:
    """Whether a number is an integer of Python's, or one of its truths."""
    t = type_of(x)
    return isinstance(t, NumberType) and t.kind in (bool, int)


def _cast(values: Any, arr: Any) -> Any:
    """The values in the dtype of the array that they are put into."""
    own, dtype = (dtype_of(type_of(x)) for x in (values, arr))
    if own == dtype or dtype is None:
        return values
    return cast_like(values, arr) if dtype.kind in "fc" else values.astype(dtype)


def _array(x: Any) -> Any:
    x = as_array(x)
    if isinstance(x, Staged):
        return np.reshape(x, ()) if is_number(x) else x
    return np.asarray(x)


def _delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    arr, along = _flat(arr, axis)
    n = arr.shape[along]
    obj = _as_index(obj)
    places = _places(obj, n)
    if _is_mask(obj):
        raise_unless_equal(obj.shape[0], n, ValueError, _OTHER_MASK, beside=arr)
    elif not isinstance(obj, slice):
        _raise_beyond(arr, along, _array(obj))
    if rank_or_none(places) == 0:
        after = arr[at_axis(along, slice(places + 1, None))]
        return np.concatenate((arr[at_axis(along, slice(None, places))], after), along)
    if isinstance(n, int) and not isinstance(places, Staged):
        kept = np.delete(np.arange(n), places)
    else:
        others = call(np.arange, n)[:, None] != places
        kept = call(np.flatnonzero, np.all(others, axis=1))
    return arr[at_axis(along, kept)]


composed(
    np.insert,
    _insert,
    cases=(
        Case((4,), 2, float),
        Case((4,), -1, (3,)),
        Case((2, 3), 1, float),
        Case((3, 4), 1, (4,), axis=0),
        Case((3, 4), -2, (3,), axis=1),
        Case((3, 4), 3, (2, 3), axis=1),
        Case((5,), Case.made(lambda rng: np.array([1, 3, 3])), (3,)),
        Case((3, 4), Case.made(lambda rng: np.array([0, -1])), float, axis=1),
        Case((3, 4), Case.made(lambda rng: [2, 0]), (2, 4), axis=0),
        Case((4,), slice(0, 3, 2), (2,)),
        Case((4,), Case.made(lambda rng: [2]), (3,)),
        Case((2, 3), Case.made(lambda rng: [-1]), (2, 2), axis=1),
    ),
)
composed(
    np.delete,
    _delete,
    cases=(
        Case((4,), 1),
        Case((4,), -1),
        Case((3, 4), 5),
        Case((3, 4), 0, axis=0),
        Case((3, 4), -2, axis=1),
        Case((3, 4), slice(1, 3), axis=1),
        Case((5,), slice(None, None, 2)),
        Case((5,), Case.made(lambda rng: [0, -2])),
        Case((3, 4), Case.made(lambda rng: np.array([1, 1, 3])), axis=-1),
        Case((4,), Case.made(lambda rng: np.array([True, False, False, True]))),
    ),
)


# ---- resize, trim_zeros


def _resize(a: Any, new_shape: Any) -> Any:
    shape = known(new_shape if isinstance(new_shape, tuple | list) else (new_shape,), "the shape")
    flat = np.reshape(as_array(a), -1)
    size = int(np.prod(shape, dtype=int))
    taken = np.arange(size) % np.size(flat)
    return np.reshape(flat[taken], tuple(shape))


composed(
    np.resize,
    _resize,
    cases=(
        Case((5,), Case.made(lambda rng: (2, 4))),
        Case((2, 3), Case.made(lambda rng: 4)),
        Case((2, 3), Case.made(lambda rng: (3, 2))),
    ),
)


def _trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    x = as_array(filt)
    if x.ndim != 1 or axis not in (None, 0, -1):
        raise UncoveredError("arrays with more than one axis")
    kept, ends = x != 0, trim.lower()
    end = call_beside(x, np.ones, 1, bool)  # where there is no other entry to keep
    first = np.argmax(np.concatenate((kept, end))) if "f" in ends else 0
    last = np.size(x) - np.argmax(np.concatenate((kept[::-1], end))) if "b" in ends else None
    return x[first:last]


composed(
    np.trim_zeros,
    _trim_zeros,
    cases=(Case(lambda rng: rng.uniform(1, 2, 4)), Case(lambda rng: rng.uniform(1, 2, 3), "f")),
)


# ---- unstack, block


def _unstack(x: Any, /, *, axis: int = 0) -> Any:
    x = as_array(x)
    along = normalize_axes(operator.index(axis), x.ndim)[0]
    n = known(x.shape[along], "the number of arrays")
    return tuple(x[at_axis(along, k)] for k in range(n))


def _block(arrays: Any) -> Any:
    depth = _depth(arrays)
    rank = max(depth, *(rank_or_none(x) or 0 for x in _leaves(arrays)))
    joined = _joined(arrays, depth, rank)
    return joined if depth else np.copy(joined)


def _depth(x: Any) -> int:
    return 1 + _depth(x[0]) if isinstance(x, list) else 0


def _leaves(x: Any) -> list[Any]:
    return [leaf for item in x for leaf in _leaves(item)] if isinstance(x, list) else [x]


def _joined(x: Any, depth: int, rank: int) -> Any:
    is_list = isinstance(x, list)
    if is_list != (depth > 0) or (is_list and not x):
        raise ValueError("lists of different depths, or empty")
    if is_list:
        return np.concatenate([_joined(item, depth - 1, rank) for item in x], axis=-depth)
    x = _array(x)
    return np.reshape(x, (*[1] * (rank - x.ndim), *x.shape)) if x.ndim < rank else x


if hasattr(np, "unstack"):  # since NumPy 2.1
    composed(np.unstack, _unstack, cases=(Case((3, 4)), Case((3, 4), axis=1), Case((3,))))
composed(np.block, _block, cases=(Case((2, 3)), Case([(2, 3), (2, 1)]), Case([(3,), (2,)])))

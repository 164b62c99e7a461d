"""NumPy's functions of arrays with fields, and those that make them: read in place of NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.structured.arrays import Structured


def filled(make: Any, shape: Any, dtype: Any, is_record: Any = False) -> Any:
    """`np.zeros`, `np.ones` or `np.empty` of a dtype with fields."""
    extents = shape if isinstance(shape, tuple) else (shape,)
    parts = {}
    for name in dtype.names:
        field = dtype[name]
        parts[name] = made(make, (*extents, *field.shape), field.base)
    return Structured(parts, dtype, extents, is_record)


def made(make: Any, shape: Any, dtype: Any) -> Any:
    """The array of one field."""
    if dtype.names is not None:
        return filled(make, shape, dtype)
    return make(shape, dtype)


def of_rows(rows: Any, dtype: Any, is_record: Any = False) -> Any:
    """`np.array([(1.0, 2), (3.0, 4)], dtype)`."""
    names = dtype.names
    parts = {}
    for k in range(len(names)):
        parts[names[k]] = np.array([row[k] for row in rows], dtype=dtype[k].base)
    return Structured(parts, dtype, (len(rows),), is_record)


def copy(a: Any, order: Any = "K") -> Any:
    """`np.copy`."""
    return a.copy()


def asarray(a: Any, dtype: Any = None) -> Any:
    """`np.asarray`, which gives a plain array of a record array."""
    return asanyarray(a, dtype).view(np.ndarray) if a._is_record else asanyarray(a, dtype)


def asanyarray(a: Any, dtype: Any = None) -> Any:
    """`np.asanyarray`."""
    if dtype is not None:
        beyond("an array with fields as one of another dtype")
    return a


def array(object: Any, dtype: Any = None, copy: Any = True) -> Any:
    """`np.array`."""
    if not copy:
        beyond("`np.array` of an array with fields with `copy=`")
    return asarray(object, dtype).copy()


def zeros_like(a: Any) -> Any:
    """`np.zeros_like`."""
    return filled(np.zeros, a.shape, a.dtype, a._is_record)


def empty_like(prototype: Any) -> Any:
    """`np.empty_like`."""
    return filled(np.empty, prototype.shape, prototype.dtype, prototype._is_record)


def ndim(a: Any) -> Any:
    """`np.ndim`."""
    return a.ndim


def shape(a: Any) -> Any:
    """`np.shape`."""
    return a.shape


def size(a: Any, axis: Any = None) -> Any:
    """`np.size`."""
    return a.size if axis is None else a.shape[axis]


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """`np.argsort` by one field."""
    if a._is_record:
        beyond("`argsort` of a record array")
    return by_field(a, order)


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """`np.sort` by one field."""
    return a[by_field(a, order)]


def by_field(a: Any, order: Any) -> Any:
    """The order of entries by a field; the others decide between those that are equal in it."""
    if not isinstance(order, str) or a.ndim != 1:
        beyond("a sort of an array with fields but by `order=` of one field")
    rest = [name for name in a.dtype.names if name != order]
    return np.lexsort([a[name] for name in [*rest[::-1], order]])


def structured_to_unstructured(arr: Any) -> Any:
    """The fields, all of one dtype, along a new last axis."""
    if arr._is_record:
        beyond("`structured_to_unstructured` of a record array")
    return np.stack([arr[name] for name in arr.dtype.names], axis=-1)


def fromarrays(arrayList: Any, names: Any = None) -> Any:  # noqa: N803 -- NumPy's name
    """`np.rec.fromarrays`: a record array of copies."""
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",")]
    if names is None:
        names = [f"f{k}" for k in range(len(arrayList))]
    arrays = [np.array(x) for x in arrayList]
    dtype = np.dtype([(names[k], arrays[k].dtype) for k in range(len(arrays))])
    parts = {names[k]: arrays[k] for k in range(len(arrays))}
    return Structured(parts, np.dtype((np.record, dtype)), arrays[0].shape, True)

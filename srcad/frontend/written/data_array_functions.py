"""Functions of xarray, written in terms of arrays that are computed.

xr.where(c, a, 0.0)              np.where of the values, axes of one name side by side
xr.DataArray(x, dims="lat")      the array with a name for its axis
xr.concat([a, b], "run")         np.stack([a.values, b.values])
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.data_arrays import DataArray
from srcad.frontend.written.labelled import Held, Names
from srcad.frontend.written.named_axes import NamedAxes, combined, dot, index_outside, together


def where(cond: Any, x: Any, y: Any) -> Any:
    return combined(np.where, (cond, x, y))


def full_like(other: Any, fill_value: Any) -> Any:
    return other._with(np.full_like(other._values, fill_value))


def zeros_like(other: Any) -> Any:
    return full_like(other, 0)


def ones_like(other: Any) -> Any:
    return full_like(other, 1)


def made(data: Any, coords: Any = None, dims: Any = None, name: Any = None) -> Any:
    """`xarray.DataArray`."""
    values = np.asarray(data)
    if dims is None:
        if coords is not None:
            beyond("a DataArray with `coords=` and without `dims=`")
        dims = tuple([f"dim_{k}" for k in range(np.ndim(values))])
    dims = (dims,) if isinstance(dims, str) else tuple(dims)
    if len(dims) != np.ndim(values):
        raise ValueError("different number of dimensions on data and dims")
    return DataArray(values, dims, tuple([_labels_of(coords, name) for name in dims]))


def _labels_of(coords: Any, name: Any) -> Any:
    """The labels along one axis, which are those of an array that has them."""
    if coords is None or name not in coords:
        return None
    found = coords[name]
    if isinstance(found, Held):
        return index_outside(found._outside, name)
    if isinstance(found, list | tuple):
        return Names(tuple(found))
    if not isinstance(found, DataArray):
        beyond("a DataArray with labels that the function computes")
    return found._labels[0]


def apply_ufunc(func: Any, *args: Any, kwargs: Any = None) -> Any:
    options = kwargs or {}
    found = combined(lambda *values: func(*values, **options), args)
    _, _, shape = together([x for x in args if isinstance(x, NamedAxes)])
    if np.shape(found._values) != shape:
        raise ValueError("the applied function returned data with unexpected dimensions")
    return found


def concat(objs: Any, dim: Any) -> Any:
    first = objs[0]
    for x in objs:
        if x.dims != first.dims:
            beyond("`concat` of DataArrays with other axes")
        together([each._at(dim, 0) if dim in each.dims else each for each in (first, x)])
    if dim not in first.dims:
        values = np.stack([x._values for x in objs])
        return DataArray(values, (dim, *first.dims), (None, *first._labels))
    place = first.dims.index(dim)
    if first._labels[place] is not None:
        beyond("`concat` along an axis with labels")
    values = np.concatenate([x._values for x in objs], axis=place)
    return DataArray(values, first.dims, first._labels)


FUNCTIONS = {
    "DataArray": made, "apply_ufunc": apply_ufunc, "concat": concat, "dot": dot, "where": where,
    "full_like": full_like, "zeros_like": zeros_like, "ones_like": ones_like,
}  # fmt: skip

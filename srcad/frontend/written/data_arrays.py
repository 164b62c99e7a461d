"""Arrays of xarray, read in place of them.

a * w            DataArray(a.values * w, a.dims)
a.mean("lat")    np.nanmean(a.values, axis=1)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.labelled import (
    Held,
    Names,
    Rows,
    asked,
    changes_outside,
    holds,
)  # fmt: skip
from srcad.frontend.written.named_axes import (
    NamedAxes,
    along,
    combined,
    dot,
    replaced,
)  # fmt: skip
from srcad.frontend.written.pandas.reductions import may_miss, missing


class DataArray(NamedAxes):
    """An array that is computed."""

    package = "xarray"

    def __init__(self, values: Any, dims: Any, labels: Any) -> None:
        self._held = values
        self.dims = dims
        self._labels = labels

    def _made(self, values: Any, dims: Any, labels: Any) -> Any:
        return DataArray(values, dims, labels)

    def _read(self) -> Any:
        return self._held

    # What it holds

    @property
    def values(self) -> Any:
        return np.asarray(self._values)

    @property
    def data(self) -> Any:
        return self.values

    @property
    def ndim(self) -> Any:
        return len(self.dims)

    @property
    def sizes(self) -> Any:
        return dict(zip(self.dims, self._values.shape, strict=True))

    @property
    def T(self) -> Any:
        return self.transpose()

    @property
    def loc(self) -> Any:
        return Labels(self)

    def item(self) -> Any:
        return self.values.item()

    def __float__(self) -> Any:
        return float(self.values)

    def __int__(self) -> Any:
        return int(self.values)

    def __bool__(self) -> Any:
        return bool(self.values)

    def __iter__(self) -> Any:
        for k in range(len(self)):
            yield self._at(self.dims[0], k)

    def __contains__(self, key: Any) -> Any:
        return key in self.values

    def __getitem__(self, key: Any) -> Any:
        return self._coordinate(key) if isinstance(key, str) else self.isel(self._by_axis(key))

    def __getattr__(self, name: str) -> Any:
        return self._coordinate(name)

    def _coordinate(self, name: Any) -> Any:
        if name not in self.dims:
            beyond(f"`{name}` of a DataArray that is computed")
        return DataArray(self._along(name), (name,), (self._labels[self.dims.index(name)],))

    def _along(self, name: Any) -> Any:
        """The labels along an axis, as values."""
        place = self.dims.index(name)
        rows = self._labels[place]
        if isinstance(rows, Names):
            return np.asarray(rows.to_list())
        return np.arange(self._values.shape[place]) if rows is None else np.asarray(rows.as_index())

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        return func(self, *args, **kwargs)

    def copy(self, deep: bool = True) -> Any:
        return self._with(self._values.copy() if deep else self._values)

    def astype(self, dtype: Any) -> Any:
        return self._with(self._values.astype(dtype))

    # By entries

    def round(self, decimals: int = 0) -> Any:
        return self._with(np.round(self._values, decimals))

    def isnull(self) -> Any:
        return self._with(missing(self._values))

    def notnull(self) -> Any:
        return self._with(~missing(self._values))

    def where(self, cond: Any, other: Any = np.nan) -> Any:
        holds(self._values, "fciu", 4)
        return combined(_chosen, (self, cond, other))

    def fillna(self, value: Any) -> Any:
        return combined(_filled, (self, value))

    def clip(self, min: Any = None, max: Any = None) -> Any:
        return combined(np.clip, (self, min, max))

    # Over axes

    def _reduced(
        self, fn: Any, of_known: Any, dim: Any, axis: Any, skipna: Any, **options: Any
    ) -> Any:
        """`fn` over the axes of these names, or `of_known`, which leaves out what is missing."""
        names = along(self.dims, dim, axis)
        if not names and self.dims:
            beyond("a reduction over no axis")
        skips = may_miss(self._values) if skipna is None else skipna
        axes = tuple([self.dims.index(name) for name in names])
        over = None if len(axes) == len(self.dims) else axes[0] if len(axes) == 1 else axes
        return self._without((of_known if skips else fn)(self._values, axis=over, **options), names)

    def sum(
        self, dim: Any = None, *, axis: Any = None, skipna: Any = None, keep_attrs: Any = None
    ) -> Any:
        return self._reduced(np.sum, np.nansum, dim, axis, skipna)

    def prod(
        self, dim: Any = None, *, axis: Any = None, skipna: Any = None, keep_attrs: Any = None
    ) -> Any:
        return self._reduced(np.prod, np.nanprod, dim, axis, skipna)

    def mean(
        self, dim: Any = None, *, axis: Any = None, skipna: Any = None, keep_attrs: Any = None
    ) -> Any:
        return self._reduced(np.mean, np.nanmean, dim, axis, skipna)

    def median(
        self, dim: Any = None, *, axis: Any = None, skipna: Any = None, keep_attrs: Any = None
    ) -> Any:
        return self._reduced(np.median, np.nanmedian, dim, axis, skipna)

    def var(
        self,
        dim: Any = None,
        *,
        axis: Any = None,
        skipna: Any = None,
        ddof: int = 0,
        keep_attrs: Any = None,
    ) -> Any:
        return self._reduced(np.var, np.nanvar, dim, axis, skipna, ddof=ddof)

    def std(
        self,
        dim: Any = None,
        *,
        axis: Any = None,
        skipna: Any = None,
        ddof: int = 0,
        keep_attrs: Any = None,
    ) -> Any:
        return self._reduced(np.std, np.nanstd, dim, axis, skipna, ddof=ddof)

    def max(
        self, dim: Any = None, *, axis: Any = None, skipna: Any = None, keep_attrs: Any = None
    ) -> Any:
        return self._reduced(np.max, np.nanmax, dim, axis, skipna)

    def min(
        self, dim: Any = None, *, axis: Any = None, skipna: Any = None, keep_attrs: Any = None
    ) -> Any:
        return self._reduced(np.min, np.nanmin, dim, axis, skipna)

    def argmax(
        self, dim: Any = None, *, axis: Any = None, skipna: Any = None, keep_attrs: Any = None
    ) -> Any:
        return self._reduced(np.argmax, np.nanargmax, dim, axis, skipna)

    def argmin(
        self, dim: Any = None, *, axis: Any = None, skipna: Any = None, keep_attrs: Any = None
    ) -> Any:
        return self._reduced(np.argmin, np.nanargmin, dim, axis, skipna)

    def any(self, dim: Any = None, *, axis: Any = None, keep_attrs: Any = None) -> Any:
        return self._reduced(np.any, np.any, dim, axis, False)

    def all(self, dim: Any = None, *, axis: Any = None, keep_attrs: Any = None) -> Any:
        return self._reduced(np.all, np.all, dim, axis, False)

    def count(self, dim: Any = None, *, axis: Any = None, keep_attrs: Any = None) -> Any:
        return self.notnull()._reduced(np.sum, np.sum, dim, axis, False)

    def dot(self, other: Any, dim: Any = None) -> Any:
        return dot(self, other, dim)

    def weighted(self, weights: Any) -> Any:
        return Weighted(self, weights)

    # Along an axis

    def cumsum(self, dim: Any = None, *, axis: Any = None, keep_attrs: Any = None) -> Any:
        return self._accumulated(np.cumsum, np.nancumsum, dim, axis)

    def cumprod(self, dim: Any = None, *, axis: Any = None, keep_attrs: Any = None) -> Any:
        return self._accumulated(np.cumprod, np.nancumprod, dim, axis)

    def _accumulated(self, fn: Any, of_known: Any, dim: Any, axis: Any) -> Any:
        accumulate = of_known if may_miss(self._values) else fn
        found = self._values
        for name in along(self.dims, dim, axis):
            found = accumulate(found, axis=self.dims.index(name))
        return self._with(found)

    def diff(self, dim: Any, n: int = 1, label: Any = "upper") -> Any:
        holds(self._values, "fciu")
        place = self.dims.index(dim)
        rows = self._labels[place]
        if rows is not None and n:
            rows = Rows(rows, slice(n, None) if label == "upper" else slice(None, -n))
        found = np.diff(self._values, n, axis=place)
        return DataArray(found, self.dims, replaced(self._labels, place, (rows,)))

    def shift(self, shifts: Any = None, **named: Any) -> Any:
        holds(self._values, "fciu", 4)
        found = self._values if may_miss(self._values) else self._values.astype(float)
        for name, count in {**(shifts or {}), **named}.items():
            found = _shifted(found, count, self.dims.index(name))
        return self._with(found)

    def roll(self, shifts: Any = None, **named: Any) -> Any:
        found = self._values
        for name, count in {**(shifts or {}), **named}.items():
            found = np.roll(found, count, axis=self.dims.index(name))
        return self._with(found)

    def differentiate(self, coord: Any, edge_order: Any = 1) -> Any:
        at, place = self._along(coord), self.dims.index(coord)
        return self._with(np.gradient(self._values, at, axis=place, edge_order=edge_order))

    def integrate(self, coord: Any) -> Any:
        at = self._along(coord)
        values = np.moveaxis(self._values, self.dims.index(coord), -1)
        means = 0.5 * (values[..., 1:] + values[..., :-1])
        return self._without(np.sum((at[1:] - at[:-1]) * means, axis=-1), (coord,))


class HeldDataArray(DataArray, Held):
    """An array that the program is given."""

    def _coordinate(self, name: Any) -> Any:
        return asked(self._outside, "__getitem__")(name)

    def __getattr__(self, name: str) -> Any:
        return asked(self._outside, name)

    def _changed(self, fn: Any, other: Any) -> Any:
        changes_outside(self._outside)


class Labels:
    """`a.loc`."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def __getitem__(self, key: Any) -> Any:
        return self._owner.sel(self._owner._by_axis(key))


class Weighted:
    """`a.weighted(weights)`."""

    def __init__(self, owner: Any, weights: Any) -> None:
        self._owner = owner
        self._weights = weights

    def sum_of_weights(self, dim: Any = ...) -> Any:
        known = self._owner.notnull().astype(self._weights.dtype)
        total = dot(known, self._weights, dim)
        return total.where(total != 0.0)

    def sum(self, dim: Any = ..., skipna: Any = None) -> Any:
        owner = self._owner
        skips = may_miss(owner._values) if skipna is None else skipna
        return dot(owner.fillna(0.0) if skips else owner, self._weights, dim)

    def mean(self, dim: Any = ..., skipna: Any = None) -> Any:
        return self.sum(dim, skipna) / self.sum_of_weights(dim)


def _chosen(own: Any, holds: Any, instead: Any) -> Any:
    return np.where(holds, own, instead)


def _filled(own: Any, instead: Any) -> Any:
    return np.where(missing(own), instead, own)


def _shifted(values: Any, count: int, axis: int) -> Any:
    whole = (slice(None),) * axis
    blank = np.full_like(values[(*whole, slice(None, abs(count)))], np.nan)
    if count > 0:
        return np.concatenate((blank, values[(*whole, slice(None, -count))]), axis=axis)
    return np.concatenate((values[(*whole, slice(-count, None))], blank), axis=axis)

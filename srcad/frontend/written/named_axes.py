"""Values whose axes have names, as those of xarray: what is computed with them by these names.

a * b            the values, axes of one name side by side: a.values[:, None] * b.values
a.isel(t=0)      a.values[0], without that axis
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.labelled import Entries, Rows, aligned, is_all
from srcad.frontend.written.opaque import Opaque
from srcad.frontend.written.operators import InPlace


class NamedAxes(InPlace, Entries):
    """Values, the names of their axes, and the labels along each; None along one without."""

    dims: Any
    _labels: Any

    def _made(self, values: Any, dims: Any, labels: Any) -> Any:
        """One with other axes."""
        raise NotImplementedError

    def _with(self, values: Any) -> Any:
        return self._made(values, self.dims, self._labels)

    def _binary(self, fn: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, Opaque) else combined(fn, (self, other))

    def _reflected(self, fn: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, Opaque) else combined(fn, (other, self))

    def _entrywise(self, fn: Any, args: Any) -> Any:
        return combined(fn, args)

    def _changed(self, fn: Any, other: Any) -> Any:
        made = combined(fn, (self, other))
        if made.dims != self.dims:
            raise ValueError("dimensions cannot change for in-place operations")
        if self.dims:
            self._values[...] = made._values
        else:
            self._held = made._values
        return self

    def __matmul__(self, other: Any) -> Any:
        return dot(self, other) if isinstance(other, NamedAxes) else NotImplemented

    # Axes

    def transpose(self, *dims: Any) -> Any:
        order = order_of(self.dims, dims)
        return self._made(
            np.transpose(self._values, order),
            tuple([self.dims[k] for k in order]),
            tuple([self._labels[k] for k in order]),
        )

    def rename(self, new: Any = None, **names: Any) -> Any:
        names = {**(new if isinstance(new, dict) else {}), **names}
        dims = tuple([names.get(name, name) for name in self.dims])
        return self._made(self._values, dims, self._labels)

    def _without(self, values: Any, names: Any) -> Any:
        """One without the axes of these names."""
        kept = [k for k, name in enumerate(self.dims) if name not in names]
        dims = tuple([self.dims[k] for k in kept])
        return self._made(values, dims, tuple([self._labels[k] for k in kept]))

    # Choosing

    def isel(self, indexers: Any = None, **named: Any) -> Any:
        found = self
        keys = {**(indexers or {}), **named}
        if sum([isinstance(key, NamedAxes) for key in keys.values()]) > 1:
            beyond("entries chosen by several DataArrays")
        for name, key in keys.items():
            found = found._at(name, key)
        return found

    def sel(self, indexers: Any = None, method: Any = None, **named: Any) -> Any:
        keys = {**(indexers or {}), **named}
        return self.isel({
            name: place_along(self._labels[self.dims.index(name)], key, method)
            for name, key in keys.items()
        })  # fmt: skip

    def _at(self, name: Any, key: Any) -> Any:
        """What a key chooses along one axis."""
        place = self.dims.index(name)
        named = (name,)
        if isinstance(key, NamedAxes):
            named, key = key.dims, key._values
        if isinstance(key, list):
            key = np.asarray(key)
        values = self._values[(*(slice(None),) * place, key)]
        if not isinstance(key, slice) and np.ndim(key) == 0:
            return self._without(values, (name,))
        if not isinstance(key, slice) and np.ndim(key) > 1:
            beyond("entries chosen by an array of several axes")
        rows = self._labels[place]
        chosen = None if rows is None or named != (name,) else Rows(rows, key)
        return self._made(
            values, replaced(self.dims, place, named), replaced(self._labels, place, (chosen,))
        )

    def _by_axis(self, key: Any) -> Any:
        """The parts of a subscript by the names of their axes."""
        if isinstance(key, dict):
            return key
        parts = key if isinstance(key, tuple) else (key,)
        dots = [k for k, part in enumerate(parts) if part is Ellipsis]
        if dots:
            blank = (slice(None),) * (len(self.dims) - len(parts) + 1)
            parts = replaced(parts, dots[0], blank)
        if len(parts) > len(self.dims):
            raise IndexError("too many indices")
        pairs = zip(self.dims, parts, strict=False)
        return {name: part for name, part in pairs if not is_all(part)}


def combined(fn: Any, args: Any) -> Any:
    """`fn` of the values of several, axes of one name side by side, and of numbers and arrays."""
    named = [x for x in args if isinstance(x, NamedAxes)]
    dims, labels, shape = together(named)
    values = [spread(x, dims) if isinstance(x, NamedAxes) else x for x in args]
    if fn in (operator.truediv, operator.floordiv, operator.mod, operator.pow):
        with np.errstate(all="ignore"):  # xarray does not warn
            found = fn(*values)
    else:
        found = fn(*values)
    is_array = [np.ndim(x) > 0 for x in args if not isinstance(x, NamedAxes)]
    if any(is_array) and np.shape(found) != shape:
        raise ValueError("operands could not be broadcast together")
    return named[0]._made(found, dims, labels)


def together(arrays: Any) -> Any:
    """The names, labels and extents of all axes, in the order in which they come."""
    dims, labels, shape = arrays[0].dims, arrays[0]._labels, np.shape(arrays[0]._values)
    for x in arrays[1:]:
        for name, rows, extent in zip(x.dims, x._labels, np.shape(x._values), strict=True):
            if name not in dims:
                dims, labels, shape = (*dims, name), (*labels, rows), (*shape, extent)
                continue
            place = dims.index(name)
            if labels[place] is None:
                labels = replaced(labels, place, (rows,))
            elif rows is not None:
                aligned(labels[place], rows)
            if shape[place] != extent:
                raise ValueError("operands cannot be broadcast together with mismatched lengths")
    return dims, labels, shape


def spread(x: Any, dims: Any) -> Any:
    """The values with axes in the order of `dims`, of extent 1 where it has none."""
    if x.dims == dims or not x.dims:
        return x._values
    order = [x.dims.index(name) for name in dims if name in x.dims]
    values = x._values if order == sorted(order) else np.transpose(x._values, order)
    if len(order) == len(dims):
        return values
    return values[tuple([slice(None) if name in x.dims else None for name in dims])]


def dot(a: Any, b: Any, dim: Any = None) -> Any:
    """`xarray.dot` of two arrays: the sum over the axes that both have, or over those of `dim`."""
    dims, labels, _ = together([a, b])
    both = [name for name in dims if name in a.dims and name in b.dims]
    summed = tuple(both) if dim is None else along(dims, dim)
    kept = [name for name in both if name not in summed]
    kept += [name for name in dims if name not in both and name not in summed]
    letters = dict(zip(dims, "abcdefghijklmnopqrstuvwxyz", strict=False))
    terms = ["".join([letters[name] for name in each]) for each in (a.dims, b.dims, kept)]
    values = np.einsum(f"{terms[0]},{terms[1]}->{terms[2]}", a._values, b._values)
    return a._made(values, tuple(kept), tuple([labels[dims.index(name)] for name in kept]))


def along(dims: Any, dim: Any, axis: Any = None) -> Any:
    """The names of the axes that `dim` or `axis` asks for."""
    if axis is not None:
        return tuple([dims[k] for k in (axis if isinstance(axis, tuple) else (axis,))])
    if dim is None or dim is ...:
        return dims
    names = (dim,) if isinstance(dim, str) else tuple(dim)
    for name in names:
        if name not in dims:
            raise ValueError(f"{name!r} not found in array dimensions")
    return names


def order_of(dims: Any, wanted: Any) -> Any:
    """The places of the axes in the order that is wanted; `...` are those that are not named."""
    if not wanted:
        return list(range(len(dims)))[::-1]
    rest = [name for name in dims if name not in wanted]
    names = [name for part in wanted for name in (rest if part is ... else [part])]
    if len(names) != len(dims):
        raise ValueError("is not a permuted list of the dimensions")
    return [dims.index(name) for name in names]


def replaced(items: Any, place: int, others: Any) -> Any:
    """A tuple with others in the place of one of its items."""
    return (*items[:place], *others, *items[place + 1 :])


# Answered while compiling ------------------------------------------------------------------------


def place_along(rows: Any, label: Any, method: Any) -> Any:
    """Where labels stand, along an axis with these: an int, a slice, or positions."""


def index_outside(outside: Any, name: Any) -> Any:
    """The labels along one axis of an object outside."""

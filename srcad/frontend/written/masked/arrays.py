"""Masked arrays, in the place of `np.ma`'s: an array, and which of its entries do not count.

np.ma.masked_where(x < 0, x)       Masked(x, x < 0)
m * 2.0 + n                        Masked(m.data * 2.0 + n.data, m.mask | n.mask)
m.sum()                            np.sum(np.where(m.mask, 0, m.data))

What an operation leaves under the mask is NumPy's secret, and whether a mask without true entries
is one at all depends on the data: neither is shown but by what made it of both.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.operators import Arithmetic, InPlace


class Masked(InPlace, Arithmetic):
    """`np.ma.MaskedArray`: `_values`, and `_mask` of their shape, `as_given` or computed."""

    __array_ufunc__ = None
    noun = "a masked array"

    def __init__(self, values: Any, mask: Any, as_given: bool = False) -> None:
        self._values = values
        self._mask = mask
        self._as_given = as_given

    # Operators

    def _binary(self, fn: Any, other: Any) -> Any:
        return _combined(fn, self, other)

    def _reflected(self, fn: Any, other: Any) -> Any:
        return _combined(fn, other, self, isinstance(other, np.generic))

    def _changed(self, fn: Any, other: Any) -> Any:
        beyond("a change of a masked array in place")

    def __setitem__(self, key: Any, value: Any) -> None:
        beyond("a change of a masked array in place")

    def __iter__(self) -> Any:
        beyond("the entries of a masked array, one by one")

    def __contains__(self, x: Any) -> Any:
        beyond("`in` of a masked array")

    def __matmul__(self, other: Any) -> Any:
        beyond("a product of masked arrays")

    def __rmatmul__(self, other: Any) -> Any:
        beyond("a product of masked arrays")

    def __rfloordiv__(self, other: Any) -> Any:
        beyond("`//` of a masked array")

    def __rmod__(self, other: Any) -> Any:
        beyond("`%` of a masked array")

    def __neg__(self) -> Any:
        return Masked(-self._values, self._mask)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return Masked(np.abs(self._values), self._mask)

    def __bool__(self) -> Any:
        beyond("the truth of a masked array")

    def __len__(self) -> Any:
        return len(self._values)

    def __getitem__(self, key: Any) -> Any:
        found = self._values[key]
        if np.ndim(found) == 0:
            if self._mask[key]:
                raise NotImplementedError("a masked entry by itself: fill it before, `m.filled(v)`")
            return found
        return Masked(found, self._mask[key])

    def __getattr__(self, name: str) -> Any:
        beyond(f"`{name}` of a masked array")

    # Shapes

    @property
    def shape(self) -> Any:
        return self._values.shape

    @property
    def ndim(self) -> Any:
        return self._values.ndim

    @property
    def size(self) -> Any:
        return self._values.size

    @property
    def dtype(self) -> Any:
        return self._values.dtype

    @property
    def T(self) -> Any:
        return Masked(self._values.T, self._mask.T)

    def reshape(self, *shape: Any) -> Any:
        return Masked(self._values.reshape(*shape), self._mask.reshape(*shape))

    def ravel(self) -> Any:
        return self.reshape(-1)

    def copy(self) -> Any:
        return Masked(self._values.copy(), self._mask.copy())

    # What counts

    @property
    def mask(self) -> Any:
        if not self._as_given:
            beyond("the mask of a masked array that is computed, which may be `np.ma.nomask`")
        return np.broadcast_to(self._mask, self._mask.shape)  # which refuses to be written

    @property
    def data(self) -> Any:
        if not self._as_given:
            beyond("the data of a masked array that is computed, which are any under the mask")
        return self._values

    def count(self, axis: Any = None) -> Any:
        if not self._as_given:
            beyond("`count` of a masked array that is computed, an int or not by its mask")
        return np.sum(~self._mask, axis=axis)

    def astype(self, dtype: Any) -> Any:
        return Masked(self._values.astype(dtype), self._mask)

    def filled(self, fill_value: Any) -> Any:
        found = np.where(self._mask, self._values.dtype.type(fill_value), self._values)
        return np.broadcast_to(found, found.shape)  # NumPy's may be the data themselves

    def compressed(self) -> Any:
        return self._values[~self._mask]

    def sum(self, axis: Any = None) -> Any:
        return self._reduced(self.filled(0).sum(axis), axis)

    def prod(self, axis: Any = None) -> Any:
        return self._reduced(self.filled(1).prod(axis), axis)

    def mean(self, axis: Any = None) -> Any:
        self._check_double()
        n = np.sum(~self._mask, axis=axis)
        return self._reduced(self.filled(0).sum(axis) * 1.0 / np.where(n == 0, 1, n), axis)

    def var(self, axis: Any = None, ddof: Any = 0) -> Any:
        self._check_double()
        n = np.sum(~self._mask, axis=axis, keepdims=True)
        mean = self.filled(0).sum(axis, keepdims=True) * 1.0 / np.where(n == 0, 1, n)
        d = np.where(self._mask, 0.0, self._values - mean)
        free = np.sum(~self._mask, axis=axis) - ddof
        found = np.sum(d * d, axis=axis) / np.where(free <= 0, 1, free)
        return of_result(found, free <= 0)

    def std(self, axis: Any = None, ddof: Any = 0) -> Any:
        found = self.var(axis, ddof)
        return sqrt(found) if isinstance(found, Masked) else np.sqrt(found)

    def max(self, axis: Any = None) -> Any:
        self._check_double()
        return self._reduced(self.filled(-np.inf).max(axis), axis)

    def min(self, axis: Any = None) -> Any:
        self._check_double()
        return self._reduced(self.filled(np.inf).min(axis), axis)

    def _check_double(self) -> None:
        if self._values.dtype != np.float64:
            beyond("this reduction of a masked array of another dtype than float64")

    def _reduced(self, found: Any, axis: Any) -> Any:
        return of_result(found, np.all(self._mask, axis=axis))


class Unmasked(Masked):
    """One from outside whose mask is `np.ma.nomask`."""

    @property
    def _mask(self) -> Any:
        return np.zeros(self._values.shape, bool)

    @property
    def mask(self) -> Any:
        return np.False_

    def count(self, axis: Any = None) -> Any:
        if axis is not None:
            beyond("`count` along an axis of a masked array without a mask")
        return self.size


def of_result(found: Any, nothing: Any) -> Any:
    """A reduction, masked where nothing counts: of all entries it is a number."""
    if np.ndim(found) != 0:
        return Masked(found, nothing)
    if nothing:
        raise NotImplementedError("a reduction of masked entries alone, which is `np.ma.masked`")
    return found


def _combined(fn: Any, a: Any, b: Any, by_ufunc: bool = False) -> Any:
    """`a op b`; of a scalar of its own on the left NumPy asks the ufunc, which keeps infinities."""
    (x, first), (y, second) = parts_of(a), parts_of(b)
    mask = np.logical_or(first, second)
    if fn is operator.truediv:
        return _divided(x, y, mask, by_ufunc)
    if fn is operator.pow:
        found = np.power(np.where(mask, x.dtype.type(1), x), y)
        return _of_mask(found, mask) if by_ufunc else _finite(found, mask)
    if fn in (operator.floordiv, operator.mod):
        beyond("`//` and `%` of a masked array")
    return _of_mask(fn(x, y), mask)


def _of_mask(found: Any, mask: Any) -> Any:
    return Masked(found, np.broadcast_to(mask, np.shape(found)))


def _divided(x: Any, y: Any, mask: Any, by_ufunc: bool) -> Any:
    """A quotient, masked where the divisor is as good as zero, and where it is not finite."""
    mask = np.logical_or(mask, np.abs(x) * np.finfo(float).tiny >= np.abs(y))
    found = x / np.where(mask, 1.0, y)
    return _of_mask(found, mask) if by_ufunc else _finite(found, mask)


def _finite(found: Any, mask: Any) -> Any:
    return Masked(found, np.logical_or(mask, ~np.isfinite(found)))


def parts_of(x: Any) -> Any:
    """The entries of an array, and which of them do not count."""
    return (x._values, x._mask) if isinstance(x, Masked) else (np.asarray(x), np.False_)


def sqrt(x: Any) -> Any:
    """`np.ma.sqrt`, of what counts: numbers below zero are masked."""
    values, mask = parts_of(x)
    return _in_domain(np.sqrt, values, np.logical_or(mask, values < 0.0))


def log(x: Any) -> Any:
    """`np.ma.log`, of what counts: numbers that are not positive are masked."""
    values, mask = parts_of(x)
    return _in_domain(np.log, values, np.logical_or(mask, values <= 0.0))


def _in_domain(fn: Any, values: Any, mask: Any) -> Any:
    found = fn(np.where(mask, values.dtype.type(1), values))
    return of_result(found, np.logical_or(mask, ~np.isfinite(found)))


__all__ = ["Masked", "Unmasked", "log", "of_result", "parts_of", "sqrt"]

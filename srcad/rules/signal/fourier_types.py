"""Extents and dtypes of discrete Fourier, cosine and sine transforms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, Dim, Extent, Shape, Type, dtype_of, operand, shape_of
from srcad.rules.core.facts import (
    TypeFunction,
    UncoveredError,
    as_type,
    extent_of,
    normalize_axes,
    shape_from,
    unknown_extent,
)

_half_of: dict[Extent, Extent] = {}


def half_extent(n: Extent) -> Extent:
    """n // 2 + 1: how many bins a real transform of n entries has."""
    if isinstance(n, int):
        return n // 2 + 1
    return _half_of.get(n) or Dim(f"{operand(n)}//2+1", never_one=n.never_one)


def full_extent(m: Extent) -> Extent:
    """2 * (m - 1): how many entries m bins are taken for."""
    if isinstance(m, int):
        return 2 * (m - 1) if m != 1 else 1  # NumPy refuses one bin, SciPy takes it for itself
    n = Dim(f"2*{operand(m)}-2", never_one=m.never_one)
    _half_of[n] = m
    return n


def same_extent(n: Extent) -> Extent:
    """Of a transform that has as many entries as its input."""
    return n


def transform_type(
    fn: Any, out: Callable[[Extent], Extent] = same_extent, default_axes: Any = None
) -> TypeFunction:
    """The type function of a transform; `out` maps the extent of the last axis.

    `default_axes`: -1 for a transform along one axis, else what `axes=` is by default.
    """
    is_one = default_axes == -1
    sample = (2,) if is_one else (2, 2)

    @functools.cache
    def dtype_for(dtype: np.dtype) -> np.dtype:
        found: np.dtype = fn(np.ones(sample, dtype)).dtype
        return found

    def type_of(a: object, *_: object, **options: Any) -> Type:
        t = as_type(a)
        dtype, shape = dtype_for(dtype_of(t) or np.dtype(float)), shape_of(t)
        if shape is None:
            return ArrayType(dtype, None)
        if not shape:
            if default_axes is not None or out is not same_extent:
                raise UncoveredError("an array without axes")
            return ArrayType(dtype_of(t) or np.dtype(float), ())  # it is left as it is
        if is_one:
            axes: Any = (options.get("axis", -1),)
            sizes: Any = (options.get("n"),)
        else:
            sizes = options.get("s")
            axes = options.get("axes", default_axes)
        return ArrayType(dtype, _transformed(shape, sizes, axes, out))

    return type_of


def _transformed(shape: Shape, sizes: Any, axes: Any, out: Callable[[Extent], Extent]) -> Shape:
    """The shape after a transform over `axes` to `sizes`, of which any may be None."""
    if sizes is not None and not isinstance(sizes, tuple):
        found = shape_from(sizes)
        sizes = found if found is not None else (unknown_extent(),) * len(shape)
    if axes is None:
        axes = tuple(range(-len(sizes), 0)) if sizes is not None else tuple(range(len(shape)))
    extents = list(shape)
    places = [normalize_axes(axis, len(shape))[0] for axis in axes]
    for k, axis in enumerate(places):
        size = None if sizes is None else sizes[k]
        is_last = k == len(places) - 1
        if size is None or size == -1:
            extents[axis] = out(extents[axis]) if is_last else extents[axis]
        else:
            given = size if isinstance(size, Dim) else extent_of(size)
            extents[axis] = out(given) if is_last and out is not full_extent else given
    return tuple(extents)

"""Windows that slide over an array: `sliding_window_view`, and windows added where they lie.

y = sliding_window_view(x, n)      x_bar = overlapped(y_bar, x.shape, n)
y = by_strides(x, shape, steps)    x_bar = sum_by_strides(y_bar, x.shape, steps)
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.ir.types import Extent, Type, shape_of
from srcad.rules.arrays.shaping import extents, like
from srcad.rules.core.facts import as_type, extent_of, shape_from, unknown_extent
from srcad.rules.core.registry import linear
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case

_view = np.lib.stride_tricks.sliding_window_view


def _places(extent: Extent, length: Extent) -> Extent:
    """How many windows of a length an axis has."""
    if not isinstance(length, int):
        return unknown_extent()
    if length < 0:
        raise ValueError("`window_shape` cannot contain negative values")
    if isinstance(extent, int):
        if extent < length:
            raise ValueError("window shape cannot be larger than input array shape")
        return extent - length + 1
    return extent.shortened(length - 1) if length else extent.lengthened(1)


def _windows_type(x: object, window_shape: Any, axis: Any = None) -> Type:
    t = as_type(x)
    shape = shape_of(t)
    if shape is None:
        raise error("E123", None, what="the number of axes")
    lengths = shape_from(window_shape)
    if lengths is None:
        raise error("E123", None, what="the number of axes of a window")
    given = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [operator.index(each) for each in given]
    if len(axes) != len(lengths):
        raise ValueError("there must be a window for each axis")
    places = list(shape)
    for at, length in zip(axes, lengths, strict=True):
        if not -len(shape) <= at < len(shape):
            what = f"{at} is out of range for an array with {len(shape)} axes"
            raise error("E403", None, what=what)
        places[at] = _places(places[at], extent_of(length))
    return like(t, (*places, *lengths))


linear(
    _view,
    x=lambda g, y, x, window_shape, axis=None: call(
        runtime.overlapped, g, extents(x), window_shape, axis
    ),
    type_of=_windows_type,
    cases=[
        Case((5,), 3),
        Case((5,), (1,)),
        Case((4, 5), (2, 3)),
        Case((4, 5), 2, axis=1),
        Case((4, 5), 3, 0),
        Case((4, 5), (2, 2), axis=(0, 0)),
    ],
)
linear(
    runtime.overlapped,
    values=lambda g, y, values, shape, window, axis=None: call(_view, g, window, axis=axis),
    type_of=lambda values, shape, window, axis=None: like(as_type(values), shape_from(shape)),
    cases=[
        Case((3, 3), (5,), 3),
        Case((3, 3, 2, 3), (4, 5), (2, 3)),
        Case((4, 4, 2), (4, 5), 2, 1),
    ],
)
linear(
    runtime.by_strides,
    x=lambda g, y, x, shape, steps: call(runtime.sum_by_strides, g, extents(x), steps),
    type_of=lambda x, shape, steps: like(as_type(x), shape_from(shape)),
    cases=[Case((7,), (3, 3), (2, 1)), Case((3, 4), (2, 3, 2), (4, 1, 4)), Case((4,), (3,), (0,))],
)
linear(
    runtime.sum_by_strides,
    values=lambda g, y, values, shape, steps: call(runtime.by_strides, g, extents(values), steps),
    type_of=lambda values, shape, steps: like(as_type(values), shape_from(shape)),
    cases=[Case((3, 3), (7,), (2, 1)), Case((2, 3, 2), (3, 4), (4, 1, 4))],
)

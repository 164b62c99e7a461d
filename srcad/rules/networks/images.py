"""Convolution and pooling of images: the kernels of `srcad.kernels` and their transposes.

Each is linear in its arrays, and the transposes of each are others of them, so that derivatives of
any order are made of these functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import kernels
from srcad.ir.types import ArrayType, Extent, Shape, Type, dtype_of, shape_of
from srcad.rules.arrays.shaping import extents
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import (
    UncoveredError,
    as_type,
    promote,
    real_only,
    shape_from,
    unknown_extent,
)
from srcad.rules.core.registry import linear, rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO


def images(x: object) -> tuple[Extent, ...]:
    """The extents of a batch of images or of filters."""
    shape = shape_of(as_type(x))
    if shape is None or len(shape) != 4:
        found = "an unknown number of" if shape is None else len(shape)
        raise UncoveredError(f"{found} axes: images are (N, C, H, W), filters (F, C, P, Q)")
    return shape


def out_of(fn: Any, *shapes: Shape, **options: Any) -> tuple[Extent, Extent]:
    """The rows and columns of a result, numbers where those of the arguments are."""
    sizes = [tuple(e for e in shape[2:] if isinstance(e, int)) for shape in shapes]
    if all(len(size) == 2 for size in sizes):
        y = fn(*(np.zeros((1, 1, *size), np.bool_) for size in sizes), **options)
        h, w = (y[0] if isinstance(y, tuple) else y).shape[2:]
        return h, w
    return unknown_extent(), unknown_extent()


def _conv_type(x: object, w: object, groups: int = 1, **options: Any) -> Type:
    batch, filters = images(x), images(w)
    out = out_of(kernels.conv2d, batch, filters, **options)
    return ArrayType(promote(as_type(x), as_type(w)), (batch[0], filters[0], *out))


def _shaped_type(a: object, b: object, shape: object, **_: Any) -> Type:
    return ArrayType(promote(as_type(a), as_type(b)), shape_from(shape))


_STRIDED: dict[str, Any] = {"stride": (2, 1), "padding": (1, (0, 2)), "dilation": (1, 2)}
_GROUPED: dict[str, Any] = {"groups": 2, "padding": "same"}
_RESULT = kernels.conv2d(np.zeros((2, 3, 6, 5)), np.zeros((4, 3, 2, 3)), **_STRIDED).shape


def named_windows(stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
    """The options of a convolution, by their names."""
    return {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}


def _convolved(like: Any, x: Any, w: Any, *windows: Any) -> Any:
    return cast_like(call(kernels.conv2d, x, w, **named_windows(*windows)), like)


def _of_input(x: Any, g: Any, w: Any, *windows: Any) -> Any:
    return cast_like(call(kernels.conv2d_input, g, w, extents(x), **named_windows(*windows)), x)


def _of_weights(w: Any, x: Any, g: Any, *windows: Any) -> Any:
    return cast_like(call(kernels.conv2d_weights, x, g, extents(w), **named_windows(*windows)), w)


linear(
    kernels.conv2d,
    x=lambda g, y, x, w, stride=1, padding=0, dilation=1, groups=1: _of_input(
        x, g, w, stride, padding, dilation, groups
    ),
    w=lambda g, y, x, w, stride=1, padding=0, dilation=1, groups=1: _of_weights(
        w, x, g, stride, padding, dilation, groups
    ),
    type_of=_conv_type,
    cases=[
        Case((2, 1, 4, 4), (2, 1, 3, 2)),
        Case((2, 3, 6, 5), (4, 3, 2, 3), **_STRIDED),
        Case((1, 4, 3, 4), (2, 2, 3, 3), **_GROUPED),
    ],
)
linear(
    kernels.conv2d_input,
    g=lambda h, y, g, w, shape, stride=1, padding=0, dilation=1, groups=1: _convolved(
        g, h, w, stride, padding, dilation, groups
    ),
    w=lambda h, y, g, w, shape, stride=1, padding=0, dilation=1, groups=1: _of_weights(
        w, h, g, stride, padding, dilation, groups
    ),
    type_of=_shaped_type,
    cases=[
        Case(_RESULT, (4, 3, 2, 3), Case.made(lambda rng: (2, 3, 6, 5)), **_STRIDED),
        Case((1, 2, 3, 4), (2, 2, 3, 3), Case.made(lambda rng: (1, 4, 3, 4)), **_GROUPED),
    ],
)
linear(
    kernels.conv2d_weights,
    x=lambda h, y, x, g, shape, stride=1, padding=0, dilation=1, groups=1: _of_input(
        x, g, h, stride, padding, dilation, groups
    ),
    g=lambda h, y, x, g, shape, stride=1, padding=0, dilation=1, groups=1: _convolved(
        g, x, h, stride, padding, dilation, groups
    ),
    type_of=_shaped_type,
    cases=[
        Case((2, 3, 6, 5), _RESULT, Case.made(lambda rng: (4, 3, 2, 3)), **_STRIDED),
        Case((1, 4, 3, 4), (1, 2, 3, 4), Case.made(lambda rng: (2, 2, 3, 3)), **_GROUPED),
    ],
)


# ---- pooling


def _max_pool_type(x: object, size: Any, stride: Any = None) -> tuple[Type, Type]:
    y = _pool_type(x, size, stride)
    return y, ArrayType(np.dtype(np.uint8), y.shape)


def _pool_type(x: object, size: Any, stride: Any = None) -> ArrayType:
    batch = images(x)
    out = out_of(kernels.max_pool2d, batch, size=size, stride=stride)
    dtype = dtype_of(as_type(x))
    assert dtype is not None
    return ArrayType(dtype, (*batch[:2], *out))


def _like_places(x: object, places: object, *_: Any, **__: Any) -> Type:
    dtype = dtype_of(as_type(x))
    assert dtype is not None
    return ArrayType(dtype, shape_of(as_type(places)))


def _like_images(g: object, *others: Any, **__: Any) -> Type:
    dtype = dtype_of(as_type(g))
    assert dtype is not None
    return ArrayType(dtype, shape_from(others[-1]))


def _unpool_type(g: object, places: object, shape: object, size: Any, stride: Any = None) -> Type:
    return _like_images(g, shape)


def _avg_unpool_type(g: object, shape: object, size: Any, stride: Any = None) -> Type:
    return _like_images(g, shape)


def _places(rng: Any) -> Any:
    return rng.integers(0, 6, (2, 1, 2, 3)).astype(np.uint8)


_SIZE, _STRIDE = (2, 3), (1, 2)  # windows that overlap
_MADE = Case.made(_places)
_SHAPE = Case.made(lambda rng: (2, 1, 3, 8))

rule(
    kernels.max_pool2d,
    jvp=lambda ts, y, x, size, stride=None: (
        call(kernels.pick2d, ts[0], y[1], size, stride=stride), ZERO,
    ),
    x=lambda g, y, x, size, stride=None: call(
        kernels.unpool2d, g[0], y[1], extents(x), size, stride=stride
    ),
    type_of=real_only(_max_pool_type),
    cases=[Case((2, 1, 5, 4), 2), Case((2, 1, 3, 8), _SIZE, stride=_STRIDE)],
    note="of equal entries the first is the maximum",
)  # fmt: skip
linear(
    kernels.unpool2d,
    g=lambda h, y, g, places, shape, size, stride=None: call(
        kernels.pick2d, h, places, size, stride=stride
    ),
    type_of=_unpool_type,
    cases=[Case((2, 1, 2, 3), _MADE, _SHAPE, _SIZE, stride=_STRIDE)],
)
linear(
    kernels.pick2d,
    x=lambda h, y, x, places, size, stride=None: call(
        kernels.unpool2d, h, places, extents(x), size, stride=stride
    ),
    type_of=_like_places,
    cases=[Case((2, 1, 3, 8), _MADE, _SIZE, stride=_STRIDE)],
)
linear(
    kernels.avg_pool2d,
    x=lambda g, y, x, size, stride=None: call(
        kernels.avg_unpool2d, g, extents(x), size, stride=stride
    ),
    type_of=_pool_type,
    cases=[Case((2, 1, 5, 4), 2), Case((2, 1, 3, 8), _SIZE, stride=_STRIDE)],
)
linear(
    kernels.avg_unpool2d,
    g=lambda h, y, g, shape, size, stride=None: call(kernels.avg_pool2d, h, size, stride=stride),
    type_of=_avg_unpool_type,
    cases=[Case((2, 1, 2, 3), _SHAPE, _SIZE, stride=_STRIDE)],
)

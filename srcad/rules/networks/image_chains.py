"""Convolution, bias, maxima and ReLU as one: `kernels.conv_pool2d` and its transposes.

Where ReLU is off, or an entry is not the maximum, the derivative is 0: `places` say so, and go with
the cotangents into the transposes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad import kernels
from srcad.ir.types import ArrayType, Type
from srcad.rules.arrays.shaping import extents
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import as_type, promote, real_only, shape_from
from srcad.rules.core.registry import linear, rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.networks.images import images, named_windows, out_of


def _chain_type(
    x: object, w: object, b: object, size: Any, groups: int = 1, **options: Any
) -> tuple[ArrayType, ArrayType]:
    batch, filters = images(x), images(w)

    def out(x: Any, w: Any) -> Any:  # of one channel, as many extents
        return kernels.conv_pool2d(x, w, np.zeros(1, np.bool_), size, **options)

    shape = (batch[0], filters[0], *out_of(out, batch, filters))
    dtype = promote(as_type(x), as_type(w), as_type(b))
    return ArrayType(dtype, shape), ArrayType(np.dtype(np.uint8), shape)


def _input_type(g: object, places: object, w: object, shape: object, *_: Any, **__: Any) -> Type:
    return ArrayType(promote(as_type(g), as_type(w)), shape_from(shape))


def _weights_type(x: object, g: object, places: object, shape: object, *_: Any, **__: Any) -> Type:
    return ArrayType(promote(as_type(x), as_type(g)), shape_from(shape))


def _jvp(
    ts: Any, y: Any, x: Any, w: Any, b: Any, size: Any,
    stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1,
) -> Any:  # fmt: skip
    x_dot, w_dot, b_dot, *_ = ts
    options = named_windows(stride, padding, dilation, groups)
    total: Any = ZERO
    if x_dot is not ZERO:
        total = total + call(kernels.conv2d, x_dot, w, **options)
    if w_dot is not ZERO:
        total = total + call(kernels.conv2d, x, w_dot, **options)
    if total is not ZERO:
        total = call(kernels.pick2d, total, y[1], size)
    if b_dot is not ZERO:
        total = total + b_dot[:, None, None] * (y[0] > 0)
    return cast_like(total, y[0]), ZERO


def _of_input(x: Any, g: Any, places: Any, w: Any, size: Any, *windows: Any) -> Any:
    options = named_windows(*windows)
    made = call(kernels.conv_pool2d_input, g, places, w, extents(x), size, **options)
    return cast_like(made, x)


def _of_filters(w: Any, x: Any, g: Any, places: Any, size: Any, *windows: Any) -> Any:
    options = named_windows(*windows)
    made = call(kernels.conv_pool2d_weights, x, g, places, extents(w), size, **options)
    return cast_like(made, w)


def _picked(like: Any, x: Any, w: Any, places: Any, size: Any, *windows: Any) -> Any:
    y = call(kernels.conv2d, x, w, **named_windows(*windows))
    return cast_like(call(kernels.pick2d, y, places, size), like)


_OPTIONS: dict[str, Any] = {"stride": (2, 1), "padding": (1, (0, 2)), "dilation": (1, 2)}
_SHAPE = Case.made(lambda rng: (2, 3, 6, 5))
_FILTERS = Case.made(lambda rng: (4, 3, 2, 3))
_PLACES = Case.made(lambda rng: rng.choice([0, 1, 2, 3, 255], (2, 4, 2, 1)).astype(np.uint8))

rule(
    kernels.conv_pool2d,
    jvp=_jvp,
    x=lambda g, y, x, w, b, size, stride=1, padding=0, dilation=1, groups=1: _of_input(
        x, g[0], y[1], w, size, stride, padding, dilation, groups
    ),
    w=lambda g, y, x, w, b, size, stride=1, padding=0, dilation=1, groups=1: _of_filters(
        w, x, g[0], y[1], size, stride, padding, dilation, groups
    ),
    b=lambda g, y, x, w, b, size, stride=1, padding=0, dilation=1, groups=1: cast_like(
        np.sum(g[0] * (y[0] > 0), axis=(0, 2, 3)), b
    ),
    type_of=real_only(_chain_type),
    cases=[
        Case((2, 1, 5, 5), (2, 1, 2, 2), (2,), 2),
        Case((2, 3, 6, 5), (4, 3, 2, 3), (4,), (2, 2), **_OPTIONS),
        Case((1, 4, 3, 4), (2, 2, 3, 3), (2,), (1, 2), groups=2, padding="same"),
    ],
    note="of equal entries the first is the maximum; 0 at 0",
)
linear(
    kernels.conv_pool2d_input,
    g=lambda h, y, g, places, w, shape, size, stride=1, padding=0, dilation=1, groups=1: _picked(
        g, h, w, places, size, stride, padding, dilation, groups
    ),
    w=lambda h, y, g, places, w, shape, size, stride=1, padding=0, dilation=1, groups=1: (
        _of_filters(w, h, g, places, size, stride, padding, dilation, groups)
    ),
    type_of=_input_type,
    cases=[Case((2, 4, 2, 1), _PLACES, (4, 3, 2, 3), _SHAPE, 2, **_OPTIONS)],
)
linear(
    kernels.conv_pool2d_weights,
    x=lambda h, y, x, g, places, shape, size, stride=1, padding=0, dilation=1, groups=1: _of_input(
        x, g, places, h, size, stride, padding, dilation, groups
    ),
    g=lambda h, y, x, g, places, shape, size, stride=1, padding=0, dilation=1, groups=1: _picked(
        g, x, h, places, size, stride, padding, dilation, groups
    ),
    type_of=_weights_type,
    cases=[Case((2, 3, 6, 5), (2, 4, 2, 1), _PLACES, _FILTERS, 2, **_OPTIONS)],
)

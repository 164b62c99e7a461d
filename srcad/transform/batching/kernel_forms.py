"""Convolutions and poolings of all samples at once.

conv2d(x: f64[1, c, h, w], f)       conv2d(x: f64[n, c, h, w], f)               samples are images
conv2d(x, f: f64[k, c, p, q])       conv2d(x: f64[1, nc, h, w], f: f64[nk, c, p, q], groups=n)

Where each sample has filters of its own, the samples are groups of channels that do not see each
other; so they are where each has its own sum over the images, for the derivative by the filters.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import kernels
from srcad.ir.nodes import Atom, Op, Value
from srcad.ir.types import TupleType
from srcad.ir.walk import values_in
from srcad.transform.jacobians.batch import Batch, Form, NotBatched, extents_of, known_rank


def _shape(batch: Batch, x: Atom, rank: int) -> list[Atom]:
    whole = batch.builder.emit(np.shape, (x,))
    return [batch.builder.emit(operator.getitem, (whole, k)) for k in range(rank)]


def _times(batch: Batch, a: Atom, b: Atom) -> Atom:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    return b if a == 1 else a if b == 1 else batch.builder.emit(operator.mul, (a, b))


def _as_images(batch: Batch, x: Atom) -> Atom:
    """(samples, N, ...) as (samples * N, ...)."""
    made = batch.of(x)
    _, n, *rest = _shape(batch, made, known_rank(x) + 1)
    return batch.builder.emit(np.reshape, (made, (_times(batch, batch.count, n), *rest)))


def _of_images(batch: Batch, y: Atom, n: Atom) -> Any:
    """(samples * N, ...) as (samples, N, ...)."""
    _, *rest = _shape(batch, y, 4)
    return batch.builder.emit(np.reshape, (y, (batch.count, n, *rest)))


def _as_channels(batch: Batch, x: Atom) -> Atom:
    """(samples, N, C, ...) as (N, samples * C, ...)."""
    turned = batch.builder.emit(np.swapaxes, (batch.of(x), 0, 1))
    n, _, c, *rest = _shape(batch, turned, 5)
    shape = (n, _times(batch, batch.count, c), *rest)
    return batch.builder.emit(np.reshape, (turned, shape))


def _of_channels(batch: Batch, y: Atom, c: Atom) -> Any:
    """(N, samples * C, ...) as (samples, N, C, ...)."""
    n, _, *rest = _shape(batch, y, 4)
    parted = batch.builder.emit(np.reshape, (y, (n, batch.count, c, *rest)))
    return batch.builder.emit(np.swapaxes, (parted, 0, 1))


def _windows(batch: Batch, op: Op) -> dict[str, Any]:
    """The options of a convolution by their names."""
    first = 2 if op.fn is kernels.conv2d else 3
    given = dict(zip(("stride", "padding", "dilation", "groups"), op.args[first:], strict=False))
    found = {**given, **op.kwargs}
    if any(map(batch.has_axis, values_in(found))):
        raise NotBatched
    return found


def _grouped(batch: Batch, options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "groups": _times(batch, batch.count, options.get("groups", 1))}


def _length(batch: Batch, x: Atom, axis: int) -> Atom:
    """An extent of one sample's array."""
    return _shape(batch, batch.of(x), known_rank(x) + 1)[axis + 1]


def _conv2d(batch: Batch, op: Op) -> Any:
    x, w = op.args[:2]
    options, emit = _windows(batch, op), batch.builder.emit
    if not batch.has_axis(w):
        y = emit(kernels.conv2d, (_as_images(batch, x), w), options)
        return _of_images(batch, y, _length(batch, x, 0))
    given = (_as_channels(batch, x), _as_images(batch, w))
    y = emit(kernels.conv2d, given, _grouped(batch, options))
    return _of_channels(batch, y, _length(batch, w, 0))


def _conv2d_input(batch: Batch, op: Op) -> Any:
    g, w, shape = op.args[:3]
    options, emit = _windows(batch, op), batch.builder.emit
    n, c, *rest = _extents(batch, shape)
    if not batch.has_axis(w):
        whole = (_times(batch, batch.count, n), c, *rest)
        x = emit(kernels.conv2d_input, (_as_images(batch, g), w, whole), options)
        return _of_images(batch, x, n)
    given = (_as_channels(batch, g), _as_images(batch, w))
    whole = (n, _times(batch, batch.count, c), *rest)
    x = emit(kernels.conv2d_input, (*given, whole), _grouped(batch, options))
    return _of_channels(batch, x, c)


def _conv2d_weights(batch: Batch, op: Op) -> Any:
    x, g, shape = op.args[:3]
    options, emit = _windows(batch, op), batch.builder.emit
    filters, *rest = _extents(batch, shape)
    given = (_as_channels(batch, x), _as_channels(batch, g))
    whole = (_times(batch, batch.count, filters), *rest)
    w = emit(kernels.conv2d_weights, (*given, whole), _grouped(batch, options))
    return _of_images(batch, w, filters)


def _extents(batch: Batch, shape: Any) -> list[Atom]:
    """The extents of one sample's array, of which the shape is given, or such an array."""
    if any(map(batch.has_axis, values_in(shape))):
        return _shape(batch, batch.of(shape), 5)[1:]
    found = extents_of(batch, shape) if _is_shape(shape) else _shape(batch, shape, 4)
    if len(found) != 4:
        raise NotBatched
    return found


def _is_shape(x: Any) -> bool:
    """Whether it is a shape, not an array that has it."""
    return not isinstance(x, Value) or isinstance(x.type, TupleType)


def _pooled(batch: Batch, op: Op) -> Any:
    """`max_pool2d(x, size)`, `pick2d(x, places, size)`: of images."""
    arrays = 2 if op.fn is kernels.pick2d else 1
    given, rest = op.args[:arrays], op.args[arrays:]
    if any(map(batch.has_axis, values_in((rest, op.kwargs)))):
        raise NotBatched
    n = _length(batch, given[0], 0)
    images = tuple(_as_images(batch, x) for x in given)
    if op.fn is not kernels.max_pool2d:
        return _of_images(batch, batch.builder.emit(op.fn, (*images, *rest), op.kwargs), n)
    found = batch.builder.emit(op.fn, (*images, *rest), op.kwargs)
    return tuple(_of_images(batch, y, n) for y in found)


def _unpooled(batch: Batch, op: Op) -> Any:
    """`unpool2d(g, places, shape, size)`, `avg_unpool2d(g, shape, size)`."""
    arrays = 2 if op.fn is kernels.unpool2d else 1
    given, shape, rest = op.args[:arrays], op.args[arrays], op.args[arrays + 1 :]
    if any(map(batch.has_axis, values_in((rest, op.kwargs)))):
        raise NotBatched
    n, *others = _extents(batch, shape)
    images = tuple(_as_images(batch, x) for x in given)
    whole = (_times(batch, batch.count, n), *others)
    return _of_images(batch, batch.builder.emit(op.fn, (*images, whole, *rest), op.kwargs), n)


FORMS: dict[Any, Form] = {
    kernels.conv2d: _conv2d,
    kernels.conv2d_input: _conv2d_input,
    kernels.conv2d_weights: _conv2d_weights,
    **dict.fromkeys((kernels.max_pool2d, kernels.avg_pool2d, kernels.pick2d), _pooled),
    **dict.fromkeys((kernels.unpool2d, kernels.avg_unpool2d), _unpooled),
}

__all__ = ["FORMS"]

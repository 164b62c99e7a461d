"""Functions that move or repeat entries: flip, rot90, roll, repeat, tile, pad, tril, triu, diff.

Each is linear; its transpose moves the entries back, or sums those that one entry was repeated to.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.ir.kinds import is_integer
from srcad.ir.types import ArrayType, Extent, Type, dtype_of, shape_of
from srcad.rules.arrays.axis_order import permutation
from srcad.rules.arrays.shaping import (
    call_beside,
    dims,
    extents,
    known_as,
    like,
    rank_of,
)
from srcad.rules.core.call_facts import NOTHING_TO_DO
from srcad.rules.core.facts import (
    array_or_scalar,
    as_type,
    normalize_axes,
    size_of_shape,
    unknown_extent,
)
from srcad.rules.core.registry import linear, rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO


def array_like(m: object, *_: object, **__: object) -> ArrayType:
    """The type of an array with the shape and dtype of the first argument."""
    t = as_type(m)
    return like(t, shape_of(t))


def at_axis(axis: int, index: Any) -> Any:
    """The index that is `index` along an axis: `[:, :, index]`, or `[..., index]` for the last."""
    if axis == -1:
        return (Ellipsis, index)
    return (*[slice(None)] * axis, index) if axis else index


# ---- flip, rot90, roll


def _fliplr_type(m: object) -> ArrayType:
    t = array_like(m)
    if t.shape is not None and len(t.shape) < 2:
        raise error("E403", None, what="1 is out of range in `np.fliplr`")
    return t


linear(
    np.flip,
    m=lambda g, y, m, axis=None: np.flip(g) if axis is None else np.flip(g, axis=axis),
    type_of=lambda m, axis=None: array_or_scalar(array_like(m).dtype, shape_of(as_type(m))),
    cases=[Case((3, 4)), Case((3, 4), axis=1), Case((2, 3, 4), axis=(0, -1))],
)
linear(np.fliplr, m=lambda g, y, m: np.fliplr(g), type_of=_fliplr_type, cases=[Case((3, 4))])
linear(np.flipud, m=lambda g, y, m: np.flipud(g), type_of=array_like, cases=[Case((3,))])


def _rot90_type(m: object, k: int = 1, axes: Any = (0, 1)) -> Type:
    t = as_type(m)
    shape = shape_of(t)
    if shape is None:
        return like(t, None)
    order = permutation(np.rot90, len(shape), k, axes)
    return like(t, tuple(shape[i] for i in order))


linear(
    np.rot90,
    m=lambda g, y, m, k=1, axes=(0, 1): np.rot90(g, k=-k, axes=axes),
    type_of=_rot90_type,
    cases=[Case((3, 4)), Case((2, 3, 4), k=3, axes=(1, 2)), Case((2, 3), k=2)],
)


def _roll_vjp(g: Any, y: Any, a: Any, shift: Any, axis: Any = None) -> Any:
    back = tuple(-s for s in shift) if isinstance(shift, tuple | list) else -shift
    return call(np.roll, g, back) if axis is None else call(np.roll, g, back, axis=axis)


def _roll_type(a: object, shift: Any, axis: Any = None) -> Type:
    if any(_has_rows(x) for x in (shift, axis)):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    return array_like(a)


def _has_rows(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(isinstance(each, list | tuple) for each in x)
    return isinstance(x, ArrayType) and len(x.shape or ()) > 1


linear(
    np.roll,
    a=_roll_vjp,
    type_of=_roll_type,
    cases=[Case((5,), 2), Case((3, 4), 1, axis=1), Case((3, 4), (1, -1), axis=(0, 1))],
)


# ---- repeat, tile


def _times(extent: Extent, count: Any) -> Extent:
    if isinstance(count, int):
        return extent if count == 1 else size_of_shape([count, extent])
    return unknown_extent()


def _repeat_type(a: object, repeats: Any, axis: Any = None) -> Type:
    t = as_type(a)
    shape = shape_of(t)
    if shape is None:
        return like(t, None)
    if axis is None:
        return like(t, (_times(size_of_shape(shape), repeats),))
    at = operator.index(axis) % len(shape)
    return like(t, (*shape[:at], _times(shape[at], repeats), *shape[at + 1 :]))


def _repeat_vjp(g: Any, y: Any, a: Any, repeats: Any, axis: Any = None) -> Any:
    shape = dims(a)
    if not is_integer(repeats) and rank_of(repeats):
        return _scatter_repeated(g, a, repeats, axis)
    if isinstance(repeats, bool | np.bool_ | np.ndarray):  # no extent is given so
        repeats = int(repeats)
    after = len(shape) if axis is None else axis % len(shape) + 1
    return np.sum(np.reshape(g, (*shape[:after], repeats, *shape[after:])), axis=after)


def _scatter_repeated(g: Any, a: Any, repeats: Any, axis: Any) -> Any:
    """Each repeated entry goes back to where it came from."""
    if axis is None:
        source = call(np.repeat, call_beside(g, np.arange, call(np.size, a)), repeats)
        flat = call(runtime.scatter, g, (call(np.size, a),), source)
        return np.reshape(flat, extents(a))
    axis %= rank_of(a)
    source = call(np.repeat, call_beside(g, np.arange, dims(a)[axis]), repeats)
    return call(runtime.scatter, g, extents(a), at_axis(axis, source))


linear(
    np.repeat,
    a=_repeat_vjp,
    type_of=_repeat_type,
    cases=[
        Case((3, 4), 2),
        Case((3, 4), 3, axis=1),
        Case((3, 4), 2, axis=-2),
        Case((3, 4), True),
        Case((3, 4), np.array(2)),
        Case((3, 2), np.array([1, 0, 2]), axis=0),
        Case((3,), np.array([1, 0, 2])),
    ],
)


def _tile_parts(shape: tuple[Any, ...], reps: Any) -> list[tuple[Any, Any]]:
    """Pairs (repetitions, extent) for each axis of the tiled array."""
    counts = reps if isinstance(reps, tuple | list) else (reps,)
    rank = max(len(counts), len(shape))
    padded = (*(1,) * (rank - len(counts)), *counts)
    return list(zip(padded, (*(1,) * (rank - len(shape)), *shape), strict=True))


def _tile_type(A: object, reps: Any) -> Type:  # noqa: N803 - NumPy's name
    t = as_type(A)
    shape = shape_of(t)
    if shape is None:
        return like(t, None)
    return like(t, tuple(_times(e, count) for count, e in _tile_parts(shape, reps)))


def _tile_vjp(g: Any, y: Any, A: Any, reps: Any) -> Any:  # noqa: N803 - NumPy's name
    shape: list[Any] = []
    axes = []
    for count, extent in _tile_parts(dims(A), reps):
        if not (isinstance(count, int) and count == 1):
            axes.append(len(shape))
            shape.append(count)
        shape.append(extent)
    axis = axes[0] if len(axes) == 1 else tuple(axes)
    summed = np.sum(np.reshape(g, tuple(shape)), axis=axis) if axes else g
    return summed if len(shape) - len(axes) == rank_of(A) else np.reshape(summed, extents(A))


linear(
    np.tile,
    A=_tile_vjp,
    type_of=_tile_type,
    cases=[Case((3,), 2), Case((2, 3), (2, 1)), Case((3,), (2, 3)), Case((2, 3), 2), Case((2,), 1)],
)


# ---- pad


def _pad_widths(pad_width: Any, rank: int) -> list[tuple[int, int]]:
    widths = np.broadcast_to(np.asarray(pad_width, dtype=object), (rank, 2))
    if not all(map(is_integer, widths.flat)):
        raise error("E123", None, what="`pad_width`")
    return [(int(before), int(after)) for before, after in widths]


def _lengthened(extent: Extent, by: int) -> Extent:
    return extent + by if isinstance(extent, int) else extent.lengthened(by)


def _pad_type(array: object, pad_width: Any, mode: str = "constant", **_: object) -> Type:
    t = as_type(array)
    shape = shape_of(t)
    if shape is None:
        return like(t, None)
    widths = _pad_widths(pad_width, len(shape))
    return like(t, tuple(_lengthened(e, sum(w)) for e, w in zip(shape, widths, strict=True)))


def _pad_jvp(
    ts: Any, y: Any, array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0
) -> Any:
    return call(np.pad, ts[0], pad_width, **({} if mode == "constant" else {"mode": mode}))


def _pad_vjp(
    g: Any, y: Any, array: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0
) -> Any:
    widths = _pad_widths(pad_width, rank_of(array))
    if mode != "constant":
        return _fold_back(g, array, widths, mode)
    index = tuple(slice(before or None, -after or None) for before, after in widths)
    return g[index if len(index) > 1 else index[0]] if index else g


def _fold_back(g: Any, array: Any, widths: list[tuple[int, int]], mode: str) -> Any:
    """Axis after axis, each padded entry is added to the entry that it copies."""
    if mode not in ("edge", "reflect", "symmetric", "wrap"):
        raise error("E203", None, what=f"`np.pad(..., mode={mode!r})`")
    shape = dims(g)
    for axis, (extent, width) in enumerate(zip(dims(array), widths, strict=True)):
        if width == (0, 0):
            continue
        shape = (*shape[:axis], extent, *shape[axis + 1 :])
        source = call(np.pad, call_beside(g, np.arange, extent), width, mode=mode)
        g = call(runtime.scatter, g, shape, at_axis(axis, source))
    return g


rule(
    np.pad,
    jvp=_pad_jvp,
    array=_pad_vjp,
    type_of=_pad_type,
    cases=[
        Case((3,), 1),
        Case((3, 4), ((1, 0), (0, 2))),
        Case((3, 4), (2, 1), constant_values=5.0),
        Case((3, 4), ((1, 2), (2, 0)), mode="edge"),
        Case((5,), (2, 3), mode="reflect"),
        Case((3, 4), 2, mode="symmetric"),
        Case((3, 4), 1, mode="wrap"),
    ],
)


# ---- tril, triu, diff


def _matrices(m: object, k: object = 0) -> Type:
    t = as_type(m)
    shape = shape_of(t)
    if shape is not None and len(shape) < 2:
        raise error("E203", None, what="`np.tril` of a vector")
    return like(t, shape)


def _is_main(k: object) -> bool:
    """Whether a diagonal is known to be the main one."""
    return type(k) is int and k == 0


linear(
    np.tril,
    m=lambda g, y, m, k=0: np.tril(g) if _is_main(k) else np.tril(g, k=k),
    type_of=_matrices,
    cases=[Case((3, 4)), Case((2, 3, 3), k=-1)],
)
linear(
    np.triu,
    m=lambda g, y, m, k=0: np.triu(g) if _is_main(k) else np.triu(g, k=k),
    type_of=_matrices,
    cases=[Case((3, 4)), Case((2, 3, 3), k=1)],
)


def _diff_type(a: object, n: int = 1, axis: int = -1) -> Type:
    t = as_type(a)
    shape = shape_of(t)
    if shape is None:
        return like(t, None)
    (at,) = normalize_axes(axis, len(shape))
    extent = shape[at]
    shorter = max(0, extent - n) if isinstance(extent, int) else extent.shortened(n)
    dtype = dtype_of(t)
    if dtype is not None and dtype.kind == "M":  # of dates the time between them
        t = ArrayType(np.diff(np.ones(2, dtype)).dtype, shape)
    return like(t, (*shape[:at], shorter, *shape[at + 1 :]))


def _diff_vjp(g: Any, y: Any, a: Any, n: int = 1, axis: int = -1) -> Any:
    """The n-th difference of `g` with n zeros at both ends, negated for odd n."""
    (at,) = normalize_axes(axis, rank_of(a))
    extent = dims(a)[at]
    if isinstance(extent, int) and extent <= n:
        return ZERO
    widths = [(0, 0)] * rank_of(a)
    widths[at] = (n, n)
    padded = np.pad(g, tuple(widths) if len(widths) > 1 else n)
    options = {**({} if n == 1 else {"n": n}), **({} if at == rank_of(a) - 1 else {"axis": axis})}
    differences = np.diff(padded, **options)
    if not isinstance(extent, int):
        # Fewer than n entries have no differences, and n zeros at both ends make too many.
        whole = (slice(None),) * at
        entries = slice(None, a.shape[at])
        differences = differences[(*whole, entries) if whole else entries]
    differences = known_as(differences, a)
    return known_as(-differences, a) if n % 2 else differences


linear(
    np.diff,
    a=_diff_vjp,
    type_of=_diff_type,
    cases=[Case((5,)), Case((4, 5), axis=0), Case((6,), n=2), Case((2, 6, 2), n=3, axis=1)],
)
NOTHING_TO_DO[np.diff] = lambda a, n=1, axis=-1: n == 0

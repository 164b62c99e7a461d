"""Which operations may raise by the *shapes* that they are given, and what proves that they do not.

x + y                       extents that meet are equal, or one of them is 1
a @ b, np.einsum(...)       those that are summed over are equal
np.linalg.det(a)            the last two are equal
np.array([x, y])            they are equal, axis by axis
np.sort(a, axis=1)          the array has such an axis
y[1:] = v                   the values have the extents of the entries, or 1
np.interp(x, xp, fp)        nothing proves it: it has to be tried

A type function refuses what can be told from the types alone; extents that a type has as symbols
may turn out to differ. Functions without a statement here are refused by their type function
wherever they would raise by their shapes. `tests/rules/misfits.py` looks for others.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import SrcadError
from srcad.ir.kinds import index_parts
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import Dim, Extent, Shape, TupleType, dtype_of, shape_of
from srcad.ops.raising import is_extent, is_text
from srcad.ops.table import named, row_of, state_also
from srcad.rules.core.infer import infer
from srcad.rules.core.sequences import whole
from srcad.rules.core.staged import type_of


def may_misfit(op: Op) -> bool:
    """Whether an operation may raise by the shapes of its arguments."""
    if op.effect or isinstance(op.fn, Function):
        return False
    row = row_of(whole(op.fn))
    if row.fits is not None:
        return not row.fits(op)
    return row.elementwise and not broadcast(op)


def unproved(op: Op) -> bool:
    """Nothing is known that would prove it."""
    return False


def broadcast(op: Op) -> bool:
    """The arguments are broadcast together."""
    return _meet(map(_shape, op.args))


def multiplied(op: Op) -> bool:
    """Vectors, matrices, and stacks of them."""
    a, b = map(_shape, op.args[:2])
    if a is None or b is None:
        return False
    if not a or not b:
        return True  # `np.dot` of a number; the type function refuses others
    last, first = summed_over(a, b)
    stacks = op.fn is np.dot or _meet((a[:-2], b[:-2]))
    return bool(last == first and stacks)


def summed_over(a: Shape, b: Shape) -> tuple[Extent, Extent]:
    """The two extents over which a product of vectors, matrices or stacks of them sums."""
    return a[-1], b[-2] if len(b) > 1 else b[-1]


def summed_last(op: Op) -> bool:
    """Products over the last axis of both, as of `np.inner`."""
    a, b = map(_shape, op.args[:2])
    is_plain = a is not None and b is not None and not op.kwargs
    return is_plain and (not a or not b or a[-1] == b[-1])


def contracted(op: Op) -> bool:
    """Products over axes that are named."""
    a, b = map(_shape, op.args[:2])
    axes = op.args[2] if len(op.args) > 2 else op.kwargs.get("axes", 2)
    if a is None or b is None:
        return False
    if isinstance(axes, int):
        return a[len(a) - axes :] == b[:axes]
    if not isinstance(axes, list | tuple) or len(axes) != 2:
        return False
    first, second = ([x] if isinstance(x, int) else x for x in axes)
    if len(first) != len(second):
        return False
    has_axes = _in_range(first, a) and _in_range(second, b)
    return has_axes and all(a[i] == b[j] for i, j in zip(first, second, strict=True))


def _in_range(axes: Any, shape: Any) -> bool:
    return all(isinstance(i, int) and -len(shape) <= i < len(shape) for i in axes)


def labelled(op: Op) -> bool:
    """Axes with one label in `np.einsum`."""
    subscripts, *operands = op.args
    if not isinstance(subscripts, str) or "." in subscripts:
        return False
    extents: dict[str, list[Extent]] = {}
    terms = subscripts.replace(" ", "").split("->")[0].split(",")
    for term, x in zip(terms, operands, strict=True):
        shape = _shape(x)
        if shape is None or len(shape) != len(term):
            return False
        own: dict[str, Extent] = {}
        for label, extent in zip(term, shape, strict=True):
            if own.setdefault(label, extent) != extent:
                return False  # along a diagonal nothing is broadcast
            extents.setdefault(label, []).append(extent)
    return all(itertools.starmap(_agree, _pairs(extents.values())))


def square(op: Op) -> bool:
    """A matrix as high as it is wide, or a stack of such."""
    shape = _shape(op.args[0])
    return shape is not None and len(shape) > 1 and shape[-1] == shape[-2]


def of_its_axes(op: Op) -> bool:
    """An axis that the array has; `None` is all of them."""
    shape = _shape(op.args[0])
    axes = op.kwargs.get("axis", -1)
    if axes is None:
        return True
    if isinstance(axes, tuple) and op.fn not in (np.roll, np.flip):
        return False
    axes = axes if isinstance(axes, tuple) else (axes,)
    return shape is not None and all(
        isinstance(axis, int) and -len(shape) <= axis < len(shape) for axis in axes
    )


def masked_alike(op: Op) -> bool:
    """Masks as long as the axes that they choose from."""
    shape, parts = _shape(op.args[0]), list(index_parts(op.args[1]))
    masks = [part for part in parts if _is_mask(part)]
    if not masks:
        return True
    if shape is None or any(part is Ellipsis for part in parts[:-1]):
        return False
    axis = 0
    for part in parts:
        if _is_mask(part):
            wanted = _shape(part)
            if wanted is None or shape[axis : axis + len(wanted)] != wanted:
                return False
            axis += len(wanted)
        elif part is not None:
            axis += 1
    return True


def _is_mask(part: Any) -> bool:
    dtype = dtype_of(type_of(part)) if isinstance(part, Value | np.ndarray) else None
    return dtype is not None and dtype.kind == "b"


def of_one_entry(op: Op) -> bool:
    """A number, not an array, whose truth is asked for."""
    return _shape(op.args[0]) == ()


def single(op: Op) -> bool:
    """Axes to be left out that have one entry."""
    shape, axes = _shape(op.args[0]), op.kwargs.get("axis")
    if axes is None:
        return True
    axes = axes if isinstance(axes, tuple) else (axes,)
    if not shape or not all(isinstance(axis, int) for axis in axes):
        return False
    return all(shape[axis] == 1 for axis in axes)


def stored(op: Op) -> bool:
    """Values that are broadcast to the entries over which they are written, and no texts."""
    into, index, values = op.args
    shape = _shape(values)
    if not masked_alike(op) or (is_text(values) and not is_text(into)):
        return False
    if shape == ():
        return True
    try:
        region = shape_of(infer(operator.getitem, (into, index), {}))
    except (SrcadError, TypeError):
        return False
    if shape is None or region is None or (shape and not region):
        return False  # NumPy's versions differ on arrays written into one entry
    aligned = itertools.zip_longest(reversed(shape), reversed(region), fillvalue=1)
    return all(e in (1, to) for e, to in aligned)


# The axis along which arrays that are joined may differ, by how many they have; None: along none.
_DIFFER: dict[Any, Callable[[int], int | None]] = {
    np.stack: lambda rank: None,
    np.vstack: lambda rank: 0 if rank > 1 else None,
    np.hstack: lambda rank: 0 if rank == 1 else 1,
    np.column_stack: lambda rank: 1 if rank > 1 else None,
    np.dstack: lambda rank: 2 if rank > 2 else None,
}


def joined(op: Op) -> bool:
    """Arrays of equal extents, but for the axis along which they are joined."""
    items = op.args[0]
    shapes = [_shape(x) for x in items] if isinstance(items, list | tuple) else []
    first, *others = shapes or [None]
    if first is None or any(shape is None or len(shape) != len(first) for shape in others):
        return False
    axis = op.kwargs.get("axis", op.args[1] if len(op.args) > 1 else 0)
    if op.fn in _DIFFER:
        axis = _DIFFER[op.fn](len(first))
    if axis is not None and not isinstance(axis, int):
        return False
    free = None if axis is None else axis % max(len(first), 1)
    return all(
        a == b or k == free
        for shape in others
        for k, (a, b) in enumerate(zip(first, shape or (), strict=True))
    )


def nested(op: Op) -> bool:
    """Lists of items of equal shapes."""
    return not isinstance(op.args[0], list | tuple) or _shape_of_items(op.args[0]) is not None


def _shape_of_items(x: Any) -> Shape | None:
    """The shape of an array of nested lists; None where it is not proved that there is one."""
    if not isinstance(x, list | tuple):
        return _shape(x)
    shapes = dict.fromkeys(map(_shape_of_items, x)) or {(): None}
    first, *others = shapes
    return None if first is None or others else (len(x), *first)


def stretched(op: Op) -> bool:
    """Of `np.broadcast_to`: each extent is 1 or that of the shape, made of extents."""
    x, shape, *rest = op.args
    own, items = _shape(x), _items(shape)
    if own is None or items is None or rest or op.kwargs or len(own) > len(items):
        return False
    wanted = [n if type(n) is int else getattr(n, "extent", None) for n in items]
    is_shape = all(isinstance(n, Dim) or (type(n) is int and n >= 0) for n in wanted)
    return is_shape and all(a in (1, b) for a, b in zip(own[::-1], wanted[::-1], strict=False))


def _items(shape: Any) -> list[Any] | None:
    """The items of a shape: ints, and types of those that are not known."""
    if isinstance(shape, Value):
        t = shape.type
        return list(t.items) if isinstance(t, TupleType) else [t]
    items = shape if isinstance(shape, tuple | list) else (shape,)
    return [n.type if isinstance(n, Value) else n for n in items]


def of_points(op: Op) -> bool:
    """A number of points that is given, or more than one sample, of which there are points."""
    n, axis = (
        op.args[k] if len(op.args) > k else op.kwargs.get(name, default)
        for k, (name, default) in enumerate((("n", None), ("axis", -1)), 1)
    )
    shape = _shape(op.args[0])
    if n is not None or shape is None or not isinstance(axis, int) or not shape:
        return isinstance(n, int) and n > 0
    extent = shape[axis]
    return (extent.floor if isinstance(extent, Dim) else extent) > 1


def repeated(op: Op) -> bool:
    """Numbers of times, or of powers, that are not negative."""
    times = op.args[1] if len(op.args) > 1 else op.kwargs.get("reps", op.kwargs.get("N", 0))
    several = times if isinstance(times, tuple | list) else (times,)
    return all(map(is_extent, several))


def _shape(x: Any) -> Shape | None:
    if isinstance(x, Value | np.ndarray | np.generic | int | float | complex):
        return shape_of(type_of(x))
    return None if isinstance(x, list | tuple) else ()


def _meet(shapes: Iterable[Shape | None]) -> bool:
    """Whether shapes can be broadcast together, whatever their symbols stand for."""
    known = list(shapes)
    if None in known:
        return False
    aligned = itertools.zip_longest(*(reversed(shape or ()) for shape in known), fillvalue=1)
    return all(itertools.starmap(_agree, _pairs(aligned)))


def _pairs(groups: Iterable[Iterable[Extent]]) -> Iterator[tuple[Extent, Extent]]:
    for group in groups:
        yield from itertools.combinations(dict.fromkeys(group), 2)


def _agree(a: Extent, b: Extent) -> bool:
    return a == b or 1 in (a, b)


for _fits, _fns in (
    (broadcast, [np.where, np.clip, np.isclose, np.allclose, np.select, np.broadcast_arrays]),
    (broadcast, [divmod, np.divmod]),
    (multiplied, [np.dot, np.matmul, operator.matmul, np.linalg.matmul]),
    (multiplied, named(np, "matvec vecmat")),
    (summed_last, [np.inner, *named(np, "vecdot"), *named(np.linalg, "vecdot")]),
    (contracted, [np.tensordot, *named(np.linalg, "tensordot")]),
    (labelled, [np.einsum]),
    (square, [np.linalg.det, np.linalg.slogdet, np.linalg.matrix_power]),
    (of_its_axes, [np.sort, np.argsort, np.roll, np.flip, np.unwrap]),
    (of_its_axes, named(np, "nanmean nanstd nanvar")),
    (single, [np.squeeze]),
    (masked_alike, [operator.getitem]),
    (of_one_entry, [operator.truth, operator.not_, bool]),
    (stored, [runtime.index_update, runtime.index_add]),
    (joined, [np.concatenate, *_DIFFER]),
    (nested, [np.array, np.asarray, np.asanyarray]),
    (repeated, [np.tile, np.vander]),
    (of_points, [np.fft.irfft, np.fft.hfft]),
):
    state_also({"fits": _fits}, *_fns)

# What only the function itself finds out: bounds, lengths, positions, arrays without entries.
_UNTOLD = """average block compress correlate cross delete full_like gradient histogram
    histogram_bin_edges insert interp polyadd polyder polyfit polymul polysub quantile take
    take_along_axis trace linspace eye full diag_indices_from argmax argmin nanargmax nanargmin
    argpartition lexsort nanpercentile nanquantile partition searchsorted digitize
    resize choose piecewise"""
_TOLD = """amax amin append convolve corrcoef cov diag extract geomspace histogram2d logspace max
    median min nanmax nanmin pad percentile ptp reshape split hsplit vsplit
    dsplit array_split trapezoid vdot fft.fft fft.fft2 fft.fftn fft.ifft fft.ifft2
    fft.ifftn fft.ihfft fft.rfft fft.rfft2 fft.rfftn linalg.multi_dot linalg.outer
    polynomial.chebyshev.chebval polynomial.hermite.hermval polynomial.hermite_e.hermeval
    polynomial.laguerre.lagval polynomial.legendre.legval polynomial.polynomial.polyval"""
state_also({"fits": unproved}, *named(np, _UNTOLD), *named(np, "fft.irfft2 fft.irfftn"))
state_also({"fits": unproved}, *named(np.linalg, "cross norm"), np.add.reduceat, math.dist)
state_also({"fits": stretched}, np.broadcast_to)
# The derivative by an argument would raise as well.
state_also({"fits": unproved, "raised_by_derivative": True}, *named(np, _TOLD))
state_also({"raised_by_derivative": True}, *named(np, "nanmean nanstd nanvar"))

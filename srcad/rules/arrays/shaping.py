"""Other views of the same entries: reshape, expand_dims, squeeze, broadcast_to, ...

Each is linear and its transpose is the way back, or a sum where entries were repeated. `np.shape`,
`np.size` and `np.ndim` are here too: their results cannot be varied.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import (
    ArrayType,
    Dim,
    Extent,
    NumberType,
    ObjectType,
    Shape,
    TupleType,
    Type,
    dtype_of,
    shape_of,
)
from srcad.rules.core.broadcast import unbroadcast
from srcad.rules.core.facts import (
    as_type,
    broadcast_shapes,
    normalize_axes,
    shape_from,
    size_of_shape,
    unknown_extent,
)
from srcad.rules.core.registry import linear, nondiff, rule
from srcad.rules.core.staged import Staged, find_builder, type_of
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO

# ---- helpers of rule bodies


def extents(x: Any) -> Any:
    """The shape of anything in a rule body: a tuple of ints where known, else a staged tuple."""
    return x.shape if isinstance(x, Staged | np.ndarray) else np.shape(x)


def dims(x: Any) -> tuple[Any, ...]:
    """The extents of anything in a rule body, each an int where known, else a staged number."""
    if not isinstance(x, Staged):
        return np.shape(x)
    known = shape_of(x.type)
    if known is None:
        raise error("E123", None, what="the number of axes")
    shape = extents(x) if any(isinstance(e, Dim) for e in known) else known
    return tuple(e if isinstance(e, int) else shape[i] for i, e in enumerate(known))


def known_as(piece: Any, x: Any) -> Any:
    """`piece`, told to have the shape of `x` where its own operation does not tell."""
    if isinstance(piece, Staged) and isinstance(piece.type, ArrayType):
        piece.value.type = ArrayType(piece.type.dtype, shape_of(type_of(x)), piece.type.scalar)
    return piece


def call_beside(x: Any, fn: Any, *args: Any, **kwargs: Any) -> Any:
    """`call(fn, ...)` that is an op where `x` is staged, even if the arguments are constants."""
    found = find_builder((x, args, kwargs))
    return fn(*args, **kwargs) if found is None else found.call(fn, *args, **kwargs)


def like(t: Type, shape: Shape | None) -> ArrayType:
    """An array type with the dtype of `t`."""
    dtype = dtype_of(t)
    if dtype is None:
        raise TypeError(f"{t} is no array")
    return ArrayType(dtype, shape)


def dtype_of_arrays(*types: Type) -> np.dtype:
    """The dtype of mixed arguments where NumPy makes arrays of numbers: f32 and 2.0 is f64."""
    return np.result_type(*(like(t, None).dtype for t in types))


def rank_of(x: Any) -> int:
    """The number of axes of anything in a rule body; refused where it is not known."""
    shape = shape_of(type_of(np.asarray(x) if isinstance(x, list) else x))
    if shape is None:
        raise error("E123", None, what="the number of axes")
    return len(shape)


# ---- shape, size, ndim


def _shape_type(a: object) -> Type:
    shape = shape_of(as_type(a))
    if shape is None:
        return ObjectType("shape")
    return TupleType(tuple(NumberType(int, e) for e in shape))


def _size_type(a: object, axis: Any = None) -> Type:
    shape = shape_of(as_type(a))
    if shape is None or isinstance(axis, NumberType | tuple):
        return NumberType(int)
    return NumberType(int, size_of_shape(shape) if axis is None else shape[operator.index(axis)])


def _ndim_type(a: object) -> Type:
    shape = shape_of(as_type(a))
    return NumberType(int, None if shape is None else len(shape))


nondiff(np.shape, type_of=_shape_type)
nondiff(np.size, type_of=_size_type)
nondiff(np.ndim, type_of=_ndim_type)


# ---- reshape


def reshaped(shape: Shape | None, target: object) -> Shape | None:
    """The shape after a reshape to `target`, in which one extent may be -1."""
    wanted = shape_from(target)
    if wanted is None or -1 not in wanted:
        _check_sizes(shape, wanted)
        return wanted
    rest = None if shape is None else _quotient(shape, [e for e in wanted if e != -1])
    filled = unknown_extent() if rest is None else rest
    return tuple(filled if e == -1 else e for e in wanted)


def _check_sizes(shape: Shape | None, wanted: Shape | None) -> None:
    if shape is None or wanted is None:
        return
    have, want = size_of_shape(shape), size_of_shape(wanted)
    if isinstance(have, int) and isinstance(want, int) and have != want:
        raise error("E404", None, what=f"{have} entries to {wanted}")


def _quotient(shape: Shape, divisors: list[Extent]) -> Extent | None:
    """The product of `shape` over that of `divisors`, None where it cannot be told."""
    dims: list[Extent] = [e for e in shape if isinstance(e, Dim)]
    number = size_of_shape([e for e in shape if isinstance(e, int)])
    for divisor in divisors:
        if isinstance(divisor, int) and isinstance(number, int) and divisor:
            if number % divisor:
                return None
            number //= divisor
        elif divisor in dims:
            dims.remove(divisor)
        else:
            return None
    return size_of_shape([number, *dims])


def _back(g: Any, a: Any, order: str) -> Any:
    if order not in ("C", "F"):
        raise error("E203", None, what=f"`np.reshape(..., order={order!r})`")
    shape = extents(a)
    return np.reshape(g, shape) if order == "C" else np.reshape(g, shape, order="F")


linear(
    np.reshape,
    cases=[
        Case((3, 4), (2, 6)),
        Case((3, 4), -1),
        Case((2, 3), (3, -1), order="F"),
        Case((), (1, 1)),
    ],
    a=lambda g, y, a, shape, order="C": _back(g, a, order),
    type_of=lambda a, shape, order="C": like(as_type(a), reshaped(shape_of(as_type(a)), shape)),
)
linear(
    np.ravel,
    a=lambda g, y, a, order="C": _back(g, a, order),
    type_of=lambda a, order="C": like(as_type(a), reshaped(shape_of(as_type(a)), (-1,))),
    cases=[Case((3, 4)), Case((2, 3), order="F"), Case((5,)), Case(())],
)


# ---- axes of extent 1


def _expand_dims_type(a: object, axis: Any) -> Type:
    t = as_type(a)
    shape = shape_of(t)
    if shape is None:
        return like(t, None)
    count = len(axis) if isinstance(axis, tuple | list) else 1
    new = normalize_axes(axis, len(shape) + count)
    rest = iter(shape)
    return like(t, tuple(1 if i in new else next(rest) for i in range(len(shape) + count)))


def _squeeze_type(a: object, axis: Any = None) -> Type:
    t = as_type(a)
    shape = shape_of(t)
    if shape is None or not shape:
        if shape is not None and isinstance(axis, tuple) and axis:
            normalize_axes(axis, 0)
        return like(t, shape) if isinstance(t, NumberType) else t
    if axis is not None:
        gone = normalize_axes(axis, len(shape))
        return like(t, tuple(e for i, e in enumerate(shape) if i not in gone))
    if any(isinstance(e, Dim) and not e.never_one for e in shape):
        return like(t, None)
    return like(t, tuple(e for e in shape if e != 1))


linear(
    np.expand_dims,
    a=lambda g, y, a, axis: np.squeeze(g, axis=axis),
    type_of=_expand_dims_type,
    cases=[Case((3, 4), 1), Case((3, 4), (0, -1)), Case((), 0)],
)
linear(
    np.squeeze,
    a=lambda g, y, a, axis=None: (
        np.reshape(g, extents(a)) if axis is None or rank_of(a) == 0 else np.expand_dims(g, axis)
    ),
    type_of=_squeeze_type,
    cases=[Case((3, 1, 4, 1)), Case((3, 1, 4, 1), axis=-1), Case((1, 3, 1), axis=(0, 2))],
)


def _at_least(count: int) -> Any:
    def type_of(ary: object) -> Type:
        t = as_type(ary)
        shape = shape_of(t)
        if shape is None:
            return like(t, None)
        front = (1,) * (count - len(shape))
        if count == 3 and len(shape) in (1, 2):  # NumPy puts the last of the new axes at the end
            return like(t, (*front[1:], *shape, 1))
        return like(t, (*front, *shape))

    return type_of


for _fn, _count in ((np.atleast_1d, 1), (np.atleast_2d, 2), (np.atleast_3d, 3)):
    linear(
        _fn,
        ary=lambda g, y, ary: g if rank_of(ary) == rank_of(g) else np.reshape(g, extents(ary)),
        type_of=_at_least(_count),
        cases=[Case(()), Case((3,)), Case((3, 4)), Case((2, 3, 4)), Case((2, 1, 3, 2))],
    )


# ---- broadcasting

linear(
    np.broadcast_to,
    array=lambda g, y, array, shape: unbroadcast(g, array),
    type_of=lambda array, shape: like(as_type(array), shape_from(shape)),
    cases=[Case((4,), (3, 4)), Case((3, 1), (2, 3, 4)), Case((), (2, 3)), Case(float, (2,))],
)


def _broadcast_types(*args: object) -> tuple[Type, ...]:
    types = [as_type(a) for a in args]
    shape = broadcast_shapes(*map(shape_of, types))
    return tuple(like(t, shape) for t in types)


rule(
    np.broadcast_arrays,
    jvp=lambda ts, y, *args: tuple(
        t if t is ZERO else np.broadcast_to(t, extents(y_k)) for t, y_k in zip(ts, y, strict=True)
    ),
    args=lambda g, y, *args, at: unbroadcast(g[at], args[at]),
    type_of=_broadcast_types,
    cases=[Case((3, 1), (4,)), Case((2, 3), ())],
)

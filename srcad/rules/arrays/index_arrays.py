"""Arrays of indices, made of extents and of other indices: they are never varied."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import ArrayType, NumberType, Shape, TupleType, Type, dtype_of, shape_of
from srcad.rules.arrays.creation import static_dtype
from srcad.rules.core.facts import (
    array_or_scalar,
    as_type,
    broadcast_shapes,
    shape_from,
    unknown_extent,
)
from srcad.rules.core.registry import nondiff
from srcad.rules.core.table import Case

_INDEX = np.dtype(np.intp)


def _indices_type(dimensions: Any, dtype: object = int, sparse: bool = False) -> Any:
    shape = shape_from(dimensions) or ()
    found = static_dtype(dtype)
    if not sparse:
        return ArrayType(found, (len(shape), *shape))
    rank = len(shape)
    return tuple(
        ArrayType(found, tuple(e if i == k else 1 for i in range(rank)))
        for k, e in enumerate(shape)
    )


def _ix_type(*args: object) -> Any:
    found = []
    for k, arg in enumerate(args):
        t = as_type(arg)
        shape = shape_of(t)
        if shape is not None and len(shape) != 1:
            raise ValueError("Cross index must be 1 dimensional")
        extent = (shape or (unknown_extent(),))[0]
        dtype = dtype_of(t)
        if dtype is None or dtype.kind == "b":
            dtype, extent = _INDEX, unknown_extent()
        shape = tuple(extent if i == k else 1 for i in range(len(args)))
        found.append(ArrayType(dtype, shape))
    return tuple(found)


def _shape_of_index(index: object) -> Shape | None:
    return shape_of(as_type(index))


def _ravelled_type(multi_index: Any, dims: Any, mode: Any = "raise", order: Any = "C") -> Type:
    if isinstance(multi_index, list | tuple):
        shape = broadcast_shapes(*map(_shape_of_index, multi_index))
    elif isinstance(multi_index, TupleType):
        shape = broadcast_shapes(*map(shape_of, multi_index.items))
    else:
        given = shape_of(as_type(multi_index))
        shape = None if given is None else given[1:]
    return array_or_scalar(_INDEX, shape)


def _unravelled_type(indices: object, shape: Any, order: Any = "C") -> Any:
    t = array_or_scalar(_INDEX, shape_of(as_type(indices)))
    return tuple(t for _ in shape_from(shape) or ())


def _from_array(arr: object, *_: object, **__: object) -> Any:
    """The indices of a triangle of a matrix."""
    shape = shape_of(as_type(arr))
    if shape is not None and len(shape) != 2:
        raise error("E400", None, what="the indices of a triangle of what is no matrix")
    return _indices_of_entries()


def _indices_of_entries() -> tuple[Type, Type]:
    """The rows and columns of some entries."""
    together = ArrayType(_INDEX, (unknown_extent(),))
    return together, together


def _diagonal_from(arr: object) -> Any:
    shape = shape_of(as_type(arr)) or ()
    if len(shape) < 2:
        raise ValueError("an array with fewer than two axes")
    return tuple(ArrayType(_INDEX, shape[:1]) for _ in shape)


def _mask_indices_type(n: object, mask_func: Any, k: object = 0) -> Any:
    return _indices_of_entries()


def _broadcast_type(*args: object) -> Type:
    shape = broadcast_shapes(*map(shape_from, args)) or ()
    return TupleType(tuple(NumberType(int, e) for e in shape))


_UPPER, _LOWER = Case.made(lambda rng: np.triu), Case.made(lambda rng: np.tril)
nondiff(
    np.indices,
    type_of=_indices_type,
    cases=[Case(Case.made(lambda rng: (2, 3))), Case(Case.made(lambda rng: (4,)), dtype=float)],
)
nondiff(np.ix_, type_of=_ix_type, cases=[Case(np.array([0, 2]), np.array([1, 1, 0]))])
nondiff(
    np.ravel_multi_index,
    type_of=_ravelled_type,
    cases=[
        Case(
            Case.made(lambda rng: (np.array([0, 1]), np.array([2, 0]))), Case.made(lambda r: (2, 3))
        ),
        Case(Case.made(lambda rng: (1, 2)), Case.made(lambda r: (2, 3))),
    ],
)
nondiff(
    np.unravel_index,
    type_of=_unravelled_type,
    cases=[
        Case(np.array([3, 1]), Case.made(lambda rng: (2, 3))),
        Case(4, Case.made(lambda r: (2, 3))),
    ],
)
nondiff(
    np.tril_indices_from,
    np.triu_indices_from,
    type_of=_from_array,
    cases=[Case((3, 4)), Case((3, 3), 1)],
)
nondiff(np.diag_indices_from, type_of=_diagonal_from, cases=[Case((3, 3))])
nondiff(np.mask_indices, type_of=_mask_indices_type, cases=[Case(3, _UPPER), Case(3, _LOWER, -1)])
nondiff(
    np.broadcast_shapes,
    type_of=_broadcast_type,
    cases=[Case(Case.made(lambda rng: (2, 1)), Case.made(lambda rng: (3,)))],
)

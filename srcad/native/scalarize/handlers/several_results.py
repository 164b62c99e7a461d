"""Operations with several results: pieces of an array, grids, the places of a mask.

a, b = np.split(x, 2)          a is x[: n // 2], b is x[n // 2 :], where n is even
u, v = np.meshgrid(x, y)       (i, j)  ->  x[j], y[i]
r, c = np.nonzero(m)           where m is true, row by row
np.flatnonzero(m)              r * m.shape[1] + c
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_set
from srcad.ir.types import dtype_of, shape_of
from srcad.native.scalarize.arrays import Array, Entries, Extents, Index, shifted
from srcad.native.scalarize.handlers.gathers import count_true, of_list
from srcad.native.scalarize.handlers.indexing import subscript
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited, scalar
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.options import only, option
from srcad.native.scalarize.scalars.choice import select
from srcad.rules.core.sequences import OnlyItem


def _split(s: Lowering, op: Op) -> list[Array]:
    only(op, "axis")
    return _pieces(s, op, s.array(op.args[0]), option(op, "axis", 2, 0))


def _split_along(of_vector: int, of_others: int) -> Handler:
    """A function that splits along an axis of its own."""

    def handler(s: Lowering, op: Op) -> list[Array]:
        only(op)
        x = s.array(op.args[0])
        return _pieces(s, op, x, of_others if x.rank > 1 else of_vector)

    return handler


def _pieces(s: Lowering, op: Op, x: Array, at: Any) -> list[Array]:
    sections = op.args[1]
    if type(at) is not int or not -x.rank <= at < x.rank:
        raise Unsuited("an array split along an axis that is not known")
    at %= x.rank
    if type(sections) is int:
        return _equal_pieces(s.code, x, at, sections, op.fn is np.array_split)
    if not isinstance(sections, list | tuple):
        raise Unsuited("an array split at places that are not known")
    around = (slice(None),) * at
    bounds = pairwise((None, *sections, None))
    pieces = ((*around, slice(start, stop)) for start, stop in bounds)
    return [subscript(s.code, x, piece, s.whole) for piece in pieces]


def _equal_pieces(code: Code, x: Array, at: int, count: int, may_differ: bool) -> list[Array]:
    """Pieces of one length; or the first ones longer by one, as many as are left over."""
    n, start, pieces = x.extents[at], Affine(), []
    for k in range(count):
        rest = count - 1 - k if may_differ else 0
        length = code.derived(operator.floordiv, (n + rest, Affine(count)), n)
        if not may_differ:
            code.equal(length * count, n)
        extents = (*x.extents[:at], length, *x.extents[at + 1 :])
        pieces.append(shifted(x, extents, at, start))
        start = start + length
    return pieces


def _grid(s: Lowering, op: Op) -> list[Array]:
    """`np.meshgrid(x, y)` of vectors, `np.ix_(rows, columns)` of index arrays."""
    only(op, "indexing")
    vectors = [_vector(s, x) for x in op.args]
    order = list(range(len(vectors)))
    if op.fn is np.meshgrid and op.kwargs.get("indexing", "xy") == "xy":
        order[:2] = reversed(order[:2])
    known = [x for x in vectors if x is not None and x.rank == 1 and x.dtype.kind != "b"]
    if len(known) != len(vectors):
        raise Unsuited("a grid of something else than vectors")
    shape = tuple(known[k].extents[0] for k in order)
    is_open = op.fn is np.ix_
    return [
        _along(x, order.index(k), _only(k, shape) if is_open else shape)
        for k, x in enumerate(known)
    ]


def _only_grid(s: Lowering, op: Op) -> Array:
    """`np.meshgrid(x)`."""
    (made,) = _grid(s, op)
    return made


def _vector(s: Lowering, x: Any) -> Array | None:
    if isinstance(x, list):
        return of_list(s, x)
    return s.array(x) if isinstance(x, Value) else None


def _parts(s: Lowering, op: Op) -> list[Any]:
    """`np.modf(x)`: what is after the point, and ahead of it."""
    (x,) = op.args
    if op.kwargs or np.dtype(dtype_of(op.outs[0].type)) != np.float64:
        raise Unsuited("parts of other numbers")
    is_array = bool(shape_of(op.outs[0].type))
    array = s.in_memory(s.array(x)) if is_array else s.array(x)

    def ahead(code: Code, index: Index) -> Any:
        return code.op(np.trunc, (array.entry(code, index),), scalar(np.float64))

    def behind(code: Code, index: Index) -> Any:
        entry, t = array.entry(code, index), scalar(np.float64)
        rest = code.op(operator.sub, (entry, ahead(code, index)), t)
        is_infinite = code.op(np.isinf, (entry,), NumberType(bool))
        return code.op(np.copysign, (select(code, is_infinite, 0.0, rest, t), entry), t)

    made = [Entries(array.dtype, array.extents, part) for part in (behind, ahead)]
    return list(made) if is_array else [part.entry(s.code, ()) for part in made]


def _only(k: int, shape: Extents) -> Extents:
    return tuple(n if axis == k else Affine(1) for axis, n in enumerate(shape))


def _along(x: Array, axis: int, extents: Extents) -> Array:
    """A vector along one axis, the same along the others; not in the vector's own memory."""
    return Entries(x.dtype, extents, lambda code, index: x.entry(code, (index[axis],)))


def _places(s: Lowering, op: Op) -> list[Array]:
    """`np.nonzero(x)`: where it is true, along each axis."""
    return _noted(s, _mask(s, op), len(op.outs), lambda at: at)


def _places_of_vector(s: Lowering, op: Op) -> Array:
    """`np.nonzero(x)[0]` of a vector."""
    (made,) = _places(s, op)
    return made


def _places_in_all(s: Lowering, op: Op) -> Array:
    """`np.flatnonzero(x)`: places among all entries, row after row."""
    mask, code = _mask(s, op), s.code

    def flat(at: Index) -> Index:
        place = at[0]
        for n, where in zip(mask.extents[1:], at[1:], strict=True):
            place = Affine.of(code.op(operator.mul, (code.whole(place), code.whole(n)), INT))
            place = place + where
        return (place,)

    (made,) = _noted(s, mask, 1, flat)
    return made


def _mask(s: Lowering, op: Op) -> Array:
    only(op)
    mask = s.array(op.args[0])
    if mask.dtype.kind != "b" or not mask.rank:
        raise Unsuited("the places of numbers that are not zero")
    return s.in_memory(mask)


def _noted(s: Lowering, mask: Array, count: int, told: Callable[[Index], Index]) -> list[Array]:
    """So many integers of each place where a mask is true, in arrays."""
    code, length = s.code, count_true(s.code, mask, lambda at, position: None)
    made = [s.room_for(np.dtype(np.int64), (length,)) for _ in range(count)]

    def note(at: Index, position: Affine) -> None:
        for array, where in zip(made, told(at), strict=True):
            code.store(index_set, array.memory.value, array.place((position,)), code.whole(where))

    count_true(code, mask, note)
    return list(made)


SEVERAL: Final[dict[Any, Handler]] = {
    np.split: _split, np.array_split: _split, np.hsplit: _split_along(0, 1),
    np.vsplit: _split_along(0, 0), np.dsplit: _split_along(2, 2), np.meshgrid: _grid,
    np.ix_: _grid, np.modf: _parts,
    np.nonzero: _places, OnlyItem(np.nonzero): _places_of_vector,
    np.flatnonzero: _places_in_all, OnlyItem(np.meshgrid): _only_grid,
}  # fmt: skip

__all__ = ["SEVERAL"]

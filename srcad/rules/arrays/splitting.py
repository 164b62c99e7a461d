"""Arrays taken apart: split, array_split, hsplit, vsplit, dsplit.

The cotangent of the whole is the cotangents of the pieces, joined; where pieces may overlap, as in
`np.split(x, [2, -1])` of two entries, the sum of them, each in its place.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.ir.kinds import is_integer
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, Type, operand, shape_of
from srcad.rules.arrays.arranging import at_axis
from srcad.rules.arrays.index_facts import sliced_extent
from srcad.rules.arrays.joining import filled_list
from srcad.rules.arrays.shaping import dims, known_as, like, rank_of
from srcad.rules.core.facts import as_type, normalize_axes
from srcad.rules.core.registry import linear
from srcad.rules.core.staged import call, shape_of_value
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO


def _split_extents(extent: Extent, sections: Any, exact: bool) -> list[Extent]:
    if isinstance(sections, NumberType):
        raise error("E123", None, what="the number of pieces")
    if not is_integer(sections):
        bounds = [0, *sections, None]
        return [sliced_extent(extent, slice(a, b)) for a, b in itertools.pairwise(bounds)]
    n = int(sections)
    if n < 1:
        raise ValueError("the number of sections must be larger than 0")
    if isinstance(extent, int):
        if exact and extent % n:
            raise error("E400", None, what=f"{extent} entries in {n} equal pieces")
        return [extent // n + (k < extent % n) for k in range(n)]
    piece = f"{operand(extent)}/{n}"
    return [Dim(piece if exact else f"{piece}[{k}]") for k in range(n)]


def _are_apart(extent: Extent, sections: Any) -> bool:
    """Whether the pieces share no entry and leave none out: joined, they are the array."""
    if is_integer(sections):
        return True
    places = list(sections)
    if not all(map(is_integer, places)):
        return False  # not known while compiling
    if isinstance(extent, int):
        places = [slice(i, None).indices(extent)[0] for i in places]
    counted_from_both_ends = min(places, default=0) < 0 <= max(places, default=0)
    return places == sorted(places) and not counted_from_both_ends


def _split_type(exact: bool, axis_of: Callable[[int, int], int]) -> Any:
    def type_of(ary: object, indices_or_sections: Any, axis: int = 0) -> list[Type]:
        t = as_type(ary)
        shape = shape_of(t)
        if shape is None:
            raise error("E123", None, what="the number of axes")
        (at,) = normalize_axes(axis_of(axis, len(shape)), len(shape))
        if not shape:
            raise ValueError("an array without axes")
        if isinstance(indices_or_sections, ArrayType):
            fix = "cut with slices, `x[: k[0]]`, or give a list of ints"
            raise error("E123", None, what="how many parts an array of places makes", fix=fix)
        pieces = _split_extents(shape[at], indices_or_sections, exact)
        return [like(t, (*shape[:at], e, *shape[at + 1 :])) for e in pieces]

    return type_of


def _split_vjp(g: Any, y: Any, ary: Any, sections: Any, axis: int) -> Any:
    axis %= rank_of(ary)
    if _are_apart(dims(ary)[axis], sections):
        pieces = filled_list(g, list(y))
        options = {"axis": axis} if axis else {}
        return known_as(call(np.concatenate, pieces, **options), ary)
    total: Any = ZERO
    for piece, bounds in zip(g, itertools.pairwise([0, *sections, None]), strict=True):
        if piece is not ZERO:
            index = at_axis(axis, slice(*bounds))
            total = total + call(runtime.scatter, piece, shape_of_value(ary), index)
    return known_as(total, ary)


# Pieces that share entries or leave some out, some of them only of few entries.
_OVERLAPPING = [
    Case((4, 2), (3, 1)),
    Case((5,), (1, -1)),
    Case((2,), (2, -1)),
    Case((3, 4), (-2, -1), axis=1),
]
_halves = [Case((4,), 2), Case((4, 3), 2), Case((5, 3), [1, 3])]
for _fn, _exact in ((np.split, True), (np.array_split, False)):
    linear(
        _fn,
        ary=lambda g, y, ary, indices_or_sections, axis=0: _split_vjp(
            g, y, ary, indices_or_sections, axis
        ),
        type_of=_split_type(_exact, lambda axis, rank: axis),
        cases=[*_halves, Case((3, 4), 2, axis=1), Case((3, 5), (2,), axis=-1), *_OVERLAPPING],
    )


linear(
    np.vsplit,
    ary=lambda g, y, ary, indices_or_sections: _split_vjp(g, y, ary, indices_or_sections, 0),
    type_of=_split_type(True, lambda axis, rank: 0),
    cases=[Case((4, 3), 2)],
)
linear(
    np.hsplit,
    ary=lambda g, y, ary, indices_or_sections: _split_vjp(
        g, y, ary, indices_or_sections, min(rank_of(ary) - 1, 1)
    ),
    type_of=_split_type(True, lambda axis, rank: min(rank - 1, 1)),
    cases=[Case((4,), 2), Case((3, 4), [1])],
)
linear(
    np.dsplit,
    ary=lambda g, y, ary, indices_or_sections: _split_vjp(g, y, ary, indices_or_sections, 2),
    type_of=_split_type(True, lambda axis, rank: 2),
    cases=[Case((2, 3, 4), 2)],
)

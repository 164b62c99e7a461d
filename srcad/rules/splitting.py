"""Arrays taken apart: split, array_split, hsplit, vsplit, dsplit.

The cotangent of the whole is the cotangents of the pieces, joined.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import Dim, Extent, NumberType, Type, shape_of
from srcad.rules.facts import as_type
from srcad.rules.index_facts import sliced_extent
from srcad.rules.joining import filled_list
from srcad.rules.registry import linear
from srcad.rules.shaping import known_as, like, rank_of
from srcad.rules.staged import call
from srcad.rules.table import Case


def _split_extents(extent: Extent, sections: Any, exact: bool) -> list[Extent]:
    if isinstance(sections, NumberType):
        raise error("E123", None, what="the number of pieces")
    if not isinstance(sections, int | np.integer):
        bounds = [0, *sections, None]
        return [sliced_extent(extent, slice(a, b)) for a, b in itertools.pairwise(bounds)]
    n = int(sections)
    if isinstance(extent, int):
        if exact and extent % n:
            raise error("E400", None, what=f"{extent} entries in {n} equal pieces")
        return [extent // n + (k < extent % n) for k in range(n)]
    return [Dim(f"{extent}/{n}" if exact else f"{extent}/{n}[{k}]") for k in range(n)]


def _split_type(exact: bool, axis_of: Callable[[int, int], int]) -> Any:
    def type_of(ary: object, indices_or_sections: Any, axis: int = 0) -> tuple[Type, ...]:
        t = as_type(ary)
        shape = shape_of(t)
        if shape is None:
            raise error("E123", None, what="the number of axes")
        at = axis_of(axis, len(shape)) % len(shape)
        pieces = _split_extents(shape[at], indices_or_sections, exact)
        return tuple(like(t, (*shape[:at], e, *shape[at + 1 :])) for e in pieces)

    return type_of


def _split_vjp(g: Any, y: Any, ary: Any, axis: int) -> Any:
    pieces = filled_list(g, list(y))
    options = {"axis": axis} if axis else {}
    return known_as(call(np.concatenate, pieces, **options), ary)


_halves = [Case((4,), 2), Case((4, 3), 2), Case((5, 3), [1, 3])]
for _fn, _exact in ((np.split, True), (np.array_split, False)):
    linear(
        _fn,
        ary=lambda g, y, ary, indices_or_sections, axis=0: _split_vjp(g, y, ary, axis),
        type_of=_split_type(_exact, lambda axis, rank: axis),
        cases=[*_halves, Case((3, 4), 2, axis=1), Case((3, 5), (2,), axis=-1)],
    )


linear(
    np.vsplit,
    ary=lambda g, y, ary, indices_or_sections: _split_vjp(g, y, ary, 0),
    type_of=_split_type(True, lambda axis, rank: 0),
    cases=[Case((4, 3), 2)],
)
linear(
    np.hsplit,
    ary=lambda g, y, ary, indices_or_sections: _split_vjp(g, y, ary, min(rank_of(ary) - 1, 1)),
    type_of=_split_type(True, lambda axis, rank: min(rank - 1, 1)),
    cases=[Case((4,), 2), Case((3, 4), [1])],
)
linear(
    np.dsplit,
    ary=lambda g, y, ary, indices_or_sections: _split_vjp(g, y, ary, 2),
    type_of=_split_type(True, lambda axis, rank: 2),
    cases=[Case((2, 3, 4), 2)],
)

"""Columns: the arrays that stand for the items of a list that a loop appends to, or for one part of
each item.
"""

from __future__ import annotations

import numpy as np

from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.reachable import reachable
from srcad.ir.nodes import Op, Value
from srcad.ir.types import (
    ArrayType,
    Dim,
    Extent,
    NumberType,
    SeqType,
    Type,
    dtype_of,
    rank_of,
    shape_of,
)
from srcad.rules.core.facts import unknown_extent


def stacked(frame: Frame, seq: Value, extent: Extent | None) -> Value:
    """The array of the elements of a sequence."""
    assert isinstance(seq.type, SeqType)
    elem = seq.type.elem
    inner = shape_of(elem)
    dtype = np.dtype(elem.kind) if isinstance(elem, NumberType) else elem.dtype  # type: ignore[union-attr]
    first = unknown_extent() if extent is None else extent
    out = Value(seq.name, ArrayType(dtype, (first, *(inner or ()))))
    options = {} if dtype == np.float64 else {"dtype": dtype.type}
    session = frame.session
    session.add(Op(np.array, (seq,), options, (out,), session.builder.loc))
    return out


def is_stackable(t: Type, lasting: frozenset[str]) -> bool:
    """Whether values of this type have one shape in all iterations, and an array of them their
    dtype.
    """
    if isinstance(t, NumberType):
        return t.kind in (float, int, bool)
    if not isinstance(t, ArrayType) or t.shape is None:
        return False
    if not t.scalar and not t.shape:
        return False  # rows of the array would be numbers
    return all(isinstance(e, int) or "?" not in e.symbol or e.symbol in lasting for e in t.shape)


def symbols_of(frame: Frame) -> frozenset[str]:
    """The symbols of the extents of all arrays that a frame leads to."""
    found = reachable(frame.env.values())
    shapes = [shape_of(x.type) or () for x in found if isinstance(x, Value)]
    return frozenset(e.symbol for shape in shapes for e in shape if isinstance(e, Dim))


def may_be_alike(a: Type, b: Type) -> bool:
    """Whether two items may have one shape; that they have is seen when they are joined."""
    if rank_of(a) == rank_of(b) == 0:
        return True
    if not isinstance(a, ArrayType) or not isinstance(b, ArrayType) or rank_of(a) != rank_of(b):
        return False
    pairs = zip(a.shape or (), b.shape or (), strict=True)
    same = all(p == q or not (isinstance(p, int) and isinstance(q, int)) for p, q in pairs)
    return same and (a.dtype, a.scalar) == (b.dtype, b.scalar)


def joint_kind(*types: Type) -> Type | None:
    """The type of what an entry of a column is read as; None where it depends on the item."""
    last, *others = types
    kind = isinstance(last, NumberType), dtype_of(last)
    return last if all((isinstance(t, NumberType), dtype_of(t)) == kind for t in others) else None


__all__ = ["is_stackable", "joint_kind", "may_be_alike", "stacked", "symbols_of"]

"""Fillers: what an array or number holds while the name that it belongs to is something else.

best, best_kind = None  ->  0.0, 0          a number
trial = None            ->  np.zeros(len(x))  where the later array is as long as an input
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.frontend.abstract.joined_types import Mismatch
from srcad.frontend.abstract.session import Session
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, Type
from srcad.rules.core.facts import unknown_extent


def filled(session: Session, t: Type) -> Type:
    """The type of what is of type `t` on one path and a filler on the other: its extents are known
    if they are an input's.

    Raises:
        Mismatch: there is no filler of this type.
    """
    if isinstance(t, NumberType):
        return NumberType(t.kind)
    if not isinstance(t, ArrayType) or t.shape is None:
        raise Mismatch

    def known(extent: Extent) -> Extent:
        return extent if isinstance(extent, int) or _place(session, extent) else unknown_extent()

    return replace(t, shape=tuple(map(known, t.shape)))


def filler(session: Session, t: Type) -> Any:
    """A zero of this type."""
    if isinstance(t, NumberType):
        return t.kind(0)
    assert isinstance(t, ArrayType)
    if t.scalar:
        return t.dtype.type(0)
    return session.emit(np.zeros, (tuple(_number(session, e) for e in t.shape or ()), t.dtype))


def _number(session: Session, extent: Extent) -> Any:
    if isinstance(extent, int):
        return extent
    place = _place(session, extent)
    if place is None:
        return 0
    path, axis = place
    size = session.emit(operator.getitem, (session.emit_shape(session.inputs.values[path]), axis))
    if extent.minus == 0:
        return size
    return session.emit(operator.sub, (size, extent.minus))


def _place(session: Session, extent: Dim) -> tuple[str, int] | None:
    """The path and axis of an input that is as long as an extent, but for a constant."""
    if extent.floor < 0:
        return None
    for at, symbol in session.inputs.extents.items():
        if symbol == extent.symbol:
            path, _, axis = at.rpartition(".shape[")
            return (path, int(axis[:-1])) if path in session.inputs.values else None
    return None


__all__ = ["filled", "filler"]

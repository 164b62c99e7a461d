"""Fillers: what an array or number holds while the name that it belongs to is something else.

best, best_kind = None  ->  0.0, 0          a number
trial = None            ->  np.zeros(len(x))  where the later array is as long as an input, or as an
                                              array that is there before the paths part
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.frontend.abstract.joined_types import Mismatch
from srcad.frontend.abstract.session import Session
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, Type, shape_of
from srcad.rules.core.facts import unknown_extent


def filled(session: Session, t: Type, around: Sequence[Value] = ()) -> Type:
    """The type of what is of type `t` on one path and a filler on the other: its extents are known
    if they are an input's, or those of an array `around`.

    Raises:
        Mismatch: there is no filler of this type.
    """
    if isinstance(t, NumberType):
        return NumberType(t.kind)
    if not isinstance(t, ArrayType) or t.shape is None:
        raise Mismatch

    def known(extent: Extent) -> Extent:
        is_known = isinstance(extent, int) or _place(session, extent) or _witness(extent, around)
        return extent if is_known else unknown_extent()

    return replace(t, shape=tuple(map(known, t.shape)))


def filler(session: Session, t: Type, around: Sequence[Value] = ()) -> Any:
    """A zero of this type."""
    if isinstance(t, NumberType):
        return t.kind(0)
    assert isinstance(t, ArrayType)
    if t.scalar:
        return t.dtype.type(0)
    return session.emit(
        np.zeros, (tuple(_number(session, e, around) for e in t.shape or ()), t.dtype)
    )


def _number(session: Session, extent: Extent, around: Sequence[Value]) -> Any:
    if isinstance(extent, int):
        return extent
    place = _place(session, extent)
    if place is None:
        witness = _witness(extent, around)
        if witness is None:
            return 0
        array, k = witness
        return session.emit_extent(array, k)
    path, axis = place
    size = session.emit_extent(session.inputs.values[path], axis)
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


def _witness(extent: Dim, around: Sequence[Value]) -> tuple[Value, int] | None:
    """An array and its axis that is as long as an extent."""
    for array in around:
        for k, each in enumerate(shape_of(array.type) or ()):
            if each == extent:
                return array, k
    return None


__all__ = ["filled", "filler"]

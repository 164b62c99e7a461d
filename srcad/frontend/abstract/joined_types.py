"""Types of what is joined: the most precise one that holds what either path gives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from srcad.frontend.abstract.objects import Abstract, is_nothing
from srcad.ir.nodes import Value
from srcad.ir.types import NUMBER_KINDS, ArrayType, Extent, NumberType, Shape, Type, is_never_one
from srcad.rules.core.facts import type_of_constant, unknown_extent


class Mismatch(Exception):  # noqa: N818 - turned into a Conflict where a location is joined
    """Two paths disagree in structure."""


def type_of_leaf(x: Abstract) -> Type:
    """The type of a value or number."""
    return x.type if isinstance(x, Value) else type_of_constant(x)


def join_types(a: Type, b: Type) -> Type:
    """The most precise type of something that is an `a` on one path and a `b` on another."""
    if a == b:
        return a
    if isinstance(a, NumberType) and isinstance(b, NumberType):
        return NumberType(max(a.kind, b.kind, key=NUMBER_KINDS.index))
    if isinstance(a, ArrayType | NumberType) and isinstance(b, ArrayType | NumberType):
        arrays = [t for t in (a, b) if isinstance(t, ArrayType)]
        dtype = np.result_type(
            *(t.dtype if isinstance(t, ArrayType) else t.kind(0) for t in (a, b))
        )
        shapes = [t.shape if isinstance(t, ArrayType) else () for t in (a, b)]
        return ArrayType(dtype, _join_shapes(*shapes), all(t.scalar for t in arrays))
    raise Mismatch


def _join_shapes(a: Shape | None, b: Shape | None) -> Shape | None:
    """The extents on which both shapes agree, the others unknown; None where ranks differ."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(_join_extents(x, y) for x, y in zip(a, b, strict=True))


def _join_extents(a: Extent, b: Extent) -> Extent:
    """The common extent, else an unknown one, which is not 1 if neither is."""
    if a == b:
        return a
    return replace(unknown_extent(), never_one=is_never_one(a) and is_never_one(b))


def fits(t: Type, into: Type) -> bool:
    """Whether a value of type `t` may stand where `into` is declared: equal, or its extents
    unknown.
    """
    if t == into:
        return True
    if isinstance(t, NumberType) and isinstance(into, NumberType):
        return t.kind is into.kind and into.extent is None
    if not (isinstance(t, ArrayType) and isinstance(into, ArrayType)) or t.dtype != into.dtype:
        return False
    if into.shape is None or t.shape is None or len(t.shape) != len(into.shape):
        return into.shape is None
    scalar = t.scalar == into.scalar or not into.scalar
    return scalar and all(
        a == b or (not isinstance(b, int) and b.is_unknown and (not b.never_one or is_never_one(a)))
        for a, b in zip(t.shape, into.shape, strict=True)
    )


def ends_of_slice(x: Abstract) -> Abstract:
    """A slice as the tuple of its ends and step."""
    return x if is_nothing(x) else (x.start, x.stop, x.step)


__all__ = ["Mismatch", "ends_of_slice", "fits", "join_types", "type_of_leaf"]

"""Extents of what loops carry: how many bytes a step saves, and which extents last.

How many bytes one step of a loop saves, as an expression of the shapes before the loop:

u_tape, v_tape: of f64[d] and f64[d-2]        tape = 8 * n + 8 * (n - 2) + 2 * 112
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from srcad.ir.nodes import Atom, Value
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, SeqType, TupleType, Type, shape_of
from srcad.rules.core.facts import unknown_extent
from srcad.rules.core.staged import Builder
from srcad.runtime.checkpoints.states import bytes_of

# The head of an array, and a number in a list.
_HEAD, _NUMBER = bytes_of(np.empty(0)), bytes_of(0.0)


class Extents:
    """Where extents can be read: symbol -> an array, and its axis."""

    def __init__(self, known: dict[str, tuple[Value, int, int]] | None = None) -> None:
        self._known = dict(known or {})

    def inner(self) -> Extents:
        """The same inside of a block."""
        return Extents(self._known)

    def add(self, values: Iterable[Value]) -> None:
        """Read extents from these as well."""
        for v in values:
            if v.partial or not isinstance(v.type, ArrayType) or v.type.scalar:
                continue
            for axis, extent in enumerate(v.type.shape or ()):
                if isinstance(extent, Dim):
                    self._known.setdefault(extent.symbol, (v, axis, extent.minus))

    def atom(self, builder: Builder, extent: Extent) -> Atom | None:
        """The number that an extent is, None where it cannot be read."""
        if isinstance(extent, int):
            return extent
        found = self._known.get(extent.symbol)
        if found is None:
            return None
        v, axis, minus = found
        n = builder.emit(operator.getitem, (builder.emit(np.shape, (v,)), axis))
        by = extent.minus - minus
        return builder.emit(operator.sub, (n, by)) if by else n


def emit_bytes(builder: Builder, types: Sequence[Type], extents: Extents) -> Atom | None:
    """Emit the bytes of values of these types; None where some are not known."""
    known, total = 0, None
    for t in types:
        match t:
            case ArrayType() if t.scalar or t.shape == ():
                known += _NUMBER
            case ArrayType(shape=tuple(shape)):
                known += _HEAD
                atoms = [extents.atom(builder, e) for e in shape]
                if any(a is None for a in atoms):
                    return None
                fixed = t.dtype.itemsize * prod(a for a in atoms if isinstance(a, int))
                size: Atom = fixed
                for a in atoms:
                    if isinstance(a, Value):
                        size = builder.emit(operator.mul, (size, a))
                if isinstance(size, int):
                    known += size
                else:
                    total = size if total is None else builder.emit(operator.add, (total, size))
            case NumberType():
                known += _NUMBER
            case TupleType(items):
                known += _NUMBER * len(items)
            case _:
                return None
    return known if total is None else builder.emit(operator.add, (total, known))


def bytes_of_heads(types: Sequence[Type]) -> int:
    """How many bytes of values of these types are not of data."""
    return sum(_head_of(t) for t in types)


def _head_of(t: Type) -> int:
    match t:
        case ArrayType() if t.scalar or t.shape == ():
            return _NUMBER - 8
        case ArrayType():
            return _HEAD
        case TupleType(items):
            return (_NUMBER - 8) * len(items)
        case _:
            return _NUMBER - 8


def lasting_extents(init: Iterable[Atom]) -> set[str]:
    """The extents that values before a loop have: others are other numbers in each iteration."""
    return {s for v in init if isinstance(v, Value) for s in _symbols(v.type)}


def renewed(values: Sequence[Value], lasting: set[str]) -> list[Value]:
    """New values like those that a loop carries, at another time: with extents of their own where
    these do not last.
    """
    fresh: dict[str, Dim] = {}

    def extent(e: Extent) -> Extent:
        if not isinstance(e, Dim) or "?" not in e.symbol or e.symbol in lasting:
            return e
        return replace(e, symbol=fresh.setdefault(e.symbol, unknown_extent()).symbol, parts=())

    def kind(t: Type) -> Type:
        match t:
            case ArrayType(shape=tuple(shape)):
                return replace(t, shape=tuple(map(extent, shape)))
            case NumberType(extent=Dim()):
                return NumberType(t.kind)
            case SeqType(elem):
                return SeqType(kind(elem))
            case _:
                return t

    return [Value(v.name, kind(v.type), v.partial) for v in values]


def _symbols(t: Type) -> set[str]:
    return {e.symbol for e in shape_of(t) or () if isinstance(e, Dim)}


__all__ = ["Extents", "bytes_of_heads", "emit_bytes", "lasting_extents", "renewed"]

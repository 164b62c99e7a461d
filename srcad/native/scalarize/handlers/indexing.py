"""Subscripts: which entry of an array each entry of `x[index]` is.

x[1:-1, None]        (i, j)  ->  x[i + 1]
x[k]                 (i)     ->  x[k, i]
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.ir import Block, If, NumberType, Value
from srcad.ir.affine import Affine
from srcad.ir.kinds import index_parts, is_int_scalar
from srcad.native.scalarize.arrays import Array, Extents, Index, View, remapped
from srcad.native.scalarize.handlers.slices import sliced
from srcad.native.scalarize.loop_builder import INT, Code

# From the atom of an integer to its form, from an array's value to the array.
Whole = Callable[[Any], Affine]


@dataclass(frozen=True)
class _Item:
    """Along one axis of `x`: `start + step * index[of]`."""

    start: Affine
    step: int = 1
    of: int | None = None


def subscript(code: Code, x: Array, index: Any, whole: Whole) -> Array:
    """`x[index]`."""
    parts = index_parts(index)
    items, extents = _resolve(code, x, parts, whole)

    def back(index: Index) -> Index:
        return tuple(
            item.start + (Affine() if item.of is None else index[item.of] * item.step)
            for item in items
        )

    return remapped(x, extents, back)


def _resolve(
    code: Code, x: Array, parts: tuple[Any, ...], whole: Whole
) -> tuple[list[_Item], Extents]:
    """For each axis of `x` what it follows, and the extents of the result."""
    named = sum(p is not None and p is not Ellipsis for p in parts)
    if not any(p is Ellipsis for p in parts):
        parts = (*parts, Ellipsis)
    items: list[_Item] = []
    extents: list[Affine] = []
    for part in parts:
        if part is None:
            extents.append(Affine(1))
        elif part is Ellipsis:
            for _ in range(x.rank - named):
                items.append(_Item(Affine(), 1, len(extents)))
                extents.append(x.extents[len(items) - 1])
        elif isinstance(part, slice):
            n = x.extents[len(items)]
            start, step, count = sliced(code, part, n, whole)
            items.append(_Item(start, step, len(extents)))
            extents.append(count)
        else:
            items.append(_Item(_position(code, x, len(items), whole(part))))
    return items, tuple(extents)


def _position(code: Code, x: Array, axis: int, at: Affine) -> Affine:
    """Where an integer leads; a negative number counts from the end."""
    n = x.extents[axis]
    if at.number is not None and at.number < 0:
        at = n + at.number
    if is_plain(x, axis) or code.is_natural(at):
        code.check(at, n, may_wrap=is_plain(x, axis))
        return at
    code.check(at, n, may_wrap=True)
    is_negative = code.op(operator.lt, (code.whole(at), 0), NumberType(bool))
    counted = Value("", INT)
    code.level[counted] = len(code.frames) - 1
    from_end, as_it_is = (Block([], [], [code.whole(end)]) for end in (at + n, at))
    code.add(If(is_negative, from_end, as_it_is, (counted,)))
    return Affine.of(counted)


def is_plain(x: Array, axis: int) -> bool:
    """Whether a negative position along an axis of `x` is one of the memory's own axis."""
    if not isinstance(x, View):
        return False
    own = [a for a in x.axes if a.of == axis]
    return len(own) == 1 and own[0].start == Affine() and own[0].step == 1 and x.is_whole(axis)


def is_int(p: Any) -> bool:
    """Whether an atom is an integer; constants of NumPy's are none."""
    return is_int_scalar(p) and not isinstance(p, np.integer)

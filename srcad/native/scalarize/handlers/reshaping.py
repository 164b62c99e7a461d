"""Reshaping that changes no order: axes of one entry come and go.

np.reshape(x, (n, 1, m))      (i, 0, j)  ->  x[i, j]         x: f64[n, m] or f64[1, n, m]
"""

from __future__ import annotations

from typing import Any

from srcad.ir import Op, Value
from srcad.ir.affine import Affine
from srcad.ir.kinds import index_parts
from srcad.ir.types import shape_of
from srcad.native.scalarize.arrays import Array, Index, remapped
from srcad.native.scalarize.loop_builder import Unsuited
from srcad.native.scalarize.lowering import Lowering
from srcad.rules.core.staged import type_of


def reshaped(s: Lowering, op: Op) -> Array:
    """Axes of one entry that come and go; the others stay in their order."""
    if op.kwargs:
        raise Unsuited("options of reshape")
    x, shape = s.array(op.args[0]), op.args[1]
    parts = s.rep(shape) if isinstance(shape, Value) else shape
    parts = tuple(parts) if isinstance(parts, list) else parts
    given = list(map(s.whole_of, index_parts(parts)))
    before, after = _long_axes(op.args[0]), _long_axes(op.out)
    if [n for _, n in before] != [n for _, n in after] and not len(before) == len(after) == 1:
        raise Unsuited("reshape")
    place = {k: at for (k, _), (at, _) in zip(before, after, strict=True)}
    long = {at: x.extents[k] for k, at in place.items()}
    for at, n in enumerate(given):
        if at in long:
            if n.number != -1:
                s.code.equal(long[at], n)
            given[at] = long[at]  # in its own terms
        elif n.number == -1:
            given[at] = Affine(1)
    extents = tuple(given)

    def back(index: Index) -> Index:
        return tuple(index[place[k]] if k in place else Affine() for k in range(x.rank))

    return remapped(x, extents, back)


def _long_axes(x: Any) -> list[tuple[int, Any]]:
    return [(k, n) for k, n in enumerate(shape_of(type_of(x)) or ()) if n != 1]

"""Reshaping: axes of one entry come and go, or all entries lie one after the other in between.

np.reshape(x, (n, 1, m))      (i, 0, j)  ->  x[i, j]         x: f64[n, m] or f64[1, n, m]
np.reshape(x, (k, l))         flat[i * m + j] = x[i, j]; (a, b)  ->  flat[a * l + b]
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from srcad.ir import Op, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_set
from srcad.ir.kinds import index_parts
from srcad.ir.types import shape_of
from srcad.native.scalarize.arrays import Array, Entries, Index, remapped
from srcad.native.scalarize.loop_builder import Code, Unsuited
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
        return _in_one_order(s, x, given)
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


def _in_one_order(s: Lowering, x: Array, given: Sequence[Affine]) -> Array:
    """The entries of any array in their order, with other extents."""
    code, size = s.code, s.code.product(x.extents)
    open_ = [k for k, n in enumerate(given) if n.number == -1]
    if len(open_) > 1:
        raise Unsuited("several extents that follow from the others")
    told = code.product([n for k, n in enumerate(given) if k not in open_])
    for n in given:
        if n.number != -1:
            code.check_natural(n)
    extents = list(given)
    for k in open_:
        code.check_natural(told - 1)
        extents[k] = code.derived(operator.floordiv, (size, told), size)
        told = code.product(extents)
    code.equal(told, size)
    flat = s.room_for(x.dtype, (size,))
    with code.loops(x.extents) as index:
        place = flat.place((_position(code, index, x.extents),))
        code.store(index_set, flat.memory.value, place, x.entry(code, index))

    def entry(code: Code, index: Index) -> Any:
        return flat.entry(code, (_position(code, index, extents),))

    return Entries(x.dtype, tuple(extents), entry, is_trivial=True)


def _position(code: Code, index: Index, extents: Sequence[Affine]) -> Affine:
    """Where an entry is among all in their order."""
    position = Affine()
    for at, n in zip(index, extents, strict=True):
        position = code.product((position, n)) + at
    return position


def _long_axes(x: Any) -> list[tuple[int, Any]]:
    return [(k, n) for k, n in enumerate(shape_of(type_of(x)) or ()) if n != 1]

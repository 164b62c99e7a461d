"""Which of the values that a store writes are not overwritten by a later one of the same store.

x[rows] = v        (i)  ->  written[rows[i]] == i, after    for i in range(n): written[rows[i]] = i

The array of numbers is not cleared: only entries that were written are read.
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import NumberType, Op, Value
from srcad.ir.inplace import index_set
from srcad.native.scalarize.arrays import Entries, Extents, Index, View
from srcad.native.scalarize.handlers.gathers import basic_first, find_places, is_gather
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited
from srcad.native.scalarize.lowering import Handler, Lowering


def _last_writes(s: Lowering, op: Op) -> View:
    """`runtime.last_writes(shape, index)`."""
    shape, index = op.args
    parts = s.rep(shape) if isinstance(shape, Value) else shape
    if not is_gather(index):
        raise Unsuited("a store that names no entry twice")
    numbers = s.room_for(np.dtype(np.int64), tuple(map(s.whole_of, parts)), "written")
    base, index = basic_first(s, numbers, index)
    assert isinstance(base, View)
    places = find_places(s, base, index)
    code = s.code
    with code.loops(places.extents) as at:
        place = base.place(places.place(code, at))
        code.store(index_set, base.memory.value, place, _number(code, places.extents, at))

    def entry(code: Code, at: Index) -> Any:
        last = base.entry(code, places.place(code, at))
        own = _number(code, places.extents, at)
        return code.op(operator.eq, (last, own), NumberType(bool))

    return s.materialised(Entries(np.dtype(np.bool_), places.extents, entry))


def _number(code: Code, extents: Extents, at: Index) -> Any:
    """How many entries come before this one."""
    number: Any = code.whole(at[0])
    for n, k in zip(extents[1:], at[1:], strict=True):
        number = code.op(operator.mul, (number, code.whole(n)), INT)
        number = code.op(operator.add, (number, code.whole(k)), INT)
    return number


LAST_WRITES: Final[dict[Any, Handler]] = {runtime.last_writes: _last_writes}

__all__ = ["LAST_WRITES"]

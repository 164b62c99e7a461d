"""Places in arrays that are counted from the front.

x[i - 1]            compiled code first asks whether i - 1 is negative: no SIMD
x[at(i - 1)]        it is not: loads of neighbours become one load of a register
"""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

__all__ = ["at"]


@intrinsic
def at(typingctx: Any, *index: Any) -> Any:
    """The tuple of the integers, none of which is negative, as an index."""
    if not all(isinstance(t, types.Integer) for t in index):
        return None
    place = types.UniTuple(types.uintp, len(index))

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        given = cgutils.unpack_tuple(builder, values[0])
        pairs = zip(given, index, strict=True)
        unsigned = [context.cast(builder, value, t, types.uintp) for value, t in pairs]
        return context.make_tuple(builder, place, unsigned)

    return place(types.StarArgTuple(index)), generate

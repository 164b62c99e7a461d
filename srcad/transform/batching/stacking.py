"""The array of what a loop over the samples has made of each.

rows = [...]                  rows = [...]
return np.array(rows)         return stacked(rows, (k,))        of shape (0, k) where there are none
"""

from __future__ import annotations

import operator

import numpy as np

from srcad.ir.nodes import Atom, Block, If, Op, Value
from srcad.ir.types import Dim, Extent, dtype_of, shape_of
from srcad.rules.core.staged import Builder
from srcad.runtime import stacked
from srcad.runtime.effects import raise_
from srcad.transform.checkpointing.sizes import Extents

_NO_SAMPLES = "vmap: the shape of the result for each sample is not known without one"


def stack(builder: Builder, rows: Value, whole: Value, count: Atom, known: Extents) -> None:
    """Append what makes the array `whole` of so many rows; without any it has all axes, too.

    Args:
        known: where extents can be read ahead of the loop.
    """
    dtype, (first, *inner) = dtype_of(whole.type), shape_of(whole.type) or ()
    assert dtype is not None
    options = {} if dtype == np.float64 else {"dtype": dtype.type}
    body, loc = builder.body, builder.loc
    is_never_empty = isinstance(first, int) and first > 0
    if is_never_empty or not inner:
        body.append(Op(np.array, (rows,), {} if is_never_empty else options, (whole,), loc))
        return
    shape = [_read(builder, each, known) for each in inner]
    if any(each is None for each in shape):
        _require_samples(builder, count)
        body.append(Op(np.array, (rows,), {}, (whole,), loc))
    elif options:
        made = Value(whole.name, whole.type)
        body.append(Op(np.array, (rows,), options, (made,), loc))
        body.append(Op(np.reshape, (made, (count, *shape)), {}, (whole,), loc))
    else:
        body.append(Op(stacked, (rows, tuple(shape)), {}, (whole,), loc))


def _read(builder: Builder, extent: Extent, known: Extents) -> Atom | None:
    """The number that an extent is, None where that is not known ahead of the loop."""
    may_be_cut = isinstance(extent, Dim) and extent.floor < 0
    return None if may_be_cut else known.atom(builder, extent)


def _require_samples(builder: Builder, count: Atom) -> None:
    """Raise ValueError where there are none."""
    none = builder.emit(operator.eq, (count, 0))
    refuse = Op(raise_, (ValueError, _NO_SAMPLES), {}, (), builder.loc, effect=True)
    branch = If(none, Block([], [refuse], []), Block([], [], []), (), builder.loc)
    builder.body.append(branch)


__all__ = ["stack"]

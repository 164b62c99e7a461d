"""Arrays with more around: zeros, or entries of their own.

np.pad(x, 1)                      zeros, and x in the middle of them
np.pad(x, 1, mode="edge")         (i)  ->  x[min(max(i - 1, 0), n - 1)]
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from srcad.ir import Op
from srcad.ir.affine import Affine
from srcad.native.helpers import at_edge, mirrored, reflected, wrapped
from srcad.native.scalarize.arrays import Array, Axis, Entries, Index, View
from srcad.native.scalarize.loop_builder import Code, Unsuited
from srcad.native.scalarize.lowering import Handler, Lowering

# Which entry stands at a place, and how much wider an array must be than what is put around it.
_MODES: Final[dict[str, tuple[Callable[[int, int], int], int]]] = {
    "edge": (at_edge, 1),
    "wrap": (wrapped, 0),
    "reflect": (reflected, 1),
    "symmetric": (mirrored, 0),
}


def padded(s: Lowering, op: Op) -> Any:
    """`np.pad(x, widths, mode)`."""
    x, widths = s.array(op.args[0]), op.args[1]
    given = {**dict(zip(("mode",), op.args[2:], strict=False)), **op.kwargs}
    mode = given.pop("mode", "constant")
    if given.pop("constant_values", 0) != 0 or given or x.dtype.kind not in "fi":
        raise Unsuited("padding of other kinds")
    try:
        around = np.broadcast_to(widths, (x.rank, 2)).tolist()
    except (TypeError, ValueError):
        raise Unsuited("padding by numbers that are not known") from None
    if not all(type(n) is int and n >= 0 for both in around for n in both):
        raise Unsuited("padding by numbers that are not known")
    if mode == "constant":
        return _with_zeros(s, x, around)
    if mode not in _MODES:
        raise Unsuited("padding of other kinds")
    return _with_copies(s, x, around, mode)


def _with_zeros(s: Lowering, x: Array, around: list[list[int]]) -> Array:
    made = s.zeros(x.dtype, _longer(x, around))
    axes = (Axis(Affine(before), k) for k, (before, _) in enumerate(around))
    s.fill(View(x.dtype, x.extents, made.memory, tuple(axes)), x)
    return made


def _with_copies(s: Lowering, x: Array, around: list[list[int]], mode: str) -> Array:
    place, least = _MODES[mode]
    x = s.readable(x, _longer(x, around))
    for n, both in zip(x.extents, around, strict=True):
        if any(both):
            s.code.check_natural(n - (1 if mode == "edge" else max(both) + least))

    def entry(code: Code, index: Index) -> Any:
        return x.entry(code, tuple(map(partial(_source, code), index, x.extents, around)))

    def _source(code: Code, at: Affine, n: Affine, both: list[int]) -> Affine:
        return code.derived(place, (at - both[0], n), n - 1) if any(both) else at

    return Entries(x.dtype, _longer(x, around), entry)


def _longer(x: Array, around: list[list[int]]) -> tuple[Affine, ...]:
    return tuple(n + sum(both) for n, both in zip(x.extents, around, strict=True))


PADDING: Final[dict[Any, Handler]] = {np.pad: padded}

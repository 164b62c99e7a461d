"""Arrays with more around: zeros, or entries of their own.

np.pad(x, 1)                      zeros, and x in the middle of them
np.tile(x, 2)                     (i)  ->  x[i % n]
np.pad(x, 1, mode="edge")         (i)  ->  x[min(max(i - 1, 0), n - 1)]
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op, Value
from srcad.ir.affine import Affine
from srcad.ir.kinds import index_parts
from srcad.native.helpers import at_edge, mirrored, reflected, wrapped
from srcad.native.scalarize.arrays import Array, Axis, Entries, Index, View, remapped
from srcad.native.scalarize.loop_builder import Code, Unsuited
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.options import only

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


def fitted(s: Lowering, op: Op) -> Any:
    """`runtime.fitted(x, shape)`: cut to other extents, or filled up with zeros."""
    only(op)
    x, shape = s.array(op.args[0]), op.args[1]
    parts = s.rep(shape) if isinstance(shape, Value) else shape
    extents = tuple(map(s.whole_of, index_parts(parts)))
    for n in extents:
        s.code.check_natural(n)
    common = tuple(
        n if n == m else s.code.derived(min, (n, m), n)
        for n, m in zip(x.extents, extents, strict=True)
    )
    made = s.zeros(x.dtype, extents)
    axes = (Axis(Affine(), k) for k in range(x.rank))
    part = remapped(x, common, lambda index: index)
    s.fill(View(x.dtype, common, made.memory, tuple(axes)), part)
    return made


def tiled(s: Lowering, op: Op) -> Any:
    """`np.tile(x, times)`: entries that come again."""
    only(op)
    x, given = s.array(op.args[0]), op.args[1]
    parts = s.rep(given) if isinstance(given, Value) else given
    parts = parts if isinstance(parts, tuple | list) else (parts,)
    times = list(map(s.whole_of, parts))
    rank = max(x.rank, len(times))
    own = [*[Affine(1)] * (rank - x.rank), *x.extents]
    times = [*[Affine(1)] * (rank - len(times)), *times]
    for n in times:
        s.code.check_natural(n)
    extents = tuple(s.code.product(both) for both in zip(own, times, strict=True))
    x = s.readable(x, extents)

    def entry(code: Code, index: Index) -> Any:
        return x.entry(code, tuple(map(partial(_again, code), index, own, times))[rank - x.rank :])

    def _again(code: Code, at: Affine, n: Affine, count: Affine) -> Affine:
        if count.number == 1:
            return at
        return Affine() if n.number == 1 else code.derived(operator.mod, (at, n), n - 1)

    return Entries(x.dtype, extents, entry)


PADDING: Final[dict[Any, Handler]] = {
    np.pad: padded, np.tile: tiled, runtime.fitted: fitted,
}  # fmt: skip

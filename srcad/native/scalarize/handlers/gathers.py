"""Index arrays and masks: which entry of an array each entry of `x[rows, :, cols]` is.

x[rows]            (i, j)  ->  x[rows[i], j]
x[:, rows, cols]   (i, j)  ->  x[i, rows[j], cols[j]]
x[rows, :, cols]   (j, i)  ->  x[rows[j], i, cols[j]]
x[x > 0]           the entries one after the other, as many as there are
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcad.ir import Block, If, Op, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_set
from srcad.ir.kinds import has_axes, index_parts
from srcad.native.helpers import counted
from srcad.native.scalarize.arrays import (
    Array,
    Counted,
    Entries,
    Extents,
    Index,
    View,
    aligned,
    permuted,
)
from srcad.native.scalarize.handlers.indexing import is_int, is_plain, subscript
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.options import axes_of, only, option

_MOST_WRITTEN = 16  # integers of a constant array, which the program writes one by one


@dataclass(frozen=True)
class Places:
    """The extents of `x[index]`, and where in x each entry of it is; whether surely no two entries
    are at one place.
    """

    extents: Extents
    place: Callable[[Code, Index], Index]
    are_apart: bool = False


def is_mask(index: Any) -> bool:
    """Whether an index is one array of truths."""
    return has_axes(index) and index.type.dtype == np.bool_


def mask_beside(index: Any) -> tuple[int, Any] | None:
    """The mask of `x[:, mask]`, and how many whole axes are ahead of it."""
    parts = index_parts(index)
    masks = [k for k, part in enumerate(parts) if is_mask(part)]
    others = [part for part in parts if not is_mask(part)]
    if len(masks) != 1 or not others or not all(part == slice(None) for part in others):
        return None
    return masks[0], parts[masks[0]]


def first_axes(k: int, count: int, rank: int) -> list[int]:
    """The order in which so many axes from the k-th on come first."""
    return [*range(k, k + count), *range(k), *range(k + count, rank)]


def is_gather(index: Any) -> bool:
    """Whether an index has arrays of integers."""
    parts = index_parts(index)
    return any(has_axes(p) or isinstance(p, list | np.ndarray) for p in parts)


def basic_first(s: Lowering, x: Array, index: Any) -> tuple[Array, Any]:
    """Slices, and integers beside a mask, ahead of the arrays in an index.

    x[rows, 1:3]    x[:, 1:3][rows]
    x[mask, 0]      x[:, 0][mask]
    """
    masks = [p for p in index_parts(index) if is_mask(p)]
    is_one = is_mask(index) or any(len(mask.type.shape) != 1 for mask in masks)
    if is_one or any(p is None for p in index_parts(index)):
        return x, index
    parts = _full(index, x.rank)
    advanced = [k for k, p in enumerate(parts) if not isinstance(p, slice)]
    if masks and advanced != list(range(advanced[0], advanced[-1] + 1)):
        raise Unsuited("a mask apart from other indices")
    is_first = [isinstance(p, slice) or (bool(masks) and is_int(p)) for p in parts]
    first = tuple(p if now else slice(None) for p, now in zip(parts, is_first, strict=True))
    if all(p == slice(None) for p in first):
        return x, index
    gone = [k for k, p in enumerate(first) if not isinstance(p, slice)]
    rest = [slice(None) if now else p for p, now in zip(parts, is_first, strict=True)]
    left = tuple(p for k, p in enumerate(rest) if k not in gone)
    return subscript(s.code, x, first, s.whole), left[0] if len(left) == 1 else left


def gathered(s: Lowering, x: Array, index: Any) -> Array:
    """`x[rows]`."""
    x, index = basic_first(s, x, index)
    if is_mask(index):
        return _selected(s, x, mask_of(s, x, index))
    beside = mask_beside(index)
    if beside is not None:
        k, mask = beside
        x = permuted(x, first_axes(k, len(mask.type.shape), x.rank))
        made = _selected(s, x, mask_of(s, x, mask))
        return permuted(made, [*range(1, k + 1), 0, *range(k + 1, made.rank)])
    places = find_places(s, x, index)

    def entry(code: Code, at: Index) -> Any:
        return x.entry(code, places.place(code, at))

    return Entries(x.dtype, places.extents, entry)


def find_places(s: Lowering, x: Array, index: Any) -> Places:
    """Where the entries of `x[index]` are; axes of index arrays that are apart come first."""
    parts = _full(index, x.rank)
    if any(isinstance(p, slice) and p != slice(None) for p in parts):
        raise Unsuited("index arrays beside slices")
    by = [k for k, p in enumerate(parts) if not isinstance(p, slice)]
    rows = [s.whole(parts[k]) if is_int(parts[k]) else _rows(s, parts[k]) for k in by]
    lead = by[0] if by == list(range(by[0], by[0] + len(by))) else 0
    shared = s.code.broadcast([r.extents for r in rows if isinstance(r, Array)])

    def place(code: Code, at: Index) -> Index:
        own, others = at[lead : lead + len(shared)], [*at[:lead], *at[lead + len(shared) :]]
        found = {}
        for k, row in zip(by, rows, strict=True):
            atom = aligned(row, code, own) if isinstance(row, Array) else row
            where = atom if isinstance(atom, Affine) else _whole(atom)
            if where.number is not None and where.number < 0:
                where = x.extents[k] + where.number
            is_own = is_plain(x, k)
            may_wrap = is_own or not code.is_natural(where)
            code.check(where, x.extents[k], may_wrap)
            if may_wrap and not is_own:
                atoms = code.whole(where), code.whole(x.extents[k])
                where = _whole(code.op(counted, atoms, INT))
            found[k] = where
        return tuple(found[k] if k in found else others.pop(0) for k in range(x.rank))

    are_apart = len(shared) == 1 and any(isinstance(r, Counted) for r in rows)
    rest = [n for k, n in enumerate(x.extents) if k not in by]
    return Places((*rest[:lead], *shared, *rest[lead:]), place, are_apart)


def _full(index: Any, rank: int) -> list[Any]:
    parts = list(index) if isinstance(index, tuple) else [index]
    if any(p is None for p in parts):
        raise Unsuited("new axes beside index arrays")
    at = [k for k, p in enumerate(parts) if p is Ellipsis] or [len(parts)]
    missing = rank - sum(p is not Ellipsis for p in parts)
    return [*parts[: at[0]], *[slice(None)] * missing, *parts[at[0] + 1 :]]


def _rows(s: Lowering, part: Any) -> Array:
    if isinstance(part, list):
        return of_list(s, part)
    if isinstance(part, np.ndarray):
        if part.ndim != 1 or part.dtype.kind != "i" or part.size > _MOST_WRITTEN:
            raise Unsuited("constant arrays as indices")
        return of_list(s, part.tolist())
    rows = s.array(part)
    if rows.dtype.kind not in "iu":
        raise Unsuited("masks beside other indices")
    return rows


def of_list(s: Lowering, items: list[Any]) -> Array:
    """The integers of a list, in memory."""
    if not items or not all(type(item) is int or is_int(item) for item in items):
        raise Unsuited("other lists as indices")
    made = s.room_for(np.dtype(np.int64), (Affine(len(items)),))
    for k, item in enumerate(items):
        s.code.store(index_set, made.memory.value, (Affine(k),), s.code.whole(s.whole(item)))
    return made


def _whole(atom: Any) -> Affine:
    return Affine.of(atom) if isinstance(atom, Value) else Affine(int(atom))


# Masks -------------------------------------------------------------------------------------------


def mask_of(s: Lowering, x: Array, index: Any) -> Array:
    """The mask, which covers the first axes of x."""
    mask = s.array(index)
    if mask.rank > x.rank:
        raise Unsuited("a mask with more axes")
    s.code.equal_all(mask.extents, x.extents[: mask.rank])
    return mask


def masked_places(code: Code, mask: Array, at: Index, do: Callable[[], None]) -> None:
    """`if mask[at]: do()`."""
    cond = mask.entry(code, at)
    with code.block() as frame:
        do()
    code.add(If(cond, Block([], frame.body, []), Block([], [], []), ()))


def count_true(code: Code, mask: Array, do: Callable[[Index, Affine], None]) -> Affine:
    """How often a mask is true; `do` is given each such place, and how many were before it."""

    def step(total: Any, at: Index) -> Any:
        cond = mask.entry(code, at)
        with code.block() as frame:
            do(at, _whole(total))
            more = code.op(operator.add, (total, 1), INT)
        out = code.value("", INT)
        then, orelse = Block([], frame.body, [more]), Block([], [], [total])
        code.add(If(cond, then, orelse, (out,)))
        return out

    count = code.fold(mask.extents, 0, step, INT)
    if isinstance(count, Value):
        code.limits[count] = (Affine(), _size(code, mask.extents))
    return _whole(count)


def _size(code: Code, extents: Extents) -> Affine:
    """The number of entries."""
    size = Affine(1)
    for n in extents:
        if n.number is not None:
            size = size * n.number
        elif size.number is not None:
            size = n * size.number
        else:
            size = code.multiplied(size, n)
    return size


def _selected(s: Lowering, x: Array, mask: Array) -> Array:
    """The entries of x where the mask is true."""
    code = s.code
    mask, x = s.in_memory(mask), s.computed(x)
    rest = x.extents[mask.rank :]
    count = count_true(code, mask, lambda at, position: None)
    made: View = s.room_for(x.dtype, (count, *rest))

    def copy(at: Index, position: Affine) -> None:
        with code.loops(rest) as inner:
            entry = x.entry(code, (*at, *inner))
            code.store(index_set, made.memory.value, made.place((position, *inner)), entry)

    count_true(code, mask, copy)
    return made


def _compressed(s: Lowering, op: Op) -> Array:
    """`np.compress(mask, x, axis)`, `np.extract(mask, x)`; the mask may be shorter than x."""
    only(op, "axis")
    axis = option(op, "axis", 2, None)
    mask, x = map(s.array, op.args[:2])
    if mask.dtype.kind != "b" or mask.rank != 1 or (axis is None and x.rank != 1):
        raise Unsuited("entries of a matrix taken by a mask")
    (k,) = axes_of(x, axis)
    s.code.check_natural(x.extents[k] - mask.extents[0])
    made = _selected(s, permuted(x, first_axes(k, 1, x.rank)), mask)
    return permuted(made, [*range(1, k + 1), 0, *range(k + 1, made.rank)])


GATHERS: Final[dict[Any, Handler]] = {
    np.compress: _compressed, np.extract: _compressed,
}  # fmt: skip

__all__ = [
    "GATHERS",
    "Places",
    "basic_first",
    "count_true",
    "find_places",
    "first_axes",
    "gathered",
    "is_gather",
    "is_mask",
    "mask_beside",
    "mask_of",
    "masked_places",
    "of_list",
]

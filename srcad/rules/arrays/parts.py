"""Cotangents of which only a part is not zero, seen through the axes that a reduction took away.

y = np.std(x, axis=1)[0]      g = scatter(h, (n,), 0)
                              times(g[:, None], p)  ->  scatter(h * p[0], shape(p), 0)

What `p` is in other rows, NaN say, has no part in the result.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.kinds import is_int_scalar
from srcad.ir.nodes import Op
from srcad.ir.types import Extent, shape_of
from srcad.rules.arrays.distinct import names_once
from srcad.rules.core.masks import maker
from srcad.rules.core.staged import Staged, call, shape_of_value, type_of

_ALL = slice(None)


@dataclass(frozen=True, slots=True)
class Part:
    """The part `kept` of a cotangent, at the places `index` of its axes."""

    kept: Any
    index: tuple[Any, ...]
    shape: tuple[Extent, ...]
    is_broadcast: bool

    def at(self, x: Any) -> Any:
        """The entries of an array that stand beside the part."""
        return x[self._of(x)]

    def put(self, product: Any, like: Any) -> Any:
        """`product` among zeros, in the shape of `like`."""
        return call(runtime.scatter, product, shape_of_value(like), self._of(like))

    def fits(self, x: Any) -> bool:
        """Whether an array has all axes of the cotangent, and the extents that the index is of."""
        shape = shape_of(type_of(x))
        if shape is None or len(shape) < len(self.index):
            return False
        if self.is_broadcast:
            return shape == self.shape
        own = shape[len(shape) - len(self.index) :]
        along = zip(self.index, self.shape, own, strict=True)
        return all(n == m or (item == _ALL and n == 1) for item, n, m in along)

    def _of(self, x: Any) -> tuple[Any, ...]:
        rank = len(shape_of(type_of(x)) or ())
        return (*[_ALL] * (rank - len(self.index)), *self.index)


def part_of(g: Any) -> Part | None:
    """The part of a cotangent that an operation put among zeros; None where there is none."""
    shape = shape_of(type_of(g)) if isinstance(g, Staged) else None
    made = maker(g)
    if made is None or shape is None:
        return None
    inner, is_broadcast = g, made.fn is np.broadcast_to
    if is_broadcast:
        inner = g.builder.wrap(made.args[0])
        made = maker(inner)
    axes: tuple[Any, ...] = ()
    if made is not None and made.fn is operator.getitem:
        axes = made.args[1] if isinstance(made.args[1], tuple) else (made.args[1],)
        if not all(i is None or _is_all(i) for i in axes):
            return None
        inner = g.builder.wrap(made.args[0])
        made = maker(inner)
    if made is None or made.fn is not runtime.scatter:
        return None
    return _of_scatter(inner, made, axes, shape, is_broadcast)


def _of_scatter(
    g: Any, made: Op, axes: tuple[Any, ...], shape: tuple[Extent, ...], is_broadcast: bool
) -> Part | None:
    values, _, index = made.args
    items = list(index) if isinstance(index, tuple) else [index]
    rank = len(shape_of(type_of(g)) or ())
    if len(items) > rank or not all(map(_is_place, items)):
        return None
    if not names_once(index, g.builder.makers):
        return None
    items += [_ALL] * (rank - len(items))
    extents = shape_of(type_of(g)) or ()
    # Of an axis of one entry the part is all. Those that came back stand between the others.
    whole = [is_int_scalar(i) and n == 1 for i, n in zip(items, extents, strict=True)]
    left = iter([_ALL if w else item for item, w in zip(items, whole, strict=True)])
    places = [_ALL if axis is None else next(left) for axis in axes] + [*left]
    came_back = iter([is_int_scalar(item) for item in items])
    is_new = [axis is None or next(came_back) for axis in axes] + [*came_back]
    kept_axes = tuple(
        None if new else _ALL
        for place, new in zip(places, is_new, strict=True)
        if not is_int_scalar(place)
    )
    kept = g.builder.wrap(values)
    of_kept = shape_of(type_of(kept))
    if of_kept is None or len(of_kept) not in (0, sum(a is not None for a in kept_axes)):
        return None
    if of_kept and None in kept_axes:
        kept = kept[kept_axes]
    return Part(kept, tuple(places), shape, is_broadcast)


def _is_place(item: Any) -> bool:
    return isinstance(item, slice) or is_int_scalar(item)


def _is_all(item: Any) -> bool:
    return isinstance(item, slice) and item == _ALL


__all__ = ["Part", "part_of"]

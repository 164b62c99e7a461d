"""Types of what a loop carries: where iterations change them, and what is left of them after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import UNBOUND, Abstract, is_nothing, is_partial
from srcad.frontend.abstract.paths import Path
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, Type, rank_of, shape_of
from srcad.rules.core.facts import unknown_extent


class FirstDiffers(Exception):  # noqa: N818 -- from a loop to where it may be peeled
    """The first iteration makes another thing of what the loop carries at a path than was there."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path

    def remains(self) -> bool:
        """Whether a variable is still not bound on each path."""
        owner, name = self.path[0], self.path[1]
        return isinstance(owner, Frame) and is_partial(owner.env.get(name, UNBOUND))


def types_after(types: dict[Path, Type], firsts: Iterable[Abstract]) -> dict[Path, Type]:
    """The types after the loop.

    An extent found in the body is another number in each iteration: what is left has its own.
    """
    shapes = [shape_of(type_of_leaf(x)) or () for x in firsts if not is_nothing(x)]
    lasting = {e.symbol for shape in shapes for e in shape if isinstance(e, Dim)}
    fresh: dict[str, Dim] = {}

    def after(extent: Extent) -> Extent:
        if not isinstance(extent, Dim) or "?" not in extent.symbol or extent.symbol in lasting:
            return extent
        return replace(extent, symbol=fresh.setdefault(extent.symbol, unknown_extent()).symbol)

    kinds = dict(types)
    for path, kind in kinds.items():
        if isinstance(kind, ArrayType) and kind.shape:
            kinds[path] = replace(kind, shape=tuple(map(after, kind.shape)))
        elif isinstance(kind, NumberType) and kind.extent is not None:
            kinds[path] = replace(kind, extent=after(kind.extent))
    return kinds


def changes_extent(first: Abstract, known: Type, last: Type) -> bool:
    """Whether iterations change an extent that is taken to be that of the first value: an unknown
    one holds any number, but one number only, which the loop does not change.
    """
    if is_nothing(first):
        return False
    shapes = [shape_of(t) or () for t in (type_of_leaf(first), known, last)]
    return any(a == b != c for a, b, c in zip(*shapes, strict=False))


def becomes_another(first: Abstract, last: Abstract) -> bool:
    """Whether what was a number is an array, or an array has another dtype or number of axes."""
    kind = last.type if isinstance(last, Value) else None
    if not isinstance(kind, ArrayType) or not rank_of(kind):
        return False
    if isinstance(first, Value) and isinstance(first.type, ArrayType) and rank_of(first.type):
        ranks = rank_of(first.type), rank_of(kind)
        return first.type.dtype != kind.dtype or (None not in ranks and ranks[0] != ranks[1])
    is_number = isinstance(first, Value) or type(first) in (int, float, complex, bool)
    return is_number and rank_of(type_of_leaf(first)) == 0


__all__ = ["FirstDiffers", "becomes_another", "changes_extent", "types_after"]

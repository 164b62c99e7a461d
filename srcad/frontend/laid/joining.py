"""How laid lists are joined that two paths put into one place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.joined_types import Mismatch
from srcad.frontend.abstract.objects import Abstract, is_nothing
from srcad.frontend.laid.entry_kinds import hold_alike


def joined_laid(x: Laid, y: Laid, of: Callable[[int, Abstract, Abstract], Abstract]) -> Laid:
    """The list that stands in the array of either path; `of` joins the arrays. One path may have
    nothing in its place.
    """
    if is_nothing(x) or is_nothing(y):
        known = y if is_nothing(x) else x
        numbers, *marks = (of(k, *_sides(x, y, array)) for k, array in enumerate(known.arrays))
        return replace(known, numbers=numbers, marks=marks[0] if marks else None)
    hold_alike(x, y)
    if x.axes != y.axes or x.width != y.width:
        raise Mismatch
    pairs = enumerate(zip(x.arrays, y.arrays, strict=True))
    numbers, *marks = (of(k, a, b) for k, (a, b) in pairs)
    is_same = x.version is y.version
    return replace(
        x, numbers=numbers, marks=marks[0] if marks else None, origins=x.origins | y.origins,
        version=x.version if is_same else object(),
    )  # fmt: skip


def joined_row(x: LaidRow, y: LaidRow, of: Callable[[Abstract, Abstract], Abstract]) -> LaidRow:
    """The row of either path, of one list; `of` joins the indices. One path may have nothing in
    its place.
    """
    if is_nothing(x) or is_nothing(y):
        known = y if is_nothing(x) else x
        return replace(known, at=of(*_sides(x, y, known.at)))
    if x.table is not y.table or x.version is not y.version or len(x.at) != len(y.at):
        raise Mismatch
    return replace(x, at=of(x.at, y.at))


def _sides(x: Abstract, y: Abstract, part: Abstract) -> tuple[Abstract, Abstract]:
    """A part of what one path has, and nothing."""
    return (x, part) if is_nothing(x) else (part, y)


__all__ = ["joined_laid", "joined_row"]

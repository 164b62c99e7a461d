"""Lists of which the numbers are known one by one: they stand in an array where loops index them.

w = [0.1, 0.2, ..., 0.9]            w = array([0.1, 0.2, ..., 0.9])
for i in range(9):            ->    For: getitem(w, i)
    s += w[i] * x[i]

The function is lowered again with an array for what was made at that place. A list of a few numbers
has a variable for each: loops over it are unrolled.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.laid.entry_kinds import (
    dtype_of_kinds,
    has_marks,
    is_held_exactly,
    is_told,
    kinds_of_number,
    known_kinds,
)
from srcad.frontend.laid.making import filled, laid, may_be_laid
from srcad.frontend.lists.growing_lists import is_asked_for, origin_of
from srcad.frontend.lists.marks import mark_of
from srcad.ir.kinds import is_python_int
from srcad.ir.nodes import Value
from srcad.rules.core.joined_kinds import Kind

_FEW = 12  # numbers


def repeated(frame: Frame, x: ListObj, count: Abstract) -> ListObj | None:
    """`[a] * count` of a number, by data or asked for; None of another list, or where it is
    unrolled.
    """
    is_plain = x.cls is list and x.form is None and len(x.items) == 1
    if not is_plain or not is_python_int(count):
        return None
    if not isinstance(count, Value) and not is_asked_for(frame, frame.node):
        made = ListObj(x.items * count)
        note_known(frame, made, frame.node)
        return made
    return filled(frame, (count,), x.items[0], frame.node)


def note_known(frame: Frame, x: ListObj, node: Any) -> None:
    """Note where a list of known numbers, or of rows of them, was made; rows get no array alone."""
    if _kinds_of_known(frame, x) is not None:
        rows = [item for item in x.items if isinstance(item, ListObj)]
        inner = dict.fromkeys(origin for row in rows for origin in row.origins)
        x.origins = (origin_of(frame, node), *inner)
        for row in rows:
            row.origins = ()


def _kinds_of_known(frame: Frame, x: ListObj) -> frozenset[Kind] | None:
    """The kinds of known numbers that one array may hold as they are; None of others."""
    numbers = _known_numbers(x)
    found = {kinds_of_number(frame.session, number) for number in numbers}
    if None in found or not found:
        return None
    kinds: frozenset[Kind] = frozenset().union(*(kinds or () for kinds in found))
    return kinds if is_told(kinds) and dtype_of_kinds(kinds) is not None else None


def displayed(frame: Frame, x: ListObj, node: gast.List) -> ListObj:
    """A list of which the items are written down: with its numbers in an array if that is asked
    for.
    """
    session, origin, own = frame.session, origin_of(frame, node), None
    is_asked = len(x.items) > _FEW and is_asked_for(frame, node)  # `[a] * n` is made there as well
    if is_asked and may_be_laid(frame, origin):
        own = _kinds_of_known(frame, x)
    if own is None or any(isinstance(item, ListObj) for item in x.items):
        note_known(frame, x, node)
        return x
    kinds = known_kinds(session, origin, own)
    numbers = session.emit(np.array, (x.items,), {"dtype": dtype_of_kinds(kinds)})
    marks = None
    if has_marks(kinds):
        marks = session.emit(np.array, ([mark_of(session, item) for item in x.items],))
    made = laid(frame, numbers, marks, kinds, origin)
    if not all(is_held_exactly(session, made, item) for item in x.items):
        made.decline()
    return ListObj([], form=made)


def is_long(x: ListObj) -> bool:
    """Whether a list has enough known numbers for an array."""
    return x.form is None and bool(x.origins) and len(_known_numbers(x)) > _FEW


def _known_numbers(x: ListObj) -> list[Abstract]:
    """The items of a list, of a list of lists those of its rows."""
    rows = [item for item in x.items if isinstance(item, ListObj) and item.form is None]
    return [item for row in rows for item in row.items] if len(rows) == len(x.items) else x.items


__all__ = ["displayed", "is_long", "note_known", "repeated"]

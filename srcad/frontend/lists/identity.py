"""Which lists are one list: items and rows that are read twice, or beside what they are in.

table[1], table[1]          one row: a caller who writes into one would see it in the other
rows, rows[0]               the row, and the list that it is in
"""

from __future__ import annotations

from collections.abc import Iterator

from srcad.frontend.abstract.containers.containers import Grown, ListObj, Marked
from srcad.frontend.abstract.containers.laid import Laid, LaidRow, RowLeaf
from srcad.frontend.abstract.containers.reachable import reachable
from srcad.frontend.abstract.objects import Abstract

# A list of lists or what it stands in, and where in that the list is: itself, or a row.
Place = tuple[Abstract, tuple[Abstract, ...]]


def may_share(x: Abstract, y: Abstract) -> bool:
    """Whether two lists may be one, or one an item of the other, or have an item in common."""
    if x is y:
        return False
    last, others = _last(x), _last(y)
    if any(one is other for one in (x, *last) for other in (y, *others)):
        return True
    pairs = ((place, other) for place in _places(x) for other in _places(y))
    return any(
        owner is another and not any(map(_differ, at, there))
        for (owner, at), (another, there) in pairs
    )


def _last(x: Abstract) -> list[Abstract]:
    """The last items of a list that a loop has made, and the lists among their parts."""
    form = x.form if isinstance(x, ListObj) else None
    found = reachable(form.last) if isinstance(form, Grown) else []
    return [item for item in found if isinstance(item, ListObj)]


def _places(x: Abstract) -> list[Place]:
    form = x.form if isinstance(x, ListObj) else None
    match form:
        case LaidRow(table=table, at=at):
            return [(form.form.numbers if form.form.kept else table, at)]
        case Laid():
            return [(form.numbers if form.kept else x, ())]
        case Grown():
            return [(form.columns[k], ()) for k in _of_lists(form.item)]
    return [(column, (index,)) for column, index in x.item_of] if isinstance(x, ListObj) else []


def _of_lists(item: Abstract) -> Iterator[int]:
    """The columns of the lists that an item has, or is."""
    if isinstance(item, tuple):
        for each in item:
            yield from _of_lists(each)
    elif isinstance(item, ListObj | RowLeaf):
        yield from columns_in(item)


def columns_in(item: Abstract) -> Iterator[int]:
    """The columns that an item is read from."""
    if isinstance(item, tuple | ListObj):
        for each in item if isinstance(item, tuple) else item.items:
            yield from columns_in(each)
    else:
        yield item.number if isinstance(item, Marked | RowLeaf) else item


def _differ(i: Abstract, j: Abstract) -> bool:
    """Whether two indices are not those of one item, however long the list is."""
    return type(i) is type(j) is int and i != j and (i < 0) is (j < 0)


__all__ = ["columns_in", "may_share"]

"""The form of a list's items: numbers, arrays, tuples and lists of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from srcad.frontend.abstract.containers.containers import ListObj, Marked, Piece
from srcad.frontend.abstract.containers.laid import Laid, RowLeaf
from srcad.frontend.abstract.containers.reachable import parts_of
from srcad.frontend.abstract.kinds_by_data import kind_of, named
from srcad.frontend.abstract.objects import Abstract, Conflict, Either, is_leaf, is_partial
from srcad.frontend.abstract.session import Session


def parts_of_item(item: Abstract, decline: Callable[[], NoReturn]) -> Iterator[Abstract]:
    """The numbers, arrays and texts of an item, which may be a tuple or a list."""
    if isinstance(item, tuple) or (isinstance(item, ListObj) and is_plain(item)):
        for each in item if isinstance(item, tuple) else item.items:
            yield from parts_of_item(each, decline)
    elif isinstance(item, Marked):
        yield from (item.number, item.mark)
    elif is_kept_row(item):
        yield from item.form.arrays
    elif is_leaf(item) or named(item) is not None:
        yield item
    else:
        decline()


def atom_of(session: Session, part: Abstract) -> Any:
    """What stands for a part of an item in an array: of a text its code."""
    if isinstance(part, Either):
        return session.atom(part.code)
    return session.codes.number(kind_of(part)) if named(part) else session.atom(part)


def is_plain(x: ListObj) -> bool:
    """Whether it is a list of the program's own."""
    return x.cls in (list, Piece) and x.maxlen is None and not x.path and not x.frozen


def is_kept_row(x: Abstract) -> bool:
    """Whether it is a list of numbers in an array that nothing changes."""
    is_row = isinstance(x, ListObj) and x.frozen and isinstance(x.form, Laid)
    return is_row and x.form.kept


def numbered(item: Abstract, count: Any = None) -> Abstract:
    """An item with the number of its column in place of each part."""
    count = iter(range(10_000)) if count is None else count
    if isinstance(item, tuple):
        return tuple(numbered(each, count) for each in item)
    if is_kept_row(item):
        number = next(count)
        mark = None if item.form.marks is None else next(count)
        return RowLeaf(number, mark, item.form.kinds)
    if isinstance(item, ListObj):
        return ListObj([numbered(each, count) for each in item.items], frozen=True)
    return Marked(next(count), next(count)) if isinstance(item, Marked) else next(count)


def are_alike(a: Abstract, b: Abstract) -> bool:
    """Whether two items have their columns in the same places."""
    if isinstance(a, ListObj) and isinstance(b, ListObj):
        a, b = tuple(a.items), tuple(b.items)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(are_alike, a, b))
    return type(a) is type(b) and isinstance(a, int | Marked | RowLeaf) and a == b


def frozen(item: Abstract) -> Abstract:
    """A copy of an item in which no list can be changed."""
    if isinstance(item, tuple):
        return tuple(map(frozen, item))
    if isinstance(item, ListObj) and not is_kept_row(item):
        return ListObj([frozen(each) for each in item.items], frozen=True)
    return item


def is_there(item: Abstract) -> bool:
    """Whether a last item is known, on all paths."""
    if isinstance(item, Conflict) or is_partial(item):
        return False
    return all(map(is_there, parts_of(item)))


__all__ = [
    "are_alike",
    "atom_of",
    "frozen",
    "is_kept_row",
    "is_plain",
    "is_there",
    "numbered",
    "parts_of_item",
]

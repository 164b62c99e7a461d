"""Changes of a list that a loop has made, by statements after the loop.

for v in x: ys.append(v * v)            ys_1 = array(seq)
ys.append(a)                     ->     ys_2 = concatenate([ys_1, array([a])])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NoReturn

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Grown, ListObj, form_of
from srcad.frontend.lists.columns import grown_of, with_first
from srcad.frontend.lists.items import are_alike, parts_of_item
from srcad.frontend.lists.open_lists import append as append_open
from srcad.frontend.lists.opened import Open, Pieces
from srcad.ir.types import rank_of


def append(frame: Frame, x: ListObj, item: Abstract) -> None:
    """`x.append(item)`."""
    extend(frame, x, [item])


def extend(frame: Frame, x: ListObj, items: list[Abstract]) -> None:
    """`x.extend(items)`, of known items."""
    if any(x is each for each in frame.session.iterated):
        raise error("E119", None, what="a list that grows while it is iterated over")
    form = form_of(x)
    if isinstance(form, Open):
        for item in items:
            append_open(frame, form, item)
    elif isinstance(form, Pieces):
        if form.piece.form is None:
            form.piece.items.extend(items)
        else:
            extend(frame, form.piece, items)
    elif items:
        x.form = _extended(frame, form, items, partial(_refuse, "`append`"))


def _extended(
    frame: Frame, x: Grown, items: list[Abstract], decline: Callable[[], NoReturn]
) -> Grown:
    """The list with these items at its end."""
    more = grown_of(frame, items, decline)
    if not are_alike(x.item, more.item):
        decline()
    has_rows = any(rank_of(column.type) != 1 for column in more.columns)
    if has_rows and not x.last:
        decline()  # an array of no rows has no axis for them
    made = with_first(frame, x, [list(x.columns)], more)
    if made is None:
        decline()
    memory = frame.session.memory
    rows = [list(parts_of_item(item, decline)) for item in items]
    for k, column in enumerate(made.columns):
        if rank_of(column.type) != 1:  # its rows are those arrays
            memory.tell(column, [x.columns[k], *(row[k] for row in rows)])
            memory.entangled[column] = "changed: a list that a loop appended to"
    is_plain = not any(isinstance(item, ListObj) for item in items)
    return replace(made, last=(*items[::-1], *x.last) if is_plain else ())


def _refuse(what: str) -> NoReturn:
    fix = "make an array of it first: `np.append(items, last)`"
    raise error("E118", None, what=f"{what} to a list that a loop has made", fix=fix)


__all__ = ["append", "extend"]

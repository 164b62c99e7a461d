"""Changes of a list that a loop has made, by statements after the loop.

for v in x: ys.append(v * v)            ys_1 = array(seq)
ys.append(a)                     ->     ys_2 = concatenate([ys_1, array([a])])
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import Grown, ListObj, form_of, formed
from srcad.frontend.abstract.containers.contents import contents, set_contents
from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.laid.kept import kept_row
from srcad.frontend.lists.columns import grown_of, rows_of, with_first
from srcad.frontend.lists.items import parts_of_item
from srcad.frontend.lists.marks import columns_of, spread
from srcad.frontend.lists.open_lists import append as append_open
from srcad.frontend.lists.opened import Open, Pieces
from srcad.ir.types import rank_of

# What to specialise to if a row of a list that was changed is written: there is no such thing.
CHANGED = "changed: a list that a loop appended to"


def append(frame: Frame, x: ListObj, item: Abstract) -> None:
    """`x.append(item)`."""
    extend(frame, x, ListObj([item]))


def extend(frame: Frame, x: ListObj, more: ListObj) -> None:
    """`x.extend(more)`, where the items of one of the two are not known one by one."""
    check_kept(frame, x)
    form = form_of(x)
    if more.form is None and isinstance(form, Pieces | Grown):
        more.items[:] = [kept_row(frame.session, item) for item in more.items]
    if isinstance(form, Pieces):
        if form.piece.form is None and more.form is None:
            form.piece.items.extend(more.items)
        else:
            extend(frame, form.piece, more)
    elif isinstance(form, Open):
        if more.form is not None:
            form.split()
        for item in more.items:
            append_open(frame, form, item)
    elif more.form is not None or more.items:
        set_contents(x, contents(joined_lists(frame, x, more)))


def check_kept(frame: Frame, x: ListObj) -> None:
    """Refuse to change a list by the array of which a loop around runs, or one that is a row of
    another list or has rows.
    """
    if isinstance(x.form, LaidRow) or (isinstance(x.form, Laid) and x.form.axes > 1):
        x.form.decline()
    if any(x is each for each in frame.session.iterated):
        raise error("E119", None, what="a list that changes while it is iterated over")


def joined_lists(frame: Frame, a: ListObj, b: ListObj) -> ListObj:
    """`a + b`, where the items of one of the two are not known one by one."""
    first, second = form_of(a), form_of(b)
    for form in (first, second):
        if isinstance(form, Open | Pieces | Laid | LaidRow):
            form.decline()
    if isinstance(second, ListObj):
        return formed(_extended(frame, first, second.items)) if second.items else formed(first)
    if isinstance(first, ListObj) and not first.items:
        return formed(second)
    made = with_first(frame, first, second, second.decline)
    note_rows(frame, made, [*rows_of(first, second.decline), columns_of(second)])
    return formed(replace(made, last=second.last))


def _extended(frame: Frame, x: Grown, items: list[Abstract]) -> Grown:
    """The list with these items at its end."""
    made = with_first(frame, x, grown_of(frame, items, x.decline), x.decline)
    rows = [list(parts_of_item(item, x.decline)) for item in items]
    note_rows(frame, made, [columns_of(x), *rows])
    is_plain = not any(isinstance(item, ListObj) for item in items)
    return replace(made, last=(*items[::-1], *x.last) if is_plain else ())


def note_rows(frame: Frame, made: Grown, rows: list[list[Abstract]]) -> None:
    """Note of which arrays the rows of the columns are: of the parts of items, or of columns."""
    memory = frame.session.memory
    parts = zip(*(spread(made.item, row) for row in rows), strict=True)
    for column, own in zip(made.columns, parts, strict=True):
        if rank_of(column.type) != 1:
            memory.tell(column, own)
            memory.entangled[column] = CHANGED
            if any(memory.overlaps(x, y) for x, y in combinations(own, 2)):
                memory.repeated.add(column)


def told(frame: Frame, made: Grown, items: list[Abstract]) -> Grown:
    """`made`, after noting of which arrays the rows of its columns are: those of `items`."""
    note_rows(frame, made, [list(parts_of_item(item, made.decline)) for item in items])
    return made


__all__ = ["CHANGED", "append", "check_kept", "extend", "joined_lists", "note_rows", "told"]

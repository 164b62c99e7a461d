"""Lists of numbers that are items of lists which loops append to: nothing changes them any more.

alpha.append(row)        the array of the numbers is the item; `row` may not be changed from now on
alpha[t - 1][r]          an entry of the last item
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.containers import Grown, ListObj, Marked
from srcad.frontend.abstract.containers.laid import Laid, LaidRow, RowLeaf
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.laid.entry_kinds import is_told, known_kinds
from srcad.frontend.laid.reading import as_grown, kinds_of_grown
from srcad.rules.core.joined_kinds import FLOATS, is_numpys


def kept_row(session: Session, x: Abstract, origin: str = "") -> Abstract:
    """A list of numbers in arrays, of which it is noted that it may not be changed from now on;
    anything else as it is. `origin`: what says which numbers the lists beside it have.
    """
    if not isinstance(x, ListObj) or x.cls is not list or x.path or x.frozen:
        return x
    form = x.form
    origins = form.origins if isinstance(form, Laid) else frozenset()
    if isinstance(form, Laid) and form.axes == 1 and is_told(form.kinds):
        form = as_grown(session, form)
    kinds = kinds_of_grown(form) if isinstance(form, Grown) else None
    if kinds is None or not isinstance(form, Grown):
        return x
    is_marked = isinstance(form.item, Marked)
    number = form.item.number if is_marked else form.item
    marks = form.columns[form.item.mark] if is_marked else None
    numbers = form.columns[number]
    all_kinds = known_kinds(session, origin, kinds)
    if marks is None and len(kinds) == 1 and all_kinds == FLOATS:
        (kind,) = kinds
        make = np.ones_like if is_numpys(kind) else np.zeros_like
        marks, kinds = session.emit(make, (numbers,), {"dtype": bool}), all_kinds
    x.form = _kept(session, numbers, marks, kinds, origins | ({origin} if origin else set()))
    x.frozen = True
    return x


def row_of_columns(session: Session, x: Grown, leaf: RowLeaf, index: Abstract) -> ListObj:
    """An item that is a list of numbers."""
    marks = None if leaf.mark is None else x.columns[leaf.mark]
    form = _kept(session, x.columns[leaf.number], marks, leaf.kinds, frozenset())
    table = ListObj([], frozen=True, form=form)
    return ListObj([], frozen=True, form=LaidRow(table, (index,), form.version, form.decline))


def _kept(
    session: Session, numbers: Abstract, marks: Abstract, kinds: frozenset[Any],
    origins: frozenset[str],
) -> Laid:  # fmt: skip
    return Laid(numbers, marks, kinds, origins, partial(as_grown, session), kept=True)


__all__ = ["kept_row", "row_of_columns"]

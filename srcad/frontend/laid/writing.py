"""What is written into laid lists: entries, and rows.

D[i][j] = v          D_2 = index_update(D_1, (i, j), v)
D[i] = [...]         D_2 = index_update(D_1, i, array([...]))
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.changes import check_changeable
from srcad.frontend.abstract.containers.containers import Grown, ListObj, Marked
from srcad.frontend.abstract.containers.contents import FORM, set_contents
from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.laid.entry_kinds import are_held_exactly, hold, is_held_exactly, kinds_of_number
from srcad.frontend.laid.reading import AnyLaid, as_grown, check_index, kinds_of_grown, place_of
from srcad.frontend.lists.marks import mark_of
from srcad.frontend.statements.stores import store
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, dtype_of
from srcad.rules.core.joined_kinds import is_numpys


def set_item(frame: Frame, x: ListObj, index: Abstract, new: Abstract, text: str) -> None:
    """`x[index] = new`."""
    form = x.form
    assert isinstance(form, AnyLaid)
    check_index(form, index)
    check_changeable(frame, x, text)
    if isinstance(form, LaidRow):
        check_changeable(frame, form.table, text)
    if form.axes > 1:
        _set_row(frame, x, form, (*form.at, index), new, text)
        return
    kinds = kinds_of_number(frame.session, new)
    if kinds is None:
        form.decline()
    hold(form.form, kinds)
    if not is_held_exactly(frame.session, form.form, new):
        form.decline()
    at = place_of(frame.session, form, index)
    place = at[0] if len(at) == 1 else at
    store(frame, form.form.numbers, place, new, text)
    if form.form.marks is not None:
        store(frame, form.form.marks, place, mark_of(frame.session, new), text)


def numbers_of(frame: Frame, x: ListObj, form: Laid) -> tuple[Any, ...] | None:
    """The arrays of a list of numbers that a laid list may hold as a row; None of another list."""
    own = x.form
    if isinstance(own, LaidRow) or x.cls is not list or x.path or x.frozen:
        return None
    if isinstance(own, Laid):
        own = as_grown(frame.session, own)
    if own is None:
        return _numbers_of_items(frame, x.items, form)
    if not isinstance(own, Grown):
        return None
    return _numbers_of_grown(frame.session, own, form)


def _numbers_of_items(frame: Frame, items: list[Abstract], form: Laid) -> tuple[Any, ...] | None:
    session = frame.session
    kinds = [kinds_of_number(session, item) for item in items]
    if not items or None in kinds:
        return None
    hold(form, frozenset().union(*(each for each in kinds if each is not None)))
    if not all(is_held_exactly(session, form, item) for item in items):
        return None
    numbers = session.emit(np.array, (items,))
    if form.marks is None:
        return (numbers,)
    return numbers, session.emit(np.array, ([mark_of(session, item) for item in items],))


def _numbers_of_grown(session: Session, x: Grown, form: Laid) -> tuple[Any, ...] | None:
    kinds = kinds_of_grown(x)
    if kinds is None or (int in kinds and len(form.kinds) > 1):
        return None
    hold(form, kinds)
    number = x.item.number if isinstance(x.item, Marked) else x.item
    numbers = x.columns[number]
    if not are_held_exactly(numbers, dtype_of(form.numbers.type)):
        return None
    if form.marks is None:
        return (numbers,) if kinds == form.kinds else None
    if isinstance(x.item, Marked):
        return numbers, x.columns[x.item.mark]
    if len(kinds) > 1:
        return None  # which of them are NumPy's is not known any more
    (kind,) = kinds
    make = np.ones_like if is_numpys(kind) else np.zeros_like
    return numbers, session.emit(make, (numbers,), {"dtype": bool})


def _set_row(
    frame: Frame, x: ListObj, form: AnyLaid, at: tuple[Abstract, ...], new: Abstract, text: str
) -> None:
    """`x[i] = new`, of a list that is its row from now on, whatever else holds it."""
    if form.form.width is not None or len(at) > 1 or form.axes != 2:
        form.decline()
    if not isinstance(new, ListObj) or not isinstance(form, Laid):
        form.decline()
    arrays = numbers_of(frame, new, form)
    if arrays is None or not _fits(frame, form, arrays[0]):
        form.decline()
    for array, values in zip(form.arrays, arrays, strict=True):
        store(frame, array, at[0], values, text)
    _renew(x)
    set_contents(new, {FORM: LaidRow(x, at, x.form.version, x.form.decline)})


def _renew(x: ListObj) -> None:
    """Forget the rows that a list has had: other lists stand in their places."""
    assert isinstance(x.form, Laid)
    x.form = replace(x.form, version=object())


def permuted(
    frame: Frame, places: list[tuple[Abstract, Abstract]], rows: list[Any], text: str
) -> bool:
    """Assign the rows of a list to places in it, if each stands in one of them already; whether
    that was done.

    D[i], D[k] = D[k], D[i]
    """
    tables = {id(owner) for owner, _ in places} | {id(row.form.table) for row in rows}
    x = places[0][0]
    form = x.form if isinstance(x, ListObj) else None
    if (
        len(tables) != 1
        or not isinstance(form, Laid)
        or form.width is not None
        or any(len(row.form.at) != 1 for row in rows)
    ):
        return False
    before = [_named(row.form.at[0]) for row in rows]
    if len(set(before)) != len(rows) or set(before) != {_named(index) for _, index in places}:
        return False
    check_changeable(frame, x, text)
    if any(row.form.form is not form for row in rows):
        form.decline()
    emit = frame.session.emit
    for array in form.arrays:
        own = (emit(operator.getitem, (array, row.form.at[0])) for row in rows)
        copies = [emit(np.copy, (row,)) for row in own]
        for (_, index), copied in zip(places, copies, strict=True):
            store(frame, array, index, copied, text)
    _renew(x)
    return True


def _named(index: Abstract) -> Any:
    """What tells one index from another: the value, or the number."""
    return index if isinstance(index, Value) else ("", index)


def _fits(frame: Frame, form: Laid, row: Value) -> bool:
    """Whether an array is known to be as long as the rows."""
    own, other = form.numbers.type, row.type
    if not isinstance(own, ArrayType) or not isinstance(other, ArrayType):
        return False
    if own.shape is None or other.shape is None or len(other.shape) != 1:
        return False
    if own.shape[-1] != other.shape[0]:
        frame.session.inputs.assume_equal(own.shape[-1], other.shape[0])
    return own.shape[-1] == other.shape[0]


__all__ = ["numbers_of", "permuted", "set_item"]

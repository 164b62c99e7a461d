"""What statements after the loop do to a list that a loop has made, besides appending to it.

ys[0] = a              ys_2 = index_update(ys_1, 0, a)
ys.pop()               y = ys_1[-1]; ys_2 = ys_1[:-1]
ys.insert(0, a)        ys_2 = concatenate([array([a]), ys_1])
ys.reverse()           ys_2 = ys_1[::-1]
"""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from srcad.frontend.abstract.containers.containers import Grown, ListObj, form_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.expressions.missing import raise_unless
from srcad.frontend.iterators.counted import length
from srcad.frontend.lists.changes import check_kept, joined_lists
from srcad.frontend.lists.columns import read_as
from srcad.frontend.lists.grown_lists import row
from srcad.frontend.lists.items import are_alike, numbered, parts_of_item
from srcad.ir.types import rank_of
from srcad.runtime import index_update


def _form(frame: Frame, x: ListObj) -> Grown:
    """What the list is made of, to be changed."""
    check_kept(frame, x)
    form = form_of(x)
    if not isinstance(form, Grown):
        form.decline()
    return form  # type: ignore[no-any-return]  # what else it may be has raised


def _by_column(frame: Frame, form: Grown, part: slice) -> Grown:
    """A part of the list, or its items in another order."""
    emit = frame.session.emit
    columns = tuple(emit(operator.getitem, (column, part)) for column in form.columns)
    return form.of_columns(columns)


def _are_numbers(form: Grown) -> bool:
    return all(rank_of(column.type) == 1 for column in form.columns)


def set_item(frame: Frame, x: ListObj, index: Abstract, item: Abstract) -> None:
    """`x[index] = item`, of an item like the others."""
    form, session = _form(frame, x), frame.session
    parts = list(parts_of_item(item, form.decline))
    kinds = tuple(read_as(session.kinds, session.atom(part)) for part in parts)
    is_like = are_alike(form.item, numbered(item)) and kinds == form.kinds
    if isinstance(index, slice) or not is_like or not _are_numbers(form):
        form.decline()
    _check_index(frame, form, index, "list assignment index out of range")
    pairs = zip(form.columns, parts, strict=True)
    columns = tuple(session.emit(index_update, (column, index, part)) for column, part in pairs)
    x.form = form.of_columns(columns)


def _check_index(frame: Frame, form: Grown, index: Abstract, message: str) -> None:
    """Raise what Python raises of an index that is beyond the list."""
    emit = frame.session.emit
    size = length(frame.session, form.columns[0])
    if type(index) is int:
        if -len(form.last) <= index < 0:
            return
        fits = emit(operator.ge, (size, -index if index < 0 else index + 1))
    else:
        above = emit(operator.ge, (index, emit(operator.neg, (size,))))
        fits = emit(operator.and_, (above, emit(operator.lt, (index, size))))
    raise_unless(frame, fits, IndexError, message)


def pop(frame: Frame, x: ListObj, index: Abstract = -1) -> Abstract:
    """`x.pop(index)`, of an item by a known number."""
    form = _form(frame, x)
    _check_place(frame, form, index, "pop from empty list")
    item = row(frame, form, index)
    _without(frame, x, form, index)
    return item


def delete_item(frame: Frame, x: ListObj, index: Abstract) -> None:
    """`del x[index]`, of an item by a known number."""
    form = _form(frame, x)
    _check_place(frame, form, index, "list assignment index out of range")
    _without(frame, x, form, index)


def _check_place(frame: Frame, form: Grown, index: Abstract, message: str) -> None:
    if type(index) is not int:
        form.decline()
    _check_index(frame, form, index, message)


def _without(frame: Frame, x: ListObj, form: Grown, index: int) -> None:
    """Take an item out of the list."""
    first, second = slice(None, index), slice(index + 1, None)
    if index in (0, -1):
        rest = _by_column(frame, form, second if index == 0 else first)
    else:
        halves = [_by_column(frame, form, part).columns for part in (first, second)]
        columns = (
            frame.session.emit(np.concatenate, (list(pair),)) for pair in zip(*halves, strict=True)
        )
        rest = form.of_columns(tuple(columns))
        if not _are_numbers(form):
            form.decline()
    x.form = replace(rest, may_lack=True, last=form.last[1:] if index == -1 else ())


def insert(frame: Frame, x: ListObj, index: Abstract, item: Abstract) -> None:
    """`x.insert(0, item)`."""
    form = _form(frame, x)
    if type(index) is not int or index != 0:
        form.decline()
    x.form = joined_lists(frame, ListObj([item]), x).form


def reverse(frame: Frame, x: ListObj) -> None:
    """`x.reverse()`."""
    x.form = _by_column(frame, _form(frame, x), slice(None, None, -1))


__all__ = ["delete_item", "insert", "pop", "reverse", "set_item"]

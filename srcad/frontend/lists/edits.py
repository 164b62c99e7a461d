"""What statements do to a list that a loop has made, besides appending to it.

ys[0] = a              ys_2 = index_update(ys_1, 0, a)
ys.pop()               y = ys_1[-1]; ys_2 = ys_1[:-1]
ys.insert(0, a)        ys_2 = concatenate([array([a]), ys_1])
ys.reverse()           ys_2 = ys_1[::-1]
"""

from __future__ import annotations

import operator
from collections import deque
from dataclasses import replace

import numpy as np

from srcad.frontend.abstract.containers.containers import Grown, ListObj, form_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.expressions.missing import raise_unless
from srcad.frontend.iterators.counted import length
from srcad.frontend.lists.changes import check_kept, joined_lists, note_rows
from srcad.frontend.lists.columns import grown_of
from srcad.frontend.lists.entry_kinds import joint_kind
from srcad.frontend.lists.grown_lists import row
from srcad.frontend.lists.items import atom_of, parts_of_item
from srcad.frontend.lists.marks import columns_of, common_form, in_form, marked, marked_kinds
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of, shape_of
from srcad.rules.core.staged import type_of
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


def set_item(frame: Frame, x: ListObj, index: Abstract, item: Abstract) -> None:
    """`x[index] = item`, of an item like the others."""
    form, session = _form(frame, x), frame.session
    if isinstance(index, slice):
        form.decline()
    new = grown_of(frame, [item], form.decline)
    common = common_form([(each.item, each.kinds) for each in (form, new)])
    if common is None:
        form.decline()
    before = in_form(frame, form, common)
    kinds = list(map(joint_kind, before.kinds, in_form(frame, new, common).kinds))
    if None in kinds:
        form.decline()
    _check_index(frame, form, index, f"{_noun(x)} assignment index out of range")
    columns = []
    parts = parts_of_item(marked(frame, item, common), form.decline)
    for column, part in zip(before.columns, parts, strict=True):
        atom = atom_of(session, part)
        rows = shape_of(column.type)
        if rows is None or shape_of(type_of(atom)) != rows[1:]:  # it would be broadcast
            form.decline()
        dtype = np.result_type(dtype_of(column.type), dtype_of(type_of(atom)))
        is_cast = dtype != dtype_of(column.type)
        cast = session.emit(np.astype, (column, dtype)) if is_cast else column
        columns.append(session.emit(index_update, (cast, index, atom)))
    x.form = Grown(common, tuple(columns), marked_kinds(common, kinds))
    note_rows(frame, x.form, [columns_of(form), list(parts_of_item(item, form.decline))])


def _noun(x: ListObj) -> str:
    return "deque" if x.cls is deque else "list"


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
    """`x.pop(index)`."""
    form = _form(frame, x)
    empty = f"pop from {'an ' if x.cls is deque else ''}empty {_noun(x)}"
    is_end = type(index) is int and index in (0, -1)
    _check_index(frame, form, index, empty if is_end else "pop index out of range")
    item = row(frame, form, index)
    _without(frame, x, form, index)
    return item


def delete_item(frame: Frame, x: ListObj, index: Abstract) -> None:
    """`del x[index]`."""
    form = _form(frame, x)
    if isinstance(index, slice):
        form.decline()
    _check_index(frame, form, index, f"{_noun(x)} assignment index out of range")
    _without(frame, x, form, index)


def _without(frame: Frame, x: ListObj, form: Grown, index: Abstract) -> None:
    """Take an item, which is there, out of the list."""
    emit = frame.session.emit
    if isinstance(index, Value):  # which may count from the end
        index = emit(operator.mod, (index, length(frame.session, form.columns[0])))
        after = emit(operator.add, (index, 1))
    else:
        after = index + 1 if index != -1 else None
    first, second = slice(None, index), slice(after, None)
    if type(index) is int and index in (0, -1):
        rest = _by_column(frame, form, second if index == 0 else first)
    else:
        rest = _joined(frame, *(_by_column(frame, form, part) for part in (first, second)))
    is_last = type(index) is int and index == -1
    x.form = replace(rest, last=form.last[1:] if is_last else ())


def _joined(frame: Frame, *parts: Grown) -> Grown:
    """The list of the items of all parts, of which all have the same form."""
    emit, several = frame.session.emit, [part.columns for part in parts]
    columns = [emit(np.concatenate, (list(own),)) for own in zip(*several, strict=True)]
    made = parts[0].of_columns(tuple(columns))
    note_rows(frame, made, list(map(columns_of, parts)))
    return made


def insert(frame: Frame, x: ListObj, index: Abstract, item: Abstract) -> None:
    """`x.insert(index, item)`: at the next end where there is no such place."""
    form = _form(frame, x)
    if type(index) is int and index == 0:
        x.form = joined_lists(frame, ListObj([item]), x).form
        return
    first = ListObj([], form=_by_column(frame, form, slice(None, index)))
    second = ListObj([], form=_by_column(frame, form, slice(index, None)))
    x.form = joined_lists(frame, joined_lists(frame, first, ListObj([item])), second).form


def reverse(frame: Frame, x: ListObj) -> None:
    """`x.reverse()`."""
    x.form = _by_column(frame, _form(frame, x), slice(None, None, -1))


def trim(frame: Frame, x: ListObj, left: bool) -> None:
    """Take the items out of a deque for which it has no room."""
    form = _form(frame, x)
    if x.maxlen is not None and x.maxlen > 0:
        part = slice(-x.maxlen, None) if left else slice(None, x.maxlen)
        x.form = _by_column(frame, form, part)
    elif x.maxlen == 0:
        x.form = _by_column(frame, form, slice(0))


__all__ = ["delete_item", "insert", "pop", "reverse", "set_item", "trim"]

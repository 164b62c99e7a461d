"""Columns: the arrays that stand for the items of a list that a loop appends to, or for one part of
each item.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from srcad import runtime
from srcad.frontend.abstract.containers.containers import Grown, ListObj
from srcad.frontend.abstract.containers.laid import RowLeaf
from srcad.frontend.abstract.containers.reachable import outward, reachable
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.kinds_by_data import Named
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.laid.kept import kept_row
from srcad.frontend.lists.entry_kinds import joint_kind, may_be_alike, read_as
from srcad.frontend.lists.items import atom_of, numbered, parts_of_item
from srcad.frontend.lists.marks import (
    columns_of,
    common_form,
    in_form,
    leaves,
    marked,
    marked_kinds,
    number_of,
)
from srcad.ir.kinds import is_array, is_int_scalar
from srcad.ir.nodes import Op, Value
from srcad.ir.types import (
    ArrayType,
    Dim,
    Extent,
    NumberType,
    SeqType,
    Type,
    dtype_of,
    rank_of,
    shape_of,
)
from srcad.rules.core.facts import unknown_extent


def stacked(
    frame: Frame, seq: Value, row: Abstract, extent: Extent | None, is_inner: bool
) -> Value:
    """The array of the elements of a sequence. It has all axes even without elements if it is that
    of an inner loop, a piece of a column, or if it is joined with what has a `row` like its own.
    """
    assert isinstance(seq.type, SeqType)
    elem = seq.type.elem
    inner, dtype = shape_of(elem), dtype_of(elem)
    assert dtype is not None
    first = unknown_extent() if extent is None else extent
    out = Value(seq.name, ArrayType(dtype, (first, *(inner or ()))))
    session = frame.session
    if inner and is_inner and is_piece(out.type):
        session.add(Op(runtime.stacked, (seq, inner), {}, (out,), session.builder.loc))
        return out
    has_row = bool(inner) and rank_of(type_of_leaf(row)) == len(inner or ())
    shape = session.emit(np.shape, (row,)) if has_row else None
    if has_row and dtype == np.float64:
        session.add(Op(runtime.stacked, (seq, shape), {}, (out,), session.builder.loc))
        return out
    options = {} if dtype == np.float64 else {"dtype": dtype.type}
    session.add(Op(np.array, (seq,), options, (out,), session.builder.loc))
    if not has_row:
        return out
    extents = [session.emit(operator.getitem, (shape, k)) for k in range(len(inner or ()))]
    made: Value = session.emit(np.reshape, (out, (-1, *extents)))
    return made


def joined_pieces(frame: Frame, seq: Value) -> Value:
    """The array of the entries of all arrays of a sequence."""
    assert isinstance(seq.type, SeqType)
    piece = seq.type.elem
    emit = frame.session.emit
    first = emit(np.zeros, ((0, *(shape_of(piece) or ())[1:]), dtype_of(piece)))
    made: Value = emit(runtime.joined, (first, seq))
    return made


def is_piece(t: Type) -> bool:
    """Whether arrays of this type, of any length, can be joined to one."""
    if not isinstance(t, ArrayType) or not t.shape:
        return False
    return all(type(extent) is int for extent in t.shape[1:])


def is_stackable(t: Type, lasting: frozenset[str]) -> bool:
    """Whether values of this type have one shape in all iterations, and an array of them their
    dtype.
    """
    if isinstance(t, NumberType):
        return t.kind in (float, int, bool)
    if not isinstance(t, ArrayType) or t.shape is None:
        return False
    if not t.scalar and not t.shape:
        return False  # rows of the array would be numbers
    return all(isinstance(e, int) or "?" not in e.symbol or e.symbol in lasting for e in t.shape)


def symbols_of(frame: Frame) -> frozenset[str]:
    """The symbols of the extents of all arrays that a frame leads to, or one around it."""
    found = reachable(x for each in outward(frame) for x in each.env.values())
    shapes = [shape_of(x.type) or () for x in found if isinstance(x, Value)]
    return frozenset(e.symbol for shape in shapes for e in shape if isinstance(e, Dim))


def ints_of(frame: Frame) -> frozenset[Value]:
    """The ints that a frame leads to, or one around it, and no loop around changes."""
    session = frame.session
    found = reachable(x for each in outward(frame) for x in each.env.values())
    ints = (x for x in found if isinstance(x, Value) and is_int_scalar(x))
    return frozenset(x for x in ints if x not in session.loop_varying)


def alternating(
    frame: Frame, made: list[list[Value]], types: list[list[Type]]
) -> list[Value] | None:
    """The columns of items that come from several sequences in turn; None where these are not of
    one type.

    [a, b, ...], [p, q, ...]  ->  [a, p, b, q, ...]
    """
    emit, columns = frame.session.emit, []
    for own, each in zip(zip(*made, strict=True), zip(*types, strict=True), strict=True):
        if len({(dtype_of(t), shape_of(t)) for t in each}) != 1:
            return None
        table = emit(np.stack, (own, 1))
        shape = emit(np.shape, (table,))
        inner = [emit(operator.getitem, (shape, i + 2)) for i in range(rank_of(each[0]) or 0)]
        columns.append(emit(np.reshape, (table, (-1, *inner))))
    return columns


def grown_of(frame: Frame, items: list[Abstract], decline: Callable[[], NoReturn]) -> Grown:
    """The list of some items that are known one by one."""
    if not items:
        decline()
    session = frame.session
    rows = [[read_as(session, x) for x in parts_of_item(item, decline)] for item in items]
    form = common_form(list(zip(map(numbered, items), rows, strict=True)))
    if form is None or any(_has_no_axes(x) for item in items for x in parts_of_item(item, decline)):
        decline()
    if isinstance(form, RowLeaf) and len({shape_of(row[0]) for row in rows}) > 1:
        decline()
    columns, kinds, lists = [], [], []
    made = [parts_of_item(marked(frame, item, form), decline) for item in items]
    for parts in zip(*made, strict=True):
        lists.append([atom_of(session, part) for part in parts])
        columns.append(session.emit(np.array, (lists[-1],)))
        read = [read_as(session, part) for part in parts]
        if any(isinstance(each, Named) for each in read) and joint_kind(*read) is None:
            decline()  # texts and numbers
        kinds.append(joint_kind(*read))
    found = marked_kinds(form, kinds)
    has_seqs = are_several(found) and are_told(frame, [x for own in lists for x in own])
    seqs = tuple(session.emit(list, (own,)) for own in lists) if has_seqs else ()
    return Grown(form, tuple(columns), found, seqs=seqs)


def _has_no_axes(x: Abstract) -> bool:
    """Whether a part of an item is an array without axes: rows of a column would be numbers."""
    return isinstance(x, Value) and is_array(x) and rank_of(x.type) == 0


def with_first(
    frame: Frame, before: ListObj | Grown, made: Grown, decline: Callable[[], NoReturn]
) -> Grown:
    """A list with the items that it had before a loop made more; declines where they have not the
    type of the new ones.
    """
    is_grown = isinstance(before, Grown)
    first = before if isinstance(before, Grown) else _first_of(frame, before.items, made, decline)
    form = common_form([(each.item, each.kinds) for each in (first, made)])
    if form is None:
        decline()
    first, made = in_form(frame, first, form), in_form(frame, made, form)
    if isinstance(form, RowLeaf) and not _have_rows_alike(first.columns[0], made.columns[0]):
        decline()
    if not all(map(may_be_alike, first.kinds, made.kinds)):
        decline()
    columns = []
    for k, pair in enumerate(zip(first.columns, made.columns, strict=True)):
        if is_grown:
            pair = _with_axes(frame, first, k), _with_axes(frame, made, k)
        columns.append(frame.session.emit(np.concatenate, (list(pair),)))
    kinds = marked_kinds(form, list(map(joint_kind, made.kinds, first.kinds)))
    seqs = _in_turn(frame, before, first, made) if are_several(kinds) else ()
    return Grown(form, tuple(columns), kinds, seqs=seqs)


def are_several(kinds: Sequence[Any]) -> bool:
    """Whether a number of an item is of a kind that no array tells."""
    return any(isinstance(kind, frozenset) for kind in kinds)


def are_told(frame: Frame, atoms: Sequence[Any]) -> bool:
    """Whether the classes of numbers, when the program runs, are those that they have in Python."""
    return not any(map(frame.session.kinds.is_cast, atoms))


def _in_turn(
    frame: Frame, before: ListObj | Grown, first: Grown, second: Grown
) -> tuple[Value, ...]:
    """The sequences of the items of two lists; none where those of one of both are not known.

    `before`: the first list as it is, perhaps with items that are known one by one.
    """
    known = before.items if isinstance(before, ListObj) else []
    rows = [list(map(frame.session.atom, parts_of_item(x, first.decline))) for x in known]
    own = list(map(list, zip(*rows, strict=True)))
    made: list[Value] = []
    for k in range(len(second.columns)):
        is_told = len(own) == len(second.columns) and are_told(frame, own[k])
        parts = (own[k] if is_told else _sequence(frame, first, k), _sequence(frame, second, k))
        if None in parts:
            return ()
        made.append(frame.session.emit(runtime.in_turn, parts))
    return tuple(made)


def _sequence(frame: Frame, x: Grown, k: int) -> Value | None:
    """The sequence of the parts `k` of the items of a list, if its classes are known."""
    if x.seqs:
        return x.seqs[k]
    is_numpys = isinstance(x.kinds[k], ArrayType)
    return frame.session.emit(list, (x.columns[k],)) if is_numpys else None


def _have_rows_alike(a: Value, b: Value) -> bool:
    """Whether the rows of two arrays are known to be of one length."""
    first, second = shape_of(a.type), shape_of(b.type)
    return first is not None and second is not None and first[1:] == second[1:]


def _first_of(
    frame: Frame, items: list[Abstract], made: Grown, decline: Callable[[], NoReturn]
) -> Grown:
    """The list of items that are like those that a loop has `made`."""
    if isinstance(made.item, RowLeaf):
        return grown_of(frame, [kept_row(frame.session, item) for item in items], decline)
    kinds = [made.kinds[number_of(leaf)] for leaf in leaves(made.item)]
    for item in items:
        parts = list(parts_of_item(item, decline))
        read = (read_as(frame.session, part) for part in parts)
        if len(parts) != len(kinds) or not all(map(may_be_alike, read, kinds)):
            decline()
    return grown_of(frame, items, decline)


def rows_of(x: ListObj | Grown, decline: Callable[[], NoReturn]) -> list[list[Abstract]]:
    """The parts of the items of a list; or, of one that a loop has made, its columns."""
    if isinstance(x, Grown):
        return [columns_of(x)]
    return [list(parts_of_item(item, decline)) for item in x.items]


def _with_axes(frame: Frame, x: Grown, k: int) -> Value:
    """A column with all its axes: NumPy makes an array of one axis of no rows."""
    column = x.columns[k]
    is_written = frame.session.memory.held(column) is not column
    if not x.seqs or is_written or rank_of(column.type) == 1 or not is_piece(column.type):
        return column
    return stacked(frame, x.seqs[k], None, None, is_inner=True)


__all__ = [
    "alternating", "are_several", "are_told", "grown_of", "ints_of", "is_piece", "is_stackable",
    "joined_pieces", "rows_of", "stacked", "symbols_of", "with_first",
]  # fmt: skip

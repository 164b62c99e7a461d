"""Columns: the arrays that stand for the items of a list that a loop appends to, or for one part of
each item.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn, cast

import numpy as np

from srcad import runtime
from srcad.frontend.abstract.containers.containers import Grown, ListObj
from srcad.frontend.abstract.containers.reachable import reachable
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.kinds_by_data import Named, named, union_of
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.lists.items import are_alike, atom_of, numbered, parts_of_item
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
from srcad.rules.core.joined_kinds import Kinds, kind_of


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
    """The symbols of the extents of all arrays that a frame leads to."""
    found = reachable(frame.env.values())
    shapes = [shape_of(x.type) or () for x in found if isinstance(x, Value)]
    return frozenset(e.symbol for shape in shapes for e in shape if isinstance(e, Dim))


def _may_be_alike(a: Type | Kinds, b: Type | Kinds) -> bool:
    """Whether two items may have one shape; that they have is seen when they are joined."""
    if isinstance(a, Named) or isinstance(b, Named):
        return isinstance(a, Named) and isinstance(b, Named)
    if not isinstance(a, _TYPES) or not isinstance(b, _TYPES):
        return all(t is not None and (not isinstance(t, _TYPES) or not rank_of(t)) for t in (a, b))
    if rank_of(a) == rank_of(b) == 0:
        return True
    if not isinstance(a, ArrayType) or not isinstance(b, ArrayType) or rank_of(a) != rank_of(b):
        return False
    pairs = zip(a.shape or (), b.shape or (), strict=True)
    same = all(p == q or not (isinstance(p, int) and isinstance(q, int)) for p, q in pairs)
    return same and (a.dtype, a.scalar) == (b.dtype, b.scalar)


def read_as(session: Session, part: Abstract) -> Any:
    """What an entry of a column is read as where it is this part of an item: its type; its kinds
    in Python, where it is of several; what its code stands for.
    """
    constants = named(part)
    if constants is not None:
        return constants
    atom, kinds = atom_of(session, part), session.kinds
    if atom in kinds:
        return kinds.of(atom)
    t = type_of_leaf(atom)
    return NumberType(t.kind) if isinstance(t, NumberType) else t


def joint_kind(*kinds: Any) -> Any:
    """What an entry of a column is read as; kinds where it depends on the item."""
    codes = [t for t in kinds if isinstance(t, Named)]
    if codes:
        return union_of(codes) if len(codes) == len(kinds) else None
    last, found = kinds[0], list(map(_kinds, kinds))
    if isinstance(last, _TYPES) and all(each == found[0] for each in found):
        return last
    if None in found:
        return None
    return frozenset().union(*(each for each in found if each is not None))


def have_same_kinds(a: Grown, b: Grown) -> bool:
    """Whether the entries of the columns of two lists are read alike."""
    return list(map(_kinds, a.kinds)) == list(map(_kinds, b.kinds))


def _kinds(t: Any) -> Kinds:
    return frozenset([kind_of(t)]) if isinstance(t, _TYPES) else cast("Kinds", t)


_TYPES = (ArrayType, NumberType)


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


def rows_before(
    before: ListObj | Grown, made: Grown, decline: Callable[[], NoReturn]
) -> list[list[Abstract]]:
    """The parts of the items that a list had before the loop; or the columns of those."""
    if isinstance(before, Grown):
        if not are_alike(before.item, made.item):
            decline()
        return [list(before.columns)]
    rows = [list(parts_of_item(item, decline)) for item in before.items]
    if any(len(row) != len(made.columns) for row in rows):
        decline()
    return rows


def grown_of(frame: Frame, items: list[Abstract], decline: Callable[[], NoReturn]) -> Grown:
    """The list of some items that are known one by one."""
    if not items:
        decline()
    rows = [list(parts_of_item(item, decline)) for item in items]
    forms = [numbered(item) for item in items]
    if not all(are_alike(forms[0], form) for form in forms):
        decline()
    session = frame.session
    columns, kinds = [], []
    for parts in zip(*rows, strict=True):
        atoms = [atom_of(session, part) for part in parts]
        columns.append(session.emit(np.array, (atoms,)))
        read = [read_as(session, part) for part in parts]
        if any(isinstance(each, Named) for each in read) and joint_kind(*read) is None:
            decline()  # texts and numbers
        kinds.append(joint_kind(*read))
    return Grown(forms[0], tuple(columns), tuple(kinds))


def with_first(
    frame: Frame, before: ListObj | Grown, rows: list[list[Abstract]], made: Grown
) -> Grown | None:
    """A list with the items that it had before the loop, of which `rows` are the parts; or, of one
    that an earlier loop has made, the columns. None where they have not the type of the new ones.
    """
    emit = frame.session.emit
    columns, kinds = [], []
    for k, (column, kind) in enumerate(zip(made.columns, made.kinds, strict=True)):
        parts = [row[k] for row in rows]
        is_grown = isinstance(before, Grown)
        if isinstance(before, Grown):
            known = [before.kinds[k]]
        else:
            known = [read_as(frame.session, part) for part in parts]
        if not all(_may_be_alike(t, kind) for t in known):
            return None
        atoms = [atom_of(frame.session, part) for part in parts]
        first = atoms[0] if is_grown else emit(np.array, (atoms,))
        if isinstance(before, Grown):
            first, column = _with_axes(frame, before, k), _with_axes(frame, made, k)
        columns.append(emit(np.concatenate, ([first, column],)))
        kinds.append(joint_kind(kind, *known))
    return Grown(made.item, tuple(columns), tuple(kinds))


def _with_axes(frame: Frame, x: Grown, k: int) -> Value:
    """A column with all its axes: NumPy makes an array of one axis of no rows."""
    column = x.columns[k]
    is_written = frame.session.memory.held(column) is not column
    if not x.seqs or is_written or rank_of(column.type) == 1 or not is_piece(column.type):
        return column
    return stacked(frame, x.seqs[k], None, None, is_inner=True)


__all__ = [
    "alternating", "grown_of", "have_same_kinds", "is_piece", "is_stackable", "joined_pieces",
    "joint_kind", "read_as", "rows_before", "stacked", "symbols_of", "with_first",
]  # fmt: skip

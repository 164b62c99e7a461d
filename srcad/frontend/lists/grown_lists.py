"""What is done with a list that a loop appended to: by the arrays of its items."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract.containers.containers import Grown, ListObj, Marked
from srcad.frontend.abstract.containers.laid import RowLeaf
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.kinds_by_data import Named
from srcad.frontend.abstract.objects import Abstract, Either, Ref
from srcad.frontend.laid.kept import row_of_columns
from srcad.frontend.lists.identity import columns_in
from srcad.frontend.lists.marks import columns_of
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, dtype_of, rank_of

JOINING = (
    np.stack, np.vstack, np.hstack, np.concatenate, np.column_stack, np.array, np.asarray,
)  # fmt: skip


def row(frame: Frame, x: Grown, index: Any) -> Abstract:
    """`x[index]`, for an int."""

    session = frame.session
    if type(index) is int and 0 < -index <= len(x.last) and not _has_arrays(x):
        return x.last[-index - 1]

    def part(item: Abstract) -> Abstract:
        if isinstance(item, tuple):
            return tuple(map(part, item))
        if isinstance(item, ListObj):  # one of the list's: what it holds is not changed
            place = [(x.columns[k], index) for k in columns_in(item)][:1]
            return ListObj(list(map(part, item.items)), frozen=True, item_of=tuple(place))
        if isinstance(item, RowLeaf):
            return row_of_columns(session, x, item, index)
        if isinstance(item, Marked):
            number, mark = (
                session.emit(operator.getitem, (x.columns[k], index))
                for k in (item.number, item.mark)
            )
            return session.emit(runtime.as_listed, (number, mark))
        found, kind = session.emit(operator.getitem, (x.columns[item], index)), x.kinds[item]
        if isinstance(kind, Named):
            return _constant(session.emit(int, (found,)), kind)
        if kind is None:
            raise error("E129", None, what="an item, a Python float or one of NumPy's,")
        if isinstance(kind, frozenset) and x.seqs:
            found = session.emit(runtime.as_held, (found, x.seqs[item], index))
            session.kinds.put(found, [kind])
        elif isinstance(kind, frozenset):
            session.kinds.cast(found, kind)
        return session.emit(kind.kind, (found,)) if isinstance(kind, NumberType) else found

    return part(x.item)


def _constant(code: Value, kind: Named) -> Abstract:
    """What a code stands for."""
    only = len(kind.cases) == 1
    return next(iter(kind.cases.values())) if only else Either(code, dict(kind.cases))


def _has_arrays(x: Grown) -> bool:
    """Whether items are arrays, which may be written under the list."""
    return any(rank_of(column.type) != 1 for column in x.columns)


def joined(frame: Frame, fn: Any, x: Grown, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`np.stack(x)` and its like; None where it cannot be told by the array of the items."""
    if any(isinstance(kind, Named) for kind in x.kinds):
        x.decline()
    if fn in (np.array, np.asarray):
        return _typed(frame, x, args, kwargs) if args or kwargs else _array(frame, x)
    if isinstance(x.item, tuple | ListObj):
        return None
    if not frame.session.has_items(x):
        _refuse_nothing(frame, fn, x.columns[0])
    emit, column = frame.session.emit, x.columns[0]
    frame.session.kinds.check_array_of(x.kinds[0], dtype_of(column.type))
    t = column.type
    assert isinstance(t, ArrayType)
    assert t.shape is not None
    rank = len(t.shape) - 1
    axis = args[0] if args else kwargs.get("axis", 0)
    if type(axis) is not int or set(kwargs) - {"axis"} or len(args) > 1:
        return None
    own = emit(np.copy, (column,))
    if fn is np.stack:
        return own if axis == 0 else emit(np.moveaxis, (own, 0, axis))
    if args or kwargs.get("axis", 0) != 0:
        return None
    if fn is np.vstack and rank < 2:
        return own if rank == 1 else emit(np.expand_dims, (own, 1))
    if fn is np.column_stack and rank == 1:
        return emit(np.transpose, (own,))
    if (fn in (np.vstack, np.concatenate) and rank >= 1) or (fn is np.hstack and rank == 1):
        inner = frame.session.emit_shape(column)
        rest = [emit(operator.getitem, (inner, k)) for k in range(2, rank + 1)]
        return emit(np.reshape, (own, (-1, *rest)))
    return own if fn is np.hstack and rank == 0 else None


def _typed(frame: Frame, x: Grown, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`np.array(x, dtype)` of numbers, which is right without any; None for other items."""
    dtype = args[0] if len(args) == 1 else kwargs.get("dtype")
    if len(args) + len(kwargs) != 1 or dtype is None:
        return None
    if isinstance(x.item, tuple | ListObj | RowLeaf) or rank_of(x.columns[0].type) != 1:
        return None
    return frame.session.emit(np.array, (x.columns[0],), {"dtype": dtype})


def _array(frame: Frame, x: Grown) -> Any:
    """`np.array(x)`: of numbers, or a table; None for other items."""
    if not isinstance(x.item, int) or not isinstance(x.kinds[0], frozenset):
        return _table(frame, x)
    kinds, column = frame.session.kinds, x.columns[0]
    kinds.check_array_of(x.kinds[0], dtype_of(column.type))
    array = frame.session.emit(np.array, (column,))
    kinds.note_array_of(array, x.kinds[0])
    return array


def _table(frame: Frame, x: Grown) -> Any:
    """`np.array(x)` of tuples or lists of numbers, which are its rows; None for other items."""
    items = x.item.items if isinstance(x.item, ListObj) else x.item
    if not isinstance(items, tuple | list) or not items:
        return None
    if any(isinstance(item, tuple | ListObj) for item in items):
        return None
    columns = tuple(columns_of(x))
    if any(rank_of(column.type) != 1 for column in columns):
        return None
    for column, kind in zip(x.columns, x.kinds, strict=True):
        frame.session.kinds.check_array_of(kind, dtype_of(column.type))
    table = frame.session.emit(np.stack, (columns, 1))
    return frame.session.column(replace(x, item=0, columns=(table,), kinds=(None,), seqs=()))


def _refuse_nothing(frame: Frame, fn: Any, column: Value) -> None:
    """Raise what NumPy raises where there is nothing to join."""
    what = "stack" if fn is np.stack else "concatenate"
    message = f"need at least one array to {what}"
    count = frame.session.emit_extent(column, 0)
    frame.session.raise_if_none(count, Ref(ValueError, ""), message)

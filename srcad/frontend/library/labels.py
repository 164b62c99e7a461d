"""Rows and columns of Series and tables of other packages, by their labels: what is asked of them
while compiling.

df["x"]              the column that the DataFrame outside holds; its names are guarded
s + t                refused where the labels are not known to be the same
s.loc["a"]           the position of the label, guarded
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj, RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, is_static
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.dispatch import call
from srcad.frontend.kinds import has_source
from srcad.frontend.library import entries as of_entries
from srcad.frontend.objects.attributes import attribute
from srcad.frontend.reading.outside import ask, holds_numbers, is_labelled, outside_of
from srcad.frontend.written import labelled, opaque
from srcad.frontend.written.pandas import (
    entries,
    frames,
    held_frames,
    reductions,
    rows_of_frames,
    series,
)
from srcad.ir.kinds import holds_ints
from srcad.ir.nodes import Value
from srcad.ir.types import dtype_of, rank_of
from srcad.rules.core.staged import type_of


def _asked(frame: Frame, outside: Ref, name: str) -> Abstract:
    return ask(frame.session.inputs, outside, name)


def _items_outside(frame: Frame, outside: Ref) -> Abstract:
    inputs = frame.session.inputs
    if hasattr(outside.obj, "pipe") and not hasattr(outside.obj, "iloc"):  # groups
        found = call(frame, ask(inputs, outside, "pipe"), (Ref(list, ""),))
        return tuple(found.items)
    n = len(outside.obj)
    frame.session.inputs.guard(f"len({outside.path})", "equals", n)
    return tuple(
        call(frame, ask(frame.session.inputs, outside, "__getitem__"), (i,)) for i in range(n)
    )


def _columns_outside(frame: Frame, outside: Ref) -> Abstract:
    names = tuple(outside.obj.columns)
    if not all(map(has_source, names)) or len(set(names)) < len(names):
        raise error("E120", None, what="a DataFrame of which no text or number names each column")
    frame.session.inputs.guard(f"tuple({outside.path}.columns)", "equals", names)
    return names


def _column_outside(frame: Frame, outside: Ref, name: Abstract, rows: Abstract) -> Abstract:
    known = frame.session.static(name, "the name of a column")
    found = call(frame, ask(frame.session.inputs, outside, "__getitem__"), (known,))
    if isinstance(found, RecordObj) and found.cls is series.HeldSeries:
        return RecordObj(found.cls, {**found.fields, "_rows": rows})
    return found


def _rows_outside(frame: Frame, outside: Ref) -> Abstract:
    """The length of a column, or of the labels of the rows."""
    obj = outside.obj
    for name in obj.columns:
        if has_source(name) and obj.columns.is_unique and holds_numbers(obj[name]):
            column = _column_outside(frame, outside, name, None)
            return BUILTINS[len](frame, column)
    return frame.session.inputs.lift(len(obj), f"{outside.path}.__len__()", "rows")


def _changes_outside(frame: Frame, outside: Ref) -> Abstract:
    kind = type(outside.obj).__name__
    fix = "change a copy, `x = x.copy()`, or make a new one: `x = x + 1`, `df.assign(...)`"
    raise error("E133", None, what=f"a {kind} of the caller's", fix=fix)


def _is_column(frame: Frame, table: Abstract, name: str) -> bool:
    if isinstance(table, tuple):
        if name in table:
            return True
        fix = "compute it from the arrays that it holds: `df.to_numpy()`"
        raise error("E120", None, what=f"`{name}` of a DataFrame that is computed", fix=fix)
    return not hasattr(type(table.obj), name) and hasattr(table.obj, name)


def _aligned(frame: Frame, a: Abstract, b: Abstract) -> None:
    if not _same_labels(frame, a, b):
        fix = "bring them to the same labels before the call, or use their arrays: `x.to_numpy()`"
        what = "an operation on data whose labels are not known to be the same"
        raise error("E120", None, what=what, fix=fix)


def _same_labels(frame: Frame, a: Abstract, b: Abstract) -> bool:
    if a is b:
        return True
    if not isinstance(a, RecordObj) or not isinstance(b, RecordObj) or a.cls is not b.cls:
        return False
    if a.cls is labelled.Names:
        return bool(a.fields["_names"] == b.fields["_names"])
    if a.cls is labelled.Rows:
        chosen = [x.fields["_chosen"] for x in (a, b)]
        is_one = chosen[0] is chosen[1] or (all(map(is_static, chosen)) and chosen[0] == chosen[1])
        return is_one and _same_labels(frame, a.fields["_base"], b.fields["_base"])
    mine, other = a.fields["_outside"], b.fields["_outside"]
    if not isinstance(mine, Ref) or not isinstance(other, Ref):  # data says which
        return False
    if mine.path == other.path:
        return True
    same = bool(mine.obj.equals(other.obj))
    frame.session.inputs.guard(f"bool({mine.path}.equals({other.path}))", "equals", same)
    return same


def _names_columns(frame: Frame, names: tuple[Any, ...], others: Abstract) -> None:
    if isinstance(others, RecordObj) and others.cls is labelled.Whole:
        outside = outside_of(others)
        found = tuple(outside.obj)
        frame.session.inputs.guard(f"tuple({outside.path})", "equals", found)
    else:
        is_known = isinstance(others, RecordObj) and others.cls is labelled.Names
        found = others.fields["_names"] if is_known else others
    if found != names:
        fix = "choose and order the columns first: `df[[...]]`, or use arrays: `df.to_numpy()`"
        what = "an operation on labels that are not the columns of the DataFrame, in their order"
        raise error("E120", None, what=what, fix=fix)


def _whole(rows: Abstract) -> Ref | None:
    """The labels outside that others were chosen of."""
    while isinstance(rows, RecordObj) and rows.cls is labelled.Rows:
        rows = rows.fields["_base"]
    is_outside = isinstance(rows, RecordObj) and rows.cls is labelled.Whole
    return outside_of(rows) if is_outside else None


def _chooses_rows(frame: Frame, rows: Abstract, key: Abstract) -> None:
    if not isinstance(key, slice):
        dtype = dtype_of(type_of(key)) if isinstance(key, Value) else np.asarray(key).dtype
        if dtype is None or dtype.kind != "b":
            raise error("E120", None, what="rows by an array of labels", fix="use `.iloc[...]`")
        return
    parts = (key.start, key.stop, key.step)
    by_place = all(x is None or holds_ints(x) for x in parts)
    whole = _whole(rows)
    if by_place and whole is not None:
        kind = whole.obj.dtype.kind
        frame.session.inputs.guard(f"{whole.path}.dtype.kind", "equals", kind)
        by_place = kind != "f"
    if not by_place:
        raise error("E120", None, what="a slice by labels", fix="use `.iloc[...]`")


def _counts_rows(frame: Frame, rows: Abstract, label: Abstract) -> bool:
    """Whether a label that data gives is the number of a row."""
    is_whole = isinstance(rows, RecordObj) and rows.cls is labelled.Whole
    if not isinstance(label, Value) or not is_whole:
        return False
    return _counts(frame, rows)


def _counts(frame: Frame, rows: RecordObj) -> bool:
    """Whether the labels of rows are their numbers."""
    index, path = outside_of(rows).obj, outside_of(rows).path
    if type(index).__name__ != "RangeIndex" or (index.start, index.step) != (0, 1):
        return False
    frame.session.inputs.guard(path, "type", type(index))
    frame.session.inputs.guard(f"({path}.start, {path}.step)", "equals", (0, 1))
    return True


def _is_mask(frame: Frame, key: Abstract) -> None:
    if isinstance(key, slice) and key != slice(None):
        raise error("E120", None, what="a slice by labels", fix="use `.iloc[...]`")
    values = attribute(frame, key, "_values") if is_labelled(key) else key
    _chooses_rows(frame, None, values)


def _is_not_known(frame: Frame, label: Abstract) -> None:
    fix = "count the rows: `for k in range(len(df))`, or ask for `df.index[k]`"
    raise error("E120", None, what="the label of a row that data gives", fix=fix)


def _is_label(frame: Frame, rows: Abstract, label: Abstract) -> bool:
    known = frame.session.static(label, "the label of a row")
    if isinstance(rows, RecordObj) and rows.cls is labelled.Names:
        return known in rows.fields["_names"]
    if not isinstance(rows, RecordObj) or rows.cls is not labelled.Whole or not has_source(known):
        raise error("E120", None, what="`in` a Series that is computed")
    outside = outside_of(rows)
    found = bool(known in outside.obj)
    frame.session.inputs.guard(f"{known!r} in {outside.path}", "equals", found)
    return found


def _names_row(frame: Frame, rows: Abstract, name: str) -> None:
    is_known = isinstance(rows, RecordObj) and rows.cls in (labelled.Whole, labelled.Names)
    if not is_known or not _is_label(frame, rows, name):
        fix = "compute it from the array that it holds: `s.to_numpy()`"
        raise error("E120", None, what=f"`{name}` of a Series that is computed", fix=fix)


def _place_of_label(frame: Frame, rows: Abstract, label: Abstract) -> Abstract:
    known = frame.session.static(label, "the label of a row")
    if isinstance(rows, RecordObj) and rows.cls is labelled.Names:
        names = rows.fields["_names"]
        if known in names:
            return names.index(known)
        raise error("E135", None, what=f"{known!r}")
    is_whole = isinstance(rows, RecordObj) and rows.cls is labelled.Whole
    if not is_whole or not has_source(known):
        fix = "use its position: `s.iloc[...]`"
        raise error("E120", None, what="a row by the label of a Series that is computed", fix=fix)
    outside = outside_of(rows)
    try:
        place = outside.obj.get_loc(known)
    except (KeyError, TypeError):
        raise error("E135", None, what=f"{known!r}") from None
    if type(place) is not int:
        raise error("E120", None, what=f"the rows labelled {known!r}, which are several,")
    frame.session.inputs.guard(f"{outside.path}.get_loc({known!r})", "equals", place)
    return place


def _divides_floats(frame: Frame, a: Abstract, b: Abstract) -> None:
    types = [np.asarray(x).dtype if not isinstance(x, Value) else _dtype(x) for x in (a, b)]
    is_float = any(dtype is not None and dtype.kind == "f" for dtype in types)
    if not is_float and (isinstance(b, Value) or b == 0):
        fix = "divide floats, or arrays: `s.to_numpy() // n`"
        raise error("E120", None, what="`//` or `%` of ints of a Series, perhaps by zero,", fix=fix)


def _are_no_truths(frame: Frame, a: Abstract, b: Abstract) -> None:
    if all(dtype_of(type_of(x)) == np.dtype(bool) for x in (a, b)):
        fix = "make numbers of them: `s.astype(int)`"
        raise error("E120", None, what="this operator between truth values of pandas", fix=fix)


def _holds(frame: Frame, values: Abstract, kinds: str, size: int = 1) -> None:
    dtype = _dtype(values) if isinstance(values, Value) else np.asarray(values).dtype
    if dtype is None or dtype.kind not in kinds or dtype.itemsize < size:
        fix = "convert it first: `x.astype(float)`"
        raise error("E120", None, what=f"this method of data of dtype {dtype}", fix=fix)


def _dtype(x: Value) -> np.dtype[Any] | None:
    return dtype_of(type_of(x))


def _of_one_kind(frame: Frame, columns: ListObj) -> None:
    kinds = {dtype.kind for x in columns.items if (dtype := _dtype(x)) is not None}
    if len(kinds) > 1 and not kinds <= set("ifc"):
        fix = "choose columns of one kind, or convert them: `df.astype(float)`"
        raise error(
            "E120", None, what="the array of a DataFrame with columns of several kinds", fix=fix
        )


def _are_numbers(frame: Frame, columns: ListObj) -> bool:
    return all(isinstance(x, RecordObj) and issubclass(x.cls, series.Series) for x in columns.items)


def _is_all(frame: Frame, key: Abstract) -> bool:
    return isinstance(key, slice) and key == slice(None)


def _is_series(frame: Frame, values: Abstract) -> None:
    rank = rank_of(type_of(values)) if isinstance(values, Value) else np.ndim(values)
    if rank != 1:
        fix = "multiply arrays: `df.to_numpy() @ b`"
        raise error("E120", None, what="the product of a DataFrame and a matrix, a table,", fix=fix)


CALLS: dict[Any, Callable[..., Abstract]] = {
    entries.are_of_one_kind: of_entries.are_of_one_kind,
    entries.has_rows: of_entries.has_rows,
    entries.is_bound: of_entries.is_bound,
    entries.is_entry: of_entries.is_entry,
    entries.is_ufunc: of_entries.is_ufunc,
    entries.keeps_dtype: of_entries.keeps_dtype,
    reductions.is_numerical: of_entries.is_numerical,
    reductions.is_nothing: of_entries.is_nothing,
    labelled.asked: _asked,
    opaque.items_outside: _items_outside,
    labelled.aligned: _aligned,
    labelled.changes_outside: _changes_outside,
    labelled.chooses_rows: _chooses_rows,
    labelled.counts_rows: _counts_rows,
    labelled.is_label: _is_label,
    labelled.is_mask: _is_mask,
    labelled.names_row: _names_row,
    labelled.place_of_label: _place_of_label,
    labelled.divides_floats: _divides_floats,
    labelled.are_no_truths: _are_no_truths,
    labelled.holds: _holds,
    labelled.is_all: _is_all,
    held_frames.column_outside: _column_outside,
    held_frames.columns_outside: _columns_outside,
    rows_of_frames.are_numbers: _are_numbers,
    frames.is_column: _is_column,
    frames.is_series: _is_series,
    frames.names_columns: _names_columns,
    rows_of_frames.is_not_known: _is_not_known,
    rows_of_frames.of_one_kind: _of_one_kind,
    held_frames.rows_outside: _rows_outside,
}
BUILTINS.update(CALLS)

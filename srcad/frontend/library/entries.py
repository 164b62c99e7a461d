"""Entries that a function makes of a Series or a table of pandas: what is asked of them while
compiling.

s.apply(lambda v: [v])       refused: pandas makes objects of what are no numbers
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import Grown, ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, describe, is_leaf
from srcad.frontend.iterators.counted import length
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, dtype_of, rank_of
from srcad.rules.core.staged import type_of


def is_entry(frame: Frame, found: Abstract) -> None:
    """`entries.is_entry`."""
    is_array = isinstance(found, Value) and isinstance(found.type, ArrayType)
    if not is_leaf(found) or (is_array and not found.type.scalar):
        fix = "give a number, or reduce the result to one"
        what = f"a Series of what a function gives, {describe(found)},"
        raise error("E120", None, what=what, fix=fix)


def are_of_one_kind(frame: Frame, found: ListObj) -> None:
    """`entries.are_of_one_kind`."""
    dtypes = _dtypes(found)
    is_by_data = found.form is not None and any(dtype.itemsize < 8 for dtype in dtypes)
    if len(dtypes) > 1 and (is_by_data or np.dtype(bool) in dtypes):
        what = "a Series of what a function gives, " + ", ".join(sorted(map(str, dtypes))) + ","
        raise error("E120", None, what=what, fix="give numbers of one type: `float(...)`")


def _dtypes(found: ListObj) -> set[np.dtype[Any]]:
    """The dtypes that items have, of which data says which each one has."""
    if not isinstance(found.form, Grown):
        return {np.dtype(dtype_of(type_of(x))) for x in found.items}
    kinds: Any = found.form.kinds[0]
    if not isinstance(kinds, frozenset):
        return {np.dtype(dtype_of(found.form.columns[0].type))}
    return {np.dtype(kind[0] if isinstance(kind, tuple) else kind) for kind in kinds}


def has_rows(frame: Frame, count: Abstract, what: str) -> None:
    """`entries.has_rows`."""
    if not _has_any(frame, count, what):
        raise error("E120", None, what=f"{what} of no rows")


def is_nothing(frame: Frame, values: Abstract) -> bool:
    """`reductions.is_nothing`."""
    return not _has_any(frame, len_of(frame, values), "a reduction")


def keeps_dtype(frame: Frame, values: Abstract, found: Abstract, what: str) -> None:
    """`entries.keeps_dtype`."""
    is_same = dtype_of(type_of(values)) == dtype_of(type_of(found))
    is_sure = not (isinstance(found, Value) and frame.session.kinds.is_unsure(found))
    if not (is_same and is_sure):
        has_rows(frame, len_of(frame, values), what)


def is_bound(frame: Frame, values: Value, bound: Abstract) -> None:
    """`entries.is_bound`."""
    own, other = dtype_of(type_of(values)), dtype_of(type_of(bound))
    assert own is not None
    is_number = type(bound) in (int, float) or rank_of(type_of(bound)) == 0
    if own.kind == "f":
        fits = is_number or other == own or own.itemsize == 8
    elif type(bound) is int:
        fits = np.iinfo(own).min <= bound <= np.iinfo(own).max
    else:
        fits = other is not None and other.kind in "iu" and np.can_cast(other, own)
    if not fits:
        fix = "convert it first: `s.astype(float)`"
        raise error("E120", None, what=f"`clip` of {own} by {other}", fix=fix)


def is_ufunc(frame: Frame, func: Abstract) -> bool:
    """`entries.is_ufunc`."""
    return isinstance(func, Ref) and isinstance(func.obj, np.ufunc)


def is_numerical(frame: Frame, dtype: Abstract) -> None:
    """`reductions.is_numerical`."""
    known = dtype.obj if isinstance(dtype, Ref) else dtype
    try:
        is_of_numbers = np.dtype(known).kind in "biufc"
    except TypeError:
        is_of_numbers = False
    if not is_of_numbers:
        raise error("E120", None, what="a Series that holds no numbers")


def len_of(frame: Frame, values: Abstract) -> Abstract:
    """`len(values)`."""
    return length(frame.session, values) if isinstance(values, Value) else len(values)


def _has_any(frame: Frame, count: Abstract, what: str) -> bool:
    """Whether there are rows, which becomes a guard; where data gives them, they are asked for when
    the program runs.
    """
    session = frame.session
    found = session.is_less(0, count)
    if found is None:
        reason = f"{what} of no rows: pandas gives another dtype; ask for their number first"
        session.raise_if_none(count, Ref(NotImplementedError, ""), reason)
    return found is not False


__all__ = [
    "are_of_one_kind",
    "has_rows",
    "is_bound",
    "is_entry",
    "is_nothing",
    "is_numerical",
    "is_ufunc",
    "keeps_dtype",
]

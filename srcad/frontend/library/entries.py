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
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, dtype_of
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
    """`entries.has_rows`: a guard, or seen when the program runs."""
    session = frame.session
    has_any = session.is_less(0, count)
    if has_any is None:
        reason = f"{what} of no rows: pandas gives another dtype; ask for their number first"
        session.raise_if_none(count, Ref(NotImplementedError, ""), reason)
    elif not has_any:
        raise error("E120", None, what=f"{what} of no rows")


__all__ = ["are_of_one_kind", "has_rows", "is_entry"]

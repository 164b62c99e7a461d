"""Lists and tuples that data gives an index, and arrays that become lists.

rows[int(np.argmax(x))]      getitem(array([a, b, c]), argmax(x))
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from srcad.frontend.abstract.containers.containers import Grown, ListObj, Marked, form_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import Mismatch
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.lists.changes import note_rows, told
from srcad.frontend.lists.columns import grown_of
from srcad.frontend.lists.templates import NoArrays, no_arrays, template_of
from srcad.ir.kinds import is_array, is_int_scalar
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, rank_of


def is_by_data(session: Session, index: Abstract) -> bool:
    """Whether an index is an int that is no constant, nor to be one."""
    if not isinstance(index, Value) or not is_int_scalar(index):
        return False
    is_of_arrays = any(is_array(source) for source in session.sources(index))
    return is_of_arrays or session.carries or not session.can_be_static(index)


def array_form(frame: Frame, x: ListObj | tuple[Abstract, ...]) -> Grown | None:
    """The arrays of the items of a list or tuple, if these have one form."""
    items = list(x.items) if isinstance(x, ListObj) else list(x)
    try:
        template = template_of(frame, dict(enumerate(items)))
    except (NoArrays, Mismatch):
        return None
    if None in template.kinds:
        return None
    return told(frame, grown_of(frame, items, no_arrays), items)


def check_of_numbers(x: ListObj) -> None:
    """Decline a list that a loop has made, unless its items are numbers."""
    form = form_of(x)
    is_one = isinstance(form, Grown) and isinstance(form.item, int | Marked)
    if not is_one or any(rank_of(column.type) != 1 for column in form.columns):
        form.decline()


def items_of_array(frame: Frame, x: Abstract, are_pythons: bool = False) -> ListObj | None:
    """`list(x)` of an array, or `x.tolist()`, where loops carry lists; None elsewhere."""
    t = x.type if isinstance(x, Value) else None
    if not frame.session.carries or not isinstance(t, ArrayType) or not t.shape:
        return None
    is_number = len(t.shape) == 1 and t.dtype.kind in "fib"
    is_known = type(t.shape[0]) is int or not frame.session.is_certain(x)
    if is_known or (are_pythons and not is_number):
        return None
    column = frame.session.emit(np.copy, (x,))
    row = replace(t, shape=t.shape[1:], scalar=len(t.shape) == 1)
    kind = NumberType({"f": float, "i": int, "b": bool}[t.dtype.kind]) if are_pythons else row
    form = Grown(0, (column,), (kind,))
    note_rows(frame, form, [[x]])
    return ListObj([], form=form)


__all__ = ["array_form", "check_of_numbers", "is_by_data", "items_of_array"]

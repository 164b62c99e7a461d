"""What is read of laid lists: entries, rows, parts, and all of it.

D[i][j]              float(getitem(D_1, (i, j)))
D[i]                 a `LaidRow`: nothing in the program
sum(D[i])            over the entries of the row, one after the other
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad import runtime
from srcad.frontend.abstract.containers.containers import Grown, ListObj, Marked
from srcad.frontend.abstract.containers.laid import Laid, LaidRow, Width
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, is_partial
from srcad.frontend.abstract.session import Session
from srcad.frontend.extents.index_bounds import affine_of, is_natural
from srcad.frontend.laid.entry_kinds import has_marks, is_told
from srcad.ir.affine import Affine
from srcad.ir.kinds import is_int_scalar
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, shape_of
from srcad.rules.core.joined_kinds import Kind, is_numpys

AnyLaid = Laid | LaidRow


def size_of(session: Session, x: AnyLaid) -> Abstract:
    """`len(x)`."""
    if isinstance(x, LaidRow) and x.form.width is not None:
        return width_of(session, x.form.width, x.at[0])
    numbers, axis = x.form.numbers, len(x.at)
    shape = shape_of(numbers.type)
    if shape is not None and isinstance(shape[axis], int):
        return shape[axis]
    return session.emit_extent(numbers, axis)


def item_of(frame: Frame, x: ListObj, index: Abstract) -> Abstract:
    """`x[index]` of a laid list: an entry, or a row."""
    form = x.form
    assert isinstance(form, AnyLaid)
    if any(map(is_partial, form.form.arrays)):
        form.form.decline()  # there may be no array of this shape yet
    if isinstance(index, slice):
        return _part(frame, form, index)
    check_index(form, index)
    at = place_of(frame.session, form, index)
    if form.axes == 1:
        return _entry(frame.session, form.form, at)
    table = form.table if isinstance(form, LaidRow) else x
    if frame.session.protected:
        form.decline()  # a `try` around may ask whether there is such a row
    return ListObj([], form=LaidRow(table, at, form.form.version, form.form.decline))


def place_of(session: Session, x: AnyLaid, index: Abstract) -> tuple[Abstract, ...]:
    """Where `x[index]` stands in the array. Rows of several lengths stand in longer ones: that
    there is such an entry is known from the loops around.
    """
    width = x.form.width
    if width is None:
        return (*x.at, index)
    if type(index) is int and index < 0:
        index = _computed(session, operator.add, size_of(session, x), index)
    place = affine_of(session, index)
    is_there = is_natural(session, place)
    if is_there and isinstance(x, LaidRow):
        is_there = is_natural(session, _sized(session, width, x.at[0]) - 1 - place)
    if not is_there:
        x.form.decline()
    return (*x.at, index)


def _sized(session: Session, width: Width, row: Abstract) -> Affine:
    """How long a row is, as a sum."""
    return affine_of(session, row) * width.slope + width.rest


def width_of(session: Session, width: Width, row: Abstract) -> Abstract:
    """How long a row is: an int."""
    own = row if width.slope == 1 else _computed(session, operator.mul, width.slope, row)
    size = own if width.base == 0 else _computed(session, operator.add, own, width.base)
    if not is_natural(session, _sized(session, width, row)):
        size = _computed(session, max, size, 0)
    return size


def _computed(session: Session, fn: Any, a: Abstract, b: Abstract) -> Abstract:
    if isinstance(a, Value) or isinstance(b, Value):
        return session.emit(fn, (a, b))
    return fn(a, b)


def check_index(form: AnyLaid, index: Abstract) -> None:
    """Decline an index that is no int."""
    is_int = type(index) is int or (isinstance(index, Value) and is_int_scalar(index))
    if not is_int:
        form.decline()


def _entry(session: Session, form: Laid, at: tuple[Abstract, ...]) -> Abstract:
    index = at[0] if len(at) == 1 else at
    found = session.emit(operator.getitem, (form.numbers, index))
    if form.marks is not None:
        mark = session.emit(operator.getitem, (form.marks, index))
        found = session.emit(runtime.as_listed, (found, mark))
    elif not any(map(is_numpys, form.kinds)):
        (kind,) = form.kinds if len(form.kinds) == 1 else (float,)
        found = session.emit(kind, (found,))
    if int in form.kinds and len(form.kinds) > 1:  # which are floats in the program
        session.kinds.cast(found, form.kinds, are_floats=True)
    return found


def as_grown(session: Session, x: AnyLaid) -> Grown:
    """A list of numbers as it is now, which no one writes."""
    if not is_told(x.form.kinds):
        x.form.decline()
    at = _whole_at(session, x)
    return grown_form(x.form, tuple(_copy(session, array, at) for array in x.form.arrays))


def grown_form(form: Laid, columns: tuple[Any, ...]) -> Grown:
    """The list with these numbers, and marks, as one that a loop has made."""
    if has_marks(form.kinds):
        return Grown(Marked(0, 1), columns, (form.kinds, NumberType(bool)))
    (kind,) = form.kinds
    t = ArrayType(kind[0], (), scalar=True) if is_numpys(kind) else NumberType(kind)
    return Grown(0, columns, (t,))


def _whole_at(session: Session, x: AnyLaid) -> tuple[Abstract, ...]:
    """Where all of a list stands."""
    if not isinstance(x, LaidRow) or x.form.width is None:
        return x.at
    return (*x.at, slice(None, width_of(session, x.form.width, x.at[0])))


def _copy(session: Session, array: Value, at: tuple[Abstract, ...]) -> Any:
    part = session.emit(operator.getitem, (array, at[0] if len(at) == 1 else at)) if at else array
    return session.emit(np.copy, (part,))


def _part(frame: Frame, x: AnyLaid, index: slice) -> ListObj:
    """`x[i:j]`, a list of its own."""
    if x.axes > 1:
        x.decline()
    for bound in (index.start, index.stop, index.step):
        if bound is not None:
            check_index(x, bound)
    return ListObj([], form=laid_copy(frame.session, x, index))


def shallow_copy(session: Session, x: AnyLaid) -> ListObj:
    """`x[:]`; of a list of lists that would have the same rows."""
    if x.axes > 1:
        x.decline()
    return ListObj([], form=laid_copy(session, x))


def laid_copy(session: Session, x: AnyLaid, *part: slice) -> Laid:
    """A list with the same numbers; a list of lists of others with the same numbers."""
    at = _whole_at(session, x)
    arrays = [_copy(session, array, at) for array in x.form.arrays]
    for bounds in part:
        arrays = [session.emit(operator.getitem, (array, bounds)) for array in arrays]
    return replace(
        x.form, numbers=arrays[0], marks=arrays[1] if len(arrays) > 1 else None, version=object(),
        width=x.form.width if isinstance(x, Laid) else None,
    )  # fmt: skip


def kinds_of_grown(x: Grown) -> frozenset[Kind] | None:
    """The kinds of the items of a list of numbers; None of another list."""
    if isinstance(x.item, Marked):
        found = x.kinds[x.item.number]
        return found if isinstance(found, frozenset) else None
    kind = x.kinds[0] if type(x.item) is int else None
    if isinstance(kind, NumberType):
        return frozenset([kind.kind])
    if isinstance(kind, ArrayType):
        return frozenset([(kind.dtype, True)]) if kind.scalar else None
    return kind if type(kind) is frozenset else None


__all__ = [
    "AnyLaid",
    "as_grown",
    "check_index",
    "item_of",
    "kinds_of_grown",
    "laid_copy",
    "place_of",
    "shallow_copy",
    "size_of",
    "width_of",
]  # fmt: skip

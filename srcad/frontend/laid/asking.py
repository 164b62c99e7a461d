"""Lists that loops have made, which turn out to be written, or to be replaced in each iteration.

v = [2.0 * a for a in x]               v_1 = copy(array(seq))
for k in range(len(v)):         ->     For: v_2 = index_update(v_1, k, ...)
    v[k] -= x[0]

The function is lowered again, and the list made at that place stands in an array of its own from
the beginning.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.containers import Grown, ListObj, Marked
from srcad.frontend.abstract.containers.laid import LAID, NOT_LAID, Laid, LaidRow
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.laid.entry_kinds import (
    are_held_exactly,
    dtype_of_kinds,
    has_marks,
    is_held_exactly,
    kinds_of_number,
    known_kinds,
)
from srcad.frontend.laid.known import is_long
from srcad.frontend.laid.making import laid, may_be_laid
from srcad.frontend.laid.reading import kinds_of_grown, laid_copy
from srcad.frontend.laid.writing import numbers_of
from srcad.frontend.lists.growing_lists import origin_of
from srcad.frontend.lists.marks import mark_of
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, dtype_of
from srcad.rules.core.joined_kinds import Kind, is_numpys


def note_origin(frame: Frame, x: ListObj, origin: str) -> None:
    """Note where a list of numbers was made; give it an array of its own, if that was asked for."""
    form = x.form
    if not isinstance(form, Grown) or kinds_of_grown(form) is None:
        return
    x.form = replace(form, origin=origin)
    if LAID + origin in frame.session.inputs.statics and may_be_laid(frame, origin):
        x.form = _laid_of(frame, form, origin) or form


def ask_for_array(session: Session, form: Abstract) -> None:
    """Lower again, with an array for a list that a loop has made, unless that was tried."""
    if isinstance(form, Grown) and form.origin:
        _ask(session, (form.origin,))


def ask_by_index(session: Session, x: Abstract, index: Abstract) -> None:
    """The same for a list of known numbers, of which each iteration of a loop takes another one."""
    if isinstance(x, ListObj) and session.varies_in_loop(index) and is_long(x):
        _ask(session, x.origins)


def _ask(session: Session, origins: tuple[str, ...]) -> None:
    keys = frozenset(kind + origin for kind in (LAID, NOT_LAID) for origin in origins)
    if not session.carries and session.inputs.statics.isdisjoint(keys):
        raise NeedStatic(frozenset(LAID + origin for origin in origins))


def _laid_of(frame: Frame, form: Grown, origin: str) -> Laid | None:
    session, own = frame.session, kinds_of_grown(form)
    if own is None:
        return None
    kinds = known_kinds(session, origin, own)
    dtype, is_marked = dtype_of_kinds(kinds), isinstance(form.item, Marked)
    if dtype is None or (int in own and len(kinds) > 1) or (len(own) > 1 and not is_marked):
        return None
    numbers: Any = form.columns[form.item.number if is_marked else form.item]
    if not are_held_exactly(numbers, dtype):
        return None
    is_cast = dtype_of(numbers.type) != dtype
    copied = (
        session.emit(np.astype, (numbers, dtype)) if is_cast else session.emit(np.copy, (numbers,))
    )
    marks: Any = None
    if is_marked:
        marks = session.emit(np.copy, (form.columns[form.item.mark],))
    elif has_marks(kinds):
        (kind,) = own
        make = np.ones_like if is_numpys(kind) else np.zeros_like
        marks = session.emit(make, (numbers,), {"dtype": bool})
    return laid(frame, copied, marks, kinds, origin)


def added(frame: Frame, a: ListObj, b: ListObj) -> ListObj | None:
    """`a + b` of lists of numbers of which one stands in an array; None of other lists."""
    forms = [x.form for x in (a, b) if isinstance(x.form, Laid | LaidRow)]
    origin = origin_of(frame, frame.node)
    own = [_kinds_of(frame.session, x) for x in (a, b)]
    known = [kinds for kinds in own if kinds is not None]
    if not forms or len(known) < 2 or not may_be_laid(frame, origin):
        return None
    kinds = known_kinds(frame.session, origin, known[0] | known[1])
    if dtype_of_kinds(kinds) is None:
        return None
    several = [_in_kinds(frame.session, x, kinds) for x in (a, b)]
    pairs = list(zip(*(arrays for arrays in several if arrays is not None), strict=False))
    if None in several:
        return None
    numbers, *marks = (frame.session.emit(np.concatenate, (list(pair),)) for pair in pairs)
    return ListObj([], form=laid(frame, numbers, marks[0] if marks else None, kinds, origin))


def _kinds_of(session: Session, x: ListObj) -> frozenset[Kind] | None:
    """The kinds of the numbers of a list; None of another one, or one that a loop has made."""
    if isinstance(x.form, Laid | LaidRow):
        return x.form.form.kinds if x.form.axes == 1 else None
    if x.form is not None or x.cls is not list:
        return None
    found = [kinds_of_number(session, item) for item in x.items]
    known = [kinds for kinds in found if kinds is not None]
    return frozenset().union(*known) if known and len(known) == len(found) else None


def _in_kinds(session: Session, x: ListObj, kinds: frozenset[Kind]) -> tuple[Any, ...] | None:
    """The arrays of a list, as those of one that holds these kinds."""
    dtype = dtype_of_kinds(kinds)
    if isinstance(x.form, Laid | LaidRow):
        copied = laid_copy(session, x.form)
        numbers, marks, own = copied.numbers, copied.marks, copied.kinds
        if not are_held_exactly(numbers, dtype):
            return None
        if dtype_of(numbers.type) != dtype:
            numbers = session.emit(np.astype, (numbers, dtype))
        if marks is None and has_marks(kinds):
            make = np.ones_like if all(map(is_numpys, own)) else np.zeros_like
            marks = session.emit(make, (numbers,), {"dtype": bool})
        return (numbers, marks) if has_marks(kinds) else (numbers,)
    numbers = Value("", ArrayType(np.dtype(float), (0,)))
    blank = Laid(numbers, numbers if has_marks(kinds) else None, kinds, frozenset(), tuple)
    if not all(is_held_exactly(session, blank, item) for item in x.items):
        return None
    made = session.emit(np.array, (x.items,), {"dtype": dtype})
    if not has_marks(kinds):
        return (made,)
    return made, session.emit(np.array, ([mark_of(session, item) for item in x.items],))


def settle_list(frame: Frame, before: Abstract, x: ListObj) -> None:
    """At the end of an iteration: a list in the place of one that stood in an array before the loop
    stands in one as well.
    """
    if isinstance(before, Grown) and isinstance(x.form, Grown | Laid):
        ask_for_array(frame.session, before)
    is_plain = isinstance(before, Laid) and before.axes == 1 and not before.kept
    if not is_plain or not (x.form is None or isinstance(x.form, Grown)) or x.frozen:
        return
    arrays = numbers_of(frame, x, before)
    if arrays is None:
        return
    numbers, *marks = (frame.session.emit(np.copy, (array,)) for array in arrays)
    x.form = replace(before, numbers=numbers, marks=marks[0] if marks else None, version=object())
    x._items[:] = ()


__all__ = ["added", "ask_by_index", "ask_for_array", "note_origin", "settle_list"]

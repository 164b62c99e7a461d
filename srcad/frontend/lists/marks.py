"""Marks: which floats of a list are NumPy's, where others are Python's.

ws = [0.0]                       numbers = concatenate([array([0.0]), array(seq)])
for v in x: ws.append(v)   ->    marks = concatenate([array([False]), ones_like(seq, bool)])
ws[k]                            as_listed(numbers[k], marks[k])

An array has numbers of one kind. Python's floats raise where NumPy's are infinite, and the type of
a result tells which it is: a list of both has the array of marks beside that of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad import runtime
from srcad.frontend.abstract.containers.containers import Grown, ListObj, Marked
from srcad.frontend.abstract.containers.laid import RowLeaf
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.laid.entry_kinds import dtype_of_kinds, has_marks
from srcad.frontend.lists.entry_kinds import joint_kind, kinds_of
from srcad.frontend.lists.items import are_alike, numbered
from srcad.ir.types import NumberType
from srcad.rules.core.joined_kinds import FLOATS, is_numpys

_MARKED = Marked(0, 0)


def common_form(several: Sequence[tuple[Abstract, Sequence[Any]]]) -> Abstract | None:
    """The form of items that have these forms, whose columns are read as of these kinds: a number
    has a mark where it is a float of either kind. None where they differ otherwise.
    """
    if any(isinstance(form, RowLeaf) for form, _ in several):
        return _common_row([form for form, _ in several])
    blank = _blank(several[0][0])
    if not all(are_alike(blank, _blank(form)) for form, _ in several[1:]):
        return None
    own = [[kinds[number_of(leaf)] for leaf in leaves(form)] for form, kinds in several]
    marked = (joint_kind(*each) == FLOATS for each in zip(*own, strict=True))
    return numbered(_filled(blank, (_MARKED if each else 0 for each in marked)))


def _common_row(forms: Sequence[Abstract]) -> Abstract | None:
    """The form of lists of numbers: with marks where some have floats of another kind."""
    if not all(isinstance(form, RowLeaf) for form in forms):
        return None
    kinds = frozenset().union(*(form.kinds for form in forms))
    if dtype_of_kinds(kinds) is None or (len(kinds) > 1 and int in kinds):
        return None
    return RowLeaf(0, 1 if has_marks(kinds) else None, kinds)


def leaves(form: Abstract) -> Iterator[Abstract]:
    """The numbers of the columns of a form, those with a mark as `Marked`."""
    if isinstance(form, tuple | ListObj):
        for each in form if isinstance(form, tuple) else form.items:
            yield from leaves(each)
    else:
        yield form


def number_of(leaf: Abstract) -> int:
    """The number of the column of a leaf."""
    found: int = leaf.number if isinstance(leaf, Marked | RowLeaf) else leaf
    return found


def columns_of(x: Grown) -> list[Any]:
    """The columns of a list without the marks."""
    return [x.columns[number_of(leaf)] for leaf in leaves(x.item)]


def spread(form: Abstract, parts: Sequence[Abstract]) -> list[Abstract]:
    """The parts of an item, one for each column of a form: none of a mark."""
    if isinstance(form, RowLeaf):
        return [parts[0]] if form.mark is None else [parts[0], None]
    found: list[Abstract] = []
    for leaf, part in zip(leaves(form), parts, strict=True):
        found += [part, None] if isinstance(leaf, Marked) else [part]
    return found


def in_form(frame: Frame, x: Grown, form: Abstract) -> Grown:
    """A list with the marks that a form has, and no others."""
    if are_alike(x.item, form):
        return x
    if isinstance(form, RowLeaf):
        return _row_with_marks(frame, x, form)
    columns = aligned(x.item, form, x.columns, lambda k: _marks(frame, x, k))
    kinds = marked_kinds(form, aligned(x.item, form, x.kinds, lambda k: None))
    seqs = aligned(x.item, form, x.seqs, lambda k: x.seqs[k]) if x.seqs else ()
    return replace(x, item=form, columns=tuple(columns), kinds=kinds, seqs=tuple(seqs))


def _row_with_marks(frame: Frame, x: Grown, form: RowLeaf) -> Grown:
    """A list of lists of numbers with the marks that a form has."""
    marks = x.columns[1:]
    if form.mark is not None and not marks:
        (kind,) = x.item.kinds
        make = np.ones_like if is_numpys(kind) else np.zeros_like
        marks = (frame.session.emit(make, (x.columns[0],), {"dtype": bool}),)
    kinds = (*x.kinds[:1], *(each.type for each in marks))
    return replace(x, item=form, columns=(x.columns[0], *marks), kinds=kinds, seqs=())


def aligned(
    before: Abstract, form: Abstract, entries: Sequence[Any], mark: Callable[[int], Any]
) -> list[Any]:
    """What there is for each column of a form `before`, for the columns of another; `mark` gives
    what stands for new marks of a column.
    """
    made: list[Any] = []
    for leaf, wanted in zip(leaves(before), leaves(form), strict=True):
        k = number_of(leaf)
        made.append(entries[k])
        if isinstance(wanted, Marked):
            made.append(entries[leaf.mark] if isinstance(leaf, Marked) else mark(k))
    return made


def _marks(frame: Frame, x: Grown, k: int) -> Any:
    """The marks of floats that all are of one kind."""
    kinds = kinds_of(x.kinds[k])
    assert kinds is not None
    (kind,) = kinds
    make = np.ones_like if is_numpys(kind) else np.zeros_like
    return frame.session.emit(make, (x.columns[k],), {"dtype": bool})


def marked_kinds(form: Abstract, kinds: Sequence[Any]) -> tuple[Any, ...]:
    """The kinds of columns, where numbers with a mark are floats of either kind."""
    found = list(kinds)
    for leaf in leaves(form):
        if isinstance(leaf, Marked):
            found[leaf.number], found[leaf.mark] = FLOATS, NumberType(bool)
    return tuple(found)


def marked(frame: Frame, item: Abstract, form: Abstract) -> Abstract:
    """An item with the marks that a form has."""
    if isinstance(item, tuple) and isinstance(form, tuple):
        return tuple(marked(frame, *pair) for pair in zip(item, form, strict=True))
    if isinstance(item, ListObj) and isinstance(form, ListObj):
        pairs = zip(item.items, form.items, strict=True)
        return ListObj([marked(frame, *pair) for pair in pairs])
    if isinstance(form, RowLeaf):
        return marked_row(frame, item, form)
    is_marked = isinstance(form, Marked)
    return Marked(item, mark_of(frame.session, item)) if is_marked else item


def marked_row(frame: Frame, item: Abstract, form: RowLeaf) -> Abstract:
    """A list of numbers with the marks that a form has."""
    own = item.form
    if form.mark is None or own.marks is not None:
        return item
    (kind,) = own.kinds
    make = np.ones_like if is_numpys(kind) else np.zeros_like
    marks = frame.session.emit(make, (own.numbers,), {"dtype": bool})
    return ListObj([], frozen=True, form=replace(own, marks=marks, kinds=form.kinds))


def mark_of(session: Session, number: Abstract) -> Any:
    """Whether a float is NumPy's."""
    atom = session.atom(number)
    found = set(map(is_numpys, session.kinds.of(atom) or ()))
    return found.pop() if len(found) == 1 else session.emit(runtime.is_numpys, (atom,))


def _blank(form: Abstract) -> Abstract:
    """A form without the numbers of its columns."""
    return _filled(form, iter(lambda: 0, None))


def _filled(form: Abstract, of: Iterator[Any]) -> Abstract:
    """A form with other leaves."""
    if isinstance(form, tuple):
        return tuple(_filled(each, of) for each in form)
    if isinstance(form, ListObj):
        return ListObj([_filled(each, of) for each in form.items])
    return next(of)


__all__ = [
    "aligned", "columns_of", "common_form", "in_form", "leaves", "mark_of", "marked",
    "marked_kinds", "number_of", "spread",
]  # fmt: skip

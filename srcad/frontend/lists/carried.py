"""Lists that a loop carries as the arrays of their items, since it does more than append to them.

stack = [(a, b)]                       lo, hi = array([a]), array([b])
while stack:                           While(gt(len(lo), 0), carrying lo, hi):
    lo, hi = stack.pop()        ->         lo[-1], hi[-1]
    if hi - lo > tol:                      If(gt(hi - lo, tol)): concatenate([lo[:-1], [lo]]), ...
        stack.append((lo, mid))            else: lo[:-1], hi[:-1]

Each change makes new arrays. So this is tried where a program is refused in any other form: its
loops are lowered again, each with the lists of which it turns out to change the length.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.containers import Grown, ListObj, Piece
from srcad.frontend.abstract.containers.contents import FORM, contents, set_contents
from srcad.frontend.abstract.containers.reachable import reachable
from srcad.frontend.abstract.fillers import filled, filler
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import Mismatch, join_types, type_of_leaf
from srcad.frontend.abstract.joins import Growth
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import Carries
from srcad.frontend.lists.changes import told
from srcad.frontend.lists.columns import grown_of, joint_kind, read_as
from srcad.frontend.lists.items import are_alike, numbered, parts_of_item
from srcad.ir.kinds import is_array, is_int_scalar
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, Type, dtype_of, rank_of, shape_of

Contents = dict[Any, Abstract]


@dataclass(frozen=True)
class Template:
    """What the columns of a list are: `item` as in `Grown`, the `types` of the parts of an item,
    and what entries of the columns are read as.
    """

    item: Abstract
    types: tuple[Type, ...]
    kinds: tuple[Any, ...]


@dataclass
class CarriedLists:
    """The lists that one loop carries, with what their columns are."""

    frame: Frame
    found: dict[ListObj, Template] = field(default_factory=dict)

    def add(self, x: ListObj, several: tuple[Contents, ...]) -> None:
        """Note one more list, or that its items may be others.

        Raises:
            Growth: no arrays can be made of its items.
        """
        known = [self.found[x]] if x in self.found else []
        try:
            new = [_template(self.frame, each) for each in several if each]
            template = _joined(self.frame, [*known, *new])
        except (Mismatch, _NoArrays):
            raise Growth(x) from None
        if known == [template]:
            raise Growth(x)
        self.found[x] = template

    def begin(self) -> None:
        """Give the lists, as they are before the loop, the arrays of their items."""
        for x, template in self.found.items():
            try:
                form_list(self.frame, x, template)
            except _NoArrays:
                raise Growth(x) from None


class _NoArrays(Exception):  # noqa: N818 -- says why a list is not carried
    """No arrays can be made of the items of a list."""


def _no_arrays() -> Any:
    raise _NoArrays


def carry(frame: Frame, x: Any, *several: Contents) -> None:
    """Lower the outermost loop around that a list was there before again, as one that carries it,
    if that may be; `several`: what it may hold.
    """
    session = frame.session
    if not session.carries or not isinstance(x, ListObj) or not _may_be_carried(frame, x):
        return
    for loop in session.loops_after(x):
        if loop.carries:
            raise Carries(loop.token, x, several)


def _may_be_carried(frame: Frame, x: ListObj) -> bool:
    """Whether it is a list of the program's own, or an argument's, over which no loop runs."""
    is_read = any(x is each for each in frame.session.iterated)
    is_own = not x.path or x.path.startswith("A[")
    return x.cls in (list, deque, Piece) and not x.frozen and is_own and not is_read


def form_list(frame: Frame, x: ListObj, template: Template) -> None:
    """Give a list the arrays of its items, if it has none yet, cast to what a `template` says."""
    held = contents(x)
    if FORM in held:
        form = held[FORM]
    elif held:
        items = list(held.values())
        form = told(frame, grown_of(frame, items, _no_arrays), items)
    else:
        form = _empty(frame, template)
    if not isinstance(form, Grown) or not are_alike(form.item, template.item):
        raise _NoArrays
    columns = []
    for column, kind in zip(form.columns, template.types, strict=True):
        dtype = _dtype(kind)
        is_cast = dtype_of(column.type) != dtype
        columns.append(frame.session.emit(np.astype, (column, dtype)) if is_cast else column)
    set_contents(x, {FORM: Grown(form.item, tuple(columns), template.kinds, may_lack=True)})


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
        template = _template(frame, dict(enumerate(items)))
    except (_NoArrays, Mismatch):
        return None
    if None in template.kinds:
        return None
    return told(frame, grown_of(frame, items, _no_arrays), items)


def formed_like(frame: Frame, x: ListObj, form: Grown) -> None:
    """Give a list the form that another one has."""
    types = tuple(_entry(column.type) for column in form.columns)
    form_list(frame, x, Template(form.item, types, form.kinds))


def _empty(frame: Frame, template: Template) -> Grown:
    """The arrays of no items."""
    session = frame.session
    around = [x for x in reachable(frame.env.values()) if is_array(x)]
    columns = []
    for kind in template.types:
        shape = kind.shape if isinstance(kind, ArrayType) else ()
        wanted = ArrayType(_dtype(kind), (0, *(shape or ())))
        if filled(session, wanted, around) != wanted:
            raise _NoArrays  # it is not known how long its rows will be
        columns.append(filler(session, wanted, around))
    return Grown(template.item, tuple(columns), template.kinds, may_lack=True)


def _dtype(t: Type) -> np.dtype[Any]:
    dtype = np.dtype(t.kind) if isinstance(t, NumberType) else dtype_of(t)
    assert dtype is not None
    return dtype


def _entry(t: Type) -> Type:
    """The type of the rows of a column."""
    assert isinstance(t, ArrayType)
    return replace(t, shape=(t.shape or ())[1:])


def _template(frame: Frame, held: Contents) -> Template:
    """What the columns of a list with these contents are."""
    form = held.get(FORM)
    if isinstance(form, Grown):
        return Template(form.item, tuple(_entry(c.type) for c in form.columns), form.kinds)
    if FORM in held:
        raise _NoArrays
    kinds = frame.session.kinds
    found = []
    for item in held.values():
        parts = list(parts_of_item(item, _no_arrays))
        if not all(map(_has_rows, map(type_of_leaf, parts))):
            raise _NoArrays
        if any(rank_of(type_of_leaf(part)) and part in kinds for part in parts):
            raise _NoArrays  # of one of several dtypes
        types = tuple(map(type_of_leaf, parts))
        read = tuple(read_as(kinds, part) for part in parts)
        found.append(Template(numbered(item), types, read))
    return _joined(frame, found)


def _has_rows(t: Type) -> bool:
    """Whether rows of an array are of this type."""
    if isinstance(t, NumberType):
        return t.kind in (bool, int, float)
    return isinstance(t, ArrayType) and t.shape is not None and (t.scalar or t.shape != ())


def _joined(frame: Frame, several: list[Template]) -> Template:
    """What holds the items of all."""
    if not several:
        raise _NoArrays
    first, *others = several
    for other in others:
        if not are_alike(first.item, other.item):
            raise _NoArrays
        pairs = list(zip(first.types, other.types, strict=True))
        types = tuple(_joined_type(frame, a, b) for a, b in pairs)
        kinds = tuple(map(joint_kind, first.kinds, other.kinds))
        first = Template(first.item, types, kinds)
    return replace(first, types=tuple(map(_of_rows, first.types)))


def _joined_type(frame: Frame, a: Type, b: Type) -> Type:
    a, b = _of_rows(a), _of_rows(b)
    if rank_of(a) != rank_of(b):
        raise _NoArrays
    if rank_of(a) and a != b:  # rows of one length are what a guard may say of inputs
        for x, y in zip(shape_of(a) or (), shape_of(b) or (), strict=True):
            frame.session.inputs.assume_equal(x, y)
        raise _NoArrays
    return join_types(a, b)


def _of_rows(t: Type) -> Type:
    """The type of a part of an item as that of a row of a column: a number is one of an array."""
    return ArrayType(_dtype(t), () if isinstance(t, NumberType) else t.shape)  # type: ignore[union-attr]


__all__ = [
    "CarriedLists",
    "Template",
    "array_form",
    "carry",
    "form_list",
    "formed_like",
    "is_by_data",
]

"""Templates: what the arrays of the items of a list are, where loops or paths add others.

[(0, x), (1.5, y)]          (0, 1), an array of floats and one with rows like `x` and `y`
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from srcad.frontend.abstract.containers.containers import Grown, ListObj
from srcad.frontend.abstract.containers.contents import FORM, contents, set_contents
from srcad.frontend.abstract.containers.laid import Laid
from srcad.frontend.abstract.containers.reachable import reachable
from srcad.frontend.abstract.fillers import filled, filler
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import Mismatch, join_types, type_of_leaf
from srcad.frontend.abstract.kinds_by_data import Named
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.laid.entry_kinds import is_told
from srcad.frontend.laid.reading import as_grown, grown_form
from srcad.frontend.lists.changes import told
from srcad.frontend.lists.columns import grown_of
from srcad.frontend.lists.entry_kinds import joint_kind, read_as
from srcad.frontend.lists.items import are_alike, atom_of, numbered, parts_of_item
from srcad.frontend.lists.marks import aligned, common_form, in_form, marked_kinds
from srcad.ir.kinds import is_array
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


class NoArrays(Exception):  # noqa: N818 -- says why a list is not carried
    """No arrays can be made of the items of a list."""


def no_arrays() -> NoReturn:
    """Say that there are none."""
    raise NoArrays


def template_of(frame: Frame, held: Contents) -> Template:
    """What the columns of a list with these contents are."""
    form = held.get(FORM)
    if isinstance(form, Laid) and form.axes == 1 and is_told(form.kinds):
        form = grown_form(form, form.arrays)
    if isinstance(form, Grown):
        return Template(form.item, tuple(_entry(c.type) for c in form.columns), form.kinds)
    if FORM in held:
        raise NoArrays
    kinds = frame.session.kinds
    found = []
    for item in held.values():
        parts = list(parts_of_item(item, no_arrays))
        types = tuple(type_of_leaf(atom_of(frame.session, part)) for part in parts)
        if not all(map(_has_rows, types)):
            raise NoArrays
        if any(rank_of(t) and part in kinds for t, part in zip(types, parts, strict=True)):
            raise NoArrays  # of one of several dtypes
        read = tuple(read_as(frame.session, part) for part in parts)
        found.append(Template(numbered(item), types, read))
    return joined_templates(frame, found)


def joined_templates(frame: Frame, several: list[Template]) -> Template:
    """What holds the items of all."""
    if not several:
        raise NoArrays
    form = common_form([(each.item, each.kinds) for each in several])
    if form is None:
        raise NoArrays
    first, *others = (_in_form(each, form) for each in several)
    for other in others:
        pairs = list(zip(first.types, other.types, strict=True))
        types = tuple(_joined_type(frame, a, b) for a, b in pairs)
        kinds = tuple(map(joint_kind, first.kinds, other.kinds))
        if any(isinstance(k, Named) for k in first.kinds + other.kinds) and None in kinds:
            raise NoArrays  # texts and numbers
        first = Template(first.item, types, kinds)
    kinds = marked_kinds(form, first.kinds)
    return replace(first, types=tuple(map(_of_rows, first.types)), kinds=kinds)


def _in_form(template: Template, form: Abstract) -> Template:
    """A template with the marks that a form has, and no others."""
    types = aligned(template.item, form, template.types, lambda k: NumberType(bool))
    kinds = aligned(template.item, form, template.kinds, lambda k: None)
    return Template(form, tuple(types), marked_kinds(form, kinds))


def _joined_type(frame: Frame, a: Type, b: Type) -> Type:
    a, b = _of_rows(a), _of_rows(b)
    if rank_of(a) != rank_of(b):
        raise NoArrays
    if rank_of(a) and a != b:  # rows of one length are what a guard may say of inputs
        for x, y in zip(shape_of(a) or (), shape_of(b) or (), strict=True):
            frame.session.inputs.assume_equal(x, y)
        raise NoArrays
    return join_types(a, b)


def _has_rows(t: Type) -> bool:
    """Whether rows of an array are of this type."""
    if isinstance(t, NumberType):
        return t.kind in (bool, int, float)
    return isinstance(t, ArrayType) and t.shape is not None and (t.scalar or t.shape != ())


def _of_rows(t: Type) -> Type:
    """The type of a part of an item as that of a row of a column: a number is one of an array."""
    return ArrayType(_dtype(t), () if isinstance(t, NumberType) else t.shape)  # type: ignore[union-attr]


def _dtype(t: Type) -> np.dtype[Any]:
    dtype = np.dtype(t.kind) if isinstance(t, NumberType) else dtype_of(t)
    assert dtype is not None
    return dtype


def form_list(frame: Frame, x: ListObj, template: Template) -> None:
    """Give a list the arrays of its items, if it has none yet, cast to what a `template` says."""
    held = contents(x)
    if FORM in held:
        form = held[FORM]
    elif held:
        items = list(held.values())
        form = told(frame, grown_of(frame, items, no_arrays), items)
    else:
        form = _empty(frame, template)
    if not isinstance(form, Grown):
        raise NoArrays
    form = _marked_as(frame, form, template)
    columns = []
    for column, kind in zip(form.columns, template.types, strict=True):
        dtype = _dtype(kind)
        is_cast = dtype_of(column.type) != dtype
        columns.append(frame.session.emit(np.astype, (column, dtype)) if is_cast else column)
    set_contents(x, {FORM: Grown(form.item, tuple(columns), template.kinds)})


def _marked_as(frame: Frame, x: Grown, template: Template) -> Grown:
    """A list with the marks of a template."""
    form = common_form([(each.item, each.kinds) for each in (x, template)])
    if form is None or not are_alike(form, template.item):
        raise NoArrays
    return in_form(frame, x, form)


def formed_like(frame: Frame, x: ListObj, form: Grown) -> None:
    """Give a list the arrays of its items, if it has items as those of another list's `form`; of
    other dtypes and kinds, as they are. One that has such arrays gets the marks of that form, and
    one that stands in an array a copy of that.
    """
    if isinstance(x.form, Laid) and x.form.axes == 1 and is_told(x.form.kinds):
        x.form = as_grown(frame.session, x.form)
    if isinstance(x.form, Grown):
        common = common_form([(each.item, each.kinds) for each in (x.form, form)])
        if common is not None and are_alike(common, form.item):
            x.form = in_form(frame, x.form, common)
        return
    types = tuple(_entry(column.type) for column in form.columns)
    template = Template(form.item, types, form.kinds)
    try:
        own = template_of(frame, contents(x)) if x.items else template
        form_list(frame, x, own)
    except (Mismatch, NoArrays):
        return


def _empty(frame: Frame, template: Template) -> Grown:
    """The arrays of no items."""
    session = frame.session
    around = [x for x in reachable(frame.env.values()) if is_array(x)]
    columns = []
    for kind in template.types:
        shape = kind.shape if isinstance(kind, ArrayType) else ()
        wanted = ArrayType(_dtype(kind), (0, *(shape or ())))
        if filled(session, wanted, around) != wanted:
            raise NoArrays  # it is not known how long its rows will be
        columns.append(filler(session, wanted, around))
    return Grown(template.item, tuple(columns), template.kinds)


def _entry(t: Type) -> Type:
    """The type of the rows of a column."""
    assert isinstance(t, ArrayType)
    return replace(t, shape=(t.shape or ())[1:])


__all__ = [
    "Contents", "NoArrays", "Template", "form_list", "formed_like", "joined_templates", "no_arrays",
    "template_of",
]  # fmt: skip

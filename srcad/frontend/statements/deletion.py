"""Deletion: of names, items and attributes.

del x              `x` is not bound any more
del params["w"]    the dict has no such key any more
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.containers.changes import check_changeable, delete_attribute
from srcad.frontend.abstract.containers.containers import DictObj, ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import UNBOUND, Abstract
from srcad.frontend.dispatch import call, expression
from srcad.frontend.expressions.missing import missing, refuse_slice
from srcad.frontend.lists import edits
from srcad.frontend.lists.tables import key_of
from srcad.frontend.objects.members import method_of


def delete(frame: Frame, target: Any) -> None:
    """`del name` or `del container[key]`."""
    if isinstance(target, gast.Name):
        frame.lookup(target.id)
        frame.bind(target.id, UNBOUND)
    elif isinstance(target, gast.Tuple | gast.List):
        for each in target.elts:
            delete(frame, each)
    elif isinstance(target, gast.Subscript):
        _delete_item(frame, target)
    else:
        owner = expression(frame, target.value)
        delete_attribute(frame, owner, target.attr, f"`del {gast.unparse(target)}`")


def _delete_item(frame: Frame, target: gast.Subscript) -> None:
    owner = expression(frame, target.value)
    what = f"`del {gast.unparse(target)}`"
    delete_item(frame, owner, expression(frame, target.slice), what)


def delete_item(
    frame: Frame, owner: Abstract, index: Abstract, what: str = "`operator.delitem(...)`"
) -> None:
    """`del owner[index]`; `what` is what messages call it."""
    method = method_of(frame, owner, "__delitem__")
    if method is not None:
        call(frame, method, (index,))
        return
    if not isinstance(owner, ListObj | DictObj):
        raise error("E118", None, what=what)
    refuse_slice(frame, owner, index)
    check_changeable(frame, owner, what)
    if isinstance(owner, ListObj):
        owner.moves += 1
    if isinstance(owner, ListObj) and owner.form is not None:
        edits.delete_item(frame, owner, index)
        return
    key = key_of(frame, owner, index, "the key of `del`")
    try:
        del owner.items[key]
    except (KeyError, IndexError) as problem:
        raise missing(frame, problem, key) from None


__all__ = ["delete", "delete_item"]

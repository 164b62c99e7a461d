"""Assignment: to names, by unpacking, to items of containers; in-place changes of arrays are refused."""

from __future__ import annotations

import operator
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend import state as st
from srcad.frontend.expressions import BINARY, binary, expression, subscript_index
from srcad.frontend.frame import Frame
from srcad.frontend.loops import static_items
from srcad.frontend.objects import (
    UNBOUND,
    Abstract,
    DictObj,
    ListObj,
    RecordObj,
    Ref,
    describe,
    values_of,
)
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, rank_of


def assign_target(frame: Frame, target: Any, x: Abstract) -> None:
    """`target = x`."""
    if isinstance(target, gast.Name):
        if isinstance(x, Value) and (not x.name or frame.session.inputs.take_name(x)):
            x.name = target.id
        frame.env[target.id] = x
    elif isinstance(target, gast.Tuple | gast.List):
        _unpack(frame, target, x)
    elif isinstance(target, gast.Subscript):
        _assign_item(frame, target, x)
    elif isinstance(target, gast.Attribute):
        _assign_attribute(frame, target, x)
    else:
        raise error("E100", frame.at(target), what=f"assignment to a `{type(target).__name__}`")


def _unpack(frame: Frame, target: gast.Tuple | gast.List, x: Abstract) -> None:
    items = static_items(frame, x)
    if items is None and isinstance(x, Value) and isinstance(x.type, ArrayType):
        items = _unpack_array(frame, target, x)
    if items is None:
        raise error("E134", frame.at(target), what=describe(x))
    stars = [i for i, t in enumerate(target.elts) if isinstance(t, gast.Starred)]
    n = len(target.elts)
    fits = len(items) == n if not stars else len(items) >= n - 1
    if not fits:
        raise error("E134", frame.at(target), what=f"{len(items)} items")
    if stars:
        at, tail = stars[0], n - stars[0] - 1
        middle = items[at : len(items) - tail]
        starred = ListObj(list(middle))
        items = [*items[:at], starred, *items[len(items) - tail :]]
    for each, item in zip(target.elts, items, strict=True):
        assign_target(frame, each.value if isinstance(each, gast.Starred) else each, item)


def _unpack_array(frame: Frame, target: Any, x: Value) -> list[Abstract] | None:
    """`a, b = x` of an array: its length must be the number of names, which is checked at run time."""
    from srcad.frontend.loops import length
    from srcad.runtime.effects import ensure

    if any(isinstance(t, gast.Starred) for t in target.elts) or not rank_of(x.type):
        return None
    n, known = len(target.elts), length(frame, x)
    if isinstance(known, Value):
        from srcad.ir.nodes import Op

        fits = frame.session.emit(operator.eq, (known, n))
        message = f"cannot unpack an array into {n} names: its length differs"
        session = frame.session
        session.builder.body.append(
            Op(ensure, (fits, message), {}, (), session.builder.loc, effect=True)
        )
    elif known != n:
        raise error("E134", frame.at(target), what=f"an array of length {known}")
    return [frame.session.emit(operator.getitem, (x, i)) for i in range(n)]


def _assign_item(frame: Frame, target: gast.Subscript, x: Abstract) -> None:
    owner = expression(frame, target.value)
    text = gast.unparse(target)
    if isinstance(owner, Value):
        raise error("E116", frame.at(target), what=f"`{text} = ...`")
    if not isinstance(owner, ListObj | DictObj):
        raise error("E118", frame.at(target), what=f"`{text} = ...`")
    check_owned(owner, f"`{text} = ...`")
    key = frame.session.static(subscript_index(frame, target.slice), f"the index in `{text}`")
    if isinstance(owner, ListObj):
        if isinstance(key, slice):
            raise error("E100", frame.at(target), what="assignment to a slice of a list")
        if not -len(owner.items) <= key < len(owner.items):
            raise error("E135", frame.at(target), what=f"index {key}")
    owner.items[key] = x


def check_owned(owner: ListObj | DictObj | RecordObj, what: str) -> None:
    """Refuse to change a container that belongs to the caller or to a captured object."""
    if owner.path:
        raise error("E133", None, what=what)


def _assign_attribute(frame: Frame, target: gast.Attribute, x: Abstract) -> None:
    owner = expression(frame, target.value)
    what = f"`{gast.unparse(target)} = ...`"
    if isinstance(owner, RecordObj) and not hasattr(owner.cls, "_fields"):
        check_owned(owner, what)
        if target.attr in owner.fields:
            owner.fields[target.attr] = x
            return
    raise error("E118", frame.at(target), what=what)




def augmented(frame: Frame, node: gast.AugAssign) -> None:
    """`target op= x`: for numbers `target = target op x`; for arrays the same if nobody can tell."""
    fn = BINARY[type(node.op)]
    if isinstance(node.target, gast.Name):
        old = frame.lookup(node.target.id)
    elif isinstance(node.target, gast.Subscript | gast.Attribute):
        load = _as_load(node.target)
        owner = expression(frame, load.value)
        if isinstance(owner, Value):
            raise error("E116", frame.at(node), what=f"`{gast.unparse(node)}`")
        old = expression(frame, load)
    else:
        raise error("E100", frame.at(node), what="this assignment")
    x = expression(frame, node.value)
    if isinstance(old, ListObj):
        _extend(frame, node, fn, old, x)
        return
    new = binary(frame, fn, old, x)
    if _is_array(old):
        _check_unshared(frame, node, old)
        new = _keep_type(frame, old, new)
    assign_target(frame, node.target, new)


def _as_load(target: Any) -> Any:
    import copy

    load = copy.copy(target)
    load.ctx = gast.Load()
    return load


def _extend(frame: Frame, node: Any, fn: Any, old: ListObj, x: Abstract) -> None:
    items = static_items(frame, x)
    if fn is not operator.add or items is None:
        raise error("E119", frame.at(node), what=f"`{gast.unparse(node)}`")
    check_owned(old, f"`{gast.unparse(node)}`")
    old.items.extend(items)


def _is_array(x: Abstract) -> bool:
    """Whether `x op= y` changes an object in place: an array, not a NumPy scalar."""
    return isinstance(x, Value) and isinstance(x.type, ArrayType) and not x.type.scalar


def _keep_type(frame: Frame, old: Value, new: Value) -> Value:
    """In-place operations keep the array's dtype."""
    assert isinstance(old.type, ArrayType)
    if isinstance(new.type, ArrayType) and new.type.dtype != old.type.dtype:
        cast: Value = frame.session.emit(np.astype, (new, old.type.dtype))
        return cast
    return new


def _check_unshared(frame: Frame, node: gast.AugAssign, old: Value) -> None:
    """Refuse `x += v` on an array that the caller, another name or a container shares."""
    session = frame.session
    what = f"`{gast.unparse(node)}`"
    root = session.root(old)
    if root in session.inputs.paths:
        raise error("E117", frame.at(node), what=what)
    target = (frame, node.target.id) if isinstance(node.target, gast.Name) else None
    for each in session.frames:
        for location, x in st.snapshot(each).locations().items():
            if location == target or x is UNBOUND:
                continue
            if any(session.root(v) is root for v in values_of(x)):
                raise error("E117", frame.at(node), what=what)


def delete_target(frame: Frame, target: Any) -> None:
    """`del name` or `del container[key]`."""
    if isinstance(target, gast.Name):
        frame.lookup(target.id)
        frame.env[target.id] = UNBOUND
        return
    if isinstance(target, gast.Subscript):
        owner = expression(frame, target.value)
        if isinstance(owner, ListObj | DictObj):
            check_owned(owner, f"`del {gast.unparse(target)}`")
            key = frame.session.static(subscript_index(frame, target.slice), "the key of `del`")
            if isinstance(owner, DictObj) and key not in owner.items:
                raise error("E135", frame.at(target), what=f"key {key!r}")
            del owner.items[key]
            return
    if isinstance(target, gast.Tuple | gast.List):
        for each in target.elts:
            delete_target(frame, each)
        return
    raise error("E118", frame.at(target), what=f"`del {gast.unparse(target)}`")


__all__ = ["assign_target", "augmented", "check_owned", "delete_target"]

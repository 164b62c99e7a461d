"""Assignment: to names, to items and attributes; augmented assignment."""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.changes import (
    check_changeable,
    not_settable,
    set_attribute,
)
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj, SetObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import (
    Abstract,
    Either,
    Method,
    Ref,
    describe,
    is_static,
)
from srcad.frontend.builtins.sets import combined
from srcad.frontend.dispatch import assign, call, expression, handles_target
from srcad.frontend.expressions.by_case import by_case
from srcad.frontend.expressions.chosen_items import stays_item
from srcad.frontend.expressions.expressions import item
from srcad.frontend.expressions.missing import (
    fails,
    missing,
    raised_by_class,
    refuse_slice,
)
from srcad.frontend.expressions.operators import BINARY, binary, is_numpy, is_operand
from srcad.frontend.laid import writing
from srcad.frontend.laid.asking import ask_by_index, ask_for_array
from srcad.frontend.laid.reading import AnyLaid
from srcad.frontend.lists import edits
from srcad.frontend.lists.by_data import array_form, is_by_data
from srcad.frontend.lists.tables import key_of
from srcad.frontend.loops.iteration import items_of
from srcad.frontend.objects.attributes import attribute
from srcad.frontend.objects.members import method_of
from srcad.frontend.python_types import possible_classes
from srcad.frontend.reading.outside import is_labelled
from srcad.frontend.statements.captured_dicts import is_captured_dict, set_captured_item
from srcad.frontend.statements.stores import overwrite, rebound, reshaped, store, update
from srcad.frontend.statements.stores_by_dtype import by_dtype, has_dtypes
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType


@handles_target(gast.Name)
def _assign_name(frame: Frame, target: gast.Name, x: Abstract) -> None:
    if isinstance(x, Value) and (not x.name or frame.session.inputs.take_name(x)):
        x.name = target.id
    frame.bind(target.id, x)


# Items and attributes ----------------------------------------------------------------------------


@handles_target(gast.Subscript)
def _assign_item(frame: Frame, target: gast.Subscript, x: Abstract) -> None:
    owner = expression(frame, target.value)
    text = f"`{gast.unparse(target)} = ...`"
    set_item(frame, owner, expression(frame, target.slice), x, text)


def set_item(
    frame: Frame, owner: Abstract, index: Abstract, x: Abstract, text: str = "`x[i] = ...`"
) -> None:
    """`owner[index] = x`; `text` is what messages call it."""
    is_kept = isinstance(owner, ListObj | DictObj)
    if any(isinstance(y, Either) for y in (owner, index, *(() if is_kept else (x,)))):
        by_case(frame, (owner, index, x), partial(set_item, frame, text=text), operator.setitem)
        return
    if isinstance(owner, Value) and isinstance(owner.type, ArrayType) and not owner.type.scalar:
        is_nan = x is None and owner.type.dtype.kind == "f"  # what NumPy stores
        store(frame, owner, index, math.nan if is_nan else x, text)
        return
    classes = possible_classes(frame, owner)
    if classes and not any(hasattr(cls, "__setitem__") for cls in classes):
        refusal = error("E132", None, what=f"{text} into {describe(owner)}")
        raise raised_by_class(frame, owner, lambda x: operator.setitem(x, 0, 0), refusal)
    if isinstance(owner, Ref) and isinstance(owner.obj, list | dict | np.ndarray):
        raise error("E133", None, what=text)
    method = method_of(frame, owner, "__setitem__")
    if method is not None:
        call(frame, method, (index, x))
        return
    if not isinstance(owner, ListObj | DictObj):
        raise error("E118", None, what=text)
    refuse_slice(frame, owner, index)
    ask_by_index(frame.session, owner, index)
    if isinstance(owner, ListObj) and isinstance(owner.form, AnyLaid):
        writing.set_item(frame, owner, index, x, text)
        return
    if isinstance(owner, ListObj) and owner.form is not None:
        if frame.session.loops_after(owner):
            ask_for_array(frame.session, owner.form)
        check_changeable(frame, owner, text)
        edits.set_item(frame, owner, index, x)
        return
    if isinstance(owner, ListObj) and is_by_data(frame.session, index):
        if not owner.items:
            raise fails(frame, IndexError("list assignment index out of range"))
        form = array_form(frame, owner)
        if form is not None:
            check_changeable(frame, owner, text)
            owner.form = form
            edits.set_item(frame, owner, index, x)
            return
    key = key_of(frame, owner, index, f"the index in {text}")
    if isinstance(owner, DictObj) and is_captured_dict(owner):
        set_captured_item(frame, owner, key, x, text)
        return
    check_changeable(frame, owner, text, *((key,) if isinstance(owner, DictObj) else ()))
    if isinstance(owner, DictObj):
        owner.items[key] = x
        return
    if isinstance(key, slice):
        owner.items[key] = items_of(frame, x, "what is assigned to a slice")
        return
    if not -len(owner.items) <= key < len(owner.items):
        raise missing(frame, IndexError("list assignment index out of range"), key)
    owner.items[key] = x


@handles_target(gast.Attribute)
def _assign_attribute(frame: Frame, target: gast.Attribute, x: Abstract) -> None:
    owner = expression(frame, target.value)
    text = f"`{gast.unparse(target)} = ...`"
    if isinstance(owner, Either):
        by_case(
            frame, (owner, x), lambda y, new: set_attribute(frame, y, target.attr, new, text),
            lambda y, new: setattr(y, target.attr, new),
        )  # fmt: skip
        return
    if isinstance(owner, Value) and isinstance(owner.type, ArrayType):
        if target.attr == "shape" and isinstance(target.value, gast.Name):
            made = reshaped(frame, target.value.id, owner, x)
            if made is not None:
                frame.bind(target.value.id, made)
                return
        is_real = owner.type.dtype.kind != "c"
        if target.attr not in ("real", "flat") and (target.attr != "imag" or is_real):
            name, fix = gast.unparse(target.value), None
            if target.attr == "shape":
                fix = f"make a new array: `{name} = {name}.reshape(...)`"
            refusal = error("E116", frame.at(target), what=text, fix=fix)
            raise not_settable(frame, owner, target.attr, refusal)
        store(frame, attribute(frame, owner, target.attr), Ellipsis, x, text)
        return
    set_attribute(frame, owner, target.attr, x, text)


# Augmented assignment ----------------------------------------------------------------------------


def augmented(frame: Frame, node: gast.AugAssign) -> None:
    """`target op= x`: writes into arrays and lists, gives others a new value."""
    fn = BINARY[type(node.op)]
    target = node.target
    owner = index = None
    if isinstance(target, gast.Name):
        old = frame.lookup(target.id)
    else:
        owner = expression(frame, target.value)
        if isinstance(target, gast.Subscript):
            index = expression(frame, target.slice)
            if isinstance(owner, Value) and isinstance(owner.type, ArrayType):
                values = partial(expression, frame, node.value)
                update(frame, fn, owner, index, values, f"`{gast.unparse(node)}`")
                return
            old = item(frame, owner, index)
        else:
            old = attribute(frame, owner, target.attr)
    x = expression(frame, node.value)
    is_value = isinstance(target, gast.Name) and isinstance(old, Value) and is_array(old)
    is_value = is_value and old not in frame.session.memory.flat
    made = rebound(frame, fn, target.id, old, x) if is_value and is_operand(x) else None
    if not isinstance(target, gast.Name) and is_labelled(owner):  # a column, made for this
        made = binary(frame, fn, old, x)
    new = changed(frame, fn, old, x, f"`{gast.unparse(node)}`") if made is None else made
    if isinstance(target, gast.Name):
        assign(frame, target, new)
    elif isinstance(target, gast.Subscript):
        if new is not old or not stays_item(owner, new):
            set_item(frame, owner, index, new, f"`{gast.unparse(target)} = ...`")
    elif not (isinstance(owner, Value) and new is old):  # `z.imag *= x` has written a view
        set_attribute(frame, owner, target.attr, new, f"`{gast.unparse(node)}`")


def changed(frame: Frame, fn: Any, old: Abstract, x: Abstract, text: str) -> Abstract:
    """What `old op= x` leaves at the target; lists and dicts are changed in place.

    NumPy's operator is asked before a list's own: `items += array` makes an array.
    """
    if isinstance(old, Either) or isinstance(x, Either):
        in_place = getattr(operator, f"i{fn.__name__.rstrip('_')}")
        return by_case(frame, (old, x), lambda a, b: changed(frame, fn, a, b, text), in_place)
    if isinstance(old, Value) and old in frame.session.memory.flat:
        return binary(frame, fn, old, x)  # it has no operator that writes into it
    has_form = any(isinstance(each, ListObj) and each.form is not None for each in (old, x))
    if has_form and isinstance(old, ListObj) and fn is operator.add and not isinstance(x, Value):
        call(frame, Method(old, "extend"), (x,))
        return old
    if isinstance(old, ListObj) and is_numpy(x):
        return binary(frame, fn, old, x)
    if isinstance(old, ListObj | DictObj):
        new = x.items if isinstance(old, DictObj) and isinstance(x, DictObj) else ()
        check_changeable(frame, old, text, *new)
    if isinstance(old, ListObj | DictObj) and old.cls not in (list, dict):
        raise error("E118", None, what=text)
    if isinstance(old, ListObj):
        return _changed_list(frame, fn, old, x, text)
    if isinstance(old, SetObj):
        return combined(frame, fn, old, x, text)
    if isinstance(old, DictObj):
        if fn is not operator.or_ or not isinstance(x, DictObj):
            raise error("E132", None, what=text)
        old.items.update(x.items)
        return old
    in_place = f"__i{fn.__name__.rstrip('_')}__"
    method = method_of(frame, old, in_place)
    if method is not None:
        new = call(frame, method, (x,))
        if not (isinstance(new, Ref) and new.obj is NotImplemented):
            return new
    elif hasattr(old if is_static(old) else getattr(old, "obj", None), in_place):
        raise error("E118", None, what=text)
    if isinstance(old, Value) and is_array(old):
        if isinstance(x, RecordObj | Ref):  # NumPy writes its own results alone
            raise error("E132", None, what=f"{text} of an array and {describe(x)}")

        def write(array: Value) -> None:
            overwrite(frame, array, binary(frame, fn, array, x), text)

        if has_dtypes(frame, old, text):
            by_dtype(frame, old, write)
        else:
            write(old)
        return old
    return binary(frame, fn, old, x)


def _changed_list(frame: Frame, fn: Any, old: ListObj, x: Abstract, text: str) -> Abstract:
    if isinstance(x, Value) and isinstance(x.type, ArrayType):  # which adds a list to itself
        return binary(frame, fn, old, x)
    if fn is operator.add:
        call(frame, Method(old, "extend"), (x,))
    elif fn is operator.mul:
        n = frame.session.static(x, "the number of repetitions of a list")
        old.items[:] = old.items * n
    else:
        raise error("E132", None, what=text)
    return old


__all__ = ["augmented", "changed", "set_item"]

"""Changes of the user's objects and containers: what may be changed, and by whom.

self.h = np.tanh(x)         the attribute is set here; the caller's object keeps its own
params["w"] = w * 2         so with a dict that is an argument
history.append(x)           refused where `history` is a global
"""

from __future__ import annotations

import inspect
import types
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.containers.containers import (
    IS_NAMESPACE,
    ITEMS,
    Container,
    DictObj,
    ListObj,
    RecordObj,
    holds_itself,
    is_dict_record,
)
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Instance, Ref, describe, is_local_class
from srcad.frontend.abstract.unassigned import check_attribute
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import raised_by_class
from srcad.frontend.kinds import has_attributes_beside, record_fields
from srcad.frontend.objects.class_functions import (
    check_class,
    find,
    function_behind,
    gives,
    is_generated,
    is_written,
)
from srcad.frontend.objects.members import method_of_descriptor, python_class
from srcad.frontend.python_types import possible_classes
from srcad.frontend.written import labelled, named_axes


def check_changeable(frame: Frame, owner: Container, what: str, *new: Any) -> None:
    """Refuse to change a container that neither the program nor an argument owns, or of which it
    is not known which one it is; `new` are the keys of a dict that it gets.
    """
    if any(owner is each for each in frame.session.shown):
        fix = "read its attributes by name, not by `vars` or `__dict__`"
        raise error("E118", None, what=what, fix=fix)
    if getattr(owner, "frozen", False):
        fix = "change it inside the branches or loop, or copy it first: `list(...)`, `dict(...)`"
        raise error("E118", None, what=what, fix=fix)
    if isinstance(owner, DictObj) and not owner.hidden.isdisjoint(new):
        fix = "set it as an attribute: its class has a property or the like under this name"
        raise error("E118", None, what=what, fix=fix)
    if owner.path:
        frame.session.inputs.change(owner, what)


def changeable(frame: Frame, x: Any, method: str, *new: Any) -> Any:
    """The container `x`, which `method` changes, where it may be changed."""
    check_changeable(frame, x, f"`.{method}(...)`", *new)
    if isinstance(x, ListObj) and method != "reverse":  # to which iterators do not object
        x.moves += 1
    return x


def set_attribute(frame: Frame, owner: Abstract, name: str, x: Abstract, what: str) -> None:
    """`owner.name = x`."""
    if isinstance(owner, RecordObj):
        frame.session.inputs.beside.ask_if_held(owner.cls, name)
    if is_stand_in(frame, owner):
        _set_of_stand_in(frame, owner, name, x, what)
        return
    if name == "__dict__" and is_dict_record(owner) and x is owner:
        owner.fields[IS_NAMESPACE] = True
        return
    if holds_itself(owner) and not gives(inspect.getattr_static(owner.cls, name, None), "__set__"):
        owner.fields[ITEMS].items[name] = x
        return
    own = find(owner.cls, "__setattr__") if isinstance(owner, RecordObj) else None
    if own is not None and isinstance(own[1], types.FunctionType) and not is_generated(own[1]):
        setter = function_behind(frame, owner, owner.cls, "__setattr__", *own)
        call(frame, setter, (owner, name, x))
        return
    if isinstance(owner, RecordObj):
        into = method_of_descriptor(frame, find(owner.cls, name), name, "__set__")
        if into is not None:
            call(frame, into, (owner, x))
            return
    found = _settable(frame, owner, name, what)
    if isinstance(found, property):
        if found.fset is None:
            raise error("E118", None, what=what)
        cls = python_class(owner)
        home = (find(cls, name) or (cls, None))[0]
        call(frame, function_behind(frame, owner, cls, name, home, found.fset), (owner, x))
        return
    check_changeable(frame, owner, what)
    owner.fields[name] = x


def is_stand_in(frame: Frame, owner: Abstract) -> bool:
    """Whether an object is read in place of a library's, and the frame is not one of its own."""
    return isinstance(owner, RecordObj) and is_written(owner.cls) and frame.place is None


def _set_of_stand_in(frame: Frame, owner: RecordObj, name: str, x: Abstract, what: str) -> None:
    """`owner.name = x` of what stands for a library's object: a column of a table that is computed,
    or the name of what else is.

    Raises:
        SrcadError: E133, the object is the caller's; E118, any other attribute.
    """
    is_outside = "_outside" in owner.fields
    columns = owner.fields.get("_own_names")
    known = any(hasattr(cls, name) for cls in possible_classes(frame, owner))
    if isinstance(columns, tuple) and name in columns and not (known or is_outside):
        home = find(owner.cls, "__setitem__")
        assert home is not None
        setter = function_behind(frame, owner, owner.cls, "__setitem__", *home)
        call(frame, setter, (owner, name, x))
        return
    has_name = issubclass(owner.cls, labelled.Rowwise | named_axes.NamedAxes)
    if name == "name" and has_name and not is_outside and isinstance(x, str | None):
        owner.fields[name] = x
        return
    fix = "make a new object, or keep the value in a variable"
    refusal = error("E133" if is_outside else "E118", None, what=what, fix=fix)
    raise not_settable(frame, owner, name, refusal)


def delete_attribute(frame: Frame, owner: Abstract, name: str, what: str) -> None:
    """`del owner.name`."""
    if is_stand_in(frame, owner):
        raise error("E118", None, what=what)
    if isinstance(owner, RecordObj):
        frame.session.inputs.beside.ask(owner.cls, name)
        away = method_of_descriptor(frame, find(owner.cls, name), name, "__delete__")
        if away is not None:
            call(frame, away, (owner,))
            return
        own = find(owner.cls, "__delattr__")
        if own is not None and isinstance(own[1], types.FunctionType | FunctionObj):
            fn = function_behind(frame, owner, owner.cls, "__delattr__", *own)
            call(frame, fn, (owner, name))
            return
    found = _settable(frame, owner, name, what)
    if isinstance(found, property) or not (isinstance(owner, RecordObj) and name in owner.fields):
        raise error("E118", None, what=what)
    check_changeable(frame, owner, what)
    if owner.uneven:
        if find(owner.cls, name) is not None:
            raise error("E129", None, what=f"whether {describe(owner)} has `{name}`")
        check_attribute(frame.session, owner.fields[name], name, owner.cls)
    del owner.fields[name]
    frame.session.properties.pop((owner, name), None)  # a cached one is computed anew


def _settable(frame: Frame, owner: Abstract, name: str, what: str) -> Any:
    """What the class has under the name of an attribute that is set."""
    if isinstance(owner, Ref) and not isinstance(owner, Instance):
        local = isinstance(owner.obj, type) and is_local_class(owner.obj)
        raise error("E118" if local else "E133", None, what=what)
    if not isinstance(owner, RecordObj | Instance):
        raise not_settable(frame, owner, name, error("E118", None, what=what))
    cls = python_class(owner)
    check_class(cls)
    if has_attributes_beside(cls) and name not in record_fields(cls):
        return None
    own = find(cls, "__setattr__")
    if issubclass(cls, tuple) or own is None or own[0] not in (object, types.SimpleNamespace):
        raise error("E118", None, what=what)
    found = inspect.getattr_static(cls, name, None)
    if isinstance(found, property | types.MemberDescriptorType):
        return found
    if not cls.__dictoffset__ or any(gives(found, own) for own in ("__set__", "__delete__")):
        raise error("E118", None, what=what)
    return found


def not_settable(frame: Frame, owner: Abstract, name: str, refusal: Exception) -> Exception:
    """The error for an attribute that no object of a class takes: one of NumPy's or Python's own,
    without a `__dict__`.
    """
    for cls in possible_classes(frame, owner):
        own = find(cls, "__setattr__")
        if cls.__dictoffset__ or hasattr(cls, name) or own is None or own[0] is not object:
            return refusal
    return raised_by_class(frame, owner, lambda x: setattr(x, name, None), refusal)


__all__ = [
    "changeable",
    "check_changeable",
    "delete_attribute",
    "is_stand_in",
    "not_settable",
    "set_attribute",
]

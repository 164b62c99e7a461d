"""The `__dict__` of objects: `vars(x)` and `x.__dict__`.

vars(net)["w"]                     net.w
self.__dict__.update(options)      self.k = k, for each of the options
"""

from __future__ import annotations

import functools
import inspect
import threading
import types
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import (
    ITEMS,
    DictObj,
    RecordObj,
    holds_itself,
    is_dict_record,
)
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Conflict, Instance, describe
from srcad.frontend.objects.class_functions import gives, is_written

_FIX = "read its attributes by name"


def namespace(frame: Frame, x: Abstract) -> DictObj:
    """The dict that holds the attributes of an object; of one made here, both change together."""
    if isinstance(x, RecordObj | Instance) and x.path:
        frame.session.attributes_read.add(f"{x.path}.__dict__")
    cls = x.cls if isinstance(x, RecordObj) else type(x.obj) if isinstance(x, Instance) else None
    if holds_itself(x):
        own: DictObj = x.fields[ITEMS]
        return own
    is_other = cls is None or is_dict_record(x) or issubclass(cls, tuple)
    if cls is None or is_other or not _has_dict(cls) or _holds_more(cls):
        raise error("E121", None, what=f"the `__dict__` of {describe(x)}", fix=_FIX)
    if isinstance(x, RecordObj):
        frame.session.inputs.beside.ask_all(cls)
        if not frame.session.inputs.beside.in_order(x.path):
            what = f"the `__dict__` of {describe(x)}, which lacks fields or has others before them,"
            raise error("E121", None, what=what, fix=_FIX)
    hiding = _data_descriptors(cls)
    names = x.fields if isinstance(x, RecordObj) else vars(x.obj)
    hidden = next((name for name in names if name in hiding), None)
    if hidden is not None:
        what = f"the `__dict__` of {describe(x)}, whose class has a `{hidden}` of its own,"
        raise error("E121", None, what=what, fix=_FIX)
    if isinstance(x, Instance):
        return _of_callers(frame, x)
    if x.uneven or any(item is UNBOUND or isinstance(item, Conflict) for item in x.fields.values()):
        raise error("E129", None, what=f"{describe(x)}, of which the attributes differ,")
    found = x.namespace or DictObj(x.fields, frozen=bool(x.path), hidden=hiding)
    x.namespace = found
    return found


def _has_dict(cls: type) -> bool:
    """Whether objects have a `__dict__`: those of `threading.local` have one for each thread. That
    of a class which is read in place of another is not the other's.
    """
    return (bool(cls.__dictoffset__) or cls is threading.local) and not is_written(cls)


def _holds_more(cls: type) -> bool:
    """Whether attributes stand elsewhere, or what is computed once stands among them."""
    kinds = (types.MemberDescriptorType, functools.cached_property)
    members = (member for each in cls.__mro__ for member in vars(each).values())
    return any(isinstance(member, kinds) for member in members)


def _data_descriptors(cls: type) -> frozenset[str]:
    """Names that the class looks up, whatever the object holds: properties and the like."""
    names = (name for each in cls.__mro__ for name in vars(each) if not name.startswith("__"))
    found = {name: inspect.getattr_static(cls, name) for name in names}
    return frozenset(name for name, member in found.items() if gives(member, "__set__"))


def _of_callers(frame: Frame, x: Instance) -> DictObj:
    """That of an object of the caller's, as it was given."""
    if x.fields or x.uneven:
        raise error(
            "E121",
            None,
            what=f"the `__dict__` of {describe(x)}, of which attributes were set,",
            fix=_FIX,
        )
    held: dict[str, Any] = dict(vars(x.obj))
    inputs = frame.session.inputs
    inputs.guard(f"tuple({x.path}.__dict__)", "equals", tuple(held))
    items = {name: inputs.lift(item, f"{x.path}.{name}", name) for name, item in held.items()}
    frame.session.shown.append(x)
    return DictObj(items, frozen=True)


__all__ = ["namespace"]

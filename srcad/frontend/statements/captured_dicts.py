"""Changes of dicts that a module holds: its settings, which a call sets and puts back.

    with config(check=False):       set_global_item(package, "settings", "check", False)
        y = compute(x)              y = ...
                                    set_global_item(package, "settings", "check", True)

Others may see the dict: so each item is set when the program runs, once and in order. What the
program reads of it is what it has set, or what the dict held when it was called.
"""

from __future__ import annotations

import operator
import re
import sys
from types import ModuleType
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.signals import ChangesCaptured
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType
from srcad.runtime.effects import set_global_item

_SET = (bool, int, float, complex, str, bytes, type(None))
_PLACE = re.compile(r".*\.__globals__\['(\w+)'\]((?:\.\w+)*)$")


def is_captured_dict(x: Abstract) -> bool:
    """Whether `x` is a plain dict from outside that is no argument."""
    is_outside = isinstance(x, DictObj) and bool(x.path) and not x.path.startswith("A[")
    return is_outside and x.cls is dict and not x.frozen


def set_captured_item(frame: Frame, owner: DictObj, key: Any, x: Abstract, what: str) -> None:
    """`owner[key] = x`, at run time as well; `x` is a constant or a Python number."""
    session, inputs = frame.session, frame.session.inputs
    is_number = isinstance(x, Value) and isinstance(x.type, NumberType) and session.is_certain(x)
    obj = inputs.captured(owner)
    home = _home(obj, owner.path)
    is_set = is_number or isinstance(x, _SET)
    if home is None or not is_set or not isinstance(key, _SET) or session.open_functions:
        raise error("E133", None, what=what)
    if not inputs.is_changing(obj):
        raise ChangesCaptured(obj)
    inputs.guard(owner.path, "is", obj)
    session.effect(set_global_item, Ref(home[0], ""), home[1], key, x)
    owner.items[key] = x


def _home(obj: Any, path: str) -> tuple[ModuleType, str] | None:
    """The module that holds the dict, and the names that lead to it there."""
    found = _PLACE.match(path)
    if found is None:
        return None
    names = found[1] + found[2]
    for _, module in sorted(sys.modules.items()):
        if isinstance(module, ModuleType) and found[1] in vars(module):
            try:
                held = operator.attrgetter(names)(module)
            except AttributeError:
                continue
            if held is obj and sys.modules.get(module.__name__) is module:
                return module, names
    return None


__all__ = ["is_captured_dict", "set_captured_item"]

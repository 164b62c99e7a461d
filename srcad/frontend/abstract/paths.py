"""Where a leaf is that paths may differ in: owner and key of its location, then the way inside."""

from __future__ import annotations

from typing import Any

from srcad.frontend.abstract.containers.containers import RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Instance
from srcad.frontend.abstract.which import WHICH

MEMORY = object()
CODE = object()  # the last part of the path of an `Either`'s code
FLAG = object()  # the last part of the path of what tells whether a name is bound
_SPELLED = {CODE: "{}_kind", FLAG: "{}_is_bound", WHICH: "which_{}"}
LAID = object()  # the last but one of the path of an array in which a list stands
# Where a leaf is: owner and key of its location, then positions inside tuples and containers; or
# `MEMORY` and the array whose content it is.
Path = tuple[Any, ...]


def is_place(path: Path) -> bool:
    """Whether a path is that of a name of the user's, or of an attribute."""
    owner, key, *inside = path
    is_named = isinstance(owner, Frame | RecordObj | Instance)
    return is_named and not inside and isinstance(key, str) and key.isidentifier()


def name_at(path: Path) -> str:
    """The name under which a path is reported and its values are printed."""
    owner, key, *inside = path
    if inside and inside[-1] in _SPELLED:
        name = name_at(path[:-1])
        return _SPELLED[inside[-1]].format(name) if name else ""
    if owner is MEMORY:
        return str(key.name)
    if isinstance(owner, Frame):
        key = key.split(".")[0]  # a name of lowering's own: `left.0`
    names = [k for k in (*inside[::-1], key) if isinstance(k, str) and k.isidentifier()]
    return names[0] if names and (isinstance(owner, Frame) or isinstance(names[0], str)) else ""


__all__ = ["CODE", "FLAG", "LAID", "MEMORY", "Path", "is_place", "name_at"]

"""Arrays with fields from outside: a record of the arrays of their fields, which are views.

A[0] of [("a", float), ("b", int)]      A[0]['a'] and A[0]['b'] are inputs
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj, RecordObj
from srcad.frontend.abstract.objects import Abstract, Conflict
from srcad.frontend.reading.containers import Reader, joined
from srcad.frontend.written.structured.arrays import Structured

_CLASSES = (np.ndarray, np.recarray)


def has_fields(obj: Any) -> bool:
    """Whether `obj` is an array with fields."""
    return isinstance(obj, np.ndarray | np.void) and obj.dtype.names is not None


def lift_structured(reader: Reader, obj: Any, path: str, name: str) -> RecordObj:
    """The record that stands for an array with fields.

    Raises:
        SrcadError: E308, for an entry of such an array, or one of another class.
    """
    if type(obj) not in _CLASSES or not obj.dtype.names:
        fix = "pass the fields that the function reads"
        raise error("E308", None, what=f"`{name}` of type {type(obj).__name__}", fix=fix)
    reader.guard(path, "type", type(obj))
    reader.guard(f"{path}.dtype", "equals", obj.dtype)
    reader.guard(f"{path}.ndim", "equals", obj.ndim)
    parts = {key: _part(reader, obj[key], f"{path}[{key!r}]", key, name) for key in obj.dtype.names}
    is_record = type(obj) is np.recarray
    fields = {"_parts": DictObj(parts), "dtype": obj.dtype, "_inner": obj.ndim}
    return RecordObj(Structured, {**fields, "_is_record": is_record}, path)


def _part(reader: Reader, part: Any, path: str, key: str, name: str) -> Abstract:
    if part.dtype.hasobject:
        return Conflict("E309", f'`{name}["{key}"]`')
    return reader.lift(part, path, joined(name, key))


__all__ = ["has_fields", "lift_structured"]

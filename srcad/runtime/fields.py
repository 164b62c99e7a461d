"""Arrays with fields, and dicts and arrays of the user's own classes, that programs give back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def with_fields(
    dtype: np.dtype[Any], fields: Mapping[str, Any], is_record: bool, of_records: bool = False
) -> Any:
    """An array of this dtype with these fields; the others are zero.

    Args:
        is_record: a record array.
        of_records: a plain array whose entries are records.

    >>> with_fields(np.dtype([("a", float), ("n", int)]), {"a": np.ones(2)}, False)
    array([(1., 0), (1., 0)], dtype=[('a', '<f8'), ('n', '<i8')])
    """
    name, first = next(iter(fields.items()))
    inner = len(dtype[name].shape)
    kind: Any = (np.record, dtype) if of_records else dtype
    made = np.zeros(np.shape(first)[: np.ndim(first) - inner], kind)
    for key, x in fields.items():
        made[key] = x
    return made.view(np.recarray) if is_record else made


def dict_of(cls: Any, items: Mapping[Any, Any]) -> Any:
    """An object of a class with `dict` behind it that holds these items; `__init__` is not called.

    >>> class Rec(dict): pass
    >>> dict_of(Rec, {"w": 1.0})
    {'w': 1.0}
    """
    made = cls.__new__(cls)
    dict.update(made, items)
    return made


def namespace_of(cls: Any, items: Mapping[Any, Any]) -> Any:
    """The same, where the items are the attributes, too: `self.__dict__ = self`."""
    made = dict_of(cls, items)
    made.__dict__ = made
    return made


def array_of(cls: Any, parts: Mapping[str, Any]) -> Any:
    """An object of a class with `np.ndarray` behind it: the first of the parts seen as one, with
    the others as its attributes. It shares the memory of that array.

    >>> class Info(np.ndarray): pass
    >>> array_of(Info, {"array": np.ones(2), "unit": "m"}).unit
    'm'
    """

    class Array(np.ndarray[Any, Any]):  # which gets its class without `__array_finalize__`
        pass

    array, *_ = parts.values()
    made: Any = np.asarray(array).view(Array)
    made.__class__ = cls
    made.__dict__.update(list(parts.items())[1:])
    return made


def made_by(x: Any) -> Callable[[Any, Mapping[Any, Any]], Any]:
    """Which of the two makes an object like this one."""
    return namespace_of if getattr(x, "__dict__", None) is x else dict_of


__all__ = ["array_of", "dict_of", "made_by", "namespace_of", "with_fields"]

"""Derivatives of arrays in files are arrays in memory, of the plain class.

x = np.memmap("data", float)        of class np.memmap; so is np.zeros_like(x)
srcad.grad(f)(x)                    of class np.ndarray
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from srcad.pipeline.artifact import Artifact
from srcad.pipeline.request import Request

Program = Callable[..., Any]


def with_plain_results(entry: Program, artifact: Artifact, request: Request) -> Program:
    """The program, the arrays of whose results are plain ones; itself where they are anyway."""
    keys = (guard.expected for guard in artifact.guards if guard.kind == "leaf")
    if request.kind == "compile" or not any(type(k) is tuple and len(k) > 2 for k in keys):
        return entry

    @functools.wraps(entry)
    def call(*args: Any) -> Any:
        return _plain(entry(*args))

    return call


def _plain(x: Any) -> Any:
    """A result without arrays of other classes; itself where it has none."""
    if isinstance(x, np.memmap):
        return np.asarray(x)
    if isinstance(x, FunctionType):  # a pullback
        return lambda *args: _plain(x(*args))
    if type(x) is dict:
        return {key: _plain(item) for key, item in x.items()}
    if type(x) in (tuple, list):
        return type(x)(map(_plain, x))
    fields = _fields(x)
    changed = {name: made for name, old in fields.items() if (made := _plain(old)) is not old}
    if not changed:
        return x
    if isinstance(x, tuple):
        return x._replace(**changed)  # type: ignore[attr-defined]
    made = copy.copy(x)
    for name, item in changed.items():
        object.__setattr__(made, name, item)
    return made


def _fields(x: Any) -> dict[str, Any]:
    """The fields of a named tuple or a dataclass."""
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return dict(zip(x._fields, x, strict=True))
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return {field.name: getattr(x, field.name) for field in dataclasses.fields(x)}
    return {}

"""What a specialised program assumes of the outside, checked at each call.

A *path* is a Python expression that reaches an object at run time: `A[0]["w"]` (in the first
argument), or from the function `F` itself: `F.__globals__['scale']`,
`F.__closure__[0].cell_contents`, `F.__self__.rate`. `K[0]` is an object kept by the program because
no expression reaches it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from srcad.devices import is_array, is_on_device
from srcad.forks import lock

GuardKind = Literal["is", "code", "equals", "type", "leaf", "length", "keys", "static", "apart"]


@dataclass(frozen=True, slots=True)
class Guard:
    """`expected` is what was found at `path` when the program was compiled.

    is: this very object. code: this function, with this code. equals, static: a constant that is
    alike (`are_alike`). type: an object of this class. leaf: a number or array with this
    `leaf_key`. length: a list or tuple `(class, n)`. keys: a dict with these keys. apart: the path
    is that of two arrays, which share no memory.
    """

    path: str
    kind: GuardKind
    expected: Any


def are_alike(a: Any, b: Any) -> bool:
    """Whether two constants are one in class and value, part by part: `(1, 0.0)` equals
    `(True, -0.0)`, and `range(0, 3, 2)` `range(0, 4, 2)`, but programs tell them apart.
    """
    if type(a) is not type(b):
        return False
    match a:
        case tuple():
            return len(a) == len(b) and all(map(are_alike, a, b))
        case slice() | range():
            return are_alike((a.start, a.stop, a.step), (b.start, b.stop, b.step))
        case set() | frozenset():
            first, second = ({(type(x), repr(x)) for x in each} for each in (a, b))
            return first == second
        case float() | complex() | Decimal() | np.inexact():
            return repr(a) == repr(b)
    return bool(a == b)


def are_apart(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether two arrays share no memory: one on the host and one on a device never do."""
    if type(x) is not type(y) and is_on_device(x) != is_on_device(y):
        return True
    return not np.may_share_memory(x, y) or not np.shares_memory(x, y)


def is_below(path: str, top: str) -> bool:
    """Whether a path leads to or through what stands at `top`: `A[0].w[1]` is below `A[0].w`."""
    return path == top or path.startswith((f"{top}.", f"{top}["))


def name_in_module(obj: object) -> str | None:
    """`scipy.stats.norm` for an object that a public module has made; None for others."""
    public = type(obj).__module__.partition("._")[0]
    members = vars(sys.modules[public]) if public in sys.modules else {}
    return next((f"{public}.{name}" for name, value in members.items() if value is obj), None)


class RuleVersion:
    """Counts what users state of rules: programs compiled before are compiled again.

    A call compares `current`, which is the `number`; but None while calls make a detour, since some
    thread wants other programs than usual. So the usual call pays for nothing.
    """

    __slots__ = ("_detours", "_lock", "current", "number")

    def __init__(self) -> None:
        self._lock = lock()
        self._detours = self.number = 0
        self.current: int | None = 0

    def advance(self) -> None:
        """A rule was stated."""
        self._change(1, 0)

    @contextmanager
    def detour(self) -> Iterator[None]:
        """Calls of all threads ask which program is wanted, meanwhile."""
        self._change(0, 1)
        try:
            yield
        finally:
            self._change(0, -1)

    def _change(self, rules: int, detours: int) -> None:
        with self._lock:
            self.number += rules
            self._detours += detours
            self.current = None if self._detours else self.number


rule_version = RuleVersion()


# Classes of arrays that compute as `np.ndarray` does, on memory that lies elsewhere.
ARRAY_CLASSES = (np.ndarray, np.memmap)


def leaf_key(x: Any) -> Any:
    """The part of a signature that a number or array contributes: kind, dtype, rank, which extents
    are 1.

    A Python number gives its class, a NumPy scalar `(dtype,)`, an array `(dtype, ones)` with a flag
    per axis, one in a file (`np.memmap`) or on a device its class after these.
    """
    if is_array(x):
        own = () if type(x) is np.ndarray else (type(x),)
        return (x.dtype, tuple(n == 1 for n in x.shape), *own)
    if isinstance(x, np.generic):
        return (x.dtype,)
    return type(x)

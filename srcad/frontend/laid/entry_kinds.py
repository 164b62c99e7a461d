"""What the entries of a laid list may be in Python, and the arrays that hold them.

[0.0] * n              floats                            an array of floats, read as `float(x[i])`
    xs[i] = a[i]       NumPy's as well                   a second array has the marks of these
[0] * n                ints                              an array of ints
    xs[i] = 0.5        ints and floats                   an array of floats

A list begins with the kinds of what it is made of. Where another one is stored, the function is
lowered again, and the list made at that place may hold it from the beginning.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.laid import Laid
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import NeedStatic
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType, rank_of
from srcad.rules.core.joined_kinds import FLOATS, Kind, is_numpys

_HOLDS = "laid with: "
_DTYPES = map(np.dtype, (bool, int, float, complex, np.float32, np.complex64))
_NAMES: dict[Kind, str] = {
    **{kind: kind.__name__ for kind in (bool, int, float, complex)},
    **{(dtype, True): f"NumPy's {dtype}" for dtype in _DTYPES},
}
_NUMBERS = frozenset((int, *FLOATS))
_EXACT = 2**53  # the largest int up to which floats hold all


def known_kinds(session: Session, origin: str, kinds: Collection[Kind]) -> frozenset[Kind]:
    """The kinds of what is held by the lists made at a place, as far as it has turned out."""
    statics = session.inputs.statics
    return frozenset(kinds) | {kind for kind in _NAMES if _key(origin, kind) in statics}


def hold(form: Laid, kinds: Collection[Kind]) -> None:
    """Lower again if a list may not hold numbers of these kinds."""
    new = frozenset(kinds) - form.kinds
    if not new:
        return
    if dtype_of_kinds(form.kinds | new) is None:
        form.decline()
    raise NeedStatic(frozenset(_key(origin, kind) for origin in form.origins for kind in new))


def hold_alike(a: Laid, b: Laid) -> None:
    """Lower again if one of two lists that meet may hold more than the other."""
    for form, other in ((a, b), (b, a)):
        hold(form, other.kinds)


def _key(origin: str, kind: Kind) -> str:
    return f"{_HOLDS}{_NAMES.get(kind, '')}: {origin}"


def kinds_of_number(session: Session, x: Abstract) -> frozenset[Kind] | None:
    """The kinds that a number may have; None where `x` is none, or no list holds it."""
    is_number = isinstance(x, Value | bool | int | float | complex | np.generic)
    if not is_number or (isinstance(x, Value) and rank_of(x.type) != 0):
        return None
    found = session.kinds.of(session.atom(x))
    return found if found is not None and found <= _NAMES.keys() else None


def dtype_of_kinds(kinds: frozenset[Kind]) -> np.dtype[Any] | None:
    """The dtype of an array that holds numbers of these kinds; None where there is none."""
    if len(kinds) == 1:
        (kind,) = kinds
        return kind[0] if is_numpys(kind) else np.dtype(kind)
    return np.dtype(float) if kinds <= _NUMBERS else None


def has_marks(kinds: frozenset[Kind]) -> bool:
    """Whether a second array says which numbers are NumPy's."""
    return kinds == FLOATS


def is_exact(form: Laid, x: Abstract) -> bool:
    """Whether the array holds a number as it is: ints beside floats are small, or extents and
    indices of arrays.
    """
    dtype = dtype_of_kinds(form.kinds)
    if dtype is None or dtype.kind != "f":
        return True
    if isinstance(x, Value):
        is_int = isinstance(x.type, NumberType) and x.type.kind is int
        return not is_int or (isinstance(x.type, NumberType) and x.type.extent is not None)
    return not isinstance(x, int) or abs(x) <= _EXACT


__all__ = [
    "dtype_of_kinds", "has_marks", "hold", "hold_alike", "is_exact", "kinds_of_number",
    "known_kinds",
]  # fmt: skip

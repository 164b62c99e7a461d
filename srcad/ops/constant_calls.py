"""Which calls on constants alone raise: they are tried while compiling, if they are small.

np.zeros(None)                          raises: no extent
np.triu([[1.0, 2.0]], "s")              raises: the diagonal is no number
np.stack([1.0, 2.0], 3)                 raises: there is no such axis
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.kinds import is_integer
from srcad.ir.nodes import Op
from srcad.ir.walk import values_in
from srcad.rules.core.declaration.registration import of_users
from srcad.rules.core.sequences import whole
from srcad.rules.core.table import RULES
from srcad.silence import unwarned

_BRIEF = 32  # entries, items, and extents that an int may stand for


def raises_as_it_is(op: Op) -> bool:
    """Whether it is a small call on constants alone that raises."""
    fn = whole(op.fn)
    if op.effect or values_in((op.args, op.kwargs)) or not _is_of_library(fn):
        return False
    if not all(map(_is_brief, (*op.args, *op.kwargs.values()))):
        return False
    try:
        with unwarned():
            fn(*op.args, **op.kwargs)
    except Exception:
        return True
    return False


def _is_of_library(fn: Any) -> bool:
    """Whether a call of `fn` does nothing but give its result."""
    return isinstance(fn, np.ufunc) or (fn in RULES and fn not in of_users)


def _is_brief(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return len(x) <= _BRIEF and all(map(_is_brief, x))
    if isinstance(x, np.ndarray):
        return x.size <= _BRIEF
    return not is_integer(x) or -_BRIEF <= int(x) <= _BRIEF


__all__ = ["raises_as_it_is"]

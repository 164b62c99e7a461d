"""Writes into one of several arrays of which each has its own dtype, as data says which.

y = a if c else k         a: of doubles, k: of ints
y[0] = 2.5                If(c): a_2 = index_update(a, 0, 2.5)
                          else:  k_2 = index_update(k, 0, 2.5), which keeps 2
"""

from __future__ import annotations

from collections.abc import Callable

from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.memory.chosen import CHOSEN
from srcad.frontend.memory.views import View
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value


def has_dtypes(frame: Frame, x: Value, what: str) -> bool:
    """Whether an array that is written is one of several that have not all the same dtype."""
    session = frame.session
    if not is_array(x) or x not in session.kinds:
        return False
    if session.memory.has_dtypes(x):
        session.memory.check(x, what)
        return True
    if session.memory.root(x) in session.memory.joined and CHOSEN not in session.inputs.statics:
        raise NeedStatic(frozenset({CHOSEN}))
    return False


def by_dtype(frame: Frame, x: Value, write: Callable[[Value], None]) -> None:
    """Let `write` change the one that such an array is, or is a view of."""

    def view(of: View, array: Value) -> Value:
        made: Value = frame.session.emit(of.fn, (array, *of.rest), of.options)
        return made

    frame.session.memory.write_each(x, view, write)


__all__ = ["by_dtype", "has_dtypes"]

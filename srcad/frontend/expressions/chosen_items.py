"""Items of lists and tuples by an int that data gives: of arrays where a program writes them, of
objects, dicts and whatever else does not stand in arrays.

buffers[int(k)][0] = 1.0      y = buffers[0] if k == 0 or k == -2 else buffers[1] if ...
                              y[0] = 1.0
"""

from __future__ import annotations

import operator
from typing import Any

from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.expressions.missing import fails
from srcad.frontend.memory.chosen import CHOSEN
from srcad.frontend.statements.branches import choose
from srcad.ir.kinds import is_array
from srcad.ir.types import dtype_of, rank_of

# So many items are asked for one by one.
_FEW = 32


def chosen_array(frame: Frame, owner: Any, index: Abstract) -> Abstract:
    """The very array `owner[index]`; None where that is not asked, or the items are no few arrays
    of one dtype and rank.
    """
    items = _items(owner)
    if CHOSEN not in frame.session.inputs.statics or not all(map(is_array, items)):
        return None
    if len({(dtype_of(x.type), rank_of(x.type)) for x in items}) > 1:
        return None
    return chosen_item(frame, owner, index)


def chosen_item(frame: Frame, owner: Any, index: Abstract) -> Abstract:
    """The very item `owner[index]`; None if there are many."""
    items = _items(owner)
    kind = "list" if isinstance(owner, ListObj) else "tuple"
    if not 0 < len(items) <= _FEW:
        return None

    def among(k: int) -> Abstract:
        if k == len(items):
            raise fails(frame, IndexError(f"{kind} index out of range"))
        ends = [frame.session.emit(operator.eq, (index, each)) for each in (k, k - len(items))]
        cond = frame.session.emit(operator.or_, tuple(ends))
        return choose(frame, cond, lambda: items[k], lambda: among(k + 1))

    return among(0)


def _items(owner: Any) -> list[Abstract]:
    return list(owner.items) if isinstance(owner, ListObj) else list(owner)


def stays_item(owner: Abstract, x: Abstract) -> bool:
    """Whether what `owner[index] op= ...` has written is an array, which a list still holds."""
    is_list = isinstance(owner, ListObj) and owner.cls is list and owner.form is None
    return is_list and is_array(x)


__all__ = ["chosen_array", "chosen_item", "stays_item"]

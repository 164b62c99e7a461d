"""What a loop does with a list that it appends to: it adds items, and reads its last ones.

ys.append(v)     an item in the next free slot; the last items move on by one
ys[-2]           the last but one
ys[i - 1]        the same, where the list has `i` items and one more
ys[-2:]          the last two, where it had two before the loop
ys[0]            an item from before the loop
len(ys), if ys   by the length that the loop counts
"""

from __future__ import annotations

import operator

from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame, check_conflict
from srcad.frontend.abstract.objects import UNBOUND, Abstract, is_partial
from srcad.frontend.abstract.signals import Unmet
from srcad.frontend.expressions.missing import missing, raise_unless
from srcad.frontend.extents.index_bounds import affine_of
from srcad.frontend.lists.items import is_kept_row
from srcad.frontend.lists.opened import MAX_DEPTH, Open
from srcad.ir.kinds import is_python_int
from srcad.ir.nodes import Value


def append(frame: Frame, x: Open, item: Abstract) -> None:
    """`x.append(item)`, once for each time that the iteration comes here."""
    slots, last = x.slots.items, x.last.items
    free = next((k for k in range(0, len(slots), 2) if slots[k] is False), None)
    if free is None or len(frame.session.entered) != x.entered:
        x.split()
    slots[free : free + 2] = [True, item]
    depth = x.reads.depth
    last[1 : depth + 1] = [item, *last[1 : depth + 1]][:depth]
    if x.reads.length:
        last[0] = _sum(frame, last[0], 1)


def length(x: Open) -> Abstract:
    """`len(x)`."""
    x.reads.length = True
    return x.last.items[0]


def read(frame: Frame, x: Open, index: Abstract) -> Abstract:
    """`x[index]`: an item from before the loop, or one of the last."""
    if isinstance(index, slice):
        return _last_part(frame, x, index)
    if type(index) is int and 0 <= index < len(x.first):
        return x.first[index]
    depth = -index if type(index) is int and index < 0 else _depth(frame, x, index)
    if depth is None or not 0 < depth <= MAX_DEPTH:
        x.decline()
    x.reads.depth = max(x.reads.depth, depth)
    found = check_conflict(x.last.items[depth])
    if found is UNBOUND:
        if not frame.session.guessing:
            raise missing(frame, IndexError("list index out of range"), index)
        frame.session.unmet += 1
        raise Unmet
    if is_kept_row(found) and any(map(is_partial, found.form.arrays)):
        x.decline()  # there may be no array of this shape yet
    if _may_lack(found):
        is_there = frame.session.emit(operator.ge, (length(x), depth))
        raise_unless(frame, is_there, IndexError, "list index out of range")
    return found


def _last_part(frame: Frame, x: Open, index: slice) -> ListObj:
    """`x[-k:]`, where the list had as many items before the loop."""
    k = index.start
    is_last = type(k) is int and index.stop is None and index.step in (None, 1)
    if not is_last or not 0 < -k <= len(x.first):
        x.decline()
    return ListObj([read(frame, x, n) for n in range(k, 0)])


def truth(frame: Frame, x: Open) -> Abstract:
    """Whether `x` has items."""
    return True if x.first else frame.session.emit(operator.gt, (length(x), 0))


def _may_lack(item: Abstract) -> bool:
    return any(map(_may_lack, item)) if isinstance(item, tuple) else is_partial(item)


def _sum(frame: Frame, a: Abstract, b: int) -> Abstract:
    return frame.session.emit(operator.add, (a, b)) if isinstance(a, Value) else a + b


def _depth(frame: Frame, x: Open, index: Abstract) -> int | None:
    """How far an index is from the end, where that is the same in each iteration and the index is
    none that counts from the end.
    """
    if not (isinstance(index, Value) and is_python_int(index)):
        return None
    place = affine_of(frame.session, index)
    size = affine_of(frame.session, x.last.items[0])
    if x.reads.length and (ahead := (size - place).number) is not None:
        return ahead if ahead <= len(x.first) else None
    if x.position is None or any(flag is not True for flag, _ in x.appended):
        return None
    number = len(x.first) + len(x.appended)
    ahead = (x.position + number - place).number
    least = None if ahead is None else number - ahead  # what the index is in the first iteration
    if least is None or (least < 0 and (least, number) != (-1, 0)):
        return None  # an index of -1 may be that of the last item, but not where there is none
    x.reads.by_position = True
    return ahead


__all__ = ["append", "length", "read", "truth"]

"""`sorted`: while compiling where all keys are known, else by an operation that gives the order.

sorted([3, 1, 2])        ListObj([1, 2, 3])
sorted(x)                order = order_of(x, False); y = getitem(x, order); the list of its entries
"""

from __future__ import annotations

import bisect
import heapq
import operator
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import Grown, ListObj, Marked, form_of
from srcad.frontend.abstract.containers.laid import RowLeaf
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.kinds_by_data import Named
from srcad.frontend.abstract.objects import Abstract, Range, Ref, is_static
from srcad.frontend.builtins.folds import ordered
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import fails
from srcad.frontend.lists.changes import CHANGED
from srcad.frontend.written import heaps
from srcad.frontend.written.sorting import (
    column_of,
    floats_of_either_kind,
    in_order,
    keys_of,
    numpys_numbers,
    others,
    pythons_numbers,
)
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, SeqType, Type, rank_of
from srcad.rules.core.joined_kinds import FLOATS
from srcad.rules.core.staged import type_of

_MOST = 32  # items of which each is compared with each place
_NUMBERS = (bool, int, float)
_EITHER = frozenset([float, np.dtype(float)])


def sort(frame: Frame, x: Abstract, /, **options: Abstract) -> Abstract:
    """`sorted(x, key=None, reverse=False)`."""
    key, reverse = options.pop("key", None), options.pop("reverse", False)
    if _is_counted(x):
        form = form_of(x)
        items = form.columns[0] if isinstance(form, Grown) else x
        keys = items if key is None else call_python(frame, Ref(keys_of, ""), (x, key), {}, None)
        return _sorted_by_data(frame, x, keys, reverse)
    items = ordered(frame, x, "the argument of `sorted`")
    keys = [item if key is None else call(frame, key, (item,)) for item in items]
    keys = _decisive(keys)
    if all(map(is_static, (*keys, reverse))):
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse, **options)
        return ListObj([items[i] for i in order])
    if any(_kind_of(x) is None for x in keys):
        raise error("E120", None, what="`sorted` of run-time values")
    return _sorted_by_data(frame, tuple(items), frame.session.emit(np.array, (keys,)), reverse)


def _is_counted(x: Abstract) -> bool:
    """Whether an iterable has a length that only data knows."""
    if isinstance(x, Value) and isinstance(x.type, ArrayType):
        return x.type.shape is not None and len(x.type.shape) == 1
    form = form_of(x)
    if isinstance(form, Grown):
        return not isinstance(form.item, tuple | ListObj | RowLeaf)
    return isinstance(x, Range) or (isinstance(x, Value) and isinstance(x.type, SeqType))


def _sorted_by_data(frame: Frame, x: Abstract, keys: Abstract, reverse: Abstract) -> Abstract:
    maker = _maker(frame, x)
    if maker is None and isinstance(x, tuple) and len(x) <= _MOST:
        maker = others
    is_list = isinstance(keys, Value) and rank_of(keys.type) in (1, None)
    if maker is None or not is_list or not is_static(reverse):
        raise error("E120", None, what="`sorted` of run-time values")
    return call_python(frame, Ref(maker, ""), (x, keys, bool(reverse)), {}, None)


def _column_of(frame: Frame, x: Abstract) -> Abstract:
    """`column_of(x)`: whatever is sorted by it, its dtype is not seen where it has no entries."""
    form = form_of(x)
    if not isinstance(form, Grown) or not isinstance(form.item, int | Marked):
        made = frame.session.emit(np.array, (x,))
        return _of_rows(frame, made, x.items if isinstance(x, ListObj) and x.form is None else ())
    return form.decline() if isinstance(form.kinds[0], Named) else form.columns[0]


def _in_order(frame: Frame, y: Abstract, order: Abstract) -> Abstract:
    """`in_order(y, order)`: the rows of an array stand for those of the list that it is made of."""
    return _of_rows(frame, frame.session.emit(operator.getitem, (y, order)), (y,))


def _of_rows(frame: Frame, made: Abstract, rows: Iterable[Abstract]) -> Abstract:
    """An array, after noting that its rows are arrays or those of others, in Python."""
    memory = frame.session.memory
    if isinstance(made, Value) and rank_of(made.type) not in (0, 1):
        memory.tell(made, rows)
        memory.entangled[made] = CHANGED
    return made


def _maker(frame: Frame, x: Abstract) -> Any:
    """The function that sorts items of one kind of numbers; None where there is no such kind."""
    if isinstance(x, Range):
        return pythons_numbers
    kinds: set[Any] = set()
    for item in x if isinstance(x, tuple) else (x,):
        own = _kinds_of(frame, item)
        if own is None:
            return None
        kinds |= own
    if kinds == _EITHER:
        return floats_of_either_kind
    if len(kinds) != 1:
        return None
    return pythons_numbers if isinstance(kinds.pop(), type) else numpys_numbers


def _kinds_of(frame: Frame, x: Abstract) -> frozenset[Any] | None:
    """The kinds that a number, or the items of an array or sequence, may be; None of all others."""
    form = form_of(x)
    several = form.kinds[0] if isinstance(form, Grown) else None
    if x in frame.session.kinds:
        several = frame.session.kinds.of(x)
    if several == FLOATS:
        return _EITHER
    kind = None if x in frame.session.kinds else _kind_of(x)
    return None if kind is None else frozenset([kind])


def _kind_of(x: Abstract) -> Any:
    """The kind of a number, or of the items of an array or sequence; None for all others."""
    form = form_of(x)
    if isinstance(form, Grown):
        kind = form.kinds[0]
        return None if kind is None or isinstance(kind, frozenset) else _kind(kind)
    return _kind(type_of(x)) if isinstance(x, Value) or type(x) in _NUMBERS else None


def _kind(t: Type) -> Any:
    """The kind of the numbers that an array or a sequence has, or a number is."""
    if isinstance(t, SeqType):
        return _kind(t.elem)
    if isinstance(t, NumberType):
        return t.kind if t.kind in _NUMBERS else None
    if isinstance(t, ArrayType) and t.dtype.kind in "biuf" and (t.scalar or t.shape != ()):
        return t.dtype
    return None


def _decisive(keys: list[Abstract]) -> list[Abstract]:
    """Pairs by their first items, where all are known and differ: no other is compared."""
    if not all(isinstance(each, tuple) and each and is_static(each[0]) for each in keys):
        return keys
    firsts = [each[0] for each in keys]
    differ = all(a != b for k, a in enumerate(firsts) for b in firsts[:k])
    return firsts if differ else keys


# `heapq` and `bisect`, by their twins in Python.


def _read(twin: Any) -> Callable[..., Abstract]:
    def read(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call_python(frame, Ref(twin, ""), args, kwargs, None)

    return read


def _of_heap(twin: Any) -> Callable[..., Abstract]:
    """A function of a heap, which is a list and no other sequence."""
    read = _read(twin)

    def of_list(frame: Frame, heap: Abstract, *args: Abstract) -> Abstract:
        if isinstance(heap, ListObj) and heap.cls is deque:
            raise fails(frame, TypeError("heap argument must be a list"))
        return read(frame, heap, *args)

    return of_list


ORDERED: dict[Any, Callable[..., Abstract]] = {
    column_of: _column_of,
    in_order: _in_order,
    heapq.heappush: _of_heap(heaps.heappush),
    heapq.heappop: _of_heap(heaps.heappop),
    heapq.heapreplace: _of_heap(heaps.heapreplace),
    heapq.heappushpop: _of_heap(heaps.heappushpop),
    heapq.heapify: _of_heap(heaps.heapify),
    bisect.bisect_left: _read(heaps.bisect_left),
    bisect.bisect_right: _read(heaps.bisect_right),
    bisect.insort_left: _read(heaps.insort_left),
    bisect.insort_right: _read(heaps.insort_right),
}

__all__ = ["ORDERED", "sort"]

"""`sorted`: while compiling where all keys are known, else by an operation that gives the order.

sorted([3, 1, 2])        ListObj([1, 2, 3])
sorted(x)                order = order_of(x, False); y = getitem(x, order); the list of its entries
"""

from __future__ import annotations

import bisect
import heapq
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import (
    Grown,
    ListObj,
    Marked,
    RecordObj,
    form_of,
)
from srcad.frontend.abstract.containers.laid import RowLeaf
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.kinds_by_data import Named
from srcad.frontend.abstract.objects import Abstract, Range, Ref, is_static
from srcad.frontend.builtins.folds import ordered
from srcad.frontend.builtins.sort_keys import compare_as_joined, kind_of_number, kind_of_type
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import fails
from srcad.frontend.lists.changes import CHANGED
from srcad.frontend.loops.acting import Watch
from srcad.frontend.loops.comprehensions import list_of
from srcad.frontend.written import heaps
from srcad.frontend.written.sorting import (
    arrays,
    column_of,
    floats_of_either_kind,
    keys_of,
    less_of,
    numpys_numbers,
    others,
    pythons_numbers,
    ranks_of,
    sorted_rows,
)
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, SeqType, dtype_of, rank_of
from srcad.rules.core.joined_kinds import FLOATS

_MOST = 32  # items of which each is compared with each place
_MOST_OBJECTS = 16  # of which each is compared with each other one
_EITHER = frozenset([float, np.dtype(float)])


def sort(frame: Frame, x: Abstract, /, **options: Abstract) -> Abstract:
    """`sorted(x, key=None, reverse=False)`."""
    key, reverse = options.pop("key", None), options.pop("reverse", False)
    x = list_of(frame, x)
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
    is_other = any(kind_of_number(x) is None for x in keys)
    if 1 < len(keys) <= _MOST_OBJECTS and all(isinstance(x, RecordObj) for x in keys):
        return _by_own_order(frame, items, keys, reverse)
    if any(isinstance(x, RecordObj) for x in keys):
        fix = "say what they are compared by: `sorted(items, key=lambda item: item.cost)`"
        raise error("E120", None, what="`sorted` of objects by their own order", fix=fix)
    if is_other or not compare_as_joined(frame.session.kinds, keys):
        raise error("E120", None, what="`sorted` of run-time values")
    return _sorted_by_data(frame, tuple(items), frame.session.emit(np.array, (keys,)), reverse)


def _by_own_order(
    frame: Frame, items: list[Abstract], keys: list[Abstract], reverse: Abstract
) -> Abstract:
    """`sorted` of objects by their `<`: each is compared with each other one, so comparing them may
    do nothing else.
    """
    watch = Watch(frame, tuple(keys))
    less: Any = call_python(frame, Ref(less_of, ""), (tuple(keys),), {}, None)
    if watch.acts():
        raise error("E120", None, what="`sorted` of objects whose `<` does more than compare")
    rows = [row.items for row in less.items]
    if is_static(reverse) and all(is_static(x) for row in rows for x in row):
        order = sorted(range(len(keys)), key=partial(_Ordered, rows), reverse=bool(reverse))
        return ListObj([items[i] for i in order])
    ranks = call_python(frame, Ref(ranks_of, ""), (less,), {}, None)
    return _sorted_by_data(frame, tuple(items), ranks, reverse)


class _Ordered:
    """An object of a list, by the answers to all comparisons."""

    def __init__(self, less: list[list[bool]], place: int) -> None:
        self.less, self.place = less, place

    def __lt__(self, other: _Ordered) -> bool:
        return self.less[self.place][other.place]


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
    if maker is None and _rows_in(x):
        maker = arrays
    several = frame.session.kinds
    if keys in several and isinstance(keys, Value):
        several.check_array_of(several.of(keys), dtype_of(keys.type))
    is_list = isinstance(keys, Value) and rank_of(keys.type) in (1, None)
    if maker is None or not is_list or not is_static(reverse):
        raise error("E120", None, what="`sorted` of run-time values")
    return call_python(frame, Ref(maker, ""), (x, keys, bool(reverse)), {}, None)


def _column_of(frame: Frame, x: Abstract) -> Abstract:
    """`column_of(x)`: whatever is sorted by it, its dtype is not seen where it has no entries."""
    form = form_of(x)
    if not isinstance(form, Grown) or not isinstance(form.item, int | Marked):
        return frame.session.emit(np.array, (x,))
    if isinstance(form.kinds[0], Named):
        form.decline()
    frame.session.kinds.check_array_of(form.kinds[0], dtype_of(form.columns[0].type))
    return form.columns[0]


def _rows_in(x: Abstract) -> tuple[Value, ...]:
    """The arrays of one type that are sorted, or the column of which they are rows; or none."""
    form = form_of(x)
    if isinstance(form, Grown):
        kind = form.kinds[0]
        is_rows = isinstance(form.item, int) and isinstance(kind, ArrayType) and rank_of(kind)
        return form.columns if is_rows else ()
    is_all = isinstance(x, tuple) and all(is_array(item) and rank_of(item.type) for item in x)
    return x if is_all and all(item.type == x[0].type for item in x) else ()


def _sorted_rows(frame: Frame, items: Abstract, y: Value) -> Value:
    """`sorted_rows(items, y)`: each of the rows is one of the items, and data says which one."""
    memory = frame.session.memory
    memory.tell(y, _rows_in(items))
    memory.entangled[y] = CHANGED
    return y


def _maker(frame: Frame, x: Abstract) -> Any:
    """The function that sorts items of one kind of numbers; None where there is no such kind."""
    if isinstance(x, Range):
        return pythons_numbers
    is_items = isinstance(x, tuple)
    kinds: set[Any] = set()
    for item in x if is_items else (x,):
        own = _kinds_of(frame, item) if is_items else _kinds_in(frame, x)
        if own is None:
            return None
        kinds |= own
    if kinds == _EITHER:
        return floats_of_either_kind
    if len(kinds) != 1:
        return None
    return pythons_numbers if isinstance(kinds.pop(), type) else numpys_numbers


def _kinds_of(frame: Frame, x: Abstract) -> frozenset[Any] | None:
    """The kinds that a number may be; None of all others, of an array too."""
    return _named(frame, x, kind_of_number(x))


def _kinds_in(frame: Frame, x: Abstract) -> frozenset[Any] | None:
    """The kinds that the items of an array or a sequence may be; None of all but numbers."""
    form = form_of(x)
    if isinstance(form, Grown):
        kind = form.kinds[0]
        if kind is None or isinstance(kind, frozenset):
            return _EITHER if kind == FLOATS else None
        return _named(frame, x, kind_of_type(kind))
    if not isinstance(x, Value):
        return None
    if isinstance(x.type, ArrayType):
        return _named(frame, x, x.type.dtype if x.type.dtype.kind in "biuf" else None)
    return _named(frame, x, kind_of_type(x.type.elem) if isinstance(x.type, SeqType) else None)


def _named(frame: Frame, x: Abstract, kind: Any) -> frozenset[Any] | None:
    if x in frame.session.kinds:
        return _EITHER if frame.session.kinds.of(x) == FLOATS else None
    return None if kind is None else frozenset([kind])


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


def _of_heap(twin: Any, of_objects: Any) -> Callable[..., Abstract]:
    """A function of a heap, which is a list and no other sequence."""
    read, read_objects = _read(twin), _read(of_objects)

    def of_list(frame: Frame, heap: Abstract, *args: Abstract) -> Abstract:
        if isinstance(heap, ListObj) and heap.cls is deque:
            raise fails(frame, TypeError("heap argument must be a list"))
        is_known = isinstance(heap, ListObj) and heap.form is None
        has_objects = is_known and _are_few_objects([*heap.items, *args])
        return (read_objects if has_objects else read)(frame, heap, *args)

    return of_list


def _are_few_objects(items: list[Abstract]) -> bool:
    """Whether some compare by a `<` of their own, as they are or in tuples, and all are few."""
    return len(items) <= _MOST_OBJECTS and any(map(_has_object, items))


def _has_object(x: Abstract) -> bool:
    is_tuple = isinstance(x, tuple)
    return any(map(_has_object, x)) if is_tuple else isinstance(x, RecordObj) and not x.is_tuple


ORDERED: dict[Any, Callable[..., Abstract]] = {
    column_of: _column_of,
    sorted_rows: _sorted_rows,
    heapq.heappush: _of_heap(heaps.heappush, heaps.push_object),
    heapq.heappop: _of_heap(heaps.heappop, heaps.pop_object),
    heapq.heapreplace: _of_heap(heaps.heapreplace, heaps.replace_object),
    heapq.heappushpop: _of_heap(heaps.heappushpop, heaps.push_and_pop_object),
    heapq.heapify: _of_heap(heaps.heapify, heaps.heap_of_objects),
    bisect.bisect_left: _read(heaps.bisect_left),
    bisect.bisect_right: _read(heaps.bisect_right),
    bisect.insort_left: _read(heaps.insort_left),
    bisect.insort_right: _read(heaps.insort_right),
}

__all__ = ["ORDERED", "sort"]

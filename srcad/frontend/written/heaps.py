"""`heapq` and `bisect`, which C has: read in place, as a user's function is.

heappush(heap, item)       heap.append(item), then up to its place among its parents
insort(items, x)           items.insert(bisect_right(items, x), x)
"""

from __future__ import annotations

from typing import Any


def heappush(heap: Any, item: Any, /) -> None:
    """Add an item."""
    heap.append(item)
    _to_parents(heap, 0, len(heap) - 1)


def heappop(heap: Any, /) -> Any:
    """Take the least item out."""
    last = heap.pop()
    if heap:
        least = heap[0]
        heap[0] = last
        _to_leaves(heap, 0)
        return least
    return last


def heapreplace(heap: Any, item: Any, /) -> Any:
    """Take the least item out, then add one."""
    least = heap[0]
    heap[0] = item
    _to_leaves(heap, 0)
    return least


def heappushpop(heap: Any, item: Any, /) -> Any:
    """Add an item, then take the least one out."""
    if heap and heap[0] < item:
        least = heap[0]
        heap[0] = item
        _to_leaves(heap, 0)
        return least
    return item


def heapify(heap: Any, /) -> None:
    """Make a heap of a list."""
    for i in reversed(range(len(heap) // 2)):
        _to_leaves(heap, i)


def _to_parents(heap: Any, start: Any, place: Any) -> None:
    """Move an item up, as far as its parents are greater."""
    item = heap[place]
    while place > start and item < heap[(place - 1) // 2]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item


def _to_leaves(heap: Any, place: Any) -> None:
    """Move the lesser children up to a leaf, and the item there up to its place."""
    end, start, item = len(heap), place, heap[place]
    while 2 * place + 1 < end:
        child = 2 * place + 1
        if child + 1 < end and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[place] = heap[child]
        place = child
    heap[place] = item
    _to_parents(heap, start, place)


def push_object(heap: Any, item: Any, /) -> None:
    """`heappush` of one of a few items that compare by a `<` of their own: all places are known."""
    heap.append(item)
    _up(heap, 0, len(heap) - 1)


def pop_object(heap: Any, /) -> Any:
    """`heappop` of these."""
    last = heap.pop()
    return replace_object(heap, last) if heap else last


def replace_object(heap: Any, item: Any, /) -> Any:
    """`heapreplace` of these."""
    least = heap[0]
    heap[0] = item
    _down(heap, 0, 0)
    return least


def push_and_pop_object(heap: Any, item: Any, /) -> Any:
    """`heappushpop` of these."""
    return replace_object(heap, item) if heap and _less(heap[0], item) else item


def heap_of_objects(heap: Any, /) -> None:
    """`heapify` of these."""
    for i in reversed(range(len(heap) // 2)):
        _down(heap, i, i)


def _less(a: Any, b: Any) -> Any:
    """`a < b`; of tuples that end with objects without an order these are not asked."""
    if not (isinstance(a, tuple) and isinstance(b, tuple) and a and b and _is_last(a[-1], b[-1])):
        return a < b
    if a[:-1] == b[:-1]:
        raise NotImplementedError("two items of a heap that differ in objects without an order")
    return a[:-1] < b[:-1]


def _is_last(x: Any, y: Any) -> bool:
    cls: Any = type(x)
    return cls is type(y) and cls.__lt__ is getattr(object, "__lt__")  # noqa: B009 -- typeshed has no such method


def _up(heap: Any, start: int, place: int) -> None:
    parent = (place - 1) // 2
    if place > start and _less(heap[place], heap[parent]):
        heap[place], heap[parent] = heap[parent], heap[place]
        _up(heap, start, parent)


def _down(heap: Any, start: int, place: int) -> None:
    left, right = 2 * place + 1, 2 * place + 2
    if left >= len(heap):
        _up(heap, start, place)
    elif right < len(heap) and not _less(heap[left], heap[right]):
        heap[place], heap[right] = heap[right], heap[place]
        _down(heap, start, right)
    else:
        heap[place], heap[left] = heap[left], heap[place]
        _down(heap, start, left)


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """Where `x` stands before all items that are not less."""
    end = len(a) if hi is None else hi
    while lo < end:
        mid = (lo + end) // 2
        if (a[mid] if key is None else key(a[mid])) < x:
            lo = mid + 1
        else:
            end = mid
    return lo


def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Any = None) -> Any:
    """Where `x` stands after all items that are not greater."""
    end = len(a) if hi is None else hi
    while lo < end:
        mid = (lo + end) // 2
        if x < (a[mid] if key is None else key(a[mid])):
            end = mid
        else:
            lo = mid + 1
    return lo


def insort_left(a: Any, x: Any) -> None:
    """Put `x` before all items that are not less."""
    a.insert(bisect_left(a, x), x)


def insort_right(a: Any, x: Any) -> None:
    """Put `x` after all items that are not greater."""
    a.insert(bisect_right(a, x), x)

"""Functions of the standard library that C has, by their twins in Python."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.calls.functions import call_python
from srcad.frontend.written import heaps


def _read(twin: Any) -> Callable[..., Abstract]:
    def read(frame: Frame, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return call_python(frame, Ref(twin, ""), args, kwargs, None)

    return read


HEAP_CALLS: dict[Any, Callable[..., Abstract]] = {
    heapq.heappush: _read(heaps.heappush),
    heapq.heappop: _read(heaps.heappop),
    heapq.heapreplace: _read(heaps.heapreplace),
    heapq.heappushpop: _read(heaps.heappushpop),
    heapq.heapify: _read(heaps.heapify),
    bisect.bisect_left: _read(heaps.bisect_left),
    bisect.bisect_right: _read(heaps.bisect_right),
    bisect.insort_left: _read(heaps.insort_left),
    bisect.insort_right: _read(heaps.insort_right),
}

__all__ = ["HEAP_CALLS"]

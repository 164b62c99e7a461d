"""Items of containers: how they compare, and all of them one by one."""

from __future__ import annotations

from typing import Any


def is_or_equals(x: Any, y: Any) -> bool:
    """Whether two items are one object or equal: NaN is in a list that holds this very NaN."""
    return x is y or bool(x == y)


def taken_apart(items: list[Any], count: int) -> tuple[Any, ...]:
    """The items of a list that has so many."""
    return tuple(items)

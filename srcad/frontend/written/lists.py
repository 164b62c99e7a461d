"""Methods of lists, of which data says what they find: read in place of Python's."""

from __future__ import annotations

from typing import Any


def remove(items: Any, item: Any, /) -> None:
    """Take the first item out that equals this one."""
    for place in range(len(items)):
        if items[place] == item:
            break
    else:
        raise ValueError("list.remove(x): x not in list")
    items.pop(place)


__all__ = ["remove"]

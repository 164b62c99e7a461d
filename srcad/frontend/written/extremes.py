"""`max` and `min` of items of which data decides how many there are, or which their keys choose:
read in place, as a user's function is.

    max(v for v in x if v < 1)      best = None
                                    for v in x:
                                        if v < 1:
                                            if best is None or v > best:
                                                best = v
"""

from __future__ import annotations

from typing import Any


def largest(items: Any, has_default: bool, default: Any) -> Any:
    """`max(items)`."""
    best = None
    for item in items:
        if best is None or item > best:
            best = item
    if best is None:
        if has_default:
            return default
        raise ValueError("max() iterable argument is empty")
    return best


def smallest(items: Any, has_default: bool, default: Any) -> Any:
    """`min(items)`."""
    best = None
    for item in items:
        if best is None or item < best:
            best = item
    if best is None:
        if has_default:
            return default
        raise ValueError("min() iterable argument is empty")
    return best


def largest_by(items: Any, key: Any, has_default: bool, default: Any) -> Any:
    """`max(items, key=key)`."""
    best = best_key = None
    for item in items:
        its_key = key(item)
        if best_key is None or its_key > best_key:
            best, best_key = item, its_key
    if best_key is None:
        if has_default:
            return default
        raise ValueError("max() iterable argument is empty")
    return best


def smallest_by(items: Any, key: Any, has_default: bool, default: Any) -> Any:
    """`min(items, key=key)`."""
    best = best_key = None
    for item in items:
        its_key = key(item)
        if best_key is None or its_key < best_key:
            best, best_key = item, its_key
    if best_key is None:
        if has_default:
            return default
        raise ValueError("min() iterable argument is empty")
    return best


def second(pair: Any) -> Any:
    """The key of an item that is given with it."""
    return pair[1]

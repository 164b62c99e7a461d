"""`hasattr` and `getattr` with a default of what is computed when it is read, as a property is."""

from __future__ import annotations

from typing import Any


def has(x: Any, name: str) -> bool:
    """`hasattr(x, name)`."""
    try:
        getattr(x, name)
    except AttributeError:
        return False
    return True


def get(x: Any, name: str, default: Any) -> Any:
    """`getattr(x, name, default)`."""
    try:
        return getattr(x, name)
    except AttributeError:
        return default


__all__ = ["get", "has"]

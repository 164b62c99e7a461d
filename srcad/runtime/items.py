"""How containers compare their items."""

from __future__ import annotations

from typing import Any


def is_or_equals(x: Any, y: Any) -> bool:
    """Whether two items are one object or equal: NaN is in a list that holds this very NaN."""
    return x is y or bool(x == y)

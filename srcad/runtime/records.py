"""Objects as results: of classes whose `__init__` does more than keep its arguments."""

from __future__ import annotations

from typing import Any


def record(cls: type, /, **fields: Any) -> Any:
    """An object with these attributes; `__init__` is not called."""
    made: Any = object.__new__(cls)
    for name, x in fields.items():
        object.__setattr__(made, name, x)
    return made

"""Switches of the pass manager: what the environment says of passes, and the observers.

They stand apart from it since each first call asks for them, and most need no pass: their programs
are read from disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


def named(variable: str) -> frozenset[str]:
    """The names in a variable of the environment, between commas."""
    return frozenset(name.strip() for name in os.environ.get(variable, "").split(",") if name)


VERIFIES = os.environ.get("SRCAD_VERIFY", "0") == "1"
PRINTED = named("SRCAD_PRINT_AFTER")
disabled_names = set(named("SRCAD_DISABLE"))
observers: list[Callable[[Any], None]] = []


def is_debugging() -> bool:
    """Whether programs are not as usual, or are to be shown as they are made."""
    return bool(disabled_names or observers or PRINTED)


__all__ = ["PRINTED", "VERIFIES", "disabled_names", "is_debugging", "named", "observers"]

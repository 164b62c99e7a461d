"""Replay: what effects gave, for a program that computes the same again without them.

record = []                       again = iter(record)
e = rng.normal()            ->    e = replayed(again)
keep(record, e)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def keep(record: list[Any], x: Any) -> None:
    """Append a value, which may be written later, to a record."""
    record.append(x.copy() if isinstance(x, np.ndarray) else x)


def replayed(again: Iterator[Any]) -> Any:
    """The next value of a record."""
    x = next(again)
    return x.copy() if isinstance(x, np.ndarray) else x


__all__ = ["keep", "replayed"]

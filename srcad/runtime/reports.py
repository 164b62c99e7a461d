"""What programs report besides their result."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from typing import Any


def log(name: str, level: int, message: Any, *args: Any) -> None:
    """`logger.log(level, message, *args)` of the logger of this name."""
    logging.getLogger(name).log(level, message, *args)


class Bar:
    """A progress bar of another package, and where it is."""

    def __init__(self, made: Any) -> None:
        self.made = made
        self.steps: Iterator[int] = iter(made)


def bar(made_by: Any, total: int | None, options: tuple[tuple[str, Any], ...]) -> Bar:
    """A progress bar over so many items."""
    items = itertools.count() if total is None else range(total)
    return Bar(made_by(items, **({} if total is None else {"total": total}), **dict(options)))


def advance(shown: Bar) -> None:
    """The next step of a progress bar: its first one shows it, the one behind its items ends it."""
    next(shown.steps, None)


def tell(shown: Bar, method: str, *told: Any) -> None:
    """Call a method of a progress bar."""
    getattr(shown.made, method)(*told)

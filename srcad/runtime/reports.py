"""What programs report besides their result."""

from __future__ import annotations

import logging
from typing import Any


def log(name: str, level: int, message: Any, *args: Any) -> None:
    """`logger.log(level, message, *args)` of the logger of this name."""
    logging.getLogger(name).log(level, message, *args)

"""What srcad's own functions carry, by which they are known where a program calls them.

Apart from the compiler, which a process that finds its programs on disk never imports.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def request_of(fn: object) -> Any:
    """The request of a transformed function; None for others, wrappers of one included."""
    return None if inspect.isfunction(fn) else getattr(fn, "__srcad_request__", None)


def checkpointed(fn: object) -> Callable[..., Any] | None:
    """The function of which `srcad.checkpoint` made `fn`; None for others.

    Wrappers of one have its attributes too, by `functools.wraps`, but those of another function.
    """
    if not inspect.isfunction(fn) or getattr(fn, "__srcad_checkpoint__", None) is not fn:
        return None
    found: Callable[..., Any] = inspect.getattr_static(fn, "__wrapped__")
    return found


__all__ = ["checkpointed", "request_of"]

"""Calls that a handler of the compiler answers: the arguments have to fit what is called, too.

sorted(x, by=key)       `sorted` has no such option, whatever its handler does with others
d.get("a", default=0)   `dict.get` takes it by position alone
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.dispatch import Args, Kwargs


def handled(
    handler: Callable[..., Abstract], fn: Any, name: str, args: Args, kwargs: Kwargs
) -> Abstract:
    """What the handler of `fn` gives for a call.

    Raises:
        UnsupportedSyntax: E131, the arguments do not fit.
    """
    try:
        inspect.signature(handler).bind(*args, **kwargs)
        signature = _signature(fn)
        if signature is not None:
            signature.bind(*args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"`{name}` ({reason})") from None
    return handler(*args, **kwargs)


@lru_cache(None)
def _signature(fn: Any) -> inspect.Signature | None:
    """The signature of a function; None where Python tells none."""
    try:
        return inspect.signature(fn)
    except (TypeError, ValueError):
        return None


__all__ = ["handled"]

"""The signature of what is differentiated."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from srcad.errors import error
from srcad.rules import RULES


def signature_of(fn: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function; of a NumPy function or builtin, that of its rule."""
    request = getattr(fn, "__srcad_request__", None)
    if request is not None:
        return signature_of(request.primal)
    rule = RULES.get(fn) if getattr(fn, "__hash__", None) else None
    if rule is not None and rule.signature is not None and not inspect.isfunction(fn):
        return rule.signature
    try:
        return inspect.signature(fn)
    except (ValueError, TypeError):
        raise error("E101", None, what=f"`{getattr(fn, '__name__', fn)}`") from None
